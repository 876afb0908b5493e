"""The names in a header are those of the table."""

from __future__ import annotations

import pytest

from bychance.table import read_table
from bychance.table.header import names_in_header


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["plain", "two\u2028parts", "group\x1cmark", "next\x85line", '"two\nlines"'])
def test_names_are_those_that_are_read(tmp_path, name, line_end):
    path = tmp_path / "t.csv"
    path.write_bytes(line_end.join([f"{name},b", "1,2", "3,4", ""]).encode())

    assert names_in_header(path) == list(read_table(path).names)
