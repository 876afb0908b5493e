"""Bad input: one clear error of our own, on one line, and never a library's."""

from __future__ import annotations

import io
import sys
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bychance.errors import BychanceError
from bychance.io import Table, TextFormat, read_table

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "dict": dict}
SUFFIXES = [
    ".csv", ".tsv", ".arff", ".parquet", ".feather", ".arrow", ".csv.gz", ".csv.xz", ".csv.zst", ".xlsx",
    ".json", ".jsonl", ".zip",
]  # fmt: skip
FIRST_BYTES = [
    b"",
    b"PK\x03\x04",
    b"SQLite format 3\x00",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
    b'{"a": ',
]
NUMBERS_AND_A_WORD = "x\n" + "".join(f"{k}\n" for k in range(50)) + "broken\n"


def error_of(source, **options):
    with pytest.raises(BychanceError) as caught:
        read_table(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \r\n\r\n", "is empty"),
        (b"a,b\n", "has a header and no rows"),
        (b"a,b", "has a header and no rows"),
        (b"a,b\n1,2\n\n3,4,5\n", "must have 2 values in every line, as in the first, got 3 in line 4"),
        (b'a,b\n"1\n2",2\n3\n', "got 1 in line 4"),
        (b'a,b\n1,2\n3,"4\n5,6\n', "line 3 that nothing closes"),
        (b"a\n1\ninf\n", "no columns left: 'a' was set aside: it has infinite values: inf in line 3"),
        (
            b"a\n1\n-1e999\n",
            "it has infinite values: -inf in line 3; missing=['-1e999'] reads them as missing",
        ),
        (b"\x00\x01\x02\x03" * 100, "it is a binary file, or in an encoding of two bytes"),
        (NUMBERS_AND_A_WORD.encode(), "mixed: 50 of 51 values are numbers or dates, not 'broken' in line 52"),
    ],
)
def test_text_files_say_what_is_wrong_with_them(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content)

    assert message in error_of(path)


def test_a_wrong_encoding_is_named_with_its_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,2\nä,3\n".encode("latin-1"))

    message = error_of(path, text_format=TextFormat(encoding="utf-8"))

    assert "must be text in utf-8, got the byte 0xe4 in line 3" in message


def test_mixed_columns_are_what_the_caller_says(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(NUMBERS_AND_A_WORD)

    assert read_table(path, missing="broken")["x"].is_missing.sum() == 1
    assert len(read_table(path, categorical="x")["x"].labels) == 51
    assert "got 'broken' in 'x' in line 52" in error_of(path, numeric="x")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.csv", "There is no file"),
        ("", "is a directory"),
        ("t.foo", "must end in one of .arff"),
        ("t.xls", "old Excel format"),
        ("t.sav", "give the frame of a library that reads it"),
        ("t.parquet", "could not be read as Parquet"),
        ("t.feather", "could not be read as Feather"),
        ("t.csv.gz", "could not be opened"),
    ],
)
def test_paths_say_what_is_wrong_with_them(tmp_path, name, message):
    for written in ("t.foo", "t.xls", "t.sav", "t.parquet", "t.feather", "t.csv.gz"):
        (tmp_path / written).write_bytes(b"no such thing")

    assert message in error_of(tmp_path / name)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "has no columns"),
        ({"x": []}, "has no rows"),
        ({"x": [1.0, float("-inf")]}, "'x' was set aside: it has infinite values: -inf at row 1"),
        (
            {"x": [[1], [2]]},
            "'x' was set aside: it must hold numbers, dates, booleans or categories, got values of",
        ),
    ],
)
def test_frames_say_what_is_wrong_with_them(library, columns, message):
    assert message in error_of(LIBRARIES[library](columns))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pd.DataFrame({"x": [1, b"a", 2.5]}), "it must hold values of one type"),
        (
            pl.DataFrame({"x": pl.Series([object()], dtype=pl.Object)}),
            "it could not be read: it holds Python objects",
        ),
        (
            pa.table({"x": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
            "got values of type month_day",
        ),
        (pl.DataFrame({"x": pl.Series([1], dtype=pl.Int128)}), "it holds integers of 128 bits (Int128)"),
        ({"a": [1, 2], "b": [1]}, "2 values in 'a' and 1 in 'b'"),
        ({"a": 1}, "'a' cannot be read: it must be one-dimensional"),
        ({"a": np.eye(2)}, "'a' cannot be read: it must be one-dimensional"),
        ({"a": [1j]}, "it must hold"),
        (np.arange(3), "got an array of shape (3,)"),
        (np.zeros((0, 2)), "has no rows"),
        (pd.Series([1, 2]), "got a Series"),
        ([1, 2], "got a list"),
        (None, "got a NoneType"),
    ],
)
def test_what_is_no_table_is_told(source, message):
    assert message in error_of(source)


@pytest.mark.parametrize("argument", ["numeric", "categorical", "drop", "missing"])
def test_arguments_that_are_no_lists_are_told(argument):
    assert f"`{argument}` must be" in error_of({"a": [1]}, **{argument: object()})


@pytest.mark.parametrize("options", [{"names": 3}, {"names": "ab"}, {"text_format": ";"}])
def test_options_of_another_type_are_told(options):
    assert f"`{next(iter(options))}` must be" in error_of(np.eye(2), **options)


def test_a_table_without_columns_left_says_why():
    message = error_of({"who": [f"P{k}" for k in range(40)]})

    assert "no columns left: 'who' was set aside: an identifier" in message


def test_a_record_of_two_lengths_cannot_be_made():
    a, b = read_table({"a": [1]}).columns[0], read_table({"b": [1, 2]}).columns[0]

    with pytest.raises(BychanceError, match="one length"):
        Table((a, b))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.slow
def test_a_million_distinct_strings_are_set_aside_at_once(library):
    frame = LIBRARIES[library]({"who": [f"string {k}" for k in range(1_000_000)], "x": np.arange(1_000_000)})
    start = time.process_time()
    table = read_table(frame)

    assert table.set_aside == ("who",)
    assert time.process_time() - start < 10


NASTY = ["\x1b[2J\x07", "<script>alert(1)</script>", "a\nb", "\u202eevil", "", "'; DROP TABLE x", "\x00"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_nasty_names_are_kept_as_data(library):
    columns = {name: [1.0, 2.0] for name in NASTY}

    assert read_table(LIBRARIES[library](columns)).names == tuple(NASTY)


@pytest.mark.parametrize("name", NASTY)
def test_nasty_names_do_no_harm_in_messages(name):
    messages = [
        error_of({name: [1.0, np.inf]}),
        error_of({name: [[1]]}),
        error_of({"who": [f"P{k}" for k in range(40)], name: ["1", "x"] * 20}, numeric=name),
        error_of({"a": [1]}, drop=name),
        error_of({name: [2, 1], "b": [1]}),
        *repr(read_table({name: [1]})).splitlines(),
        str(read_table({name: [f"P{k}" for k in range(40)], "x": [1] * 40}).notes[0]),
    ]

    assert all(message.isprintable() for message in messages)


def test_half_a_surrogate_pair_in_a_name_is_told_before_anything_is_done():
    assert r"got 'a\udc80' with a lone surrogate" in error_of({"a\udc80": [1.0, 2.0], "b": [2.0, 1.0]})


@settings(max_examples=120)
@given(st.sampled_from(FIRST_BYTES), st.binary(max_size=300), st.sampled_from(SUFFIXES))
@pytest.mark.slow
def test_any_bytes_are_a_table_or_one_clear_error(tmp_path_factory, first, rest, suffix):
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_bytes(first + rest)
    try:
        assert isinstance(read_table(path), Table)
    except BychanceError as error:
        assert "\n" not in str(error)


@settings(max_examples=60)
@given(st.sampled_from(FIRST_BYTES), st.binary(max_size=300))
def test_any_bytes_on_standard_input_are_a_table_or_one_clear_error(first, rest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(first + rest)))
        try:
            assert isinstance(read_table("-"), Table)
        except BychanceError as error:
            assert "\n" not in str(error)


@settings(max_examples=200)
@given(
    st.text(st.sampled_from("ab1.,;\t|\"'\n\r?-@%{}\\ é\x00"), max_size=60),
    st.sampled_from([".csv", ".arff"]),
)
@pytest.mark.slow
def test_any_text_is_a_table_or_one_clear_error(tmp_path_factory, content, suffix):
    header = "@attribute a {a, b}\n@attribute 1 real\n@data\n" if suffix == ".arff" else ""
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_bytes((header + content).encode())
    try:
        assert isinstance(read_table(path), Table)
    except BychanceError as error:
        assert "\n" not in str(error)


def test_the_error_names_the_lines_to_skip_above_a_wider_table(tmp_path):
    path = tmp_path / "bank.csv"
    path.write_text("Account:;DE12\nPeriod:;2024\nday;payee;amount\n" + "1;a;2,5\n2;b;3,5\n" * 3)

    with pytest.raises(BychanceError, match=r"got 3 in line 3; skip_rows=2 reads the table below line 2\.$"):
        read_table(path)
    assert read_table(path, skip_rows=2).names == ("day", "payee", "amount")
    path.write_text("\n" + path.read_text())
    with pytest.raises(BychanceError, match=r"got 3 in line 4; skip_rows=3 "):
        read_table(path, skip_rows=1)


def test_a_web_page_is_no_table(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text("\n<!DOCTYPE html>\n<html><body>Sign in, please</body></html>\n")

    with pytest.raises(BychanceError, match=r"must hold a table, got a web page \(HTML\)"):
        read_table(path)
