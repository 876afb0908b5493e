"""Titles and comments above the names, units below them: left out with a note, and nothing else is."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.messages import KEEP_ALL_ROWS, Code
from tests.io.cells import write_sheet


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "t.csv"
        path.write_text(text, encoding="utf-8")
        return bc.read_table(path, **options)

    return read


QUALTRICS = (
    "Q1,Q2,Finished\n"
    "How old are you?,Which one?,Finished\n"
    '"{""ImportId"":""QID1_TEXT""}","{""ImportId"":""QID2""}","{""ImportId"":""finished""}"\n'
) + "34,a,True\n51,b,True\n" * 5


def test_questions_and_import_ids_of_a_survey_are_left_out(read):
    table = read(QUALTRICS)

    assert len(table) == 10
    assert table["Q1"].kind.value == "numeric"
    note = table.notes[0]
    assert (note.code, note.values["n"], note.suggestion) == (Code.ROWS_BELOW_NAMES, 2, KEEP_ALL_ROWS)
    assert note.values["cells"] == ("How old are you?", "Which one?", "Finished")


def test_sheets_have_titles_and_units_too(tmp_path):
    rows = [["Sales 2023"], [], ["region", "sales"], [None, "EUR"], *[["North", 1.5 * k] for k in range(9)]]
    table = bc.read_table(write_sheet(tmp_path / "t.xlsx", rows))

    assert table.names == ("region", "sales")
    assert table["sales"].values.tolist() == [1.5 * k for k in range(9)]
    assert [note.code for note in table.notes[:2]] == [Code.ROWS_ABOVE_NAMES, Code.ROWS_BELOW_NAMES]


BODY = [["region", "sales", "calls"], *[["North", k + 0.5, k * k % 7] for k in range(12)]]


@pytest.mark.parametrize(
    ("above", "corner"),
    [
        ([], (4, 3)),
        ([["Report 2023"], []], (3, 2)),
        ([["Report", None, "2023"], []], (1, 1)),
        ([["Account", "DE12", "x"], ["Branch", "7"], []], (1, 1)),
        ([["User: Ann", "Date: 5 May"], []], (1, 1)),
    ],
    ids=["offset", "title and offset", "title with a gap", "account", "said"],
)
def test_a_table_of_a_sheet_is_found_below_titles_and_at_an_offset(tmp_path, above, corner):
    table = bc.read_table(write_sheet(tmp_path / "t.xlsx", [*above, *BODY], corner))

    assert (table.names, table.n_rows) == (("region", "sales", "calls"), 12)
    assert table.notes[0].code is Code.ROWS_ABOVE_NAMES


def test_a_table_with_an_empty_row_loses_none(tmp_path):
    table = bc.read_table(write_sheet(tmp_path / "t.xlsx", [*BODY[:6], [], *BODY[6:]]))

    assert table["sales"].present.tolist() == [k + 0.5 for k in range(12)]


def test_a_sheet_may_have_all_of_it(tmp_path):
    rows = [
        ["Report 2023"],
        [],
        ["region", "sales", None, "staff", None],
        [None, "2022", "2023", "full", "part"],
        [None, "EUR", "EUR", "FTE", "FTE"],
        *[["North", 1.5 * k, 2.5 * k, k, 2 * k] for k in range(9)],
        [],
        ["* without the islands"],
    ]
    table = bc.read_table(write_sheet(tmp_path / "t.xlsx", rows))

    assert table.names == ("region", "sales 2022", "sales 2023", "staff full", "staff part")
    assert table["sales 2023"].values.tolist() == [2.5 * k for k in range(9)]
    codes = [note.code for note in table.notes]
    for code in (Code.ROWS_ABOVE_NAMES, Code.ROWS_BELOW_NAMES, Code.FOOTNOTES_LEFT_OUT):
        assert codes.count(code) == 1


@pytest.mark.parametrize(
    "rows",
    [
        ["arm", *"cctcttctcc" * 4],
        ["name,grade", ",c", ",", *(f"n{k},{'cd'[k % 2]}" for k in range(40))],
        ["cap,odor", "c,d", "c,m", *(f"{a},{b}" for a, b in zip("cxcs" * 10, "dcdt" * 10, strict=True))],
    ],
)
def test_letters_that_return_below_are_data(read, rows):
    assert read("\n".join(rows)).n_rows == len(rows) - 1
