"""Every example in README and docs runs and prints what it says."""

from __future__ import annotations

import doctest
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


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page):
    import re

    for target in re.findall(r"\]\(([\w./-]+\.(?:md|cff))\)", page.read_text()):
        assert (page.parent / target).exists(), target
