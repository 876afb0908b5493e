"""Part "given": every measure beyond categories, against all permutations within their strata."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np

import bychance as bc
from tests.engine.ranking import rows_of
from tests.fuzz.columns import FAMILIES, Given, draw_column
from tests.fuzz.compare import Asked, differences
from tests.fuzz.law import Law
from tests.fuzz.outcome import Outcome
from tests.fuzz.permutations import Answer
from tests.fuzz.small import seen_by
from tests.fuzz.variable import Variable
from tests.oracle import measures as oracle

PART = "given"
DRAWS = 99
NULLS = {
    "exact": '"exact"',
    "auto": '"auto"',
    "moments": '"moments"',
    "permutation": f"bc.Permutation({DRAWS})",
}
COMMON = ("explained", "r2", "eta2", "spearman")
OF_LABELS = ("goodman_kruskal", "gini", "mi", "phi2", "cramers_v", "rand", "agreement")
OF_NUMBERS = ("kendall", "dcor", "xi")
_BEYOND_DOUBLES = ("extreme", "scaled", "offset", "outlier", "large integers")  # families by their residuals
_SIZES = ((4,), (2, 3), (3, 3), (4, 1), (4, 3), (2, 2, 2), (3, 3, 2), (4, 4), (5, 3), (1, 3, 4))

Values = np.ndarray  # of the measure, one per arrangement; the last is the pairing as it is


def run_case(seed: int, index: int) -> Outcome:
    """Run one pair of columns beside strata: every measure that takes it, every null, `adjust` and `rank`."""
    rng, outcome = np.random.default_rng([seed, 5, index]), Outcome()
    sizes = _SIZES[rng.integers(len(_SIZES))]
    strata = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    names = [name for name in FAMILIES if name not in _BEYOND_DOUBLES]
    x, y = (draw_column(rng, len(strata), str(rng.choice(names))) for _ in range(2))
    for measure in (*COMMON, *OF_LABELS, *OF_NUMBERS):
        variables = seen_by(measure, x, y)
        is_used = [None not in pair for pair in zip(x.values, y.values, strict=True)]
        own = strata[is_used]
        if variables is None or len(own) - len(set(own.tolist())) < 3:
            continue
        expected = answer(measure, *variables, own)
        for null, code in NULLS.items():
            if null == "moments" and measure == "cramers_v":
                continue  # which has none in closed form
            outcome.count(PART, null, measure, {x.family, y.family})
            found = list(_call(measure, (x, y), strata, code, expected))
            if found:
                text = reproduce(measure, (x, y), strata, code)
                outcome.differ(f"{PART} {seed}/{index} {measure} {null}", text, found)
    return outcome


def answer(measure: str, x: Variable, y: Variable, strata: np.ndarray) -> Answer:
    """Compute the law over all permutations of y within the strata, by plain sums."""
    rows = np.vstack([_orders(strata), np.arange(len(strata))])
    if measure in COMMON:
        values = _shares_of_residuals(measure, x, y, strata, rows)
    elif measure == "kendall":
        values = _seasonal_kendall(x, y, strata, rows)
    else:
        values = _averages(measure, x, y, strata, rows)
    law = Law.of_floats(np.where(np.abs(values[:-1]) < 1e-14, 0.0, values[:-1]))
    return Answer(law, law.index_near(values[-1]), math.nan)


def _orders(strata: np.ndarray) -> np.ndarray:
    """Yield every order of the rows in which each stays in its stratum."""
    own = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    orders = []
    for chosen in product(*(permutations(rows) for rows in own)):
        order = np.empty(len(strata), dtype=int)
        for rows, places in zip(own, chosen, strict=True):
            order[rows] = places
        orders.append(order)
    return np.array(orders)


def _shares_of_residuals(measure: str, x: Variable, y: Variable, strata: np.ndarray, rows: Values) -> Values:
    """Compute partial R²: tr(PB)/tr(B), P the projector of x given strata, B that of y as products."""
    if measure == "eta2" and x.numbers is not None:
        x, y, rows = y, x, np.argsort(rows, axis=1)
    a, b = (_columns(v, strata, are_ranks=measure == "spearman") for v in (x, y))
    total = float(np.sum(b**2))
    if not total or not np.any(a):
        return np.zeros(len(rows))
    projector = a @ np.linalg.pinv(a, rcond=1e-9)
    return np.einsum("ij,sjk,sik->s", projector, b[rows], b[rows]) / total


def _columns(variable: Variable, strata: np.ndarray, *, are_ranks: bool) -> np.ndarray:
    """Return the number or the indicators, less their means in each stratum."""
    if variable.numbers is None:
        columns = np.equal.outer(variable.codes, range(max(variable.codes) + 1)).astype(float)
    else:
        numbers = np.array(variable.codes, dtype=float) if are_ranks else _floats(variable)
        columns = numbers[:, np.newaxis]
    for s in np.unique(strata):
        own = strata == s
        if are_ranks:
            columns[own, 0] = np.array(oracle.midranks(columns[own, 0])) / (own.sum() + 1)
        columns[own] = _centered(columns[own])
    return columns


def _centered(columns: np.ndarray) -> np.ndarray:
    """Subtract the mean. Columns of one value become 0, without a remainder of rounding."""
    return np.where(np.ptp(columns, axis=0) == 0, 0.0, columns - columns.mean(axis=0))


def _floats(variable: Variable) -> np.ndarray:
    return np.array([float(v) for v in _fractions(variable)])


def _fractions(variable: Variable) -> tuple[Fraction, ...]:
    """Return the numbers less the first, as shares of the largest difference from it."""
    numbers = variable.numbers or variable.codes
    largest = max(abs(v - numbers[0]) for v in numbers) or 1
    return tuple(Fraction(v - numbers[0], largest) for v in numbers)


def _seasonal_kendall(x: Variable, y: Variable, strata: np.ndarray, rows: Values) -> Values:
    """Compute (Σ S)² over the product of the untied pairs of both sides, strata of at least two rows."""
    first, second = (np.sign(np.subtract.outer(v.codes, v.codes)) for v in (x, y))
    shared = np.equal.outer(strata, strata)
    first, second = first * shared, second * shared
    untied = np.sum(first != 0) / 2 * (np.sum(second != 0) / 2)
    sums = np.einsum("ij,sij->s", first, second[rows[:, :, None], rows[:, None, :]]) / 2
    return sums**2 / untied if untied else np.zeros(len(rows))


def _averages(measure: str, x: Variable, y: Variable, strata: np.ndarray, rows: Values) -> Values:
    """Compute Σ w·D over strata of three rows or more (four for `dcor`)."""
    fewest = 4 if measure == "dcor" else 3
    own = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    own = [r for r in own if len(r) >= fewest]
    varies = [any(len({v.codes[k] for k in r}) > 1 for r in own) for v in (x, y)]
    if len(set(strata.tolist())) > 1 and not all(varies):
        return np.zeros(len(rows))  # given the strata, nothing is left (docs/covariates.md)
    values, function = np.zeros(len(rows)), _within(measure)
    for weight, r in zip(_weights(measure, x, y, own), own, strict=True):
        if weight > 0:
            numbers, others = _seen(measure, x), _seen(measure, y)
            first = tuple(numbers[k] for k in r)
            arranged = [tuple(others[k] for k in row) for row in rows[:, r].tolist()]
            known = {second: function(first, second) for second in set(arranged)}
            values += weight * np.array([known[second] for second in arranged])
    return values


def _seen(measure: str, variable: Variable) -> tuple[Fraction, ...] | tuple[int, ...] | tuple[str, ...]:
    return _points(variable) if measure == "dcor" else variable.codes


def _points(variable: Variable) -> tuple[Fraction, ...] | tuple[str, ...]:
    """Return numbers as fractions, labels as text, between which distances are defined."""
    return tuple(map(str, variable.codes)) if variable.numbers is None else _fractions(variable)


def _weights(measure: str, x: Variable, y: Variable, own: list[np.ndarray]) -> list[float]:
    """Return the shares of the strata: of both norms for `dcor`, of y's variation, or of the rows."""
    if measure == "dcor":
        norms = [[_squared_norm(v, rows) for rows in own] for v in (x, y)]
        whole = sum(norms[0]) * sum(norms[1])
        return [math.sqrt(a * b / whole) if whole else 0.0 for a, b in zip(*norms, strict=True)]
    sizes = [len(rows) for rows in own]
    if measure == "goodman_kruskal":
        sizes = [len(rows) * oracle.impurity([y.codes[k] for k in rows]) for rows in own]
    return [size / (sum(sizes) or 1) for size in sizes]


def _squared_norm(variable: Variable, rows: np.ndarray) -> Fraction:
    centered = oracle.u_centered([_points(variable)[k] for k in rows])
    return Fraction(oracle.inner(centered, centered))


def _within(measure: str) -> Callable[[tuple[Any, ...], tuple[Any, ...]], float]:
    """Compute the textbook's value, or 0 if a side does not vary and the measure has no value then."""
    function = getattr(oracle, measure)
    if measure in ("rand", "agreement"):
        return function
    return lambda x, y: float(function(x, y)) if min(len(set(x)), len(set(y))) > 1 else 0.0


def _call(
    measure: str, columns: tuple[Given, Given], strata: np.ndarray, null: str, expected: Answer
) -> Iterator[str]:
    x, y = columns
    labels = [f"s{s}" for s in strata]
    try:
        result = bc.adjust(measure, x.array, y.array, given=labels, null=eval(null, {"bc": bc}))
    except Exception as error:  # any exception is a fault
        yield f"raised {type(error).__name__}: {error}"
        return
    judged = Answer(expected.law, expected.index, result.bound)
    draws = DRAWS if null.startswith("bc.") else None
    asked = Asked(result.measure, null.strip('"'), draws=draws, has_few_atoms=False)
    yield from differences(result, judged, asked)
    if draws is None:
        yield from _ranked(measure, columns, labels, null, result)


def _ranked(
    measure: str, columns: tuple[Given, Given], labels: list[str], null: str, single: bc.Estimate
) -> Iterator[str]:
    """Return the differences of a ranking's row, unless it sets one of the columns aside."""
    table = {"x": columns[0].array, "y": columns[1].array, "site": labels}
    how = {"x": "x", "y": "y", "given": "site", "categorical": "site", "measure": measure}
    spec = eval(null)
    try:
        ranking = bc.rank(table, null=bc.Auto(tails="none") if spec == "auto" else spec, **how)
    except bc.BychanceError:  # the columns' kinds are not those of the measure
        return
    for row in rows_of(ranking):
        for name in ("observed", "adjusted", "p_value"):
            own = getattr(single, name)
            if row["p_value"] is not None and not math.isclose(row[name], own, rel_tol=1e-9, abs_tol=1e-9):
                yield f"rank says {name} is {row[name]!r}, adjust {own!r}"


def reproduce(measure: str, columns: tuple[Given, Given], strata: np.ndarray, null: str) -> str:
    x, y = (column.code for column in columns)
    given = [f"s{s}" for s in strata]
    head = ["import numpy as np, pandas as pd, bychance as bc", f"x = {x}", f"y = {y}"]
    return "\n".join([*head, f"print(bc.adjust({measure!r}, x, y, given={given}, null={null}))"])
