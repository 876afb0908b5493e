"""Every example in README and docs runs and prints what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_print_what_the_page_says(page):
    results = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)

    assert results.failed == 0


def test_readme_has_examples():
    assert doctest.DocTestParser().get_examples((ROOT / "README.md").read_text())


def test_the_columns_that_commands_name_exist(data_directory):
    from bychance.table.header import names_in_header

    help_text = (ROOT / "src/bychance/cli/rank.py").read_text()
    text = "\n".join([*(page.read_text() for page in PAGES), help_text])
    commands = [line for line in text.splitlines() if line.strip().startswith("bychance rank WHO.csv")]
    named = set(re.findall(r"--(?:target|drop|x|y) (\S+)", "\n".join(commands)))

    assert named
    assert named <= set(names_in_header(data_directory / "WHO.csv"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([\w./-]+\.(?:md|cff))\)", page.read_text()):
        assert (page.parent / target).exists(), target
