"""One pair at a time: exact nulls and permutations against what people use now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import dcor
import numpy as np
import scipy.stats
from sklearn.metrics import adjusted_mutual_info_score

import bychance as bc
from benchmarks.timing import Comparison, in_turns
from tests.oracle.mutual_information import mean_and_variance


def comparisons() -> Iterator[Comparison]:
    rng = np.random.default_rng(0)
    yield from adjusted_mutual_information(rng)
    yield from moments_of_mutual_information(rng)
    yield from distance_correlation(rng)
    yield from one_correlation(rng)
    yield from permutations(rng)


def adjusted_mutual_information(rng: np.random.Generator) -> Iterator[Comparison]:
    for n_labels, target in [(3_000, "at least 10×"), (30, "")]:
        x, y = rng.integers(n_labels, size=(2, 20_000))
        ours = partial(bc.adjust, "mi", x, y, null="moments", bound="arithmetic")
        peer = partial(adjusted_mutual_info_score, x, y)
        times = in_turns(ours, peer, rounds=2)
        difference = abs(ours().adjusted - peer())
        what = f"AMI, SMI and p, n = 20,000, {n_labels:,} labels (|Δ| {difference:.0e})"
        yield Comparison(what, ours().null.engine, times[0], "sklearn AMI alone", times[1], target)


def moments_of_mutual_information(rng: np.random.Generator) -> Iterator[Comparison]:
    x, y = rng.integers(20, size=(2, 1_000))
    ours = partial(bc.adjust, "mi", x, y, null="moments")
    peer = partial(mean_and_variance, np.bincount(x).tolist(), np.bincount(y).tolist())
    times = in_turns(ours, peer, rounds=2)
    what = "mean and variance of MI, 20 × 20, n = 1,000"
    yield Comparison(what, ours().null.engine, times[0], "plain Python, same sums", times[1], "about 10 ms")


def distance_correlation(rng: np.random.Generator) -> Iterator[Comparison]:
    test = dcor.independence.distance_covariance_test
    for n, resamples in [(200, 1_000), (2_000, 100)]:
        x, y = rng.standard_normal((2, n))
        peer = partial(test, x, y, num_resamples=resamples, random_state=0)
        times = in_turns(partial(bc.adjust, "dcor", x, y, null=bc.Permutation(resamples)), peer, rounds=3)
        what = f"dcor, {resamples:,} permutations, n = {n:,}"
        yield Comparison(what, "permutation", times[0], "dcor", times[1], "at least 1×")
        exact = partial(bc.adjust, "dcor", x, y, null="moments")
        times = in_turns(exact, peer, rounds=3)
        what = f"dcor with exact moments, n = {n:,}"
        yield Comparison(what, exact().null.engine, times[0], "dcor, as above", times[1], "")


def one_correlation(rng: np.random.Generator) -> Iterator[Comparison]:
    x, y = rng.standard_normal((2, 1_000))
    ours = partial(bc.adjust, "r2", x, y)
    times = in_turns(ours, partial(np.corrcoef, x, y), number=500)
    added = (times[0] - times[1]) * 1e6
    what = f"adjust('r2'), n = 1,000 (adds {added:.0f} µs)"
    yield Comparison(
        what, ours().null.engine, times[0], "np.corrcoef, r alone", times[1], "adds about 100 µs"
    )
    times = in_turns(ours, partial(scipy.stats.pearsonr, x, y), number=500)
    yield Comparison("adjust('r2'), n = 1,000", ours().null.engine, times[0], "scipy pearsonr", times[1], "")


def permutations(rng: np.random.Generator) -> Iterator[Comparison]:
    x, y = rng.standard_normal((2, 200))

    def squared_correlation(a: np.ndarray, axis: int) -> np.ndarray:
        centered = a - a.mean(axis=axis, keepdims=True)
        return (centered @ x_centered) ** 2 / ((centered**2).sum(axis=axis) * (x_centered @ x_centered))

    x_centered = x - x.mean()
    ours = partial(bc.adjust, "r2", x, y, null=bc.Permutation(9_999))
    settings = dict(
        permutation_type="pairings", vectorized=True, n_resamples=9_999, alternative="greater", rng=0
    )
    peer = partial(scipy.stats.permutation_test, (y,), squared_correlation, **settings)
    times = in_turns(ours, peer, rounds=3)
    what = "r2, 9,999 permutations, n = 200"
    yield Comparison(what, "permutation", times[0], "scipy permutation_test", times[1], "")
