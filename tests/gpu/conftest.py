from pathlib import Path

import pytest

from bychance.gpu import device, launch, mic, traces
from bychance.ranking.all_pairs import cuda, cuda_lines
from bychance.ranking.all_pairs.backend import NumpyBackend
from tests.gpu.emulator import Emulator
from tests.gpu.emulator.fake_cupy import FakeCupy

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def emulator():
    if Emulator.compiler() is None:
        pytest.skip("needs a C++ compiler, for the kernels' own sources")
    return Emulator(ROOT / "build" / "emulator")


@pytest.fixture
def emulated(emulator, monkeypatch):
    """`device="cuda"` runs on the emulator."""
    monkeypatch.setattr(device, "what_is_missing", lambda: "")
    for module in (mic, traces):
        monkeypatch.setattr(module, "gpu", lambda: emulator)
    return emulator


@pytest.fixture
def fake(emulator, monkeypatch):
    """All pairs of two arrays run on the emulator, with NumPy in the place of CuPy."""
    fake = FakeCupy(1 << 24)
    monkeypatch.setattr(device, "what_is_missing", lambda: "")
    for module in (cuda, cuda_lines, launch):
        monkeypatch.setattr(module, "cupy", lambda: fake)
    for module in (cuda, cuda_lines):
        monkeypatch.setattr(module, "gpu", lambda: emulator)
    monkeypatch.setattr(cuda.CudaBackend, "product", NumpyBackend.product)
    monkeypatch.setattr(cuda, "_LEAST_COLUMNS", 8)
    monkeypatch.setattr(cuda, "_FIRST_ROOM", 4)
    return fake


@pytest.fixture
def a_real_gpu():
    if missing := device.what_is_missing():
        pytest.skip(f"needs {missing}")
    return launch.gpu()
