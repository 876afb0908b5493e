"""Codes with an E between digits are categories, and powers of ten are numbers."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.kinds import Kind
from tests.io.cells import as_in_a_file

ROOMS = ["1E2", "1E3", "2E5", "10E1"]


def test_digits_around_an_e_are_codes_with_a_note():
    table = read_table({"room": ROOMS * 5})

    assert table["room"].labels == tuple(ROOMS)
    assert [str(note) for note in table.notes] == [
        "'room': codes such as '1E2', kept as categories; numeric=['room'] reads numbers"
    ]
    numbers = read_table({"room": [*ROOMS, "NA"]}, numeric="room")["room"]
    assert numbers.values[:4].tolist() == [100, 1000, 200_000, 100]


@pytest.mark.parametrize(
    "cells",
    [["1.5E2", "1E3"], ["1E+05", "2E+06"], ["1E-3", "2E3"], ["1e5", "2e6"], ["1E3", "200"], ["12", "13"]],
)
def test_powers_of_ten_are_numbers(cells):
    assert read_table(as_in_a_file({"x": cells * 5}))["x"].kind is Kind.NUMERIC


@pytest.mark.parametrize("first", [10**19 + 7, 3 * 10**19 + 7])
def test_numbers_of_20_digits_are_categories_whether_they_fit_in_64_bits_or_not(first):
    table = read_table({"payment": [str(first + k % 9) for k in range(60)]})

    assert table["payment"].kind is Kind.CATEGORICAL
    assert "20 digits or more" in table.notes[0].text
