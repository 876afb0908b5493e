"""Part "two arrays": `rank_arrays(X, Y)` beside `rank(x=, y=)` of the same columns in one table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import bychance as bc
from tests.engine.ranking import rows_of
from tests.engine.screens import ranked_arrays
from tests.fuzz.outcome import Outcome

PART = "two arrays"
FIGURES = ("n", "observed", "adjusted", "standardized", "adjusted_at", "p_value", "p_se", "null_mean")
WORDS = ("p_kind", "engine", "n_resamples", "note")
_ERROR = 1e-8
_CLEARLY = 1e-12  # below this figures are rounding, as is the sign of a correlation whose square is less

Draw = Callable[[np.random.Generator, int], np.ndarray]

KINDS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "gamma": lambda rng, n: rng.gamma(0.4, size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "lognormal, rounded": lambda rng, n: np.round(np.exp(1.5 * rng.normal(size=n))),
    "counts, mostly 0": lambda rng, n: rng.poisson(3, n) * (rng.random(n) < 0.3),
    "few values": lambda rng, n: rng.integers(0, 3, n),
    "rare flag": lambda rng, n: rng.random(n) < 3 / n,
    "flag": lambda rng, n: rng.random(n) < 0.4,
    "constant": lambda rng, n: np.full(n, 7.5),
    "far off": lambda rng, n: 1e9 + rng.normal(size=n),
    "tiny": lambda rng, n: 1e-200 * rng.normal(size=n),
    "outlier": lambda rng, n: np.append(rng.normal(size=n - 1), 1e6),
}


def run_case(seed: int, index: int) -> Outcome:
    """Run two arrays of several kinds of columns, some related, some with gaps."""
    rng, outcome = np.random.default_rng([seed, 6, index]), Outcome()
    n = int(rng.choice([4, 9, 20, 45, 120, 400]))
    kinds = [[str(kind) for kind in rng.choice(list(KINDS), rng.integers(1, 12))] for _ in "xy"]
    x, y = (np.column_stack([KINDS[kind](rng, n).astype(float) for kind in side]) for side in kinds)
    for column in range(min(x.shape[1], y.shape[1])):
        if rng.random() < 0.3:
            y[:, column] = x[:, column] + rng.choice([0, 0.3, 2]) * np.std(x[:, column]) * rng.normal(size=n)
    for values in (x, y):
        if rng.random() < 0.3:
            values[rng.random(values.shape) < rng.choice([0.02, 0.3])] = np.nan
    tails = str(rng.choice(["open", "open", "none", "all"]))
    options: dict[str, Any] = {
        "measure": str(rng.choice(["r2", "spearman"])),
        "null": [bc.Auto(tails=tails), "moments"][int(rng.integers(0, 3) == 2)],
        "rng": 0,
    }
    outcome.count(PART, str(options["null"]), options["measure"], {*kinds[0], *kinds[1]})
    found = list(_differences(x, y, options))
    if found:
        code = f"from tests.fuzz import two_arrays; print(two_arrays.run_case({seed}, {index}).differences)"
        outcome.differ(f"{PART} {seed}/{index} {options['measure']}", f"# {n} rows, {options}\n{code}", found)
    return outcome


def _differences(x: np.ndarray, y: np.ndarray, options: dict[str, Any]) -> Iterator[str]:
    table = {f"x{k}": column for k, column in enumerate(x.T)} | {
        f"y{k}": column for k, column in enumerate(y.T)
    }
    sides = {side: [name for name in table if name[0] == side] for side in "xy"}
    try:
        arrays = ranked_arrays(x, y, **options)
        whole = bc.rank(table, **sides, numeric=list(table), **options)
    except Exception as error:  # any exception is a fault
        yield f"raised {type(error).__name__}: {error}"
        return
    found, expected = ({(row["x"], row["y"]): row for row in rows_of(ranking)} for ranking in (arrays, whole))
    if found.keys() != expected.keys():
        yield f"other pairs: {sorted(found.keys() ^ expected.keys())[:3]}"
        return
    for count in ("n_pairs", "n_tested", "n_found"):
        if getattr(arrays, count) != getattr(whole, count):
            yield f"{count} is {getattr(arrays, count)}, in one table {getattr(whole, count)}"
    for pair, row in expected.items():
        own = found[pair]
        off = [name for name in FIGURES if not _is_near(own[name], row[name])]
        off += [name for name in WORDS if own[name] != row[name]]
        if own["sign"] != row["sign"] and row["observed"] > _CLEARLY:
            off.append("sign")
        yield from (f"{pair}: {name} is {own[name]!r}, in one table {row[name]!r}" for name in off[:2])


def _is_near(a: float | None, b: float | None) -> bool:
    values = [math.nan if v is None else float(v) for v in (a, b)]
    if any(map(math.isnan, values)):
        return all(map(math.isnan, values))
    return math.isclose(*values, rel_tol=_ERROR, abs_tol=_CLEARLY)
