"""Rows that repeat the names are left out of text files, and rows of data that look like it stay."""

from __future__ import annotations

import pytest

from bychance.io import read_table

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


def test_rows_are_counted_where_lines_are_not_rows(read):
    table = read(HEADER, *ROWS, "", HEADER, *ROWS)

    assert told(table) == ["1 row repeats the names and was left out; header=False reads all rows as data."]
    assert table.n_rows == 80
