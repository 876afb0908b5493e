"""The gallery's page of real tables says what the program says; data come from PyPI packages."""

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
