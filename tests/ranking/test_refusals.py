"""Errors, warnings and notes of a ranking: options, impossible nulls, functions that fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError, BychanceWarning, UnknownNameError
from tests.engine.ranking import ranked
from tests.ranking.conftest import records


def test_a_null_that_a_measure_does_not_have_is_refused(table):
    with pytest.raises(ValueError, match="`null='paper'` is not available for measure 'goodman_kruskal'"):
        bc.rank(table, measure="goodman_kruskal", null="paper")


def test_a_function_is_a_measure(table):
    def covers(x, y):
        return float(np.mean((x > np.median(x)) == (y > np.median(y))))

    ranking = bc.rank({k: table[k] for k in "abc"}, measure=covers, null=bc.Permutation(99))

    assert {row["measure"] for row in ranking.best()} == {"covers"}
    assert all(row["n_resamples"] == 99 for row in ranking.best())


def test_a_null_that_is_too_dear_is_noted_and_the_estimate_stays(table):
    row = records(bc.rank(table, measure="r2", null="exact"))["a", "b"]

    assert row["note"].startswith("no null: ")
    assert row["observed"] == pytest.approx(bc.measure("r2", table["a"], table["b"]))
    assert row["p_value"] is None


@pytest.mark.parametrize("null", [bc.Permutation(199), bc.Permutation("auto", rtol=0.3)])
def test_a_level_beyond_the_permutations_is_noted(table, null):
    by_p = bc.rank(table, target="a", measure="mic", null=null, alpha=0.001, by="p_value", min_n=12)
    measured = [row for row in by_p.best() if row["null_std"]]

    assert measured
    for row in measured:
        message = (
            f"{row['n_resamples']} permutations are too few for alpha = 0.001: it takes 999; adjusted_at is"
        )
        assert message in row["note"]
        assert row["adjusted_at"] == pytest.approx(row["observed"] - 1)
        assert row["adjusted_at_se"] is None or math.isnan(row["adjusted_at_se"])


def test_too_few_draws_for_any_q_value_are_warned_of(table):
    with pytest.warns(
        BychanceWarning, match="19 permutations are too few: no q-value can fall to 0.05 for 10 tests"
    ):
        bc.rank(
            {k: table[k] for k in ("a", "b", "c", "skewed", "coin")}, measure="r2", null=bc.Permutation(19)
        )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target": "bb"}, UnknownNameError, "Did you mean 'b'.* `target` must be one of"),
        ({"target": "constant"}, BychanceError, "`target` must vary: 'constant' is constant"),
        (
            {"target": "group", "measure": "r2"},
            BychanceError,
            "'group' is categorical, which r2 does not take",
        ),
        ({"by": "p"}, UnknownNameError, "`by` must be one of"),
        ({"alpha": 0}, ValueError, "`alpha` must lie in"),
        (
            {"alpha": 0.001, "null": bc.Permutation(199)},
            BychanceError,
            "`alpha` must be .* 199 permutations are too few for alpha = 0.001: it takes 999",
        ),
        ({"null": "beta"}, UnknownNameError, "`null` must be one of"),
        ({"null": "permutation"}, UnknownNameError, r"Did you mean 'bc.Permutation\(\)'"),
        ({"min_n": 2}, BychanceError, "`min_n` must be an integer of at least 3, got 2"),
        ({"fdr": "holm"}, UnknownNameError, "`fdr` must be one of"),
        ({"fdr": 0.05}, UnknownNameError, "`fdr` must be one of"),
        ({"fdr_level": 0}, BychanceError, r"`fdr_level` must lie in \(0, 1\], got 0"),
        ({"measure": "pearsn"}, UnknownNameError, "`measure` must be one of"),
        ({"measure": {"numbers": "r2"}}, UnknownNameError, "`measure` must be one of"),
        ({"measure": {}}, BychanceError, "at least one kind of pair"),
        ({"measure": {"mixed": "r2"}}, BychanceError, "for mixed pairs must take mixed pairs, got 'r2'"),
        ({"top": 0}, BychanceError, "`top` must be a positive integer, got 0"),
        ({"n_jobs": 0}, BychanceError, "`n_jobs` must be a number of threads"),
        ({"n_jobs": "2"}, BychanceError, "`n_jobs` must be a number of threads"),
        ({"target": ["a"]}, BychanceError, "`target` must be the name of one column"),
        ({"alpha": [0.1, 7]}, BychanceError, r"`alpha` must lie in \(0, 1\], got 7"),
        ({"alpha": []}, BychanceError, "`alpha` must have at least one value, got none"),
        ({"alpha": "0.1"}, BychanceError, r"`alpha` must lie in \(0, 1\], got '0.1'"),
        (
            {"alpha": 0.001, "null": bc.Auto(cap=199)},
            BychanceError,
            "`alpha` must be .* 199 permutations are too few for alpha = 0.001: it takes 999",
        ),
        ({"stream": 100}, BychanceError, r"`stream` must be true, false, None or bc.Streaming\(\), got 100"),
        ({"measure": "kendall", "null": "normal"}, BychanceError, "`null='normal'` is not available"),
    ],
)
def test_bad_options_are_named(table, options, error, message):
    with pytest.raises(error, match=message):
        bc.rank(table, **options)


def test_a_constant_is_noted_where_a_function_has_no_value_for_it(table):
    def correlation(x, y):
        return float(np.corrcoef(x, y)[0, 1] ** 2)

    few = {k: table[k] for k in ("a", "b", "constant")}
    with np.errstate(invalid="ignore"):
        rows = records(bc.rank(few, measure=correlation, null=bc.Permutation(19)))

    assert rows["a", "b"]["observed"] == pytest.approx(bc.measure("r2", table["a"], table["b"]))
    assert "constant" in rows["a", "constant"]["note"]
    assert rows["a", "constant"]["observed"] is None


@pytest.mark.filterwarnings("ignore:19 permutations are too few")
def test_a_function_that_fails_on_some_pairs_leaves_notes_there(table):
    def picky(x, y):
        if len(x) < 40:
            raise ValueError("too few")
        return float(np.corrcoef(x, y)[0, 1] ** 2)

    rows = records(
        bc.rank({k: table[k] for k in ("a", "b", "skewed")}, measure=picky, null=bc.Permutation(19))
    )

    assert rows["a", "b"]["observed"] is not None
    assert "too few" in rows["b", "skewed"]["note"]


def test_the_warning_of_few_draws_counts_all_pairs(rng, tmp_path):
    noise = {f"c{k}": rng.normal(size=30) for k in range(15)}
    options = {"measure": "r2", "null": bc.Permutation(19)}
    told = set()
    for run in (
        lambda: bc.rank(noise, **options),
        lambda: bc.rank(noise, top=1, by="adjusted", **options),
        lambda: bc.rank_to_file(noise, tmp_path / "x.csv", top=2, **options),
    ):
        with pytest.warns(BychanceWarning, match="19 permutations are too few") as caught:
            run()
        told.add(str(caught[0].message))
    assert len(told) == 1


@pytest.mark.parametrize("top", [None, 3])
@pytest.mark.filterwarnings("ignore:.*too few")
def test_a_measure_that_fails_on_a_whole_block_leaves_the_others(rng, top):
    """Blocks have 16 pairs: of the first x, none of which can be measured, and of the others."""
    numbers = {f"c{k}": rng.normal(size=12) for k in range(18)}
    numbers["c0"][7] = 50.0

    def picky(x, y):
        if max(x.max(), y.max()) >= 50:
            raise RuntimeError("no")
        return float(np.corrcoef(x, y)[0, 1] ** 2)

    y = [f"c{k}" for k in range(2, 18)]
    found = ranked(
        numbers, x=["c0", "c1"], y=y, measure=picky, null=bc.Permutation(19), block_size=16, top=top
    )

    assert (found.n_pairs, found.n_tested) == (32, 16)
    notes = found._rows.text("note")[found._rows.x == 0]
    assert top == 3 or (len(notes) == 16 and all("raised RuntimeError" in note for note in notes))


def test_a_measure_that_raises_is_an_error_that_names_it(table):
    def broken(x, y):
        raise RuntimeError("no")

    for n_jobs in (1, 2):
        with pytest.raises(bc.MeasureError, match="broken"):
            bc.rank({k: table[k] for k in "abc"}, measure=broken, n_jobs=n_jobs)
