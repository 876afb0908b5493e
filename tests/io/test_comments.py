"""Comments among rows are left out with a note; cells that begin with # are not."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.messages import Code


@pytest.mark.parametrize("delimiter", [",", "\t", "  "])
@pytest.mark.parametrize("comment", ["# restarted at noon", "#restarted"])
def test_comments_among_rows_are_left_out_with_their_line(tmp_path, delimiter, comment):
    rows = [delimiter.join(map(str, row)) for row in [("time", "flow"), *((k, k * k) for k in range(20))]]
    (tmp_path / "log.dat").write_text("\n".join([*rows[:9], comment, *rows[9:]]) + "\n")
    table = bc.read_table(tmp_path / "log.dat")

    assert table["flow"].values.tolist() == [k * k for k in range(20)]
    assert (table.notes[0].code, table.notes[0].values["lines"]) == (Code.COMMENTS_LEFT_OUT, (10,))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# log\na,b\n" + "1,2\n" * 9 + "#new sensor, ok\n" + "1,2\n", (12,)),  # as others above the names
        ("tag,n\n#one,1\n#two,2\n#three,3\n", ()),  # rows
        ('a,b\n1,"first\n# second\nthird"\n' + "1,2\n" * 9, ()),  # part of a value
        ("a,b\n" + ("1,2\n" * 9 + "# again\n") * 6, (11, 21, 31, 41, 51, 61)),
    ],
)
def test_lines_that_are_no_rows_are_told(tmp_path, text, lines):
    (tmp_path / "t.csv").write_text(text)
    notes = bc.read_table(tmp_path / "t.csv").notes

    told = [note.values["lines"] for note in notes if note.says(Code.COMMENTS_LEFT_OUT)]
    assert told == ([lines] if lines else [])
