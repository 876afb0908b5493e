"""Rankings, files and estimates kept whole: every column, the order, notes and warnings as they are read.

Up to 24 rows are kept number by number, so that a difference names the pair. Longer results are kept as a
hash and sums, as everywhere.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from bychance.errors import BychanceWarning
from tools.recorded.figures import LEAST_P, AsIs, estimate_figures, with_shared_ranks

__all__ = ["estimate_in_full", "frame_in_full", "ranking_in_full", "with_warnings"]

_MOST_ROWS = 24  # of a result that is kept number by number: about 6 KB
_TEXTS = ("measure", "p_kind", "engine", "note")


def ranking_in_full(ranking: Any) -> dict[str, Any]:
    """Return the frame of a ranking, its counts, its device and its notes."""
    return {
        **frame_in_full(ranking.to_frame(), ranking.by),
        "counts": AsIs([ranking.n_pairs, ranking.n_tested, ranking.n_found, ranking.n_duplicates]),
        "device": ranking.device,
        "notes": AsIs([str(note) for note in ranking.notes]),
    }


def frame_in_full(frame: pa.Table, by: str) -> dict[str, Any]:
    """Return the types, the order and every column of a frame, pairs in the order of their names.

    Neighbors whose scores differ by rounding alone share their rank and come by name.
    """
    found = frame.to_pylist()
    is_best_first = all(a["rank"] < b["rank"] for a, b in pairwise(found))
    shared = with_shared_ranks(found, by)
    rows = sorted(shared, key=lambda row: (row["x"], row["y"]))
    ordered = sorted(rows, key=lambda row: row["rank"]) if is_best_first else found
    columns = {name: [row[name] for row in rows] for name in frame.column_names if name not in ("x", "y")}
    for name in ("p_value", "q_value"):
        # A difference below 1e-14 would not show in the p-values themselves.
        columns[f"log_{name}"] = [None if p is None else math.log(max(p, LEAST_P)) for p in columns[name]]
    kept = {name: _kept_column(name, values) for name, values in columns.items()}
    return {
        "columns": ", ".join(f"{field.name} {field.type}" for field in frame.schema),
        "order": _kept_order([f"{row['x']}|{row['y']}" for row in ordered]),
        "rows": {name: column for name, column in kept.items() if not name.endswith("_se")},
        "errors": {name: column for name, column in kept.items() if name.endswith("_se")},
    }


def estimate_in_full(result: Any) -> dict[str, Any]:
    """Return all figures of an Estimate, its words, and what was controlled."""
    given = result.given
    controlled = {} if given is None else {name: getattr(given, name) for name in given.__slots__}
    return {
        **estimate_figures(result),
        "limits": AsIs([result.adjusted_low, result.adjusted_high]),
        "p": AsIs([result.p_kind, result.p_se]),
        "words": AsIs([result.measure, result.note, result.null.reason, result.device]),
        "given": AsIs({name: _listed(value) for name, value in sorted(controlled.items())}),
    }


def with_warnings(figures: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the figures of a call and the library's warnings, or the words of its error."""
    with _caught() as said:
        try:
            found = figures()
        except (ValueError, TypeError) as error:
            found = {"refused": f"{type(error).__name__}: {error}"}
    return {**found, "warnings": AsIs(said)}


@contextmanager
def _caught() -> Iterator[list[str]]:
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    said += [str(one.message) for one in caught if issubclass(one.category, BychanceWarning)]


def _kept_order(pairs: Sequence[str]) -> Any:
    return ", ".join(pairs) if len(pairs) <= _MOST_ROWS else list(pairs)


def _kept_column(name: str, values: Sequence[Any]) -> Any:
    is_short = len(values) <= _MOST_ROWS
    if name in _TEXTS:
        counts = Counter(str(value) for value in values)
        places = {text: [k for k, value in enumerate(values) if str(value) == text] for text in counts}
        return AsIs(places if is_short else {text: len(at) for text, at in places.items()})
    if is_short:
        return AsIs(list(values))
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value
