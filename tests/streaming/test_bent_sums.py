"""`shape` of all rows of a stream, its bends taken from the sampled rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bychance as bc
from bychance import _native
from tests.engine.settings import own, put

N = 6000
OPTIONS = {"measure": "shape", "null": bc.Auto(tails="none")}


@pytest.fixture(scope="module")
def table():
    """Draw columns whose quintiles any large sample has, since many rows share each value."""
    rng = np.random.default_rng(0)

    def some(values):
        return pa.array(values, mask=rng.random(N) < 0.1)

    level = rng.choice(
        [-40.0, 0, 1, 4, 5, 9, 10, 30, 1e7], N, p=[0.02, 0.1, 0.16, 0.14, 0.16, 0.14, 0.16, 0.1, 0.02]
    )
    zeros = np.where(
        rng.random(N) < 0.6, 0, rng.choice([1, 5, 6, 7, 20, 50], N, p=[0.15, 0.25, 0.15, 0.15, 0.25, 0.05])
    )
    few = rng.choice([2.5, 3.5, 7.5], N)
    score = np.abs(level - 7) % 10 + rng.normal(size=N)
    word = np.where(score + few > 8, "high", np.where(zeros > 5, "many", "low"))
    return pa.table(
        {"level": some(level), "zeros": zeros, "few": some(few), "score": some(score), "word": some(word)}
    )


@pytest.fixture
def folder(table, tmp_path):
    for part in range(4):
        pq.write_table(table.slice(part * N // 4, N // 4), tmp_path / f"{part}.parquet")
    return tmp_path


def by_pair(ranking):
    return {(record["x"], record["y"]): record for record in ranking}


def assert_equal(found, expected):
    for pair, record in found.items():
        if pair[0] == "score":
            continue  # its quintiles are those of the sample
        assert record["n"] == expected[pair]["n"]
        for name in ("observed", "adjusted", "null_mean", "null_std"):
            assert record[name] == pytest.approx(expected[pair][name], rel=1e-10), (pair, name)
        assert (record["engine"], record["note"]) == (expected[pair]["engine"], expected[pair]["note"])


@pytest.mark.parametrize("target", [None, "score", "word"])
def test_with_the_bends_of_memory_a_stream_equals_it(table, folder, target):
    found = by_pair(bc.rank(folder, target=target, stream=bc.Streaming(2000), **OPTIONS))
    expected = by_pair(bc.rank(table, target=target, **OPTIONS))
    assert found.keys() == expected.keys()
    assert_equal(found, expected)


def test_bends_of_the_sample_change_a_share_little(table, folder):
    found = by_pair(bc.rank(folder, stream=bc.Streaming(2000), **OPTIONS))
    expected = by_pair(bc.rank(table, **OPTIONS))
    for y in ("level", "zeros", "word"):
        assert found["score", y]["n"] == expected["score", y]["n"]
        assert found["score", y]["null_mean"] == pytest.approx(expected["score", y]["null_mean"], rel=1e-10)
        assert found["score", y]["observed"] == pytest.approx(expected["score", y]["observed"], abs=0.01)


def test_a_stream_that_can_be_read_once_is_measured_on_its_sampled_rows(table):
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=500))
    found = by_pair(bc.rank(reader, stream=bc.Streaming(2000), **OPTIONS))
    assert "estimated from" in found["level", "word"]["note"]
    assert found["word", "score"]["note"] == ""


def test_a_pair_of_few_rows_has_no_more_bends_than_in_memory(tmp_path):
    rng = np.random.default_rng(0)
    rare = pa.array(rng.normal(size=N), mask=np.arange(N) % 300 > 0)
    pq.write_table(pa.table({"x": rng.normal(size=N), "rare": rare}), tmp_path / "rows.parquet")
    found = by_pair(bc.rank(tmp_path, stream=bc.Streaming(N // 2), min_n=3, **OPTIONS))
    assert found["x", "rare"]["null_mean"] < 0.3
    assert "estimated from" in found["x", "rare"]["note"]


def test_sums_are_kept_between_runs(folder, monkeypatch):
    run, n_runs = own("read_part"), []

    def interrupted(self, tick):
        n_runs.append(self.number)
        if len(n_runs) == 7:
            raise KeyboardInterrupt
        return run(self, tick)

    put(monkeypatch, read_part=interrupted)
    options = {"stream": bc.Streaming(2000), **OPTIONS}
    with pytest.raises(KeyboardInterrupt):
        bc.rank_to_file(folder, folder.with_suffix(".csv"), **options)
    found = by_pair(bc.rank_to_file(folder, folder.with_suffix(".csv"), resume=True, **options))
    assert n_runs == [0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 2, 3]
    assert_equal(found, by_pair(bc.rank(folder, **options)))


@given(st.integers(0, 2**32), st.sampled_from(["normal", "cauchy", "zeros", "few"]))
def test_sums_give_the_projector_on_the_bent_lines_and_its_invariants(seed, kind):
    rng = np.random.default_rng(seed)
    x = rng.standard_cauchy(300) ** 3 if kind == "cauchy" else rng.normal(size=300)
    if kind != "normal" and kind != "cauchy":
        x = np.where(rng.random(300) < 0.5, 0.0, x if kind == "zeros" else rng.integers(3, size=300))
    bends = _native.BentLine.of(x[:60], 5).bends
    columns = _native.slot_columns(x, np.zeros(300, dtype=bool), *bends)
    y = rng.normal(size=(300, 3))
    powers = np.array([np.sum(columns**p, axis=0) for p in range(1, 7)])
    trace, invariants, rank, _ = _native.bent_trace(powers, y.T @ columns, *bends)

    knots, groups, _ = bends
    if len(knots):
        # One line from knot to knot, flat on either side; the first and the last go on beyond the knots.
        ends = [-np.inf, *knots[1:-1], np.inf]
        ramps = zip(ends[:-1], ends[1:], knots[:-1], knots[1:], strict=True)
        ramps = [(np.clip(x, low, high) - left) / (right - left) for low, high, left, right in ramps]
        basis = np.column_stack([np.where(np.isin(x, groups), 0, ramps).T, x[:, np.newaxis] == groups])
    else:  # a value that the sample lacks joins the next group
        basis = columns[:, : 2 * len(groups) : 2]
    basis = basis - basis.mean(axis=0)
    u, sizes, _ = np.linalg.svd(basis / np.linalg.norm(basis, axis=0).clip(1e-300), full_matrices=False)
    f = u[:, sizes > 1e-7]
    a = f @ f.T
    d = np.diag(a)
    assert rank == f.shape[1]
    assert trace == pytest.approx(np.sum((f.T @ y) ** 2), rel=1e-7)
    assert invariants == pytest.approx(
        [rank] * 3 + [d @ d, np.sum(d**3), d @ d, d @ a @ d, np.sum(a**3)], rel=1e-7
    )


@pytest.mark.parametrize("n_levels", [4, 12])
def test_shape_of_ordered_levels_is_that_of_memory(n_levels, tmp_path, rng):
    """Few levels come from sums. Many bend, which the sampled rows show."""
    x = rng.integers(n_levels, size=3000)
    ordered = pd.Categorical.from_codes(x, [f"l{k:02}" for k in range(n_levels)], ordered=True)
    y = np.where(rng.random(3000) < 0.5 + 0.3 * np.sin(x), "p", "q")
    frame = pd.DataFrame({"x": ordered, "y": y, "z": np.cos(x) + rng.normal(size=3000)})
    frame.to_parquet(tmp_path / "t.parquet")
    sampled = n_levels > 6

    stream = bc.Streaming(sample_rows=500)
    for name in ("y", "z"):
        options = {"x": ["x"], "y": [name], "measure": "shape"}
        streamed = bc.rank(tmp_path / "t.parquet", **options, stream=stream)[0]
        memory = bc.rank(frame, **options)[0]
        assert ("estimated from 500 of 3,000 rows" in streamed["note"]) == sampled
        # Levels that bend take five degrees of freedom, groups one each.
        n = 500 if sampled else 3000
        assert streamed["null_mean"] == pytest.approx(memory["null_mean"] * 2999 / (n - 1), rel=1e-9)
        if not sampled:
            assert streamed["observed"] == pytest.approx(memory["observed"], rel=1e-10)
