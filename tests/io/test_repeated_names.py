"""Rows that repeat the names are left out of text files, and rows of data that look like it stay."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.messages import KEEP_ALL_ROWS, Code

HEADER = "time;temp;status"
ROWS = [f"2024-05-01 00:{k:02};{k % 7},5;{'ok' if k % 3 else 'bad'}" for k in range(40)]


@pytest.fixture
def read(tmp_path):
    def read_lines(*lines, end="\n", **options):
        path = tmp_path / "log.csv"
        path.write_bytes(end.join(lines).encode())
        return read_table(path, **options)

    return read_lines


def test_rows_are_counted_where_lines_are_not_rows(read):
    table = read(HEADER, *ROWS, "", HEADER, *ROWS)

    (note,) = (note for note in table.notes if note.code is Code.NAMES_REPEATED)
    assert (note.values["n_rows"], note.suggestion) == (1, KEEP_ALL_ROWS)
    assert table.n_rows == 80
