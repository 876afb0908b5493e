"""The check of house words finds the phrases that it names, and nothing in plain sentences."""

from __future__ import annotations

import pytest
from tools import words


@pytest.mark.parametrize(
    "text",
    [
        "The result has one entry a pair.",
        "Threads; -1 for one a core.",
        "a line a set, and the mean",
        "each in a directory of its own",
        "a run can be stopped and gone on with",
        "the delimiter is found out",
        "of which rows nothing can be learned",
    ],
)
def test_a_phrase_to_read_twice_is_found(text, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    page, module = tmp_path / "page.md", tmp_path / "module.py"
    page.write_text(f"A page.\n\n{text}\n")
    module.write_text(f'def f():\n    """First.\n\n    {text}\n    """\n')

    assert [fault.split(":")[1] for fault in words.faults(page)] == ["3"]
    assert [fault.split(":")[1] for fault in words.faults(module)] == ["4"]


@pytest.mark.parametrize(
    "text",
    [
        "one entry per pair",
        "what a column says about a pair of others",
        "a measure of your own",
        "```python\none a pair\n```",
    ],
)
def test_plain_sentences_pass(text, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text(text)

    assert list(words.faults(tmp_path / "page.md")) == []
