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

    comment, kernel = tmp_path / "comment.py", tmp_path / "kernel.cpp"
    comment.write_text(f"x = 1\ny = 2  # {text}\n")
    kernel.write_text(f"int x;\n// {text.replace(' ', chr(10) + '// ')}\n")

    assert [fault.split(":")[1] for fault in words.faults(page)] == ["3"]
    assert [fault.split(":")[1] for fault in words.faults(module)] == ["4"]
    assert [fault.split(":")[1] for fault in words.faults(comment)] == ["2"]
    assert len(list(words.faults(kernel))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "one entry per pair",
        "what a column says about a pair of others",
        "a measure of your own",
        "```python\none a pair\n```",
        "which rows a tree is grown on, and how many trees a row is out of bag for",
    ],
)
def test_plain_sentences_pass(text, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text(text)

    assert list(words.faults(tmp_path / "page.md")) == []


def test_comments_with_code_between_them_are_not_one_phrase(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "module.py").write_text("# one\nx = 1\n# a pair\n")

    assert list(words.faults(tmp_path / "module.py")) == []


@pytest.mark.parametrize(
    ("line", "n_broken"),
    [
        ("Return empty counts.", 0),
        ("Those of no rows.", 1),
        ("Whether it varies; None where it does not.", 3),
        ("Return " + "one " * 20 + "more.", 1),
    ],
)
def test_first_lines_of_functions_start_with_a_verb_and_state_one_fact(line, n_broken, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    module = tmp_path / "module.py"
    module.write_text(f'class A:\n    """A record."""\n\n    def f(self):\n        """{line}"""\n')

    assert len(list(words.first_line_faults(module))) == n_broken


def test_a_test_and_a_property_need_no_verb(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    module = tmp_path / "module.py"
    module.write_text(
        'def test_one():\n    """One is one."""\n\n\n'
        'class A:\n    @property\n    def n(self):\n        """Number of rows."""\n'
    )

    assert list(words.first_line_faults(module)) == []


def test_long_sentences_of_a_page_are_found_and_cells_of_tables_are_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"{'word ' * 41}end.\n\n| {'cell ' * 30} | {'cell ' * 30} |\n\n{'short ' * 30}end.\n")

    assert len(list(words.long_sentences(page))) == 1
