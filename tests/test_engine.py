"""Tests reach the inside of the library through tests/engine alone, and everything there is of use."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.engine import settings

TESTS = Path(__file__).parent
ROOMS = ("covariates", "moments", "nulls", "ranking", "streaming")
INSIDE = re.compile(rf"\bbychance\.(?:{'|'.join(ROOMS)})\b")
PRIVATE = re.compile(r"_[A-Z][A-Z_0-9]*")
DOORS = [path.stem for path in sorted((TESTS / "engine").glob("*.py")) if path.stem != "__init__"]


def reached(code):
    """Return names of the rooms that a program reaches: imports, attributes, names in texts."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            yield from (name for a in node.names if INSIDE.match(name := f"{module}.{a.name}"))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if INSIDE.match(alias.name))
        elif isinstance(node, ast.Attribute) and node.attr in ROOMS:
            if isinstance(node.value, ast.Name) and node.value.id in ("bc", "bychance"):
                yield f"bychance.{node.attr}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and INSIDE.search(node.value):
            yield node.value


def set_privately(code):
    """Yield the private constants that a program sets: by `setattr` of a patch, or by assignment."""
    for node in ast.walk(ast.parse(code)):
        names = []
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "setattr":
            names = [str(a.value).rpartition(".")[2] for a in node.args if isinstance(a, ast.Constant)]
        elif isinstance(node, ast.Assign):
            names = [target.attr for target in node.targets if isinstance(target, ast.Attribute)]
        yield from filter(PRIVATE.fullmatch, names)


@cache
def users():
    """Return the code of every file of tests but the engine and this one."""
    paths = (path for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__))
    return {
        path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.parent != TESTS / "engine"
    }


@cache
def words_of_users():
    return {word for code in users().values() for word in re.findall(r"\w+", code)}


def test_no_test_reaches_the_inside_but_through_the_engine():
    found = {file: names for file, code in users().items() if (names := sorted(set(reached(code))))}

    assert not found, "import these from tests.engine, by what they compute"


def test_no_test_sets_a_private_name_but_through_the_engine():
    found = {file: names for file, code in users().items() if (names := sorted(set(set_privately(code))))}

    assert not found, "name these in tests/engine/settings.py"


@pytest.mark.parametrize(
    "code",
    ["m.setattr('bychance.columns._ROOM', 1)", "patch.setattr(memory, '_ROOM', 1)", "memory._ROOM = 1"],
)
def test_every_way_to_set_a_private_name_is_told(code):
    assert list(set_privately(code)) == ["_ROOM"]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("from bychance.nulls.statistics import snapped", "bychance.nulls.statistics.snapped"),
        ("def f():\n    from bychance import ranking", "bychance.ranking"),
        ("import bychance.covariates.cells as cells", "bychance.covariates.cells"),
        ("bc.ranking.options.BY", "bychance.ranking"),
        ("put(patch, 'bychance.streaming.read.HEAD_ROWS', 1)", "bychance.streaming.read.HEAD_ROWS"),
    ],
)
def test_every_way_inside_is_told(code, name):
    assert name in set(reached(code))


@pytest.mark.parametrize(
    "code", ["import bychance as bc", "bc.rank(table).ranking", "from bychance.pair import Pair"]
)
def test_what_is_no_way_inside_is_not_told(code):
    assert not set(reached(code))


@pytest.mark.parametrize("door", DOORS)
def test_every_name_of_the_engine_is_used(door):
    assert not set(import_module(f"tests.engine.{door}").__all__) - words_of_users()


def test_every_setting_is_there_and_used():
    assert not set(settings._PLACES) - words_of_users()
    for name in settings._PLACES:
        settings.own(name)
