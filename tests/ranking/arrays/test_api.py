"""rank_arrays() against the ordinary engine, screened as on a CPU and a GPU."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.messages import Code
from tests.engine.ranking import BY
from tests.engine.screens import half_precision, matched_arrays, matched_arrays_to_file
from tests.engine.settings import put
from tests.ranking.arrays.arrays import by_pair, gappy_arrays, mixed_arrays, ordinary

FIGURES = ("n", "sign", *BY, "null_mean", "null_std")
WORDS = ("rank", "p_kind", "engine", "n_resamples", "note")


@pytest.fixture(params=["float32", "float16"])
def screen(request, monkeypatch):
    """Use the CPU's screen, and the GPU's precision in small blocks."""
    if request.param == "float16":
        put(monkeypatch, cpu_backend=lambda: half_precision(7))


def assert_same(found, expected, columns=(*FIGURES, *WORDS)):
    found, expected = by_pair(found, columns), by_pair(expected, columns)
    assert found.keys() == expected.keys()
    values, others = zip(*found.values(), strict=True), zip(*(expected[pair] for pair in found), strict=True)
    for name, some, same in zip(columns, values, others, strict=True):
        if name in WORDS:
            assert some == same, name
        else:  # what is unknown is NaN, and equal to itself
            figures = np.array(some, dtype=float), np.array(same, dtype=float)
            np.testing.assert_allclose(*figures, rtol=1e-8, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("n", [15, 25, 60, 300])
@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_all_pairs_are_those_of_a_table(screen, n, measure):
    x, y = mixed_arrays(n)

    found, expected = matched_arrays(x, y, measure=measure), ordinary(x, y, measure=measure)

    assert_same(found, expected, (*FIGURES, *WORDS, "q_value"))
    for count in ("n_pairs", "n_tested", "n_found", "n_duplicates"):
        assert getattr(found, count) == getattr(expected, count), count


@pytest.mark.parametrize("by", ["observed", "adjusted", "standardized", "adjusted_at", "p_value"])
@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_the_top_is_that_of_a_table(screen, by, measure):
    x, y = mixed_arrays(80, seed=3)

    found, expected = (
        matched_arrays(x, y, measure=measure, by=by, top=12),
        ordinary(x, y, measure=measure, by=by, top=12),
    )

    assert_same(found, expected)
    q_values = np.array([found["q_value"].to_pylist(), expected["q_value"].to_pylist()])
    is_small = q_values[0] < 0.5
    np.testing.assert_allclose(*q_values[:, is_small], rtol=1e-8)
    assert (q_values[0] >= q_values[1] - 1e-12).all()
    assert is_small.any()


def test_one_array_against_itself_has_every_pair_once(screen):
    x, _ = mixed_arrays(90)
    table = {f"x{k}": x[:, k] for k in range(x.shape[1])}

    found = matched_arrays(x, x)
    expected = bc.rank(table, measure="r2", null="moments", numeric=list(table))

    assert_same(found, expected, (*FIGURES, *WORDS, "q_value"))
    assert found.n_pairs == x.shape[1] * (x.shape[1] - 1) // 2


@pytest.mark.parametrize("threshold", [1e-10, 1e-3, 0.2, 1.0])
def test_a_file_has_all_pairs_up_to_the_threshold(screen, tmp_path, threshold):
    x, y = mixed_arrays(120, seed=4)
    expected = by_pair(ordinary(x, y, measure="r2"), ("p_value", "observed"))
    expected = {pair: values for pair, values in expected.items() if values[0] is not None}

    best = matched_arrays_to_file(x, tmp_path / "p.parquet", y, threshold=threshold, top=3)

    table = pq.read_table(tmp_path / "p.parquet")
    names = zip(*(table[side].to_pylist() for side in ("x", "y")), strict=True)
    found = dict(zip(names, table["p_value"].to_pylist(), strict=True))
    hopeless = {pair for pair, (p, _) in expected.items() if p == 1}
    wanted = {pair: p for pair, (p, _) in expected.items() if p <= threshold and pair not in hopeless}
    assert found.keys() - hopeless == wanted.keys()
    for pair, p in wanted.items():
        assert found[pair] == pytest.approx(p, rel=1e-8)
    by_rank = dict(zip(table["rank"].to_pylist(), table["p_value"].to_pylist(), strict=True))
    assert sorted(by_rank) == list(range(1, len(found) + 1))
    assert [row["rank"] for row in best.best(fold=True)][:3] == sorted(set(by_rank) - _duplicates(table))[:3]
    assert all(by_rank[row["rank"]] == row["p_value"] for row in best)


def _duplicates(table):
    notes = zip(table["rank"].to_pylist(), table["note"].to_pylist(), strict=True)
    return {rank for rank, note in notes if "near-duplicates" in note}


def test_a_file_of_one_array_has_every_pair_once(screen, tmp_path):
    x, _ = mixed_arrays(90)
    table = {f"x{k}": x[:, k] for k in range(x.shape[1])}
    every = by_pair(bc.rank(table, measure="spearman", null="moments", numeric=list(table)), ("p_value",))

    best = matched_arrays_to_file(
        x,
        tmp_path / "p.json",
        x,
        threshold=0.05,
        measure="spearman",
        top=10**6,
    )

    found = by_pair(best, ("p_value",))
    assert found.keys() == {pair for pair, (p,) in every.items() if p is not None and p <= 0.05}
    written = {(row["x"], row["y"]): row["p_value"] for row in json.loads((tmp_path / "p.json").read_text())}
    assert list(written) == sorted(written, key=lambda pair: [int(name[1:]) for name in pair])
    assert written == {pair: pytest.approx(p) for pair, (p,) in found.items()}


def test_q_values_of_a_file_count_all_pairs(tmp_path):
    x, y = mixed_arrays(120, seed=4)
    expected = by_pair(ordinary(x, y, measure="r2"), ("q_value",))

    matched_arrays_to_file(x, tmp_path / "p.csv", y, threshold=1e-3)
    best = matched_arrays_to_file(x, tmp_path / "p.csv", y, threshold=1e-3, top=100)

    small = {pair: q for pair, (q,) in by_pair(best, ("q_value",)).items() if q <= 1e-3}
    assert small
    for pair, q in small.items():
        assert q == pytest.approx(expected[pair][0], rel=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_no_pair_at_the_threshold_is_lost_in_half_precision(monkeypatch, tmp_path, seed):
    """Pairs are planted at and just around the threshold: all at or below it are found."""
    put(monkeypatch, cpu_backend=lambda: half_precision(16))
    rng, n, k = np.random.default_rng(seed), 200, 60
    x = rng.normal(size=(n, k))
    noise = rng.normal(size=(n, k))
    x_unit = (x - x.mean(0)) / np.linalg.norm(x - x.mean(0), axis=0)
    noise -= noise.mean(0)
    noise -= x_unit * (x_unit * noise).sum(0)
    r = 0.4 + np.linspace(-2e-3, 2e-3, k)
    y = r * x_unit + np.sqrt(1 - r**2) * noise / np.linalg.norm(noise, axis=0)
    every = by_pair(ordinary(x, y, measure="r2"), ("p_value",))
    threshold = np.sort([p for (p,) in every.values()])[k // 2] * (1 + 1e-9)

    matched_arrays_to_file(x, tmp_path / "p.parquet", y, threshold=threshold)

    assert pq.read_metadata(tmp_path / "p.parquet").num_rows == k // 2 + 1


def test_arrays_of_integers_and_booleans_are_numbers():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 100, size=(50, 3)), rng.random((50, 4)) < 0.5

    assert_same(
        matched_arrays(x, y),
        ordinary(x.astype(float), y.astype(float), measure="r2"),
        FIGURES,
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_keep_their_names_and_their_library(library):
    x, y = mixed_arrays(60)
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]
    frames = [
        make({f"{side}{k}": column for k, column in enumerate(v.T)})
        for side, v in zip("xy", (x, y), strict=True)
    ]

    found = bc.rank_arrays(*frames, top=20)

    assert type(found.to_frame()).__module__.split(".")[0] == library
    assert list(found) == list(bc.rank_arrays(x, y, top=20))


def test_booleans_and_gaps_of_a_frame_are_numbers():
    frame = pd.DataFrame({"flag": [True, False] * 20, "gap": [None, *range(39)], "count": range(40)})
    values = frame.astype(float).to_numpy()

    assert [row["p_value"] for row in bc.rank_arrays(frame)] == [
        row["p_value"] for row in bc.rank_arrays(values)
    ]


def test_an_empty_file_is_a_file(tmp_path):
    rng = np.random.default_rng(0)

    best = matched_arrays_to_file(
        rng.normal(size=(50, 3)),
        tmp_path / "p.parquet",
        rng.normal(size=(50, 3)),
        threshold=1e-12,
    )

    assert pq.read_table(tmp_path / "p.parquet").num_rows == len(best) == 0


X = np.random.default_rng(0).normal(size=(40, 5))


NAMED = pa.table({"a": np.arange(40.0), "b": np.arange(40) ** 2})


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ((X, X[:30]), {}, "`Y` must have as many rows as `X`, 40, got 30."),
        ((X, X[:, 0]), {}, "`Y` must be a two-dimensional array of rows × columns, or a frame, got 1 dim"),
        ((X, [[1.0]]), {}, "`Y` must be a two-dimensional array of rows × columns, or a frame, got list."),
        ((X.astype(str),), {}, "`X` must hold numbers"),
        ((X, X[:, :0]), {}, "`Y` must have rows and columns, got 40 × 0."),
        (
            (X,),
            {"measure": "mic"},
            "`measure` must be 'r2' or 'spearman', got 'mic'; for other measures rank",
        ),
        ((X,), {"alpha": [0.1, 0.2]}, "`alpha` must lie in (0, 1], got [0.1, 0.2]."),
        (
            (NAMED, NAMED.select(["b"])),
            {},
            "The columns of `X` and `Y` must differ in name, got 'b' in both.",
        ),
        ((pa.table({"a": ["u", "v"]}),), {}, "`X` must hold numbers, and 'a' is categorical: leave it out"),
        ((np.full((40, 2), np.inf), X), {}, "must be finite or missing (NaN), got infinity in 'x0', row 0."),
        ((X.astype(np.int64) + 2**60, X), {}, "`X` must hold integers of at most 2**53"),
        ((np.zeros((3, 3000)), np.zeros((3, 3000))), {}, "`top` must say how many pairs to keep"),
        ((X,), {"path": "p.csv"}, "`threshold` and `path` must come together"),
        ((X,), {"threshold": 0.1}, "`threshold` and `path` must come together"),
    ],
)
def test_what_is_wrong_is_said(arrays, options, message):
    with pytest.raises(BychanceError, match=re.escape(message)):
        bc.rank_arrays(*arrays, **options)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_nothing_is_half_written(tmp_path, monkeypatch, error):
    def fail(*args, **kwargs):
        raise error

    put(monkeypatch, screen_on_cpu=fail)
    with pytest.raises(error):
        bc.rank_arrays(X, path=tmp_path / "p.csv", threshold=0.1)
    assert not list(tmp_path.iterdir())


def test_q_values_that_may_be_too_large_are_noted():
    rng = np.random.default_rng(0)
    ranking = matched_arrays(rng.normal(size=(100, 60)), rng.normal(size=(100, 60)), top=5)

    assert any(note.says(Code.Q_IS_BOUND) for note in ranking.notes)
    assert math.isfinite(ranking[0]["q_value"])


@pytest.mark.parametrize("has_complete", [True, False])
@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_pairs_with_gaps_need_no_screen(tmp_path, measure, has_complete):
    x, y = gappy_arrays(has_complete=has_complete)

    assert_same(matched_arrays(x, y, measure=measure, top=15), ordinary(x, y, measure=measure, top=15))
    found = matched_arrays_to_file(x, tmp_path / "p.csv", y, threshold=1e-4, top=10**6, measure=measure)
    every = by_pair(ordinary(x, y, measure=measure), ("p_value",))
    p_values = by_pair(found, ("p_value",))
    assert p_values.keys() == {pair for pair, (p,) in every.items() if p is not None and p <= 1e-4}


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_columns_with_gaps_are_the_same_whatever_n_jobs(monkeypatch, n_jobs):
    put(monkeypatch, unscreened_tile_bytes=8 * 60 * 4)
    x, y = mixed_arrays(60)
    x[3, ::2] = np.nan

    assert_same(matched_arrays(x, y, n_jobs=n_jobs), ordinary(x, y, measure="r2"))


def test_more_pairs_than_can_go_without_a_screen_are_an_error(monkeypatch):
    put(monkeypatch, most_unscreened_pairs=10)

    with pytest.raises(BychanceError, match="25 pairs have columns that cannot be screened"):
        matched_arrays(X[:15], X[:15] + 0)


@pytest.mark.parametrize("measure", ["r2", "spearman"])
@pytest.mark.parametrize("what", ["int64", "uint64", "dates"])
def test_large_integers_and_dates_of_frames_stay_distinct(what, measure):
    rng = np.random.default_rng(0)
    k = rng.permutation(60)
    dates = np.datetime64("2020-01-01", "ns") + k.astype("m8[ns]")
    dates[0] = np.datetime64("1970-01-01", "ns")
    x = {"int64": 2**60 + k, "uint64": np.uint64(2**63) + k.astype("u8"), "dates": dates}[what]
    y = k / 20 + rng.normal(size=60)

    ranked = bc.rank_arrays(pd.DataFrame({"x": x}), pd.DataFrame({"y": y}), measure=measure)

    assert ranked[0]["observed"] == pytest.approx(bc.adjust(measure, x, y).observed, rel=1e-12)
