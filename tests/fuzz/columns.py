"""Random small columns of every family: what is handed to bychance, and what it means, exactly.

A column is an expression of Python, so that whatever goes wrong can be printed and run again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

NAMES = {"np": np, "pd": pd, "None": None}


@dataclass(frozen=True)
class Given:
    """One column: its expression, its exact values (None if missing), and its readings by measures.

    `unit` is what equal values must share to be comparable ("number", "date", …): only then does the fuzz ask
    whether labels agree.
    """

    family: str
    code: str
    values: tuple[Any, ...]
    kind: str  # "numeric", "boolean" or "labels"
    unit: str

    @cached_property
    def array(self) -> Any:
        return eval(self.code, dict(NAMES))


def draw_column(rng: np.random.Generator, n: int, family: str) -> Given:
    """Draw a column of the family, some as a view, some with gaps."""
    return FAMILIES[family](rng, n)


def _floats(rng: np.random.Generator, values: np.ndarray, family: str) -> Given:
    values = np.asarray(values, dtype=np.float64)
    held = [None if g else float(v) for v, g in zip(values, _gaps(rng, len(values)), strict=True)]
    if rng.random() < 0.2:
        return Given(family, repr(held), tuple(held), "numeric", "number")
    numbers = ", ".join("np.nan" if v is None else repr(v) for v in held)
    return Given(family, _view(rng, f"[{numbers}]", len(values)), tuple(held), "numeric", "number")


def _gaps(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw missing rows: mostly none, and never all, which would leave the kind open."""
    is_missing = rng.random(n) < (0.2 if rng.random() < 0.15 else 0.0)
    is_missing[rng.integers(n)] = False
    return is_missing


def _view(rng: np.random.Generator, values: str, n: int, dtype: str = "") -> str:
    """Return the array, or its values strided, reversed, read-only, or in a column of a matrix."""
    array = f"np.array({values}{dtype})"
    kind = rng.integers(8)
    if kind == 0:
        return f"np.repeat({array}, 2)[::2]"
    if kind == 1:
        return f"np.ascontiguousarray({array}[::-1])[::-1]"
    if kind == 2:
        return f"np.broadcast_to({array}, (2, {n}))[1]"  # read-only
    if kind == 3:
        return f"np.array([{array}] * 3).T[:, 1]"
    return array


def _normal(rng: np.random.Generator, n: int) -> Given:
    return _floats(rng, rng.normal(size=n), "normal")


def _ties(rng: np.random.Generator, n: int) -> Given:
    return _floats(rng, rng.integers(0, 3, n), "ties")


def _constant(rng: np.random.Generator, n: int) -> Given:
    values = np.full(n, rng.choice([0.0, 1.5, 1e300, -1e-300]))
    return _floats(rng, values, "constant")


def _extreme(rng: np.random.Generator, n: int) -> Given:
    values = rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-300, 300, n)
    if rng.random() < 0.3:
        values[rng.random(n) < 0.5] = rng.choice([1e300, -1e300, 1e-300])
    return _floats(rng, values, "extreme")


def _scaled(rng: np.random.Generator, n: int) -> Given:
    """Draw small integers at one extreme scale."""
    return _floats(rng, rng.integers(-3, 4, n) * rng.choice([1e-300, 1e-160, 1e160, 1e299]), "scaled")


def _offset(rng: np.random.Generator, n: int) -> Given:
    """Draw small differences on a large offset."""
    return _floats(rng, rng.choice([1e15, -(2.0**52), 1e9]) + rng.integers(0, 5, n), "offset")


def _outlier(rng: np.random.Generator, n: int) -> Given:
    values = rng.integers(0, 4, n).astype(float)
    values[rng.integers(n)] = rng.choice([1e3, 1e8, -1e12, 1e200])
    return _floats(rng, values, "outlier")


def _integers(rng: np.random.Generator, n: int) -> Given:
    dtype = rng.choice(["int8", "int16", "int32", "int64", "uint8", "uint64"])
    values = rng.integers(0, rng.choice([2, 5, 100]), n).tolist()
    return Given(
        "integers", _view(rng, repr(values), n, f", dtype='{dtype}'"), tuple(values), "numeric", "number"
    )


def _large_integers(rng: np.random.Generator, n: int) -> Given:
    """Draw integers beyond 2⁵³, whose neighbors are one float."""
    base, dtype = [(2**53, "int64"), (-(2**62), "int64"), (2**63 - 4, "uint64")][rng.integers(3)]
    values = [base + int(v) for v in rng.integers(0, 9, n)]
    held = [None if g else v for v, g in zip(values, _gaps(rng, n), strict=True)]
    if dtype == "int64" and (None in held or rng.random() < 0.2):
        return Given("large integers", repr(held), tuple(held), "numeric", "large")
    code = _view(rng, repr(values), n, f", dtype='{dtype}'")
    return Given("large integers", code, tuple(values), "numeric", "large")


def _dates(rng: np.random.Generator, n: int) -> Given:
    """Draw days since 1970, in days or in nanoseconds, some over more than 2⁶³ nanoseconds."""
    unit = rng.choice(["D", "ns"])
    width = int(rng.choice([3, 400, 100_000]))
    days = [int(v) for v in rng.integers(-width, width + 1, n)]
    held = [None if g else v for v, g in zip(days, _gaps(rng, n), strict=True)]
    text = ", ".join("'NaT'" if v is None else repr(str(np.datetime64(v, "D"))) for v in held)
    return Given("dates", _view(rng, f"[{text}]", n, f", dtype='M8[{unit}]'"), tuple(held), "numeric", "date")


def _durations(rng: np.random.Generator, n: int) -> Given:
    values = [int(v) for v in rng.integers(-3, 4, n)]
    return Given(
        "durations", _view(rng, repr(values), n, ", dtype='m8[h]'"), tuple(values), "numeric", "duration"
    )


def _strings(rng: np.random.Generator, n: int) -> Given:
    """Draw text, an empty one of which is missing."""
    labels = np.array(["a", "", "b", "ä", "zz"])
    values = labels[rng.integers(0, rng.integers(1, 6), n)].tolist()
    values[rng.integers(n)] = "a"
    held = [None if g else v for v, g in zip(values, _gaps(rng, n), strict=True)]
    seen = tuple(v or None for v in held)
    if None in held or rng.random() < 0.2:
        return Given("strings", repr(held), seen, "labels", "label")
    return Given("strings", _view(rng, repr(values), n), seen, "labels", "label")


def _identifiers(rng: np.random.Generator, n: int) -> Given:
    values = [f"id{k}" for k in rng.permutation(n)]
    return Given("identifiers", _view(rng, repr(values), n), tuple(values), "labels", "label")


def _categories(rng: np.random.Generator, n: int) -> Given:
    held = [None if g else "abc"[k] for k, g in zip(rng.integers(0, 3, n), _gaps(rng, n), strict=True)]
    code = f"pd.Series(pd.Categorical({held!r}, categories=['c', 'a', 'b', 'unused']))"
    return Given("categories", code, tuple(held), "labels", "label")


def _booleans(rng: np.random.Generator, n: int) -> Given:
    values = (rng.random(n) < 0.5).tolist()
    held = [None if g else v for v, g in zip(values, _gaps(rng, n), strict=True)]
    if None in held or rng.random() < 0.2:
        return Given("booleans", repr(held), tuple(held), "boolean", "flag")
    return Given("booleans", _view(rng, repr(values), n), tuple(values), "boolean", "flag")


FAMILIES: dict[str, Callable[[np.random.Generator, int], Given]] = {
    "normal": _normal,
    "ties": _ties,
    "constant": _constant,
    "extreme": _extreme,
    "scaled": _scaled,
    "offset": _offset,
    "outlier": _outlier,
    "integers": _integers,
    "large integers": _large_integers,
    "dates": _dates,
    "durations": _durations,
    "strings": _strings,
    "identifiers": _identifiers,
    "categories": _categories,
    "booleans": _booleans,
}
