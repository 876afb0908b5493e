"""`device="cuda"` on the emulator, for tests and for recorded calls."""

from __future__ import annotations

from pathlib import Path

from bychance.gpu import device, launch, mic, traces
from bychance.ranking.all_pairs import cuda, cuda_lines
from bychance.ranking.all_pairs.backend import NumpyBackend
from tests.gpu.emulator.fake_cupy import FakeCupy

FOLDER = Path(__file__).resolve().parents[3] / "build" / "emulator"


def sample_on(emulator, patch):
    """Let nulls be sampled on the emulator; `patch` is pytest's MonkeyPatch."""
    patch.setattr(device, "what_is_missing", lambda: "")
    for module in (mic, traces):
        patch.setattr(module, "gpu", lambda: emulator)
    return emulator


def screen_on(emulator, patch):
    """Let all pairs of two arrays be screened on the emulator, with NumPy in the place of CuPy."""
    fake = FakeCupy(1 << 24)
    patch.setattr(device, "what_is_missing", lambda: "")
    for module in (cuda, cuda_lines, launch):
        patch.setattr(module, "cupy", lambda: fake)
    for module in (cuda, cuda_lines):
        patch.setattr(module, "gpu", lambda: emulator)
    patch.setattr(cuda.CudaBackend, "product", NumpyBackend.product)
    patch.setattr(cuda, "_LEAST_COLUMNS", 8)
    patch.setattr(cuda, "_FIRST_ROOM", 4)
    return fake
