import sys

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.gpu import device

TABLE = {"a": np.arange(20.0), "b": np.arange(20.0) % 7, "c": np.arange(20.0) % 3}


@pytest.fixture
def no_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    device.what_is_missing.cache_clear()
    yield
    device.what_is_missing.cache_clear()


@pytest.fixture
def a_gpu(monkeypatch):
    """Let the options see a GPU."""
    monkeypatch.setattr(device, "what_is_missing", lambda: "")


def test_cuda_without_cupy_says_in_one_sentence_what_to_install(no_cupy):
    for call in (
        lambda: bc.rank(TABLE, device="cuda"),
        lambda: bc.adjust("r2", TABLE["a"], TABLE["b"], device="cuda"),
    ):
        with pytest.raises(
            BychanceError, match=r"^`device='cuda'` needs CuPy, .*bychance\[gpu-cuda12\]"
        ) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_auto_without_cupy_is_the_cpu(no_cupy):
    ranking = bc.rank(TABLE, device="auto")

    assert ranking.device == "cpu"
    assert ranking.to_frame().equals(bc.rank(TABLE).to_frame())
    assert bc.adjust("r2", TABLE["a"], TABLE["b"], device="auto").device == "cpu"


def test_an_unknown_device_is_named():
    with pytest.raises(BychanceError, match="`device` must be one of auto, cpu, cuda; got 'gpu'"):
        bc.rank(TABLE, device="gpu")


def test_a_gpu_does_not_look_beyond_covariates(a_gpu):
    with pytest.raises(BychanceError, match="cannot look beyond covariates"):
        bc.rank(TABLE, given="c", device="cuda")
    with pytest.raises(BychanceError, match="cannot look beyond covariates"):
        bc.adjust("r2", TABLE["a"], TABLE["b"], given=TABLE["c"], device="cuda")
    assert device.check_device("auto", has_covariates=True) == "cpu"


def test_auto_takes_a_gpu_that_is_there(a_gpu):
    assert [device.check_device(name) for name in device.DEVICES] == ["cpu", "cuda", "auto"]
