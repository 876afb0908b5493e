"""Part "small": every measure on a random pair of columns of at most 7 rows, against all permutations."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import bychance as bc
from bychance.measures.registry import CallableMeasure, resolve
from tests.fuzz.columns import FAMILIES, Given, draw_column
from tests.fuzz.compare import Asked, differences
from tests.fuzz.outcome import Outcome
from tests.fuzz.permutations import Answer, answer, arrangements
from tests.fuzz.variable import Variable

PART = "small"
DRAWS = 99
NULLS = {
    "exact": '"exact"',
    "auto": '"auto"',
    "moments": '"moments"',
    "permutation": f"bc.Permutation({DRAWS})",
}
WITHOUT_MOMENTS = ("mic", "mic_e", "tic_e", "together")
SEARCHES = ("mic", "mic_e", "tic_e")
_MOST_SEARCHED = 800  # arrangements, each a search in plain Python; without ties the law is kept
HEAD = "import numpy as np, pandas as pd, bychance as bc"
TOGETHER = "def together(x, y):\n    return float(np.mean((x[:, None] == x) & (y[:, None] == y)))"


def together(x: np.ndarray, y: np.ndarray) -> float:
    """Compute the share of ordered pairs of rows that tie in both columns, as a plain callable."""
    return float(np.mean((x[:, None] == x) & (y[:, None] == y)))


def run_case(seed: int, index: int) -> Outcome:
    """Run one pair of columns with every measure that takes it and every null."""
    rng = np.random.default_rng([seed, 1, index])
    n = int(rng.choice([2, 3, 4, 5, 6, 7], p=[0.03, 0.07, 0.2, 0.25, 0.25, 0.2]))
    names = list(FAMILIES)
    x, y = (draw_column(rng, n, names[rng.integers(len(names))]) for _ in range(2))
    outcome = Outcome()
    for measure in [*(m.name for m in bc.list_measures() if _is_built_in(m.name)), "together"]:
        variables = seen_by(measure, x, y)
        if variables is not None:
            _try_nulls(outcome, f"{PART} {seed}/{index}", measure, x, y, variables)
    return outcome


def _is_built_in(name: str) -> bool:
    """Return False for measures that other tests of this process have registered."""
    return not isinstance(resolve(name), CallableMeasure)


def _try_nulls(
    outcome: Outcome, case: str, measure: str, x: Given, y: Given, variables: tuple[Variable, Variable]
) -> None:
    n = variables[0].n
    is_too_short = n < (4 if measure == "dcor" else 3)
    if measure in SEARCHES and not _is_searched(*variables):
        return
    expected = None if is_too_short else answer(measure, *variables)
    function = together if measure == "together" else measure
    for null, code in NULLS.items():
        if null == "moments" and measure in WITHOUT_MOMENTS:
            continue
        outcome.count(PART, null, measure, {x.family, y.family})
        found = list(_call(function, x, y, code, expected))
        if found:
            outcome.differ(f"{case} {measure} {null}", reproduce(measure, x.code, y.code, code), found)


def _call(function: object, x: Given, y: Given, null: str, expected: Answer | None) -> Iterator[str]:
    try:
        result = bc.adjust(function, x.array, y.array, null=eval(null, {"bc": bc}))
    except Exception as error:  # any exception is a fault
        yield f"raised {type(error).__name__}: {error}"
        return
    if expected is None:
        figures = result.observed, result.p_value, result.adjusted, result.standardized
        if not all(map(math.isnan, figures)):
            yield f"too few rows, so all figures must be NaN, got {figures}"
        return
    draws = DRAWS if null.startswith("bc.") else None
    yield from differences(
        result, expected, Asked(result.measure, null.strip('"'), draws=draws, has_few_atoms=False)
    )


def _is_searched(x: Variable, y: Variable) -> bool:
    if x.n > 5 and min(len(x.sizes), len(y.sizes)) < x.n:
        return len(arrangements(tuple(y.sizes))) <= _MOST_SEARCHED
    return True


def reproduce(measure: str, x: str, y: str, null: str) -> str:
    name = measure if measure == "together" else repr(measure)
    lines = [HEAD, *([TOGETHER] if measure == "together" else []), f"x = {x}", f"y = {y}"]
    return "\n".join([*lines, f"print(bc.adjust({name}, x, y, null={null}))"])


def seen_by(measure: str, x: Given, y: Given) -> tuple[Variable, Variable] | None:
    """Return the measure's view of the shared rows of two columns, or None if it does not take them."""
    rows = [k for k, pair in enumerate(zip(x.values, y.values, strict=True)) if None not in pair]
    values = [[column.values[k] for k in rows] for column in (x, y)]
    if measure == "agreement":
        return Variable.shared(*values) if x.unit == y.unit else None
    kinds = _read_as(measure, x.kind, y.kind)
    if kinds is None:
        return None
    return tuple(Variable.of(v, is_numeric=k) for v, k in zip(values, kinds, strict=True))


def _read_as(measure: str, x: str, y: str) -> tuple[bool, bool] | None:
    """Return for each column if it is read as numbers, by docs/conventions.md."""
    kinds = {m.name: m.kinds for m in bc.list_measures()}.get(measure, "any")
    if kinds == "numeric-numeric":
        return None if "labels" in (x, y) else (True, True)
    if kinds == "categorical-categorical":
        return False, False
    if kinds == "any":
        return x == "numeric", y == "numeric"
    if x == "numeric" and y != "numeric":
        return True, False
    return None if y == "labels" else (False, True)
