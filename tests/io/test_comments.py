"""Comments among rows are left out with a note; cells that begin with # are not."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.io.comments import without_comments
from bychance.messages import Code


@pytest.mark.parametrize("delimiter", [",", "\t", "  "])
@pytest.mark.parametrize("comment", ["# restarted at noon", "#restarted"])
def test_comments_among_rows_are_left_out_with_their_line(tmp_path, delimiter, comment):
    rows = [delimiter.join(map(str, row)) for row in [("time", "flow"), *((k, k * k) for k in range(20))]]
    (tmp_path / "log.dat").write_text("\n".join([*rows[:9], comment, *rows[9:]]) + "\n")
    table = bc.read_table(tmp_path / "log.dat")

    assert table["flow"].values.tolist() == [k * k for k in range(20)]
    assert (table.notes[0].code, table.notes[0].values["lines"]) == (Code.COMMENTS_LEFT_OUT, (10,))


def test_comments_of_as_many_values_are_known_by_those_above():
    text = "a,b\n" + "1,2\n" * 9 + "#new sensor, ok\n" + "1,2\n"

    assert "#" in without_comments(text, ",", 0, has_more=False)[0]
    left, notes = without_comments(text, ",", 3, has_more=True)
    assert "#" not in left
    assert (notes[0].code, notes[0].values["lines"]) == (Code.COMMENTS_LEFT_OUT, (14,))


@pytest.mark.parametrize(
    "text",
    [
        "tag,n\n#one,1\n#two,2\n#three,3\n",  # rows
        'a,b\n1,"first\n# second\nthird"\n' + "1,2\n" * 9,  # part of a value
        "a,b\n" + "# x\n1,2\n" * 3,  # too many of them
    ],
)
def test_other_lines_with_a_hash_stay(text):
    assert without_comments(text, ",", 0, has_more=False) == (text, ())


def test_several_comments_are_counted():
    text = "a,b\n" + ("1,2\n" * 9 + "# again\n") * 6
    left, notes = without_comments(text, ",", 0, has_more=False)

    assert left.count("1,2\n") == 54
    assert "#" not in left
    assert (notes[0].code, notes[0].values["lines"]) == (Code.COMMENTS_LEFT_OUT, (11, 21, 31, 41, 51, 61))
