"""ARFF: quotes, escapes and missing values, and the right shape of every file of the paper."""

from __future__ import annotations

import re
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.errors import BychanceError
from bychance.io import read_table
from bychance.io.arff import MISSING_IN_ARFF, from_arff
from bychance.kinds import Kind
from bychance.read_column import read_column

TRICKY = """\
% a comment
@RELATION 'two words'
@ATTRIBUTE 'eye color' {'light brown', 'it\\'s blue', "green", '?', never}
@attribute day date "yyyy-MM-dd"
@attribute remark string
@attribute height REAL % in meters

@DATA
'light brown',2020-01-02,'a, b \\u0041\\n',1.5
% another
 'it\\'s blue' , ? , "b c" , ?
'?',2020-01-03,?,1e3
?,2020-01-03,two words,2
green\t,\t2020-01-04,O'Brien,'3'
"""


def columns_of(text):
    return from_arff(text, "eyes.arff", MISSING_IN_ARFF).columns


def test_only_an_unquoted_question_mark_is_missing():
    color = columns_of(TRICKY)["eye color"]

    assert color.is_missing.tolist() == [False, False, False, True, False]
    assert color.values[2] == color.labels.index("?")


def test_labels_are_those_declared_in_their_order():
    assert columns_of(TRICKY)["eye color"].labels == ("light brown", "it's blue", "green", "?", "never")


def test_strings_lose_their_quotes_and_escapes():
    assert columns_of(TRICKY)["remark"].values.to_pylist() == [
        "a, b A\n",
        "b c",
        None,
        "two words",
        "O'Brien",
    ]


def test_dates_are_dates():
    day = read_column(columns_of(TRICKY)["day"], "day")

    assert np.diff(day.values[[0, 2, 4]]).tolist() == [86_400_000_000] * 2
    assert day.is_missing.tolist() == [False, True, False, False, False]


@pytest.mark.parametrize(
    ("form", "date"),
    [
        ("", "1970-01-02T00:00:01"),
        ('"yyyy-MM-dd HH:mm:ss"', "1970-01-02 00:00:01"),
        ("\"yyyy-MM-dd'T'HH:mm:ssZ\"", "1970-01-02T01:00:01+0100"),
    ],
)
def test_dates_may_have_a_time_and_a_zone(form, date):
    (read,) = columns_of(f"@attribute a date {form}\n@data\n'{date}'\n")["a"].to_pylist()

    assert read.replace(tzinfo=None) == datetime(1970, 1, 2, 0, 0, 1)


def test_numbers_may_be_quoted_and_commented():
    assert columns_of(TRICKY)["height"].to_pylist() == [1.5, None, 1000, 2, 3]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(line_end):
    assert len(columns_of(TRICKY.replace("\n", line_end))["height"]) == 5


def quoted(value):
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


@given(
    st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=5, unique=True),
    st.data(),
)
@pytest.mark.slow
def test_quoted_names_labels_and_values_come_back(labels, data):
    picked = data.draw(st.lists(st.sampled_from(labels), min_size=1, max_size=8))
    name = data.draw(st.text(st.characters(codec="utf-8"), min_size=1))
    declared = ", ".join(map(quoted, labels))
    rows = "\n".join(f"{quoted(value)}, 1" for value in picked)
    columns = columns_of(f"@attribute {quoted(name)} {{{declared}}}\n@attribute '' real\n@data\n{rows}\n")

    assert list(columns) == [name, ""]
    assert [columns[name].labels[code] for code in columns[name].values] == picked


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@attribute a real\n@data\n", "has a header and no rows"),
        ("@data\n1\n", "declares no attributes before line 1"),
        ("@attribute a real\n", "must have a line @data"),
        ("hello\n", "in line 1, got 'hello'"),
        ("@attribute a\n@data\n1\n", "a name and a type in line 1"),
        ("@attribute a {x,y\n@data\nx\n", "must close the braces of 'a' in line 1"),
        ("@attribute a relational\n@data\n1\n", "in line 1, got 'relational'"),
        (
            "@attribute a date 'dd.MM.yyyy'\n@data\n31.12.1999\n",
            "'a' as an ISO date, got '31.12.1999' in line 3",
        ),
        ("@attribute a real\n@data\n{0 1}\n", "sparse rows .* line 3"),
        ("@attribute a real\n@data\n1\n1,2\n", "declares 1 attribute, got 2 values in line 4"),
        ("@attribute a {x}\n@data\nx\n%\nz\n", "declares 'a' as nominal, got 'z' in line 5"),
        ("@attribute a real\n@data\n1\nx\n", "'a' as numeric, got 'x' in line 4"),
        ("@attribute a date\n@data\nx\n", "'a' as an ISO date, got 'x' in line 3"),
    ],
)
def test_what_is_wrong_is_told_by_line(text, message):
    with pytest.raises(BychanceError, match=message):
        columns_of(text)


def shapes(data_directory):
    """Read rows, categorical and numeric features, levels and classes of every ARFF from the manifest."""
    row = re.compile(r"\| (\S+\.arff) \| `\w+` \| (\d+) \| (\d+)\+(\d+) \| (\d+)\.\.(\d+) \| (\d+) \|")
    text = (data_directory / "MANIFEST.md").read_text()
    return {match[1]: tuple(map(int, match.groups()[1:])) for match in row.finditer(text)}


@pytest.mark.slow
def test_every_file_of_the_paper_has_the_shape_of_the_manifest(data_directory):
    expected = shapes(data_directory)
    assert set(expected) == {path.name for path in data_directory.glob("*.arff")}

    for name, shape in expected.items():
        table = read_table(data_directory / name)
        *features, target = table.columns
        n_levels = [len(c.labels) for c in features if c.kind is Kind.CATEGORICAL]
        n_numeric = len(features) - len(n_levels)
        found = (table.n_rows, len(n_levels), n_numeric, min(n_levels), max(n_levels), len(target.labels))
        assert found == shape, name
        assert table.notes == ()
        assert all(column.is_missing is None for column in table)


def test_blanks_in_quotes_are_part_of_the_label(data_directory):
    arff, plain = (read_table(data_directory / f"mito.{suffix}") for suffix in ("arff", "csv"))

    assert arff.names[1] == " att2"
    for x, y in zip(arff, plain, strict=True):
        labels = [[column.labels[code] for code in column.values] for column in (x, y)]
        assert [label.strip() for label in labels[0]] == labels[1]


def test_large_integers_stay_apart(tmp_path):
    path = tmp_path / "ids.arff"
    path.write_text(f"@relation ids\n@attribute id numeric\n@data\n{2**60}\n{2**60 + 1}\n?\n")

    assert read_table(path)["id"].values.tolist()[:2] == [2**60, 2**60 + 1]


@pytest.mark.parametrize(
    "text",
    [
        "@attribute a string\n@data\n'" + "\\'" * 400_000 + "\n",
        "@attribute a string\n@data\n" + "'\\" * 400_000 + "\n",
        "@attribute a {'" + "\\'" * 400_000 + "}\n@data\n?\n",
        "@attribute a date" + " " * 400_000 + "x y\n@data\n?\n",
    ],
    ids=["escaped quotes", "backslashes", "labels", "blanks"],
)
@pytest.mark.slow
def test_a_long_line_takes_no_more_than_its_length(text):
    """At this length the square of it would be half an hour."""
    try:
        names = list(from_arff(text, "eyes.arff", MISSING_IN_ARFF).columns)
    except BychanceError:
        names = ["a"]

    assert names == ["a"]


def test_an_escape_outside_of_quotes_does_not_hide_the_comma_after_it():
    columns = columns_of("@attribute a string\n@attribute b string\n@data\nC:\\,'x'\n")

    assert [column.values.to_pylist() for column in columns.values()] == [["C:\\"], ["x"]]
