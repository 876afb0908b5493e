"""adjust() says where text that it takes as categories is numbers for read_table()."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from bychance.errors import BychanceWarning


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([f"{k} m²" for k in range(30)], r"30 categories; .* read numbers or dates \(numbers in m²\)"),
        ([f"3:{k + 10}:05" for k in range(30)], "read numbers or dates$"),
        ([f"3:{k + 10}:05" for k in range(30)] + ["DNF"], "sets it aside: mixed: 30 of 31 values"),
    ],
    ids=["units", "times", "a word"],
)
@pytest.mark.parametrize("make", [list, pd.Series, np.array])
def test_text_that_is_numbers_elsewhere_is_told(make, cells, said):
    with pytest.warns(BychanceWarning, match=f"`x` is text and taken as .*{said}"):
        bc.adjust("explained", make(cells), np.arange(len(cells)) ** 2 % 7)


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical([f"{k} m²" for k in range(30)]),
        ["12 kg", "15 kg"] * 15,
        [f"P{k}" for k in range(30)],
        [str(k) for k in range(30)],
    ],
    ids=["declared", "few", "codes", "codes of digits"],
)
def test_other_categories_are_taken_without_a_word(values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.adjust("explained", values, np.arange(30) ** 2 % 7)


def test_a_measure_of_categories_takes_numbers_as_text_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.adjust("mi", [str(k % 25) for k in range(60)], ["a", "b"] * 30)
