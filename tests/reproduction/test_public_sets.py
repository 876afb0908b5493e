"""Sets made by rule against the published files, and the files against what the paper says of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.kinds import Kind
from reproduction.by_rule import make_led7, make_monks, make_tic_tac_toe
from reproduction.public_sets import (
    PUBLIC_SETS,
    columns_and_classes,
    read_public_set,
    without_cells,
)

TRAINING_ROWS = {1: 124, 2: 169, 3: 122}
WRONG_CLASSES = [3, 20, 63, 66, 67, 109]


def rows_of(table):
    return list(zip(*(column.tolist() for column in table.values()), strict=True))


@pytest.fixture
def file_rows(data_directory):
    def read(name):
        lines = (data_directory / PUBLIC_SETS[name].file).read_text().splitlines()
        start = [line.strip().lower() for line in lines].index("@data")
        return [tuple(line.strip().split(",")) for line in lines[start + 1 :] if line.strip()]

    return read


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_the_last_432_rows_of_a_monks_file_are_the_grid(problem, file_rows):
    rows = file_rows(f"monks{problem}")

    assert len(rows) == TRAINING_ROWS[problem] + 432
    assert rows[-432:] == rows_of(make_monks(problem))


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_training_rows_follow_the_rule_but_for_six_of_the_third(problem, file_rows):
    truth = {row[:-1]: row[-1] for row in rows_of(make_monks(problem))}
    training = file_rows(f"monks{problem}")[: TRAINING_ROWS[problem]]
    wrong = [k for k, row in enumerate(training) if truth[row[:-1]] != row[-1]]

    assert wrong == (WRONG_CLASSES if problem == 3 else [])


def test_tic_tac_toe_is_the_file_row_by_row(file_rows):
    assert rows_of(make_tic_tac_toe()) == file_rows("tic-tac-toe")


def test_led7_has_the_law_of_the_file(file_rows):
    """The share of lit segments of every digit, within five standard errors of a difference."""
    made, published = np.array(rows_of(make_led7(3200))), np.array(file_rows("led7"))
    for digit in "0123456789":
        lit = [(rows[rows[:, -1] == digit, :-1] == "1") for rows in (made, published)]
        error = np.sqrt(sum(0.1 * 0.9 / len(rows) for rows in lit))

        assert np.all(np.abs(lit[0].mean(axis=0) - lit[1].mean(axis=0)) < 5 * error)


def test_led7_without_faults_shows_ten_different_digits():
    rows = rows_of(make_led7(500, flip=0.0))

    assert len(set(rows)) == len({row[:-1] for row in rows}) == 10


def test_no_such_monk_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="must be 1, 2 or 3, got 4"):
        make_monks(4)


@pytest.mark.parametrize("name", PUBLIC_SETS)
@pytest.mark.slow
def test_every_file_has_the_size_the_paper_gives(name, data_directory):
    known, table = PUBLIC_SETS[name], bc.read_table(data_directory / PUBLIC_SETS[name].file)
    X, y = columns_and_classes(read_public_set(name, data_directory))
    kinds = Counter(column.kind for column in table.columns[:-1])

    assert X.shape == (known.n_rows, known.n_categorical + known.n_numeric)
    assert (kinds[Kind.CATEGORICAL], kinds[Kind.NUMERIC]) == (known.n_categorical, known.n_numeric)
    assert len(np.unique(y)) == known.n_classes


def test_removed_cells_are_null_in_the_frame_and_others_stay():
    table = read_public_set("led7")
    whole, holed = (columns_and_classes(t)[0] for t in (table, without_cells(table, 0.1, seed=1)))
    for name in whole.column_names:
        before, after = whole[name].to_pylist(), holed[name].to_pylist()

        assert after.count(None) == 320
        assert all(b in (a, None) for a, b in zip(before, after, strict=True))


def test_a_set_without_a_rule_asks_for_its_directory():
    with pytest.raises(BychanceError, match=r"mito\.arff"):
        read_public_set("mito")
