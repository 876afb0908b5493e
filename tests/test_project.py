"""Versions, workflows, and the description on a package index agree with the code."""

from __future__ import annotations

import re
import zipfile

import pytest

import bychance
from tools.index_readme import dynamic_metadata, without_links
from tools.pages import ROOT
from tools.wheel import dead_links

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


def test_the_version_is_the_same_everywhere():
    changelog = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    citation = re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)

    assert changelog is not None
    assert citation is not None
    assert {changelog[1], citation[1]} == {bychance.__version__}
    assert bychance.__version__ not in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("name", ["tests", "wheels", "docs"])
def test_workflows_run_make_targets_that_exist(name):
    text = (ROOT / f".github/workflows/{name}.yml").read_text()
    used = re.findall(r"run: make ([a-z-]+)", text)

    assert used
    assert set(used) <= TARGETS
    assert len(text.splitlines()) < 50


def test_the_files_that_contributing_names_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"(?<![\w/])[a-z][\w/]*\.(?:py|cpp|hpp|md|jsonl?|txt|cff)\b", text))
    folders = ("src", "tests", "tools", "docs", "studies", "benchmarks", "reproduction")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    files += list(ROOT.glob("*.*"))
    ends = {
        "/".join(path.parts[-k:]) for path in files for k in range(1, len(path.relative_to(ROOT).parts) + 1)
    }

    assert len(named) > 30
    assert named - ends == {"build/fuzz/differences.txt"}


def test_the_description_on_an_index_has_no_dead_links(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = dynamic_metadata("readme", {})["text"]

    assert "](docs/" not in text
    assert "bychance measures how columns depend on each other" in text


def test_links_to_elsewhere_stay():
    text = "![a](docs/a.png)\n\n[here](docs/b.md) and [there](https://example.org)"

    assert without_links(text) == "here and [there](https://example.org)"


def test_dead_links_of_a_wheel_are_found(tmp_path):
    wheel = tmp_path / "t.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("t.dist-info/METADATA", 'Name: t\n\n[a](b.md) <img src="c.png"> [d](https://e.org)')

    assert dead_links(wheel) == ["b.md", "c.png"]
