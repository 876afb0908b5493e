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


def cells_of(content, **options):
    """Parse the content, cell by cell, before anything is typed."""
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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found_out(encoding):
    text = "größe,preis €\n1,2\n"

    assert decode(text.encode(encoding), None, "a file")[0] == text


def test_bytes_that_windows_does_not_know_are_latin_1():
    assert decode(b"a\xe4\x81", None, "a file")[0] == "aä\x81"


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "ab"}, "`delimiter` must be one character"),
        ({"decimal": ";"}, "`decimal` must be '.' or ','"),
        ({"encoding": "klingon"}, "`encoding` must be one that Python knows"),
        ({"delimiter": ",", "decimal": ","}, "must be another character than the delimiter"),
    ],
)
def test_formats_that_cannot_be_are_refused(options, message):
    with pytest.raises(BychanceError, match=message):
        TextFormat(**options)


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


@pytest.mark.parametrize(
    "text", ["a,b\n1,2,3\n4,5\n", "a,b\n1,2,3,4\n1,2,3,4\n", "a,b\n1,2\n4,5,6\n", "a,b\nx,1,50\ny,2,25\n"]
)
def test_other_rows_that_are_not_as_long_as_the_names_are_an_error(write, text):
    with pytest.raises(BychanceError, match="must have 2 values in every line"):
        read_table(write(text))
