"""Every block of code in README and docs runs and prints what it says, and pictures are up to date."""

from __future__ import annotations

import csv
import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import bychance as bc
from tools.pages import ROOT, all_pages, blocks_of, commands_of, digest_of, run_page

PAGES = all_pages()
SET_UP = {"make", "pip", ".venv/bin/python"}
LANGUAGES = {"python", "text", "console", "sh", "picture", "{toctree}", "{eval-rst}"}


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_prints_and_shows_what_its_code_does(page):
    """Warnings of other packages are ignored. Ours would be seen by readers of the page."""
    drawn = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", bc.BychanceWarning)
        faults = run_page(page, drawn.__setitem__)
    plt.close("all")

    assert not faults, "\n".join(faults)
    for path, digest in drawn.items():
        assert path.exists(), f"{path.name} is missing: make pictures"
        assert digest_of(path) == digest, f"{path.name} is out of date: make pictures"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_of_a_language_that_is_run(page):
    before = None
    for block in blocks_of(page.read_text()):
        assert block.language in LANGUAGES, f"{page.name}:{block.line}"
        if block.language == "console":
            assert list(commands_of(block.text)), f"{page.name}:{block.line}"
        if block.language == "text":
            assert before == "python", f"{page.name}:{block.line} is the output of nothing"
        before = block.language


def test_the_only_commands_that_are_not_run_set_the_project_up():
    """`sh` blocks have no output, and `make` in them names targets that exist."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for block in blocks_of(page.read_text()):
            if block.language == "sh":
                for line in block.text.splitlines():
                    program, _, rest = line.partition("#")[0].strip().partition(" ")
                    # The commands of real_tables.md are run by tests/test_real_tables.py.
                    known = {"bychance"} if page.name == "real_tables.md" else SET_UP
                    assert program in known, f"{page.name}:{block.line}"
                    assert program != "make" or rest.strip() in targets, line


def test_every_picture_is_shown_and_small():
    shown = {
        (page.parent / block.text).resolve()
        for page in PAGES
        for block in blocks_of(page.read_text())
        if block.language == "picture"
    }
    files = set((ROOT / "docs" / "pictures").glob("*.png"))

    assert files == shown
    assert sum(path.stat().st_size for path in files) < 1_000_000


def test_the_columns_that_commands_name_exist(data_directory):
    help_text = (ROOT / "src/bychance/cli/rank.py").read_text()
    commands = [line for line in help_text.splitlines() if line.strip().startswith("bychance rank WHO.csv")]
    named = set(re.findall(r"--(?:target|drop|x|y) (\S+)", "\n".join(commands)))

    assert named
    with (data_directory / "WHO.csv").open(encoding="utf-8", newline="") as file:
        assert named <= set(next(csv.reader(file)))


LINKING = [*PAGES, *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "studies/README.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)|\{download\}`[^`<]*<([^>]+)>`")
_CODE = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)


def anchors_of(page):
    headings = re.findall(r"^#+ (.*)$", _CODE.sub("", page.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_links_lead_to_files_and_headings_that_exist(page):
    for link, download in _LINK.findall(_CODE.sub("", page.read_text())):
        name, _, anchor = (link or download).partition("#")
        if name.startswith("http"):
            continue
        target = (page.parent / name) if name else page
        assert target.exists(), link or download
        assert not anchor or anchor in anchors_of(target), link


_FILE = re.compile(r"(?<![\w/.])(?:docs|src|tests|studies|tools)/[\w/-]+\.(?:md|csv|py|cpp|hpp|cu)\b")


def test_sources_name_files_that_exist():
    files = [path for folder in ("src", "docs", "studies", "tools") for path in (ROOT / folder).rglob("*")]
    for path in files:
        if path.suffix in {".py", ".cpp", ".hpp", ".cu", ".cuh", ".toml", ".md"}:
            for name in _FILE.findall(path.read_text(encoding="utf-8")):
                assert (ROOT / name).exists(), f"{path.relative_to(ROOT)} names {name}"


def test_the_guide_is_short():
    pages = [page for page in PAGES if page.parent != ROOT]
    words = [word for page in pages for word in page.read_text().split()]

    assert len(pages) <= 25
    assert len(words) <= 32_000
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_readme_has_examples():
    assert any(block.language == "python" for block in blocks_of((ROOT / "README.md").read_text()))


def test_pages_that_are_wrong_are_found_out(tmp_path):
    """The test of the tests: wrong outputs of each kind are reported, right ones are not."""
    page = Path(tmp_path / "page.md")
    blocks = [
        ("python", ">>> 1 + 1\n3\n"),
        ("python", ">>> 1 + 1\n2\n"),
        ("python", "print('a')\n"),
        ("text", "b\n"),
        ("python", "print('a')\n"),
        ("text", "a\n"),
        ("console", "$ echo one\ntwo\n$ echo three\nthree\n"),
    ]
    page.write_text("\n".join(f"```{language}\n{text}```" for language, text in blocks))
    undrawn = "\n![a figure that no code draws](pictures/none.png)\n"

    assert len(run_page(page, lambda path, digest: None)) == 3
    page.write_text(page.read_text() + undrawn)
    assert len(run_page(page, lambda path, digest: None)) == 4
