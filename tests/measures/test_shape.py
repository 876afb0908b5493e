"""The measure in any shape: its basis, its relation to `explained`, its nulls and limits."""

from __future__ import annotations

import json
import math
import os
from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bychance as bc
from bychance import _native
from bychance.kinds import Role
from bychance.measures import registry
from bychance.measures.trace import Bent, Partition, bent_line
from tests.oracle import measures as oracle

TABLES = Path(os.environ.get("BYCHANCE_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILE = TABLES.parent / "reference" / "shape_vectors.json"
HELD = json.loads(FILE.read_text()) if FILE.exists() else {"cases": []}


@st.composite
def columns(draw, min_size=3, max_size=60):
    """Draw a numeric column with ties, zeros or outliers, and another one."""
    n, seed = draw(st.integers(min_size, max_size)), draw(st.integers(0, 9_999))
    rng = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["normal", "zeros", "counts", "few", "outliers"]))
    x = {
        "normal": lambda: rng.standard_normal(n),
        "zeros": lambda: np.where(rng.random(n) < 0.5, 0.0, rng.exponential(size=n)),
        "counts": lambda: rng.poisson(3, size=n).astype(float),
        "few": lambda: rng.integers(4, size=n).astype(float),
        "outliers": lambda: rng.standard_cauchy(n) ** 3,
    }[kind]()
    assume(len(np.unique(x)) > 1)
    return x, rng.standard_normal(n), rng.integers(3, size=n).astype(str)


@pytest.mark.skipif(not HELD["cases"], reason="the reference's vectors are not here; see BYCHANCE_DATA")
@pytest.mark.parametrize("case", HELD["cases"], ids=lambda case: case["name"])
def test_basis_and_moments_equal_the_vectors(case):
    x, y = np.array(case["x"], dtype=float), case["y"]
    if case["on"] == "ranks":
        x = np.array(oracle.midranks(x.tolist()))
    line = _native.BentLine.of(x, case["pieces"])
    if case["y_kind"] == "numeric":
        numbers = np.array(oracle.midranks(y) if case["on"] == "ranks" else y, dtype=float)
        centered = (numbers - numbers.mean())[:, np.newaxis]
    else:
        classes = np.array(y)[:, np.newaxis] == np.unique(y)
        centered = classes - classes.mean(axis=0)
    observed = np.sum((line.basis().T @ centered) ** 2) / np.sum(centered**2)

    assert line.rank == case["rank"]
    assert line.invariants == pytest.approx([float(v) for v in case["invariants_x"].values()], rel=1e-12)
    assert observed == pytest.approx(float(case["observed"]), rel=1e-12)


@given(columns())
def test_estimate_equals_least_squares_on_hinges(made):
    x, y, classes = made
    assume(len(set(classes)) > 1)

    assert bc.measure("shape", x, y) == pytest.approx(oracle.shape(x.tolist(), y.tolist()), abs=1e-8)
    assert bc.measure("shape", x, classes) == pytest.approx(
        oracle.shape(x.tolist(), classes.tolist()), abs=1e-8
    )


@given(columns())
def test_it_is_never_below_explained(made):
    x, y, classes = made
    for other in (y, classes):
        assert bc.measure("shape", x, other) >= bc.measure("explained", x, other) - 1e-12


@given(columns(), st.sampled_from([1e-300, 1e-5, 1e300]))
def test_scale_does_not_matter(made, scale):
    x, y, _ = made
    assume(np.abs(x).max() < 1e7)

    assert bc.measure("shape", x * scale, y) == pytest.approx(bc.measure("shape", x, y), abs=1e-9)


@given(columns(max_size=200))
def test_basis_is_orthonormal_and_its_invariants_are_those_of_the_matrix(made):
    line = bent_line(made[0])
    basis = line.basis()
    a = basis @ basis.T
    d = np.diag(a)
    expected = [line.rank] * 3 + [d @ d, np.sum(d**3), d @ d, d @ a @ d, np.sum(a**3)]

    assert basis.T @ basis == pytest.approx(np.eye(line.rank), abs=1e-9)
    assert basis.sum(axis=0) == pytest.approx(np.zeros(line.rank), abs=1e-9)
    assert line.invariants == pytest.approx(expected, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("n", [1, 5, 11, 12, 17, 18, 29, 30, 1_000])
def test_there_is_one_piece_for_every_six_rows_and_at_most_five(n):
    assert _native.pieces_for(n) == min(5, max(1, n // 6))


def test_few_rows_make_it_explained(rng):
    x, y = rng.standard_normal((2, 11))

    assert bc.measure("shape", x, y) == pytest.approx(bc.measure("explained", x, y), rel=1e-12)


def test_few_values_make_groups(rng):
    x, y = rng.integers(6, size=60).astype(float), rng.standard_normal(60)
    prepared = registry.resolve("shape").prepare(x, Role.X)

    assert isinstance(prepared, Partition)
    assert bc.measure("shape", x, y) == pytest.approx(bc.measure("eta2", x.astype(str), y), rel=1e-12)


def test_more_values_make_a_bent_line(rng):
    x = np.append(rng.integers(6, size=60), 6).astype(float)
    prepared = registry.resolve("shape").prepare(x, Role.X)

    assert isinstance(prepared, Bent)


@pytest.mark.parametrize("is_class", [False, True])
def test_exact_moments_equal_those_of_all_permutations(is_class):
    x = np.array([1.0, 2, 4, 7, 11, 16, 22])
    y = np.array(["a", "b", "b", "c", "c", "a", "a"]) if is_class else np.array([3.0, 1, 4, 1, 5, 9, 2])
    basis = _native.BentLine.of(x, 3).basis()
    classes = y[:, np.newaxis] == np.unique(y) if is_class else y[:, np.newaxis]
    centered = classes - classes.mean(axis=0)
    total = np.sum(centered**2)
    values = [np.sum((basis.T @ centered[list(p)]) ** 2) / total for p in permutations(range(7))]
    a, b = _native.BentLine.of(x, 3).invariants, _invariants(centered @ centered.T)
    at = np.zeros(1, dtype=np.int64)
    mean, variance, third, _ = _native.trace_moments(a[None], b[None], np.array([7.0]), at, at)

    assert mean[0] / total == pytest.approx(np.mean(values))
    assert variance[0] / total**2 == pytest.approx(np.var(values))
    assert third[0] / total**3 == pytest.approx(np.mean((values - np.mean(values)) ** 3))


def _invariants(b):
    d, squared = np.diag(b), b @ b
    return np.array(
        [d.sum(), np.trace(squared), np.trace(squared @ b), d @ d, np.sum(d**3), d @ np.diag(squared),
         d @ b @ d, np.sum(b**3)]
    )  # fmt: skip


def test_its_adjustment_is_the_adjusted_r_squared(rng):
    x, y = rng.standard_normal((2, 50))
    found = bc.adjust("shape", x, y)

    assert found.null.mean == pytest.approx(5 / 49)
    assert found.adjusted == pytest.approx(1 - (1 - found.observed) * 49 / 44)


def test_normal_model_is_the_beta_law_of_a_regression(rng):
    x, y = rng.standard_normal((2, 50))
    found = bc.adjust("shape", x, y, null="normal")

    assert found.null.mean == pytest.approx(5 / 49)
    assert found.null.std**2 == pytest.approx(5 / 49 * 44 / 49 / (49 / 2 + 1))


@pytest.mark.parametrize("is_class", [False, True])
def test_sampled_null_has_the_exact_moments(is_class, rng):
    x = np.where(rng.random(80) < 0.3, 0.0, rng.lognormal(size=80))
    y = rng.integers(3, size=80).astype(str) if is_class else rng.standard_normal(80)
    exact = bc.adjust("shape", x, y, null="moments").null
    drawn = bc.adjust("shape", x, y, null=bc.Permutation(20_000)).null

    assert drawn.mean == pytest.approx(exact.mean, rel=0.02)
    assert drawn.std == pytest.approx(exact.std, rel=0.05)


@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("n", [9, 25, 40, 130])
def test_a_ranking_has_the_figures_of_single_pairs(n, has_gaps, rng):
    table = {
        "a": rng.standard_normal(n),
        "zeros": np.where(rng.random(n) < 0.6, 0.0, rng.exponential(size=n)),
        "counts": rng.poisson(2, size=n).astype(float),
        "kind": np.array(list("xyz"))[rng.integers(3, size=n)],
        "two": np.array(list("uv"))[rng.integers(2, size=n)],
    }
    if has_gaps:
        table["a"][rng.random(n) < 0.2] = np.nan
        table["counts"][rng.random(n) < 0.2] = np.nan
    for row in bc.rank(table, measure="shape", min_n=5).to_frame().to_pylist():
        single = bc.adjust("shape", table[row["x"]], table[row["y"]])
        assert row["observed"] == pytest.approx(single.observed, rel=1e-10, abs=1e-12)
        assert row["null_mean"] == pytest.approx(single.null.mean, rel=1e-10)
        assert row["null_std"] == pytest.approx(
            single.null.std, rel=1e-3 if "permutation" in row["engine"] else 1e-9
        )
        if row["p_kind"] in ("matched", "exact"):
            assert row["p_value"] == pytest.approx(single.p_value, rel=1e-8)


@pytest.mark.parametrize("is_class", [False, True])
def test_limits_are_near_those_of_half_samples(is_class, rng):
    x = rng.uniform(-1, 1, size=300)
    score = x**2 + rng.normal(0, 0.3, size=300)
    y = np.where(score > 0.4, "high", "low") if is_class else score
    found = bc.adjust("shape", x, y)
    low, high = found.interval()
    halves = []
    for _ in range(200):
        rows = rng.permutation(300)[:150]
        halves.append(bc.adjust("shape", x[rows], y[rows], null="moments").adjusted)

    assert low < found.adjusted < high
    assert (high - low) / (2 * 1.96) == pytest.approx(np.std(halves), rel=0.25)


def test_a_contradicted_arch_is_found():
    x = np.linspace(-1, 1, 200)
    found = bc.adjust("shape", x, x**2)

    assert found.adjusted > 0.98
    assert found.sign is None
    assert math.isclose(found.bound, 1.0)


def test_a_stream_whose_sample_holds_all_rows_equals_memory(tmp_path, rng):
    x = np.where(rng.random(900) < 0.1, np.nan, rng.lognormal(size=900))
    score = np.cos(np.nan_to_num(x)) + rng.normal(size=900)
    table = pa.table(
        {"x": x, "y": score, "group": np.where(score > 1, "high", "low"), "z": rng.normal(size=900)}
    )
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
    sources = (table, False), (tmp_path / "rows.parquet", True)
    memory, streamed = (
        bc.rank(source, measure="shape", stream=stream).to_frame() for source, stream in sources
    )

    assert memory["x"].to_pylist() == streamed["x"].to_pylist()
    for name in ("n", "observed", "adjusted", "null_mean", "null_std", "adjusted_low", "p_value"):
        assert streamed[name].to_pylist() == pytest.approx(memory[name].to_pylist(), rel=1e-9, abs=1e-12), (
            name
        )


def test_bends_of_a_sample_give_nearly_the_same_share(tmp_path, rng):
    x = rng.lognormal(size=60_000)
    table = pa.table({"x": x, "y": np.log(x) ** 2 + 2 * rng.normal(size=60_000)})
    pq.write_table(table, tmp_path / "rows.parquet")
    ranking = bc.rank(tmp_path / "rows.parquet", "y", measure="shape", stream=bc.Streaming(10_000))
    whole = bc.adjust("shape", table["x"], table["y"], null="moments").adjusted

    row = ranking.to_frame().to_pylist()[0]
    assert row["adjusted"] == pytest.approx(
        whole, abs=4 * (row["adjusted_high"] - row["adjusted_low"]) / 3.92
    )
