import pytest

from bychance.gpu import device
from tests.gpu.emulator import Emulator
from tests.gpu.emulator.stand_in import FOLDER, sample_on, screen_on


@pytest.fixture(scope="session")
def emulator():
    if Emulator.compiler() is None:
        pytest.skip("needs a C++ compiler, for the kernels' own sources")
    return Emulator(FOLDER)


@pytest.fixture
def emulated(emulator, monkeypatch):
    """Run `device="cuda"` on the emulator."""
    return sample_on(emulator, monkeypatch)


@pytest.fixture
def fake(emulator, monkeypatch):
    """Run all pairs of two arrays on the emulator, with NumPy in the place of CuPy."""
    return screen_on(emulator, monkeypatch)


@pytest.fixture
def a_real_gpu():
    if missing := device.what_is_missing():
        pytest.skip(f"needs {missing}")
    return device.gpu()
