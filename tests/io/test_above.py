"""Titles and comments above the names, units below them: left out with a note, and nothing else is."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.messages import KEEP_ALL_ROWS, Code

ROWS = "".join(f"{region},{k}.5,{k * k % 7}\n" for k, region in enumerate(["North", "South", "East"] * 8))
NAMES = "region,sales,calls\n"


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "t.csv"
        path.write_text(text, encoding="utf-8")
        return bc.read_table(path, **options)

    return read


@pytest.mark.parametrize(
    ("above", "n", "named"),
    [
        ("Sales 2023\n", 1, ["Sales 2023"]),
        ("Sales 2023,,\n,,\n", 2, ["Sales 2023"]),
        ("Sales 2023\n\n", 2, ["Sales 2023"]),
        ("# device: 7\n# made in May, June\n", 2, ["# device: 7"]),
        ('"Sales, of\nall regions"\n', 1, ["Sales, of\nall regions"]),
        ("User: admin,Date: 2024-01-01\n\n", 2, ["User: admin"]),
        ("Export\nUser: admin,Date: 5 May\n\n", 3, ["Export"]),
        (",,\nReport,,\n,,\n,,\n", 4, ["Report"]),
        ("Account,\n\nIBAN\nBalance\n\n", 5, ["Account", "IBAN", "Balance"]),
        ("Account;ok,7\nType,private\n\n", 3, ["Account;ok"]),
        ("# made by hand\n" * 30, 30, ["# made by hand"]),
        ("# by Ann, Bob, Eve\n", 1, ["# by Ann", "Bob"]),  # as many values as the table
        ("# by Ann, Bob, Eve\n" * 30, 30, ["# by Ann", "Bob"]),
        ("##by=Ann,Bob,Eve\n#", 1, ["##by=Ann"]),
        ("# station: 7; level 2\n#\n# ", 2, ["# station: 7; level 2"]),  # the names are a comment
    ],
)
def test_titles_and_comments_are_left_out(read, above, n, named):
    table = read(above + NAMES + ROWS)

    assert table.names == ("region", "sales", "calls")
    assert table.n_rows == 24
    (note,) = table.notes
    assert (note.code, note.values["n"]) == (Code.ROWS_ABOVE_NAMES, n)
    assert list(note.values["cells"][: len(named)]) == named


def test_rows_of_one_cell_stand_in_a_table_below_a_title(read):
    rows = "North,1,2\nSouth,,\n" * 4

    assert read(f"Sales,,\n{NAMES}{rows}").names == ("region", "sales", "calls")


@pytest.mark.parametrize("between", ["", "# moved\n"])
def test_comments_above_few_rows_are_left_out(read, between):
    table = read(f"# made in May\n# by hand\n# twice\n{NAMES}North,1,2\n{between}South,3,4\n{between}")

    assert table.names == ("region", "sales", "calls")
    assert table["sales"].values.tolist() == [1, 3]


def test_years_are_names_below_a_title(read):
    rows = "".join(f"{region},{k},{k * k % 7}\n" for k, region in enumerate(["North", "South", "East"] * 8))

    assert read("Sales\n\nregion,2022,2023\n" + rows).names == ("region", "2022", "2023")


@pytest.mark.parametrize("first", ["North,5,7", "North,2022,5", "2022,2023,2024", "North,2023,2022"])
def test_numbers_below_a_title_are_no_names(read, first):
    assert read(f"Sales,,\n{first}\n" + ROWS).names[1:] == ("column_2", "column_3")


def test_names_with_colons_above_an_empty_row_stay(read):
    assert read("Q1: region,Q2: sales,Q3: calls\n\n" + ROWS).names == ("Q1: region", "Q2: sales", "Q3: calls")


def test_a_title_in_a_file_with_other_marks(read):
    text = "Umsatz gesamt\n" + (NAMES + ROWS).replace(",", ";").replace(".", ",")

    assert read(text).names == ("region", "sales", "calls")


@pytest.mark.parametrize(
    "text",
    [
        NAMES + ROWS,
        "#region,sales,calls\n" + ROWS,  # names may begin with #
        "x\n" + "".join(f"{k}\n" for k in range(20)),  # one column
        "note\n" + "".join(f"see a; b {k}\n" for k in range(20)),
        "name,text\n" + "".join(f"n{k % 3},this; and that {k}\n" for k in range(20)),
        "Q1: region,Q2: sales,Q3: calls\n" + ROWS,
    ],
)
def test_files_without_titles_stay_as_they_are(read, text):
    table = read(text, categorical=[text.split("\n")[0].split(",")[-1]] if "calls" not in text else ())

    assert not any(note.says(Code.ROWS_ABOVE_NAMES) for note in table.notes)
    assert table.n_rows == len(text.splitlines()) - 1


def test_whoever_says_where_the_table_is_is_believed(read):
    text = "Sales 2023,,\n" + NAMES + ROWS

    assert read(text, skip_rows=1).notes == ()
    assert read(text, header=False).n_rows == 26


def test_units_below_the_names_are_left_out(read):
    table = read(NAMES + ",EUR,per day\n" + ROWS)

    assert [column.kind.value for column in table] == ["categorical", "numeric", "numeric"]
    assert table.n_rows == 24
    assert (table.notes[0].code, table.notes[0].values["cells"]) == (
        Code.ROWS_BELOW_NAMES,
        ("EUR", "per day"),
    )


@pytest.mark.parametrize("units", [("10^9/L", "1/min"), ("1/m", "dB")])
def test_units_may_begin_with_a_number(read, units):
    assert read(f"{NAMES},{units[0]},{units[1]}\n{ROWS}").n_rows == 24


@pytest.mark.parametrize(
    "first", ["North,unknown,3\n", ",1/2,10/5/2019\n", ",n/a,n/a\n", "South,EUR,pieces\n", "North,,\n"]
)
def test_a_first_row_of_data_is_no_row_of_units(read, first):
    table = read(NAMES + first + ROWS)

    assert table.n_rows == 25


FOUR = "".join(f"{r},{k}.5,{k % 7},{k % 3}\n" for k, r in enumerate(["North", "South", "East"] * 8))


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("region,sales,calls,staff", "Area,Sold,Rung,N/a", None),
        ("region,sales,calls,staff", "Area,Sold,Rung,Heads", ("region", "sales", "calls", "staff")),
        ("EXTF,700,,", "Area,Sold,Rung,Heads", ("Area", "Sold", "Rung", "Heads")),
        ("region,sales,calls,staff", "North,low,none,few", None),  # a region as below
        ("region,sales,calls,staff", "Area,none,none,none", None),
        ("region,sales,calls,staff", "Area,Sold,Rung,5", None),
    ],
)
def test_one_of_two_rows_of_names_is_left_out(read, first, second, names):
    table = read(f"{first}\n{second}\n{FOUR}")

    assert table.n_rows == 25 - (names is not None)
    if names is not None:
        assert table.names == names
        note = table.notes[0]
        assert (note.code, note.values["place"]) == (
            Code.ROW_BESIDE_NAMES,
            "above" if "EXTF" in first else "below",
        )


LEVELS = ",low,low,high,high\nmodel,a,b,a,b\n{}" + "".join(
    f"2019-01-{k:02},{k}.5,{k},2,{k}\n" for k in range(1, 9)
)


@pytest.mark.parametrize("index", ["day,,,,\n", ""])
def test_names_of_frames_with_two_levels_are_joined(read, index):
    table = read(LEVELS.format(index))

    assert table.names == ("model", "low a", "low b", "high a", "high b")
    assert table.n_rows == 8
    assert (table.notes[0].code, table.notes[0].values["name"]) == (Code.NAMES_JOINED, "low a")


def test_rows_of_words_are_no_second_level(read):
    assert read("kind,a,a\nx,b,c\ny,b,d\nz,e,f\n").n_rows == 3


def test_a_row_of_remarks_on_columns_is_a_comment(read):
    table = read(f"# sold,,\n,# in euros,# by phone\n{NAMES}{ROWS}")

    assert table.names == ("region", "sales", "calls")


def test_numbers_below_comments_are_the_first_row_of_the_table(read):
    assert read("# made, by, hand\n" + "".join(f"1{k},2{k}\n" for k in range(9))).names == ("10", "20")


ORANGE = "size\tshape\tday\tclass\n{}" + "1.5\tround\t2019-01-02\ta\n2.5\tflat\t2019-02-03\tb\n" * 5


@pytest.mark.parametrize(
    ("below", "n_rows"),
    [
        ("c\td\tt\td\n\t\tmeta\tclass\n", 10),
        ("continuous\tround flat\ttime\td\n\t\t\tclass\n", 10),
        ("c\td\tt\td\n3.5\tflat\t2019-02-03\tb\n", 12),  # one row alone may be data
        ("c\td\ts\td\n\t\t\tb\n", 12),
    ],
)
def test_types_and_roles_of_orange_are_left_out(tmp_path, below, n_rows):
    (tmp_path / "t.tab").write_text(ORANGE.format(below))
    table = bc.read_table(tmp_path / "t.tab")

    assert table.n_rows == n_rows
    told = [note.values["what"] for note in table.notes if note.code is Code.ROWS_BELOW_NAMES]
    assert ["types and roles" in what for what in told] == [True] * (n_rows == 10)


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


def test_import_ids_without_questions_are_left_out_too(read):
    names, _, ids, *rows = QUALTRICS.split("\n")
    table = read("\n".join([names, ids, *rows]))

    assert len(table) == 10
    assert (table.notes[0].code, table.notes[0].values["n"]) == (Code.ROWS_BELOW_NAMES, 1)


TWO_ROWS = "region,sales,,staff\n,2022,2023,\n" + "North,12,15,3\nSouth,9,8,4\n" * 5


def test_headings_that_span_columns_are_part_of_their_names(read):
    table = read(TWO_ROWS)

    assert table.names == ("region", "sales 2022", "sales 2023", "staff")
    assert len(table) == 10
    assert (table.notes[0].code, table.notes[0].values["name"]) == (Code.NAMES_JOINED, "sales 2022")


def test_a_question_of_one_column_keeps_its_name(read):
    table = read("Age,Which?,,\nOpen-Ended Response,Email,Phone,Chat\n" + "34,Email,,Chat\n51,,Phone,\n" * 5)

    assert table.names == ("Age", "Which? Email", "Which? Phone", "Which? Chat")
    assert table["Age"].kind.value == "numeric"


@pytest.mark.parametrize("second", ["North,12,,3", "North,12,15,3", ",12,15,3", ",,,"])
def test_a_first_row_of_data_is_no_second_row_of_names(read, second):
    assert len(read(TWO_ROWS.replace(",2022,2023,", second))) == 11


def test_lines_are_counted_from_the_top_of_the_file(read):
    text = "Title\n" + NAMES + ",EUR,per day\n" + ROWS + "North,oops,1\n"
    (note,) = [note for note in read(text).notes if note.is_set_aside]

    assert (note.values["cell"], note.values["place"]) == ("oops", "in line 28")


def test_sheets_have_titles_and_units_too(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [
        ["Sales 2023"],
        [],
        ["region", "sales"],
        [None, "EUR"],
        *[["North", 1.5 * k] for k in range(9)],
    ]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    table = bc.read_table(tmp_path / "t.xlsx")

    assert table.names == ("region", "sales")
    assert table["sales"].values.tolist() == [1.5 * k for k in range(9)]
    assert [note.code for note in table.notes[:2]] == [Code.ROWS_ABOVE_NAMES, Code.ROWS_BELOW_NAMES]


def test_a_sheet_may_have_all_of_it(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [
        ["Report 2023"],
        [],
        ["region", "sales", None, "staff", None],
        [None, "2022", "2023", "full", "part"],
        [None, "EUR", "EUR", "FTE", "FTE"],
        *[["North", 1.5 * k, 2.5 * k, k, 2 * k] for k in range(9)],
        [],
        ["* without the islands"],
    ]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    table = bc.read_table(tmp_path / "t.xlsx")

    assert table.names == ("region", "sales 2022", "sales 2023", "staff full", "staff part")
    assert table["sales 2023"].values.tolist() == [2.5 * k for k in range(9)]
    codes = [note.code for note in table.notes]
    for code in (Code.ROWS_ABOVE_NAMES, Code.ROWS_BELOW_NAMES, Code.FOOTNOTES_LEFT_OUT):
        assert codes.count(code) == 1


def test_what_a_bank_writes_about_an_account_is_left_out(read):
    above = '"Export";"made on 3 May";\n\n"IBAN";"DE89"\n"Balance";"4.211,07";"EUR"\n\n'
    rows = "".join(f"{k % 28 + 1:02}.03.2024;shop {k % 3};{k},50;x;y\n" for k in range(24))
    table = read(f"{above}day;shop;amount;kind;branch\n{rows}")

    assert table.names[:3] == ("day", "shop", "amount")
    assert table["amount"].values.tolist() == [k + 0.5 for k in range(24)]
    note = table.notes[0]
    assert (note.code, note.values["n"]) == (Code.ROWS_ABOVE_NAMES, 5)
    assert note.values["cells"][:3] == ("Export", "made on 3 May", "IBAN")
