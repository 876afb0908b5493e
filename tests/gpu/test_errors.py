"""Errors of CUDA become one sentence. CuPy is a stand-in here."""

from types import SimpleNamespace

import pytest

from bychance.gpu import device
from bychance.gpu.device import DeviceError


class OutOfMemory(Exception):
    pass


class Failure(Exception):
    pass


class Stream:
    def __init__(self, non_blocking):
        assert non_blocking

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


@pytest.fixture
def gpu(monkeypatch):
    attributes = {"MultiProcessorCount": 132, "MaxSharedMemoryPerBlockOptin": 232_448}
    cuda = SimpleNamespace(
        Device=lambda: SimpleNamespace(attributes=attributes),
        Stream=Stream,
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemory),
        runtime=SimpleNamespace(CUDARuntimeError=Failure),
        driver=SimpleNamespace(CUDADriverError=Failure),
        compiler=SimpleNamespace(CompileException=Failure),
    )
    monkeypatch.setattr(device, "cupy", lambda: SimpleNamespace(cuda=cuda))
    return device.Gpu()


def test_too_little_memory_says_what_helps(gpu):
    with (
        pytest.raises(DeviceError, match=r"too little memory left .9 bytes.; `device='cpu'` needs none"),
        gpu.session(),
    ):
        raise OutOfMemory("9 bytes\nand a trace")


def test_a_cuda_error_is_one_sentence(gpu):
    with (
        pytest.raises(DeviceError, match=r"The GPU failed .illegal address.; `device='cpu'`") as caught,
        gpu.session(),
    ):
        raise Failure("illegal address\nand a trace")
    assert "\n" not in str(caught.value)


def test_a_gpu_that_does_not_start_is_one_sentence(gpu, monkeypatch):
    def no_device():
        raise Failure("no device\nand a trace")

    monkeypatch.setattr(device, "Gpu", no_device)
    with pytest.raises(DeviceError, match=r"The GPU failed .no device.; `device='cpu'`"):
        device.gpu.__wrapped__()


def test_an_interrupt_stays_an_interrupt(gpu):
    with pytest.raises(KeyboardInterrupt), gpu.session():
        raise KeyboardInterrupt


def test_a_kernel_is_compiled_once(gpu, monkeypatch):
    compiled = []
    monkeypatch.setattr(device, "_compiled", lambda *what: compiled.append(what) or len(compiled))

    assert [gpu.request("a.cu", "f", N=n).result() for n in (1, 2, 1)] == [1, 2, 1]
