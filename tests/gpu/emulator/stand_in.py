"""`device="cuda"` on the emulator, for tests and for recorded calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from bychance.gpu import device, mic, traces
from tests.engine.screens import Backend
from tests.engine.settings import put
from tests.gpu.emulator.fake_cupy import FakeCupy

FOLDER = Path(__file__).resolve().parents[3] / "build" / "emulator"


def sample_on(emulator, patch):
    """Let nulls be sampled on the emulator. `patch` is pytest's MonkeyPatch."""
    patch.setattr(device, "what_is_missing", lambda: "")
    for module in (mic, traces):
        patch.setattr(module, "gpu", lambda: emulator)
    return emulator


def on_emulator(emulator, function, *arguments, **options):
    """Call a function with the emulator, or a real GPU, in the place of this machine's."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (mic, traces):
            patch.setattr(module, "gpu", lambda: emulator)
        return function(*arguments, **options)


def screen_on(emulator, patch):
    """Let all pairs of two arrays be screened on the emulator, with NumPy in the place of CuPy."""
    fake = FakeCupy(1 << 24)
    patch.setattr(device, "what_is_missing", lambda: "")
    patch.setattr(device, "cupy", lambda: fake)
    put(patch, cupy_of_screens=lambda: fake, gpu_of_screens=lambda: emulator)
    put(patch, product_on_gpu=Backend.product, least_gpu_columns=8, first_gpu_room=4)
    return fake
