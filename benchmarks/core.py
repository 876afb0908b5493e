"""One pair at a time: exact nulls and permutations against what people use now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import dcor
import numpy as np
import scipy.stats
from sklearn.metrics import adjusted_mutual_info_score

import bychance as bc
from benchmarks.timing import Row, beside
from tests.oracle.mutual_information import mean_and_variance


def rows() -> Iterator[Row]:
    yield from adjusted_mutual_information()
    yield moments_of_mutual_information()
    yield from distance_correlation()
    yield from one_correlation()
    yield permutations()


def adjusted_mutual_information() -> Iterator[Row]:
    for n_labels, target in [(3_000, "at least 10×"), (30, "")]:

        def start(n_labels: int = n_labels):
            x, y = np.random.default_rng(0).integers(n_labels, size=(2, 20_000))
            ours = partial(bc.adjust, "mi", x, y, null="moments", bound="arithmetic")
            return ours, partial(adjusted_mutual_info_score, x, y)

        yield beside(
            f"AMI, SMI and p, n = 20,000, {n_labels:,} labels",
            start,
            null="moments",
            peer="sklearn AMI alone",
            target=target,
            remark=lambda ours, peer: f"{ours.null.engine}, |Δ| {abs(ours.adjusted - peer):.0e}",
        )


def moments_of_mutual_information() -> Row:
    def start():
        x, y = np.random.default_rng(0).integers(20, size=(2, 1_000))
        ours = partial(bc.adjust, "mi", x, y, null="moments")
        return ours, partial(mean_and_variance, np.bincount(x).tolist(), np.bincount(y).tolist())

    what = "mean and variance of MI, 20 × 20, n = 1,000"
    return beside(what, start, null="moments", peer="plain Python, same sums", target="about 10 ms")


def distance_correlation() -> Iterator[Row]:
    test = dcor.independence.distance_covariance_test
    for n, resamples in [(200, 1_000), (2_000, 100)]:

        def start(null, n: int = n, resamples: int = resamples):
            x, y = np.random.default_rng(0).standard_normal((2, n))
            peer = partial(test, x, y, num_resamples=resamples, random_state=0)
            return partial(bc.adjust, "dcor", x, y, null=null), peer

        what = f"dcor, {resamples:,} permutations, n = {n:,}"
        drawn = partial(start, bc.Permutation(resamples))
        yield beside(what, drawn, null="permutation", peer="dcor", target="at least 1×")
        what = f"dcor with exact moments, n = {n:,}"
        peer = f"dcor, {resamples:,} permutations"
        yield beside(what, partial(start, "moments"), null="moments", peer=peer, number=20, peer_number=1)


def one_correlation() -> Iterator[Row]:
    for name, peer in (("np.corrcoef, r alone", np.corrcoef), ("scipy pearsonr", scipy.stats.pearsonr)):

        def start(peer=peer):
            x, y = np.random.default_rng(0).standard_normal((2, 1_000))
            return partial(bc.adjust, "r2", x, y), partial(peer, x, y)

        yield beside("adjust('r2'), n = 1,000", start, null="auto", peer=name, number=2_000)


def permutations() -> Row:
    def start():
        x, y = np.random.default_rng(0).standard_normal((2, 200))
        x_centered = x - x.mean()

        def squared_correlation(a: np.ndarray, axis: int) -> np.ndarray:
            centered = a - a.mean(axis=axis, keepdims=True)
            return (centered @ x_centered) ** 2 / ((centered**2).sum(axis=axis) * (x_centered @ x_centered))

        settings = dict(permutation_type="pairings", vectorized=True, alternative="greater", rng=0)
        peer = partial(scipy.stats.permutation_test, (y,), squared_correlation, n_resamples=9_999, **settings)
        return partial(bc.adjust, "r2", x, y, null=bc.Permutation(9_999)), peer

    what = "r2, 9,999 permutations, n = 200"
    return beside(what, start, null="permutation", peer="scipy permutation_test", number=20, peer_number=1)
