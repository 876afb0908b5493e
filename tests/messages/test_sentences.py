"""Every code has one sentence, and the page of codes is that of the enum."""

from __future__ import annotations

import re

import pytest

from bychance.errors import BychanceError
from bychance.io import read_table
from bychance.messages import Code, Dialect, Option, remark
from bychance.messages.sentences import FAMILIES, SENTENCES
from tools.note_codes import PAGE, page


def test_every_code_has_one_sentence_or_is_a_family_of_errors():
    assert set(SENTENCES) | set(FAMILIES) == set(Code)
    assert not set(SENTENCES) & set(FAMILIES)
    assert len(set(SENTENCES.values())) == len(SENTENCES)


def test_the_page_of_codes_is_written_from_the_enum():
    text = PAGE.read_text(encoding="utf-8")

    assert page(text) == text


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_names_no_value_but_by_its_fields(code):
    assert not re.search(r"\d{3,}|=\[", re.sub("U.2212|1969|2068|1,000,000|1,000|95%", "", SENTENCES[code]))


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            remark(
                Code.NUMBERS_AMONG_CATEGORIES,
                n_read=1_100,
                n_values=1_102,
                what="numbers",
                words=("soon", "later"),
                option=Option("missing", ("soon", "later")),
            ),
            "categories, though 1,100 of 1,102 values are numbers, not 'soon', 'later'; "
            "missing=['soon', 'later'] reads the rest",
        ),
        (
            remark(Code.LIMITS, cell="<1", n_cells=1, n=3, option=Option("missing", ("<1",))),
            "'<1' (3 values) is read as the limit itself; missing=['<1'] reads it as missing",
        ),
        (
            remark(Code.ROWS_SHORT, n=5, lines=(1, 2, 3, 4, 5)),
            "Lines 1, 2, 3 and 2 more have fewer values than there are names: the last are read as missing.",
        ),
        (
            remark(Code.NAMES_NUMBERED, names=("a.2", "a.3", "b.2", "c.2", "d.2")),
            "Repeated names were numbered: 'a.2', 'a.3', 'b.2' and 2 more.",
        ),
        (
            remark(Code.CELLS_MERGED, names=("a", "b")),
            "Merged cells hold for all of their rows: 'a', 'b'.",
        ),
        (
            remark(Code.TYPE_CHANGES, column="a", cell="x", row=0, part="t.csv"),
            "'a' changes its type: numbers before, 'x' here; this is row 0 (counting from 0) of t.csv",
        ),
        (
            remark(
                Code.MIXED_PROBLEM, problem=remark(Code.ZONES_DIFFER), option=Option("categorical", ("a",))
            ),
            "mixed: dates, some with a time zone and some without; categorical=['a'] keeps categories",
        ),
        (
            remark(Code.COVARIATES_MISSING, n=1, covariates=("age", "sex", "site", "year")),
            "1 row without age, sex, site and 1 more left out",
        ),
    ],
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
