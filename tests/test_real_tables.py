"""The gallery's page of real tables says what the program says. Data come from PyPI packages."""

from __future__ import annotations

import pytest

from tools.pages import ROOT
from tools.real_tables import TABLES, section

PAGE = (ROOT / "docs/gallery/real_tables.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
def test_the_page_says_of_a_real_table_what_the_program_says(table):
    if table.source is None:
        pytest.skip(f'{table.package} is not installed: pip install ".[tables]"')

    assert section(table) in PAGE


def test_there_are_ten_tables_and_more_and_each_is_on_the_page():
    assert len(TABLES) >= 10
    assert [line.removeprefix("## ") for line in PAGE.splitlines() if line.startswith("## ")] == [
        table.title for table in TABLES
    ]


TRUE_SENTENCES = {
    "Contraception in Bangladesh": ["; age by its shape: it explains 4.3%, a straight line under 0.1%"],
    "Auctions of a game": ["; cond by the ranks of total_pr: it explains 33% of them", "on one row (20)"],
    "Characters of Star Wars": [
        "sex most: in these rows its share is 97%, but that rests on one row (16), and limits"
    ],
    "Penguins, with a code of their species": ["species_code has one value per species: is it a code of it?"],
    "A sample of a census: income": ["hrs_work and time_to_work are missing more often if income is low (p "],
}


@pytest.mark.slow
@pytest.mark.parametrize("title", TRUE_SENTENCES)
def test_the_first_words_on_a_table_that_misled_are_true(title):
    table = next(table for table in TABLES if table.title == title)
    if table.source is None:
        pytest.skip(f'{table.package} is not installed: pip install ".[tables]"')

    verdict = table.ranking().verdict()
    assert all(says in verdict for says in TRUE_SENTENCES[title])
