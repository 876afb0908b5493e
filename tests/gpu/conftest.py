import pytest

from bychance.gpu import device, launch, lines, mic
from tests.gpu.emulator import Emulator


@pytest.fixture(scope="session")
def emulator(tmp_path_factory):
    if Emulator.compiler() is None:
        pytest.skip("needs a C++ compiler, for the kernels' own sources")
    return Emulator(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def emulated(emulator, monkeypatch):
    """`device="cuda"` runs on the emulator."""
    monkeypatch.setattr(device, "what_is_missing", lambda: "")
    for module in (lines, mic):
        monkeypatch.setattr(module, "gpu", lambda: emulator)
    return emulator


@pytest.fixture
def a_real_gpu():
    if missing := device.what_is_missing():
        pytest.skip(f"needs {missing}")
    return launch.gpu()
