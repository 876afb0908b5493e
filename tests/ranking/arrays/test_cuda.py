"""The screen on a GPU is the CPU's: the kernel's twin, the products' bound, and whole rankings."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.errors import BychanceError, BychanceWarning
from bychance.gpu.device import DeviceError, what_is_missing
from tests.engine.screens import (
    Backend,
    CudaBackend,
    matched_arrays,
    matched_arrays_to_file,
    rounding_bound,
    scale_of,
    standardized,
)
from tests.engine.settings import put
from tests.ranking.arrays.arrays import by_pair, mixed_arrays, ordinary

FIGURES = ("n", "sign", "observed", "adjusted", "adjusted_at", "p_value", "rank")

needs_gpu = pytest.mark.skipif(bool(what_is_missing()), reason=f"needs {what_is_missing()}")


@pytest.fixture
def gpu():
    return CudaBackend()


def lines_on(gpu, values, *, is_ranked=False):
    return standardized(gpu.put(values), np.float16, is_ranked=is_ranked, xp=gpu.xp)


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("n", [33, 1000, 9000])
def test_products_are_within_the_bound(gpu, n):
    rng = np.random.default_rng(n)
    x, y = rng.standard_t(4, size=(n, 70)), rng.normal(size=(n, 300))
    (a, facts), (b, others) = (lines_on(gpu, values) for values in (x, y))
    r = gpu.product(a, b, scale_of(n) ** -2).get()

    off = np.abs(r - np.corrcoef(x.T, y.T)[:70, 70:]).max()

    assert off <= rounding_bound(n, facts.rounding.max(), others.rounding.max())


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("is_ranked", [False, True])
def test_lines_are_those_of_numpy(gpu, is_ranked):
    x, _ = mixed_arrays(300)
    lines, facts = lines_on(gpu, x, is_ranked=is_ranked)
    expected, known = standardized(x, np.float16, is_ranked=is_ranked)

    np.testing.assert_allclose(lines.get().astype(float), expected.astype(float), atol=2e-3)
    np.testing.assert_array_equal(facts.kind, known.kind)
    np.testing.assert_allclose(facts.fourth, known.fourth, rtol=1e-10)


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("threshold", [0.0, 0.4, 0.9999, 2.0])
def test_the_kernel_finds_and_counts_what_numpy_does(gpu, threshold):
    rng = np.random.default_rng(0)
    r = rng.uniform(-1.0, 1.0, size=(1111, 1013)).astype(np.float32)
    there = gpu.xp.asarray(r)

    found = gpu.screened(there, threshold, most=None, is_counted=True)
    expected = Backend().screened(r, threshold, most=None, is_counted=True)

    order = np.argsort(found.at)
    np.testing.assert_array_equal(found.at[order], expected.at)
    np.testing.assert_array_equal(found.r[order], expected.r)
    np.testing.assert_array_equal(found.bins, expected.bins)
    assert gpu.screened(there, 0.4, most=10, is_counted=False).at is None


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_the_ranking_is_that_of_a_table_and_was_the_gpus(measure):
    x, y = mixed_arrays(200)

    found = matched_arrays(x, y, measure=measure, top=40, device="cuda")

    assert found.device == "cuda"
    expected = by_pair(ordinary(x, y, measure=measure, top=40), FIGURES)
    for pair, values in by_pair(found, FIGURES).items():
        assert values == pytest.approx(expected.pop(pair), rel=1e-8, nan_ok=True)
    assert not expected


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("is_same", [False, True])
def test_many_blocks_and_arrays_on_the_gpu_give_the_same(monkeypatch, tmp_path, is_same):
    put(monkeypatch, gpu_block_columns=lambda self, n_rows: 96, gpu_room=lambda self: 300_000)
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(500, 700)).astype(np.float32), rng.normal(size=(500, 450))
    y[:, :100] += x[:, :100]
    there = CudaBackend().xp.asarray(x)

    best = matched_arrays_to_file(
        there,
        tmp_path / "gpu.csv",
        there if is_same else y,
        threshold=1e-3,
        device="cuda",
        top=10**6,
    )
    known = matched_arrays_to_file(x, tmp_path / "cpu.csv", x if is_same else y, threshold=1e-3, top=10**6)

    assert (best.device, known.device) == ("cuda", "cpu")
    assert len(best) > 100
    found, expected = by_pair(best, ("p_value", "q_value")), by_pair(known, ("p_value", "q_value"))
    assert found.keys() == expected.keys()
    for pair, values in found.items():
        assert values == pytest.approx(expected[pair], rel=1e-8)


@pytest.mark.gpu
@needs_gpu
def test_too_little_memory_is_a_sentence(monkeypatch, tmp_path, gpu):
    put(monkeypatch, gpu_block_columns=lambda self, n_rows: 2**16)
    put(monkeypatch, pairs_worth_a_gpu=0)
    pool = gpu.xp.get_default_memory_pool()
    pool.set_limit(size=pool.used_bytes() + 2**25)
    x = np.random.default_rng(0).normal(size=(100, 4000))
    try:
        with pytest.raises(BychanceError, match="The GPU has too little memory left"):
            matched_arrays_to_file(x, tmp_path / "p.csv", x, threshold=1e-3, device="cuda")
        with pytest.warns(BychanceWarning, match="The CPU does it instead"):
            assert matched_arrays(x, x, top=10, device="auto").device == "cpu"
    finally:
        pool.set_limit(size=0)
    assert not list(tmp_path.iterdir())


def test_without_a_gpu_cuda_is_an_error_that_says_what_is_missing(monkeypatch):
    if not what_is_missing():
        pytest.skip("there is a GPU")
    x = np.random.default_rng(0).normal(size=(30, 3))

    with pytest.raises(DeviceError, match="`device='cuda'` needs"):
        matched_arrays(x, x, device="cuda")
