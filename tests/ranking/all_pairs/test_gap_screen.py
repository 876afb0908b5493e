"""Pairs with gaps through the screen: r within its bound, none lost, and the answer of a table."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

import bychance as bc
from tests.engine.screens import (
    MOST_FOURTH,
    SMALL_P,
    correlations_on_shared_rows,
    gap_bound,
    gap_screen_of,
    half_precision,
    most_others,
)
from tests.engine.settings import own, put
from tests.ranking.all_pairs.arrays import by_pair, gappy_arrays, mixed_arrays, ordinary


def slow(value):
    return pytest.param(value, marks=pytest.mark.slow)


FIGURES = ("rank", "n", "sign", "observed", "adjusted", "adjusted_at", "p_value", "engine", "note")


@pytest.fixture
def runs(monkeypatch):
    """How many candidates every pass had: small arrays are screened too, in small blocks."""
    put(monkeypatch, fewest_pairs_with_gaps=1)
    put(monkeypatch, cpu_backend=lambda: half_precision(66))
    found, original = [], own("screen_gaps")

    def counted(self, least_r):
        found.append(original(self, least_r))
        return found[-1]

    put(monkeypatch, screen_gaps=counted)
    return found


def assert_same(found, expected, columns=FIGURES):
    found, expected = by_pair(found, columns), by_pair(expected, columns)
    assert found.keys() == expected.keys()
    for pair, values in found.items():
        for name, value, same in zip(columns, values, expected[pair], strict=True):
            is_text = isinstance(value, str)
            assert value == (same if is_text else pytest.approx(same, rel=1e-8, abs=1e-14)), (pair, name)


@pytest.fixture(scope="module")
def every():
    """All pairs of the two arrays by the ordinary engine."""
    return ordinary(*gappy_arrays(), measure="r2")


@pytest.mark.parametrize("threshold", [slow(1e-12), 1e-5, slow(0.01)])
def test_a_file_has_all_pairs_up_to_the_threshold(runs, every, tmp_path, threshold):
    x, y = gappy_arrays()
    expected = {
        pair: p for pair, (p,) in by_pair(every, ("p_value",)).items() if p is not None and p <= threshold
    }

    found = bc.rank_to_file(
        x, tmp_path / "p.parquet", against=y, threshold=threshold, top=10**6, null="moments"
    )

    assert by_pair(found, ("p_value",)).keys() == expected.keys()
    for pair, (p, n) in by_pair(found, ("p_value", "n")).items():
        assert p == pytest.approx(expected[pair], rel=1e-8)
        assert n == np.count_nonzero(~np.isnan(x[:, int(pair[0][1:])] + y[:, int(pair[1][1:])]))
    assert found.n_tested == every.n_tested
    assert runs[0].n_others > 1000
    assert len(pq.read_table(tmp_path / "p.parquet")) == len(expected) > 5


@pytest.mark.parametrize(
    "by", [slow("observed"), slow("adjusted"), slow("standardized"), slow("adjusted_at"), "p_value"]
)
@pytest.mark.parametrize("has_complete", [True, slow(False)])
def test_the_top_is_that_of_a_table(runs, by, has_complete):
    x, y = gappy_arrays(has_complete=has_complete)

    found, expected = (
        bc.rank(x, against=y, by=by, top=20, null="moments"),
        ordinary(x, y, measure="r2", by=by, top=20),
    )

    assert_same(found, expected)
    assert runs[-1].n_others > 500
    q_values = np.array([found["q_value"].to_pylist(), expected["q_value"].to_pylist()])
    np.testing.assert_allclose(*q_values[:, q_values[0] < 0.05], rtol=1e-8)
    assert (q_values[0] >= q_values[1] - 1e-12).all()
    for count in ("n_pairs", "n_tested", "n_duplicates"):
        assert getattr(found, count) == getattr(expected, count), count


@pytest.mark.slow
def test_one_array_against_itself_has_every_pair_once(runs, tmp_path):
    x = np.hstack(gappy_arrays())
    table = {f"x{k}": x[:, k] for k in range(x.shape[1])}
    every = bc.rank(table, measure="r2", null="moments", numeric=list(table))
    expected = {pair for pair, (p,) in by_pair(every, ("p_value",)).items() if p is not None and p <= 1e-4}

    found = bc.rank_to_file(x, tmp_path / "p.csv", against=x, threshold=1e-4, top=10**6, null="moments")

    assert set(by_pair(found, ("p_value",))) == expected
    assert found.n_tested == every.n_tested
    assert runs[0].n_others > 1000


def planted(seed, n=150, k=40):
    """Columns with gaps of which the j-th of both arrays have a correlation of about 0.5, and which it is."""
    rng = np.random.default_rng(seed)
    x, y, r = rng.normal(size=(n, k)), rng.normal(size=(n, k)) / 10, 0.5 + 1e-8 * (np.arange(k) - k / 2)
    x[rng.random((n, k)) < 0.2], is_missing = np.nan, rng.random((n, k)) < 0.1
    for j in range(k):
        shared = ~np.isnan(x[:, j]) & ~is_missing[:, j]
        c, noise = x[shared, j] - x[shared, j].mean(), rng.normal(size=shared.sum())
        c /= np.linalg.norm(c)
        noise -= noise.mean()
        noise -= c * (c @ noise)
        y[shared, j] = r[j] * c + np.sqrt(1 - r[j] ** 2) * noise / np.linalg.norm(noise)
    y[is_missing] = np.nan
    return x, y, r


@pytest.mark.parametrize("seed", [0, slow(1)])
def test_no_pair_at_the_threshold_is_lost(runs, tmp_path, seed):
    x, y, _ = planted(seed)
    p_values = np.sort([p for (p,) in by_pair(ordinary(x, y, measure="r2"), ("p_value",)).values()])

    for threshold in p_values[[5, 20, 36]] * (1 + 1e-9):
        bc.rank_to_file(x, tmp_path / "p.parquet", against=y, threshold=threshold, null="moments")
        n_found = pq.read_metadata(tmp_path / "p.parquet").num_rows
        assert n_found == np.count_nonzero(p_values <= threshold)
    assert runs


def test_candidates_are_all_that_reach_a_correlation_and_no_others(monkeypatch):
    put(monkeypatch, fewest_pairs_with_gaps=1)
    x, y, r = planted(7)
    screen = gap_screen_of(x, y, block=66)

    found = screen.run(lambda reach: 0.5)

    is_planted = found.x == found.y
    assert set(found.x[is_planted]) >= set(np.flatnonzero(r >= 0.5))
    assert set(found.x[is_planted]) <= set(np.flatnonzero(r >= 0.5 - 2 * gap_bound(len(x))))
    assert len(found.x) + found.n_others == screen.n_pairs() == 1600


@pytest.mark.parametrize("n", [30, 200, 3000])
def test_r_is_within_its_bound_and_sure_pairs_have_a_smooth_law(n):
    x, y = (values[:, :15] for values in mixed_arrays(n))
    rng = np.random.default_rng(n)
    x[rng.random(x.shape) < 0.3], y[rng.random(y.shape) < 0.1] = np.nan, np.nan
    x[:, :3] += 1e4

    r, counts, is_sure = correlations_on_shared_rows(x, y)

    assert 10 < is_sure.sum() < is_sure.size
    for i, j in zip(*np.nonzero(is_sure), strict=True):
        shared = ~np.isnan(x[:, i] + y[:, j])
        sides = [(v[shared] - v[shared].mean()).astype(np.longdouble) for v in (x[:, i], y[:, j])]
        c, d = (v - v.mean() for v in sides)
        c, d = c / np.sqrt((c * c).sum()), d / np.sqrt((d * d).sum())
        assert abs(r[i, j] - abs(float((c * d).sum()))) <= gap_bound(n)
        assert counts[i, j] == shared.sum() > 20
        for v in (c, d):
            _, alike = np.unique(v, return_counts=True)
            assert (v**4).sum() <= MOST_FOURTH
            assert shared.sum() - alike.max() > most_others(int(shared.sum()))
        assert max(len(np.unique(v)) for v in (c, d)) > 2


def test_nearly_two_values_are_never_sure():
    """Both columns are two-valued up to rounding, or on the shared rows alone."""
    rng, n = np.random.default_rng(0), 120
    x, y = rng.integers(0, 2, (n, 2)) + 1e-9 * rng.normal(size=(n, 2)), rng.integers(0, 2, (n, 2)) * 1.0
    x[:, 1] = np.where(np.arange(n) < 60, x[:, 1], rng.normal(size=n))
    y[60:] = np.nan

    _, _, is_sure = correlations_on_shared_rows(x, y)

    assert not is_sure.any()


def test_ranks_of_shared_rows_are_left_to_the_ordinary_engine(runs):
    x, y = gappy_arrays()

    found, expected = (
        bc.rank(x, against=y, measure="spearman", top=5, null="moments"),
        ordinary(x, y, measure="spearman", top=5),
    )

    assert_same(found, expected, ("rank", "p_value"))
    assert not runs


def test_large_thresholds_and_whole_rankings_are_left_to_the_ordinary_engine(runs, tmp_path):
    x, y = gappy_arrays()

    bc.rank_to_file(x, tmp_path / "p.csv", against=y, threshold=2 * SMALL_P, null="moments")
    bc.rank(x, against=y, null="moments")

    assert not runs
