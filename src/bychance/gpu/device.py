"""Choice of the device from `device=`: "cpu", "cuda", or an error that says what is missing."""

from __future__ import annotations

from functools import cache
from typing import Any

from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.names import first_line
from bychance.validation import one_of

__all__ = ["DEVICES", "DeviceError", "check_device", "cupy", "resolve_device", "what_is_missing"]

DEVICES = ("cpu", "cuda", "auto")

_EXTRAS = "`pip install bychance[gpu-cuda12]`, or [gpu-cuda13] where the driver has CUDA 13"


class DeviceError(BychanceError):
    """Error raised if no GPU can be used, or if the GPU fails."""


def check_device(device: str, *, has_covariates: bool = False) -> str:
    """Check the `device` option: "cuda" raises an error without a usable GPU, "auto" falls back to the CPU.

    >>> check_device("cpu")
    'cpu'
    """
    if resolve_device(device) == "cpu":
        return "cpu"
    if not has_covariates:
        return device
    if device == "cuda":
        raise DeviceError(
            Option("device", "cuda")
            + " cannot look beyond covariates; leave "
            + Option("given")
            + " or "
            + Option("device")
            + " out.",
            "device",
        )
    return "cpu"


def resolve_device(device: str) -> str:
    """Return "cuda" if it is requested or "auto" finds a GPU, otherwise "cpu".

    Without a GPU "cuda" is an error that says what is missing.

    >>> resolve_device("cpu")
    'cpu'
    """
    if one_of(device, "device", DEVICES) == "cpu":
        return "cpu"
    missing = what_is_missing()
    if missing and device == "cuda":
        raise DeviceError(Option("device", "cuda") + f" needs {missing}", "device")
    return "cpu" if missing else "cuda"


@cache
def what_is_missing() -> str:
    """Return a phrase that says what this process lacks to use a GPU, or ""."""
    try:
        import cupy
    except ImportError:
        return f"CuPy, which is not installed: {_EXTRAS}."
    except Exception as error:  # a broken installation raises whatever its libraries raise
        return f"CuPy, which does not load here ({first_line(error)})."
    try:
        n_devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"an NVIDIA GPU, which CuPy does not find here ({first_line(error)})."
    return "" if n_devices else "an NVIDIA GPU, which CuPy does not find here."


def cupy() -> Any:
    """Import and return CuPy, so that only a GPU run needs it."""
    import cupy

    return cupy
