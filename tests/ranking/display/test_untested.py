"""Reasons of untested pairs are the same, whether all rows are kept or only the best."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.engine.ranking import in_few_words, reasons_untested


@pytest.fixture
def table(rng):
    columns = {f"v{k}": rng.normal(size=50) for k in range(6)}
    columns["short"] = np.where(np.arange(50) < 8, columns["v0"], np.nan)
    columns["late"] = np.where(np.arange(50) < 8, np.nan, columns["v1"])
    columns["constant"] = np.full(50, 3.0)
    columns["word"] = rng.choice(list("ab"), 50)
    return columns


def test_the_best_rows_alone_tell_as_much_as_all(table):
    every, best = bc.rank(table), bc.rank(table, top=5)

    assert len(best) < best.n_pairs
    assert reasons_untested(best) == reasons_untested(every)
    assert reasons_untested(best).total() == best.n_pairs - best.n_tested
    assert "fewer than 10 shared rows (9); " in str(best)
    assert "no shared rows (1)" in str(best)


def test_a_target_without_tests_is_told_with_the_reason(table):
    only = {name: table[name] for name in ("constant", "v0")}
    said = "constant could not be tested against v0: a column is constant, or every value is unique."

    assert bc.rank(only, target="v0").verdict() == said


def test_frequent_reasons_come_first():
    reasons = reasons_untested(bc.rank({"a": [1.0] * 30, "b": [2.0] * 30, "c": np.arange(30.0)}))

    assert in_few_words(reasons) == "a column is constant, or every value is unique (3)"


def test_reasons_that_columns_do_not_show_are_not_named(rng):
    halves = np.repeat([0.0, 1.0], 20)  # constant on the rows that it shares with `early`
    table = {
        "halves": halves,
        "early": np.where(halves, np.nan, rng.normal(size=40)),
        "x": rng.normal(size=40),
    }
    best = bc.rank(table, top=1)

    assert (best.n_pairs, best.n_tested) == (3, 2)
    assert "1 pair was not tested\n" in str(best)
