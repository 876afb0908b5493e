"""The notebooks of the guide run from top to bottom, and show what they say."""

from __future__ import annotations

import ast
import contextlib
import io
import json

import matplotlib.pyplot as plt
import pytest

from tools.pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def shown_by(source, names):
    """Return what a cell prints, and its last value."""
    tree, printed = ast.parse(source), io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue() + ("" if value is None else repr(value))


def outputs_of(cell):
    return "".join("".join(output.get("text") or output["data"]["text/plain"]) for output in cell["outputs"])


def test_there_are_two():
    assert [path.stem for path in NOTEBOOKS] == ["first_ranking", "selecting_columns"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_code_does(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert shown_by("".join(cell["source"]), names) == outputs_of(cell)
    plt.close("all")
