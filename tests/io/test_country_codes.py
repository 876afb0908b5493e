"""NA is Namibia among countries, and missing elsewhere: with a note where it may be either."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.messages import Code, Option

COUNTRIES = ["DE", "FR", "ZA", "US", "BW"]


def test_na_among_countries_is_namibia_with_the_option_that_changes_it():
    table = bc.read_table({"country": [*COUNTRIES, "NA", "?"] * 3})

    assert "NA" in table["country"].labels
    assert table["country"].is_missing.sum() == 3
    assert (table.notes[0].code, table.notes[0].values["n"]) == (Code.NA_IS_NAMIBIA, 3)
    assert table.notes[0].suggestion == Option("missing", ("?", "NA"))
    assert "NA" not in bc.read_table({"country": [*COUNTRIES, "NA"] * 3}, missing="NA")["country"].labels


def test_codes_that_are_left_to_users_are_no_evidence_against_countries():
    assert "NA" in bc.read_table({"country": [*COUNTRIES, "NA", "ZZ"] * 3})["country"].labels


def test_na_is_missing_where_it_is_more_frequent_than_most_countries():
    table = bc.read_table({"country": [*COUNTRIES, "NA"] * 3 + ["NA"]})

    assert table["country"].is_missing.sum() == 4
    assert (table.notes[0].code, table.notes[0].values["n"]) == (Code.NA_BESIDE_CODES, 4)


@pytest.mark.parametrize("others", [["NY", "TX", "CA", "FL", "OH"], ["CA", "DE", "PA", "IL", "MA"]])
def test_na_among_other_codes_is_missing_with_a_note(others):
    table = bc.read_table({"state": [*others, "NA"] * 3})

    assert table["state"].is_missing.sum() == 3
    assert (table.notes[0].code, table.notes[0].values["n"]) == (Code.NA_BESIDE_CODES, 3)
    assert table.notes[0].suggestion == Option("missing", ())
    assert "NA" in bc.read_table({"state": [*others, "NA"] * 3}, missing=[])["state"].labels


@pytest.mark.parametrize("others", [["yes", "no"], ["DE", "FR"], ["DE", "FR", "ZA", "US", "BWA", "BW"]])
def test_na_elsewhere_needs_no_note(others):
    table = bc.read_table({"a": [*others, "NA"] * 3})

    assert table["a"].is_missing.sum() == 3
    assert table.notes == ()
