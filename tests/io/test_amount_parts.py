"""Amounts taken apart: cutting off the usual head and tail gives what a search in every cell gives."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.arrow_values import strings_of
from bychance.io.amount_parts import AmountParts, begin_like_amounts

CELLS = [
    "$1,200.50",
    "$3",
    "-$3",
    "($7.5)",
    "12 kg",
    "12kg",
    "7",
    "1e5",
    "€ 1.107,51",
    "5 €",
    "",
    "$",
    "kg",
    "1 2",
]
CELLS += ["−5", "$−5", "12 kg kg", "1st", "$1$", "text", None]
ENDS = [
    ("$", ""),
    ("", " kg"),
    ("", "kg"),
    ("", ""),
    ("($", ")"),
    ("-$", ""),
    ("€ ", ""),
    ("", " €"),
    ("$", "$"),
]


def parts_as_lists(parts):
    powers = None if parts.powers is None else [p or "" for p in parts.powers.to_pylist()]
    is_read = parts.is_read.tolist()
    return (
        is_read,
        parts.digits.to_pylist(),
        None if powers is None else [power for power, read in zip(powers, is_read, strict=True) if read],
        parts.is_negative[parts.is_read].tolist(),
        parts.is_bare.tolist(),
        parts.units,
        parts.has_parentheses,
    )


@given(st.lists(st.sampled_from(CELLS), min_size=1, max_size=12), st.sampled_from(ENDS))
def test_the_usual_ends_change_nothing(cells, usual):
    texts = pa.array(cells, pa.large_string())

    assert parts_as_lists(AmountParts.of(texts, usual)) == parts_as_lists(AmountParts.of(texts))


@pytest.mark.parametrize(
    ("cells", "usual"), [(["$1", "$2", "-$3"], ("$", "")), (["1 kg", "2 kg", "0"], ("", " kg"))]
)
def test_the_usual_ends_are_those_of_most_cells(cells, usual):
    assert AmountParts.of(strings_of(cells)).usual == usual


def test_text_has_no_usual_ends():
    parts = AmountParts.of(strings_of(["a", "b"]))

    assert parts.usual is None
    assert not np.any(parts.is_read)


@given(st.lists(st.one_of(st.sampled_from(CELLS[:-1]), st.text("$€(<-+−1,. aA", max_size=6)), min_size=1))
def test_no_cell_is_an_amount_that_does_not_begin_like_one(cells):
    texts = strings_of(cells)

    assert np.count_nonzero(AmountParts.of(texts).is_read) <= begin_like_amounts(texts)
