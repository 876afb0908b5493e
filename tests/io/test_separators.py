"""Whole numbers below 1,000 tell whether points and commas before three digits separate thousands."""

from __future__ import annotations

import pandas as pd
import pytest

from bychance.io import TextFormat, read_table
from bychance.messages import Code, Option
from tests.io.cells import as_in_a_file

VISITORS = ["1.250", "980", "2.100", "700"]


def read_one(values, **options):
    """The column's values and the remarks on it."""
    table = read_table(as_in_a_file({"x": values * 3}) | {"y": list(range(3 * len(values)))}, **options)
    return table["x"].values[: len(values)].tolist(), [told for note in table.notes for told in note.remarks]


def of_thousands(said):
    (told,) = [told for told in said if told.code is Code.THOUSANDS]
    return told


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (VISITORS, [1250, 980, 2100, 700]),
        (["-1.250", "980", "0"], [-1250, 980, 0]),
        (["12.500", "1.250", "103.851", "740", "12", "310"], [12500, 1250, 103851, 740, 12, 310]),
        (["1.234.567", "1.250", "980", "3"], [1234567, 1250, 980, 3]),
        ([f"{text} kg" for text in VISITORS], [1250, 980, 2100, 700]),
        ([f" {text}" for text in VISITORS], [1250, 980, 2100, 700]),
    ],
)
@pytest.mark.parametrize("mark", [".", ","])
def test_a_mark_beside_whole_numbers_below_a_thousand_separates_thousands(texts, values, mark):
    read, said = read_one([text.replace(".", mark) for text in texts])

    assert read == values
    assert {"point": ".", "comma": ","}[of_thousands(said).values["mark"]] == mark


@pytest.mark.parametrize(
    "texts",
    [
        ["1.250", "3.125"],  # no whole number
        ["1.250", "2", "0.875"],
        ["1.250", "980", "0.875"],
        ["1.250", "980", "1100"],
        ["1.250", "980", "2.5"],
        ["1.250", "980", "1250.125"],
        ["1.250", "980", "2e2"],
        ["1.250", "980", "012"],
        ["1.250", "0", "3.125"],
        ["1.250", "999", "-99"],  # these stand for missing values
    ],
)
def test_other_numbers_with_points_are_decimals(texts):
    read, said = read_one(texts)

    assert read == [float(text) for text in texts]
    assert not any(told.code is Code.THOUSANDS for told in said)


@pytest.mark.parametrize("texts", [["1.250", "2", "3.125"], ["103.851", "104", "110.125"]])
def test_numbers_that_may_be_either_are_decimals_with_a_note_of_the_other_reading(texts):
    read, said = read_one(texts)

    assert read == [float(text) for text in texts]
    assert [(told.code, told.options) for told in said] == [
        (Code.MAY_BE_THOUSANDS, (Option("decimal", ","),))
    ]
    asked, _ = read_one(texts, text_format=TextFormat(decimal=","))
    assert asked == [float(text.replace(".", "")) for text in texts]


def test_whoever_knows_the_decimal_mark_gets_decimals():
    read, said = read_one(VISITORS, text_format=TextFormat(decimal="."))

    assert (read, said) == ([1.25, 980, 2.1, 700], [])


def test_a_frame_is_read_as_a_file_is():
    table = read_table(pd.DataFrame({"x": VISITORS * 3, "y": range(12)}))

    assert table["x"].values[:4].tolist() == [1250, 980, 2100, 700]
    assert of_thousands(table.notes[0].remarks).values["mark"] == "point"


@pytest.mark.parametrize(
    ("other", "x", "y"),
    [
        (["4", "5", "6", "7"], [1250, 980, 2100, 700], 4),
        (["1,250", "3,125", "4,125", "5,125"], [1250, 980, 2100, 700], 1250),
        (["1,5", "2,5", "3,5", "4,5"], [1.25, 980, 2.1, 700], 1.5),
    ],
)
def test_commas_beside_whole_numbers_are_thousands_unless_another_column_has_decimal_commas(
    tmp_path, other, x, y
):
    lines = [f"{text.replace('.', ',')};{beside}" for text, beside in zip(VISITORS, other, strict=True)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["x;y", *lines * 3]))

    table = read_table(path)

    assert table["x"].values[:4].tolist() == x
    assert table["y"].values[0] == y


def test_a_whole_number_tells_wherever_it_stands(tmp_path):
    numbers = [f"{1000 + k:,}".replace(",", ".") for k in range(1500)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["x;y", *(f"{number};a" for number in numbers), "980;b"]))

    assert read_table(path)["x"].values[[0, 1499, 1500]].tolist() == [1000, 2499, 980]
