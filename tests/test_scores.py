"""Scores of pairs, and that each formula and each limit of validity is written once in the source."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import bychance
from bychance.scores import adjust_at, bound_of, quantify, scores, standardize

SOURCE = Path(bychance.__file__).parent
NATIVE = SOURCE.parent / "native"
RULES = NATIVE / "distributions" / "validity.cpp"
CHANCE = re.compile(r"mean|chance|expected")
SPREAD = re.compile(r"std|deviation|spread")
LIMIT = re.compile(r"\b(k[A-Z]\w*)(?:\[\])? *[={]+ *(\d[\d.e-]*)")


def is_less(node, subtrahend):
    """Return True if an expression subtracts a value with such a name."""
    is_difference = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return is_difference and bool(subtrahend.search(ast.unparse(node.right)))


def formula_of(node):
    """Return the adjustment that an expression computes, if any."""
    if is_less(node, re.compile("quantile")) and "observed" in ast.unparse(node.left):
        return "adjust_at"
    if not isinstance(node, ast.BinOp) or not is_less(getattr(node, "left", None), CHANCE):
        return None
    if isinstance(node.op, ast.Div):
        if is_less(node.right, CHANCE) and ast.unparse(node.left.right) == ast.unparse(node.right.right):
            return "quantify"
        if SPREAD.search(ast.unparse(node.right)):
            return "standardize"
        return "bound_of" if "adjusted" in ast.unparse(node.right) else None
    return None


@cache
def formulas():
    """Return the adjustments that the source computes, each with its module."""
    found = [
        (formula, path.relative_to(SOURCE).as_posix())
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (formula := formula_of(node))
    ]
    return Counter(found)


@pytest.mark.parametrize(
    ("code", "formula"),
    [
        ("(x - null.mean) / (bound - null.mean)", "quantify"),
        ("(share - chance) / (1 - chance)", "quantify"),
        ("(observed - mean) / laws.std", "standardize"),
        ("observed[at] - null.quantile(0.95)", "adjust_at"),
        ("mean + (observed - mean) / adjusted", "bound_of"),
        ("(x - low) / (high - low)", None),
    ],
)
def test_every_way_to_write_a_formula_is_told(code, formula):
    nodes = ast.walk(ast.parse(code))

    assert next(filter(None, map(formula_of, nodes)), None) == formula


@pytest.mark.parametrize("formula", ["quantify", "standardize", "bound_of"])
def test_each_adjustment_is_written_once(formula):
    assert {module: n for (known, module), n in formulas().items() if known == formula} == {"scores.py": 1}


def test_the_excess_over_a_quantile_is_written_once():
    excess = {module: n for (known, module), n in formulas().items() if known == "adjust_at"}

    assert excess == {"scores.py": 1}


@cache
def limits():
    """Return the limits of validity by name, of several numbers the first."""
    code = "\n".join(re.findall(r"constexpr [^;]*", RULES.read_text(encoding="utf-8")))
    return {name: float(value) for name, value in LIMIT.findall(code)}


def test_limits_of_validity_are_found():
    known = {"kMinExpected": 5, "kManyOthers": 100, "kMaxThirdOfGamma": 0.3, "kVarianceRatio": 0.9}

    assert known.items() <= limits().items()


def stated(path):
    """Return the numbers that a file of C++ or Python names, by the names that C++ would give them."""
    code = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return {(name, float(value)) for name, value in LIMIT.findall(code)}
    found = re.findall(r"^_?([A-Z][A-Z_0-9]*) = (\d[\d.e-]*)", code, flags=re.MULTILINE)
    return {("k" + name.title().replace("_", ""), float(value)) for name, value in found}


@pytest.mark.parametrize("folder", [NATIVE, SOURCE])
def test_each_limit_of_validity_is_written_once(folder):
    files = {path for path in folder.rglob("*") if path.suffix in (".cpp", ".hpp", ".py")} - {RULES}

    assert {path.name: again for path in files if (again := stated(path) & limits().items())} == {}


def test_scores_are_the_formulas():
    observed, bound, mean, std = np.random.default_rng(0).random((4, 20)) + np.array([[0], [1], [0], [0.1]])

    found = scores(observed, bound, mean, std, 0.1 * std)

    assert (found.adjusted == quantify(observed, mean, bound)).all()
    assert (found.standardized == standardize(observed, mean, std)).all()
    assert found.adjusted_se == pytest.approx(0.1 * std * abs(observed - bound) / (bound - mean) ** 2)
    assert bound_of(observed[0], mean[0], found.adjusted[0]) == pytest.approx(bound[0])
    assert adjust_at(0.5, 0.2) == 0.3


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ((0.3, 1.0, 0.3, 0.0), (0.0, 0.0)),  # every permutation gives the observed value
        ((0.5, 1.0, 0.3, 0.0), (0.2 / 0.7, math.nan)),  # every permutation gives another one
        ((0.5, 0.3, 0.3, 0.1), (0.0, 2.0)),  # the bound leaves no room above chance
        ((1.0, 1.0, 1.0, 0.0), (0.0, 0.0)),
    ],
)
def test_degenerate_cases_are_the_same_for_one_pair_and_many(figures, expected):
    alone = scores(*figures)
    together = scores(
        *(np.array([value, usual]) for value, usual in zip(figures, (0.3, 1, 0.1, 0.1), strict=True))
    )

    for found in ((alone.adjusted, alone.standardized), (together.adjusted[0], together.standardized[0])):
        assert np.array(found, dtype=float) == pytest.approx(expected, nan_ok=True)
    assert (together.adjusted[1], together.standardized[1]) == pytest.approx((0.2 / 0.9, 2.0))
