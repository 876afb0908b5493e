"""Whole tables beyond covariates: every figure is the one that a single pair gives."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc

FIGURES = ("observed", "adjusted", "standardized", "p_value", "null_mean", "null_std")


def table_of(rng, n=160):
    age, site = rng.standard_normal(n), rng.integers(0, 5, n)
    columns = {
        "a": age + rng.standard_normal(n),
        "b": age**2 + rng.standard_normal(n),
        "c": site + rng.standard_normal(n),
        "d": rng.standard_normal(n) * (1 + site),
        "e": np.round(age + rng.standard_normal(n)),
    }
    columns["f"] = columns["a"] + rng.standard_normal(n)
    return columns | {"age": age, "site": np.array(list("vwxyz"))[site]}


def gaps(rng, table):
    """Draw two columns that lack the same rows, one that lacks others, and such a covariate."""
    missing, others = rng.random(160) < 0.1, rng.random(160) < 0.1
    holed = {k: np.where(missing, np.nan, table[k]) for k in ("a", "b")}
    holed |= {"c": np.where(others, np.nan, table["c"])}
    return table | holed | {"age": np.where(rng.random(160) < 0.05, np.nan, table["age"])}


@pytest.mark.parametrize("with_gaps", [False, True])
@pytest.mark.parametrize("control", ["smooth", "linear", "strata"])
@pytest.mark.parametrize("given", [["site"], ["age"], ["age", "site"]])
@pytest.mark.parametrize("measure", ["explained", "r2", "spearman"])
@pytest.mark.slow
def test_whole_tables_give_the_figures_of_single_pairs(rng, measure, given, control, with_gaps):
    table = table_of(rng)
    table = gaps(rng, table) if with_gaps else table
    asked = bc.Given(given, control=control)
    ranking = bc.rank(table, measure=measure, given=asked, x=list("abc"), y=list("def"), null="moments")
    covariates = {name: table[name] for name in given}

    for record in ranking.to_frame().to_pylist():
        single = bc.adjust(
            measure,
            table[record["x"]],
            table[record["y"]],
            given=bc.Given(covariates, control=control),
            null="moments",
        )
        found = {name: getattr(single, name) for name in FIGURES[:4]}
        found |= {"null_mean": single.null.mean, "null_std": single.null.std}
        for name in FIGURES:
            assert record[name] == pytest.approx(found[name], rel=1e-8, abs=1e-12), (record, name)
        assert (record["n"], record["sign"], record["engine"]) == (single.n, single.sign, single.null.engine)


def test_columns_that_covariates_determine_have_nothing_to_learn(rng):
    table = table_of(rng) | {"g": np.tile([1.0, 2.0], 80)}
    table["h"] = table["g"] * 3
    rows = bc.rank(table, given="h", target="a").to_frame().to_pylist()
    row = next(row for row in rows if row["x"] == "g")

    assert (row["observed"], row["adjusted"], row["p_value"]) == (0.0, 0.0, 1.0)
    assert row["note"] == "given h, g does not vary"


@pytest.mark.parametrize("name", ["one", "line"])
def test_columns_with_nothing_left_beside_curves_are_measured_without_a_warning(rng, name):
    """Freedman and Lane's denominator is 0 then: NumPy warned of 0/0 beside four pairs or more."""
    z = rng.normal(size=160)
    table = {f"x{k}": z + rng.normal(size=160) for k in range(4)} | {"one": np.ones(160), "line": 5 + 3 * z}
    rows = [row for row in bc.rank(table | {"z": z}, given="z") if name in (row["x"], row["y"])]

    assert len(rows) >= 4
    for row in rows:
        single = bc.adjust("explained", table[row["x"]], table[row["y"]], given={"z": z})
        assert (row["observed"], row["adjusted"], row["p_value"]) == (0.0, 0.0, 1.0)
        assert (row["observed"], row["adjusted"], row["p_value"]) == (
            single.observed,
            single.adjusted,
            single.p_value,
        )
