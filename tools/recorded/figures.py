"""A result → its recorded figures: short ones whole, long vectors as a hash and a few sums.

Equal hashes mean equal bits. If they differ, signed sums over eight interleaved shares of the vector say by
how much: they show an entry that is wrong by more than about 1e-10 times the sum of its share.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LEAST_P",
    "AsIs",
    "Call",
    "Need",
    "Promise",
    "estimate_figures",
    "figures_of",
    "rows_figures",
    "with_shared_ranks",
]

Promise = Literal["bitwise", "1e-10"]
Need = Literal["", "the WHO table", "Dask", "a C++ compiler"]
"""What a call cannot be made without, and a machine may lack."""

LEAST_P = 1e-300  # so that 0 has a logarithm

_LONG = 12  # entries, from which a vector is kept as a hash and sums
_SHARES = 8
_COLUMNS = (
    *("rank", "n", "sign", "observed", "adjusted", "standardized", "adjusted_at", "p_value", "q_value"),
    *("null_mean", "null_std", "n_resamples", "adjusted_se", "standardized_se", "adjusted_at_se"),
)


@dataclass(frozen=True, slots=True)
class Call:
    """A named call, the figures it gives, and how closely later versions must agree with them."""

    name: str
    promise: Promise
    run: Callable[[], Mapping[str, Any]]
    needs: Need = ""


@dataclass(frozen=True, slots=True)
class AsIs:
    """A value of plain Python that is kept as it is, however long."""

    value: Any


def figures_of(call: Call) -> dict[str, Any]:
    """Return the figures of a call in a form that JSON keeps exactly, or the kind of its error."""
    try:
        found = call.run()
    except (ValueError, TypeError) as error:
        return {"refused": type(error).__name__}
    return {name: _kept(value) for name, value in found.items()}


def estimate_figures(result: Any) -> dict[str, Any]:
    """Return all figures of an Estimate and of its null."""
    null = result.null
    return {
        "observed": result.observed,
        "bound": result.bound,
        "adjusted": result.adjusted,
        "standardized": result.standardized,
        "p_value": result.p_value,
        "log_p_value": math.log(max(result.p_value, LEAST_P)),
        "sign": result.sign,
        "n": result.n,
        "at": [result.adjusted_at(alpha) for alpha in (0.4, 0.05)],
        "errors": [result.adjusted_se, result.standardized_se, result.adjusted_at_se(0.05)],
        "null": [null.mean, null.std, null.quantile(0.5), null.sf(null.mean + null.std)],
        "engine": null.engine,
        "n_resamples": null.n_resamples,
        "has_note": bool(result.note),
    }


def rows_figures(rows: Iterable[Mapping[str, Any]], by: str = "adjusted_at") -> dict[str, Any]:
    """Return the columns of a ranking by this score, pairs in the order of their names."""
    ordered = sorted(with_shared_ranks(rows, by), key=lambda row: (row["x"], row["y"]))
    figures: dict[str, Any] = {"pairs": [f"{row['x']}|{row['y']}" for row in ordered]}
    for name in _COLUMNS:
        column = [np.nan if row[name] is None else row[name] for row in ordered]
        figures[name] = np.array(column, dtype=np.float64)
    # A sum of p-values would not show a change of the small ones, which decide.
    for name in ("p_value", "q_value"):
        figures[f"log_{name}"] = np.log(np.maximum(figures[name], LEAST_P))
    return figures | {
        "engine": Counter(row["engine"] or "" for row in ordered),
        "measure": Counter(row["measure"] or "" for row in ordered),
        "n_notes": sum(bool(row["note"]) for row in ordered),
    }


def with_shared_ranks(rows: Iterable[Mapping[str, Any]], by: str) -> list[dict[str, Any]]:
    """Return the rows, best first, with the mean rank for rows that only rounding orders."""
    best_first = [dict(row) for row in sorted(rows, key=lambda row: row["rank"])]
    groups: list[list[dict[str, Any]]] = []
    for row in best_first:
        if groups and all(_are_tied(groups[-1][-1][name], row[name]) for name in (by, "standardized")):
            groups[-1].append(row)
        else:
            groups.append([row])
    for group in groups:
        shared = sum(row["rank"] for row in group) / len(group)
        for row in group:
            row["rank"] = shared
    return best_first


def _are_tied(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return False
    return math.isclose(first, second, rel_tol=1e-9)


def _kept(value: Any) -> Any:
    if isinstance(value, AsIs):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _kept(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value):
        return list(value) if len(value) <= 2 else {"text": _hash("\n".join(value).encode())}
    if isinstance(value, np.ndarray | list | tuple):
        return _kept_vector(np.asarray(value, dtype=np.float64).ravel())
    if isinstance(value, np.generic):
        return value.item()
    return value


def _kept_vector(vector: NDArray[np.float64]) -> Any:
    if len(vector) < _LONG:
        return vector.tolist()
    is_number = np.isfinite(vector)
    numbers = np.where(is_number, vector, 0.0)
    signs = np.where(np.arange(len(vector)) * 2654435761 % 4294967296 < 2147483648, 1.0, -1.0)
    gaps = np.flatnonzero(~is_number)
    return {
        "hash": _hash((vector + 0.0).tobytes()),  # −0 becomes 0
        "n": len(vector),
        "gaps": [len(gaps), int(gaps.sum())],
        "size": float(np.abs(numbers).sum()),
        "sums": [float((numbers * signs)[k::_SHARES].sum()) for k in range(_SHARES)],
    }


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
