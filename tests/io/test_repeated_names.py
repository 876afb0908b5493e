"""Rows that repeat the names are left out of text files, and rows of data that look like it stay."""

from __future__ import annotations

import pytest

from bychance.io import TextFormat, read_table
from bychance.kinds import Kind

HEADER = "time;temp;status"
ROWS = [f"2024-05-01 00:{k:02};{k % 7},5;{'ok' if k % 3 else 'bad'}" for k in range(40)]


@pytest.fixture
def read(tmp_path):
    def read_lines(*lines, end="\n", **options):
        path = tmp_path / "log.csv"
        path.write_bytes(end.join(lines).encode())
        return read_table(path, **options)

    return read_lines


def told(table):
    return [str(note) for note in table.notes if "repeat" in str(note)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_that_repeat_the_names_are_left_out_with_their_lines(read, end):
    plain, table = read(HEADER, *ROWS), read(HEADER, *ROWS[:20], HEADER, *ROWS[20:], HEADER, end=end)

    assert told(plain) == []
    assert told(table) == [
        "Lines 22 and 43 repeat the names and were left out; header=False reads all rows as data."
    ]
    assert [(c.name, c.kind, c.values.tolist()) for c in table] == [
        (c.name, c.kind, c.values.tolist()) for c in plain
    ]


@pytest.mark.parametrize(
    ("n_repeats", "said"),
    [
        (1, "Line 3 repeats the names and was"),
        (4, "Lines 3, 5, 7 and 9 repeat the names and were"),
        (6, "Lines 3, 5, 7 and 3 more repeat the names and were"),
    ],
)
def test_the_first_lines_are_listed(read, n_repeats, said):
    pairs = [line for row in ROWS[:n_repeats] for line in (row, HEADER)]

    (note,) = told(read(HEADER, *pairs, *ROWS[n_repeats:]))
    assert note.startswith(f"{said} left out")


def test_rows_are_counted_where_lines_are_not_rows(read):
    table = read(HEADER, *ROWS, "", HEADER, *ROWS)

    assert told(table) == ["1 row repeats the names and was left out; header=False reads all rows as data."]
    assert table.n_rows == 80


def test_lines_are_counted_below_titles(read):
    table = read("Logger 7", "", HEADER, *ROWS[:5], HEADER, *ROWS[5:])

    assert told(table)[0].startswith("Line 9 repeats")
    assert table.names == ("time", "temp", "status")


def test_names_that_are_categories_as_well_leave_rows_alone(read):
    table = read("kind,other", *["a,b", "kind,other", "kind,c", "a,other"] * 5)

    assert told(table) == []
    assert table.n_rows == 20


def test_data_taken_for_names_does_not_lose_rows(read):
    table = read("1,2.5", *["3,4.5", "5,1.5", "1,2.5"])

    assert told(table) == []
    assert table.n_rows == 3


def test_one_name_is_no_row_of_names(read):
    table = read("word", "a", "word", "b", text_format=TextFormat(delimiter=","))

    assert told(table) == []
    assert table.n_rows == 3


def test_all_rows_are_data_without_a_header(read):
    table = read("x,y", "1,2", "x,y", "2,3", header=False)

    assert table.n_rows == 4
    assert table["column_1"].kind is Kind.CATEGORICAL
