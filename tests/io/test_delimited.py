"""Text files: what is found out about them, and that what was written is read."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.errors import BychanceError
from bychance.io import TextFormat, read_table
from bychance.io.cells import MISSING_IN_TEXT
from bychance.io.csv import read_csv
from bychance.io.dialect import Layout, decode, find_delimiter
from bychance.kinds import Kind

DELIMITERS = [",", ";", "\t", "|"]
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff'\"`"), min_size=1, max_size=8)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff"), max_size=8)


@pytest.fixture
def write(tmp_path):
    def write_bytes(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_bytes


@pytest.mark.parametrize(
    ("n_numbers", "n_words", "is_noted"), [(30, 20, True), (30, 120, True), (30, 121, False), (20, 20, False)]
)
def test_labels_of_which_many_are_numbers_get_a_note(write, n_numbers, n_words, is_noted):
    cells = [f"{k}.5" for k in range(n_numbers)] + ["low", "high", "none"] * n_words
    cells = cells[: n_numbers + n_words]
    table = read_table(write("\n".join(["dose,x", *(f"{cell},{k % 2}" for k, cell in enumerate(cells))])))

    assert table["dose"].kind is Kind.CATEGORICAL
    expected = f"'dose': categories, though {n_numbers} of {n_numbers + n_words} values are numbers"
    assert [str(note).startswith(expected) for note in table.notes] == [True] * is_noted


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x,y\n1,2\nw,3\n", "in line 3"),
        ("x,y\r\n1,2\r\nw,3", "in line 3"),
        ("x,y\r1,2\rw,3\r\r", "in line 3"),
        ("x,y\n1,2\n\nw,3\n", "at row 1 (counting from 0)"),
        ('x,y\n1,"a\nb"\nw,3\n', "at row 1 (counting from 0)"),
    ],
)
def test_a_value_is_found_by_its_line_where_every_record_is_one(write, text, place):
    with pytest.raises(BychanceError) as caught:
        read_table(write(text), numeric="x")

    assert f"got 'w' in 'x' {place}" in str(caught.value)


def test_without_a_header_lines_count_from_the_first(write):
    (note,) = read_table(write("inf,2\n1,3\n"), names=["x", "y"]).notes

    assert "infinite values: inf in line 1" in note.text


def test_missing_marks_make_numbers_of_such_labels(write):
    cells = [f"{k}.5" for k in range(30)] + ["low", "high"] * 10
    path = write("\n".join(["dose", *cells]))
    table = read_table(path, missing=["low", "high"])

    assert table["dose"].kind is Kind.NUMERIC
    assert table.notes == ()
    assert read_table(path, categorical="dose").notes == ()


def cells_of(content, **options):
    """What the parser makes of the content, cell by cell, before anything is typed."""
    source = read_csv(content.encode(), "a file", Layout(TextFormat(**options)), MISSING_IN_TEXT)[0]
    return {name: cells.values.to_pylist() for name, cells in source.columns.items()}


@given(
    st.data(),
    st.lists(NAMES.filter(str.strip), min_size=2, max_size=4, unique=True),
    st.sampled_from(DELIMITERS),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read(data, names, delimiter, line_end):
    rows = data.draw(st.lists(st.tuples(*[TEXT] * len(names)), min_size=1, max_size=6))
    written = io.StringIO(newline="")
    # Of the line ends the csv module quotes only its own.
    quoting = csv.QUOTE_ALL if line_end == "\n" else csv.QUOTE_MINIMAL
    writer = csv.writer(written, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerows([names, *rows])

    read = cells_of(written.getvalue(), delimiter=delimiter, encoding="utf-8")

    assert list(read) == names
    assert list(zip(*read.values(), strict=True)) == rows


@given(
    st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 3), min_size=1, max_size=6),
    st.sampled_from([(",", "."), (";", ","), (";", "."), ("\t", ","), ("\t", "."), ("|", ",")]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]),
)
def test_numbers_come_back_bit_by_bit_with_everything_found_out(rows, marks, encoding):
    delimiter, decimal = marks
    lines = [["größe", "b", "c"], *([repr(v).replace(".", decimal) for v in row] for row in rows)]
    content = "\n".join(delimiter.join(line) for line in lines) + "\n"
    read = read_csv(content.encode(encoding), "a file", Layout(), MISSING_IN_TEXT)[0]

    table = read_table(read.columns)

    assert table.names == ("größe", "b", "c")
    for column, values in zip(table, zip(*rows, strict=True), strict=True):
        assert column.values.tolist() == list(values)


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb, c\n1\t2, 3\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a;x","b"\n1,2\n', ","),
        ("Income, total;Age\n1;2\n3;4\n", ";"),
        ("gene|symbol,b,c\nx|y,1,2\n", ","),
        ("a,b\n1,2\n3,4,5\n6,7\n", ","),
        ("alone\n1\n", ","),
        ("", ","),
    ],
)
def test_the_delimiter_is_the_one_that_fits_the_records(content, delimiter):
    assert find_delimiter(content) == delimiter


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_the_encoding_is_found_out(encoding):
    text = "größe,preis €\n1,2\n" if "utf-16-" not in encoding else "grosse,preis\n1,2\n"

    assert decode(text.encode(encoding), None, "a file") == text


def test_bytes_that_windows_does_not_know_are_latin_1():
    assert decode(b"a\xe4\x81", None, "a file") == "aä\x81"


@pytest.mark.parametrize("mark", ["NA", "N/A", "NaN", "nan", "?", "null", "NULL", "None", "", " NA ", '"NA"'])
def test_marks_of_missing_are_missing_in_numbers_and_labels(write, mark):
    table = read_table(write(f"x,color\n1.5,red\n{mark},{mark}\n2.5,blue\n"))

    for column, kind in zip(table, [Kind.NUMERIC, Kind.CATEGORICAL], strict=True):
        assert column.kind is kind
        assert column.is_missing.tolist() == [False, True, False]


def test_a_dash_is_missing_only_among_numbers(write):
    table = read_table(write("x,rhesus,nothing\n1,+,-\n-,-,-\n3,+,-\n"))

    assert table["x"].is_missing.tolist() == [False, True, False]
    assert table["rhesus"].labels == ("+", "-")
    assert table["rhesus"].is_missing is None
    assert table["nothing"].kind is Kind.CATEGORICAL


def test_missing_replaces_the_list_of_marks(write):
    table = read_table(write("x,color\n-999,NA\n,red\n3,none\n"), missing=[-999, "none"])

    assert table["x"].is_missing.tolist() == [True, True, False]
    assert table["color"].labels == ("NA", "red")
    assert table["color"].is_missing.tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("content", "decimal"),
    [
        ("a;b\n1,5;x\n2,5;y\n", ","),
        ("a;b\n1,5;2.5\n2,5;3.5\n", None),
        ("a;b\n1;2\n", None),
        ("a;b\n-;1,5\nNA;1,25\n", ","),
    ],
)
def test_a_decimal_comma_needs_numbers_with_commas_and_none_with_points(content, decimal):
    source = read_csv(content.encode(), "a file", Layout(), MISSING_IN_TEXT)[0]

    assert {cells.decimal for cells in source.columns.values()} == {decimal}


def test_the_format_can_be_told(write):
    told = TextFormat(delimiter="#", decimal=",", encoding="cp1252")
    table = read_table(write("größe#b\n1,5#2\n".encode("cp1252")), text_format=told)

    assert table["größe"].values.tolist() == [1.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "ab"}, "`delimiter` must be one character"),
        ({"decimal": ";"}, "`decimal` must be '.' or ','"),
        ({"encoding": "klingon"}, "`encoding` must be one that Python knows"),
        ({"delimiter": ",", "decimal": ","}, "must differ"),
    ],
)
def test_formats_that_cannot_be_are_refused(options, message):
    with pytest.raises(BychanceError, match=message):
        TextFormat(**options)


def test_names_make_the_first_line_data(write):
    path = write("1,2\n3,4\n")

    assert read_table(path, names=["a", "b"])["a"].values.tolist() == [1, 3]
    assert read_table(path, header=False).names == ("column_1", "column_2")
    assert "taken as names; header=False" in str(read_table(path).notes[0])


def test_names_keep_their_blanks_and_line_ends_and_lose_quotes_around(write):
    table = read_table(write('"a, ""b""", c ,"d\ne",\'f\'\r\n1,2,3,4\r\n'))

    assert table.names == ('a, "b"', " c ", "d\ne", "f")
    assert str(table.notes[0]) == "Quotes around 'f' were left out of the name."


def test_unnamed_columns_that_count_rows_or_are_empty_are_set_aside(write):
    table = read_table(write(",a,\n0,x,\n1,y,\n"))

    assert table.names == ("a",)
    assert table.set_aside == ("column_1", "column_3")


def test_unnamed_columns_that_say_something_stay(write):
    assert read_table(write(",a\nu,1\nv,2\n")).names == ("column_1", "a")


def test_packed_text_is_unpacked(write):
    assert read_table(write(gzip.compress(b"a,b\n1,2\n"), "t.csv.gz")).names == ("a", "b")


def test_rows_longer_than_a_block_are_read(monkeypatch, write):
    monkeypatch.setattr("bychance.io.csv.BLOCK_BYTES", 64)
    wide = ",".join(f"c{k}" for k in range(100))

    assert len(read_table(write(f"{wide}\n{','.join('1' * 100)}\n")).names) == 100


@pytest.mark.slow
def test_who_agrees_with_pandas(data_directory):
    table = read_table(data_directory / "WHO.csv")
    frame = pd.read_csv(data_directory / "WHO.csv").drop(columns=["Country", "CountryID"])

    assert (table.n_rows, len(table.columns)) == (202, 356)
    assert table.names == tuple(frame.columns)
    assert table.set_aside == ("Country", "CountryID")
    assert [note.column for note in table.notes] == ["Country", "CountryID"]
    for column in table:
        expected = frame[column.name].to_numpy(dtype=float)
        is_missing = np.zeros(202, dtype=bool) if column.is_missing is None else column.is_missing
        assert column.kind is Kind.NUMERIC
        assert (is_missing == np.isnan(expected)).all()
        np.testing.assert_array_equal(column.values[~is_missing], expected[~is_missing])
    assert table["Present_value_of_debt"].is_missing.all()
    assert (
        sum(0 if c.is_missing is None else int(c.is_missing.sum()) for c in table) == frame.isna().sum().sum()
    )


def test_spellman_is_numbers_by_gene(data_directory):
    table = read_table(data_directory / "Spellman.csv")

    assert (table.n_rows, len(table.columns)) == (4381, 23)
    assert table.set_aside == ("time",)


def test_blanks_before_quotes_are_no_part_of_the_value(write):
    table = read_table(write('"who", "where", n\n"a", "Rome, Italy", 1\n"b", "Ulm", 2\n"a", "Ulm", 3\n'))

    assert table.names == ("who", "where", "n")
    assert table["where"].labels == ("Rome, Italy", "Ulm")
    assert table["n"].values.tolist() == [1, 2, 3]


def test_arrow_parses_memory_of_its_own(monkeypatch):
    """A Python object that a thread of Arrow gives back while the program ends would abort it."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    sources = []
    parse = arrow_csv.read_csv
    monkeypatch.setattr(
        arrow_csv, "read_csv", lambda source, **options: sources.append(source) or parse(source, **options)
    )
    read_csv(b"a,b\n1,2\n", "a file", Layout(), MISSING_IN_TEXT)[0]

    assert [type(source) for source in sources] == [pa.BufferReader]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_that_end_in_a_delimiter_have_no_value_behind_it(write, end):
    table = read_table(write(end.join(["a,b,c", "1,2,x,", "3,5,y,", "4,4,x,", ""])))

    assert table.names == ("a", "b", "c")
    assert [str(note) for note in table.notes] == ["'column_4' was set aside: it has no name and no values"]


def test_row_names_without_a_name_are_the_first_column(write):
    table = read_table(write("mpg\tcyl\nMazda\t21\t6\nDatsun\t22.8\t4\nValiant\t18.1\t6\n"))

    assert table.names == ("column_1", "mpg", "cyl")
    assert table["mpg"].values.tolist() == [21.0, 22.8, 18.1]
    assert "one name less than values per row" in str(table.notes[0])


def test_quoted_row_names_without_a_name_are_the_first_column_between_commas_too(write):
    table = read_table(write('"mpg","cyl"\n"Mazda",21,6\n"Datsun",22.8,4\n"Valiant",18.1,6\n'))

    assert table.names == ("column_1", "mpg", "cyl")
    assert table["cyl"].values.tolist() == [6, 4, 6]


@pytest.mark.parametrize(
    "text", ["a,b\n1,2,3\n4,5\n", "a,b\n1,2,3,4\n1,2,3,4\n", "a,b\n1,2\n4,5,6\n", "a,b\nx,1,50\ny,2,25\n"]
)
def test_other_rows_that_are_not_as_long_as_the_names_are_an_error(write, text):
    with pytest.raises(BychanceError, match="must have 2 values in every line"):
        read_table(write(text))


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        (["3.145;1,5", "2.000;22,25"], [3145.0, 2000.0]),
        (["-3.145;1,5", "7;22,25"], [-3145.0, 7.0]),
        (["3.145;1,234", "2.000;5,678"], [3.145, 2.0]),  # nothing tells
        (["3.14;1,5", "2.000;22,25"], [3.14, 2.0]),
        (["0.145;1,5", "2.000;22,25"], [0.145, 2.0]),
    ],
)
def test_points_before_three_digits_separate_thousands_beside_decimal_commas(write, rows, values):
    table = read_table(write("\n".join(["a;b", *rows * 3])))

    assert table["a"].values[:2].tolist() == values
