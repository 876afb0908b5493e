"""Column names are data: a terminal shows them and does not obey them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.errors import unknown_name
from bychance.names import display_name, inert


@given(st.text(st.characters(codec=None)))
def test_nothing_that_steers_a_terminal_is_shown(name):
    shown = display_name(name)

    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown.encode("utf-8")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_harmless_names_are_shown_as_they_are(name):
    assert display_name(name) == name


@pytest.mark.parametrize(("width", "shown"), [(None, "abcdef"), (6, "abcdef"), (5, "abcd…"), (1, "…")])
def test_long_names_are_cut(width, shown):
    assert display_name("abcdef", width) == shown


def test_markup_is_left_to_whoever_writes_pages():
    assert display_name("<b>x</b>") == "<b>x</b>"


def test_the_nearest_name_is_found_whatever_its_case():
    known = ["Breast_cancer_deaths", "Aid_given"]

    assert "Did you mean 'Aid_given'?" in str(unknown_name("target", "aid_givn", known))


def test_of_thousands_of_names_only_some_are_listed():
    message = str(unknown_name("target", "x17", [f"x{k}" for k in range(5000) if k != 17]))

    assert len(message) < 300
    assert "(4,999 in all)" in message


def test_long_names_do_not_make_a_long_message():
    message = str(unknown_name("target", "zzz", [f"{k}" * 30 for k in range(100, 400)]))

    assert len(message) < 300


def test_the_suggestion_comes_first():
    message = str(unknown_name("target", "Life expectancy", ["Aid_given", "Life_expectancy_at_birth"]))

    assert message.startswith("Did you mean 'Life_expectancy_at_birth'?")


def test_names_in_messages_are_harmless():
    assert "\x1b" not in str(unknown_name("target", "a\x1b[2J", ["b\x1b[2J"]))


@pytest.mark.parametrize("name", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "'=1", "''-x"])
def test_a_name_that_a_spreadsheet_would_run_gets_an_apostrophe(name):
    assert inert(name) == f"'{name}"


@pytest.mark.parametrize("name", ["", "age", "a=b", "'quoted'", "'", "1-2", " x", "a\t="])
def test_other_names_stay_as_they_are(name):
    assert inert(name) == name


@given(st.sets(st.text("'=-+@ab", max_size=4)))
def test_different_names_stay_different_for_a_spreadsheet(names):
    assert len({inert(name) for name in names}) == len(names)
