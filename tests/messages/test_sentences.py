"""Every code has one sentence, and docs/notes.csv lists them all."""

from __future__ import annotations

import re

import pytest

from bychance.errors import BychanceError
from bychance.io import read_table
from bychance.messages import KEEP_ALL_ROWS, Code, Dialect, Option, remark
from tests.messages.examples import EXAMPLES
from tools.note_codes import TABLE, table

FAMILIES = {  # of errors, whose sentences stand where they are raised
    *(Code.INPUT, Code.UNKNOWN_NAME, Code.COST, Code.NULL, Code.MEASURE),
    *(Code.NOT_ONE_DIMENSIONAL, Code.CAVEAT),
}


def test_every_code_is_its_name_and_has_its_own_sentence():
    assert all(code == code.name.lower() == code.value for code in Code)
    assert len({code.sentence for code in Code}) == len(Code)


def test_the_list_of_codes_is_written_from_the_enum():
    assert TABLE.read_text(encoding="utf-8") == table()


@pytest.mark.parametrize("code", Code)
def test_a_sentence_names_no_value_but_by_its_fields(code):
    assert not re.search(r"\d{3,}|=\[", re.sub("U.2212|1969|2068|1,000,000|1,000|95%", "", code.sentence))


OTHER_FIELDS = [
    (
        remark(Code.LIMITS, cell="<1", n_cells=2, n=3, option=Option("missing", ("<1", ">9"))),
        "'<1' and the like (3 values) are read as the limit itself; "
        "missing=['<1', '>9'] reads them as missing",
    ),
    (
        remark(Code.SEVERAL_UNITS, first="$", second="€"),
        "numbers in several units ('$' and '€')",
    ),
    (
        remark(Code.ROWS_ABOVE_NAMES, n=1, cells=("Sales",), option=KEEP_ALL_ROWS),
        "The row above the names ('Sales') was left out; header=False reads all rows as data.",
    ),
    (
        remark(Code.ROWS_SHORT, n=1, lines=(3,)),
        "Line 3 has fewer values than there are names: the last are read as missing.",
    ),
]


def test_every_sentence_has_an_example():
    assert [said.code for said, _ in EXAMPLES] == [code for code in Code if code not in FAMILIES]


@pytest.mark.parametrize(
    ("said", "sentence"), [*EXAMPLES, *OTHER_FIELDS], ids=lambda value: getattr(value, "code", "")
)
def test_a_sentence_is_made_of_its_fields(said, sentence):
    assert str(said) == sentence


def test_fields_in_braces_and_brackets_are_data():
    said = remark(Code.IDENTIFIER, n_distinct=1, n_values=2)
    assert (
        str(remark(Code.CATEGORIES_PROBLEM, problem="{n} [x] `min_n`"))
        == "categories, though {n} [x] `min_n`"
    )
    assert said.with_values(n_distinct=2).values == {"n_distinct": 2, "n_values": 2}


def test_an_error_carries_its_code_its_fields_and_its_suggestion():
    with pytest.raises(BychanceError) as raised:
        read_table({"a": ["1", "2", "oops"] * 9}, numeric="a")
    error = raised.value

    assert (error.code, error.arguments) == (Code.MUST_BE_NUMBERS, ("numeric",))
    assert error.values["cell"] == "oops"
    assert error.suggestion == Option("missing", (...,))
    assert error.render(Dialect.COMMAND_LINE).startswith("--numeric must name columns of numbers, got 'oops'")


def test_an_error_in_its_own_words_has_options_as_well():
    with pytest.raises(BychanceError) as raised:
        read_table({"a": [1.0]}, day_first="x")

    assert raised.value.code is Code.INPUT
    assert raised.value.options == (Option("day_first"),)
    assert raised.value.suggestion is None
