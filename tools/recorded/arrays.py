"""The recorded calls on all pairs of two arrays, in memory and to a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from tools.recorded.figures import Call
from tools.recorded.interface import arrays_ranked, arrays_ranked_to_file
from tools.recorded.tables import two_arrays
from tools.recorded.whole import frame_in_full, ranking_in_full, with_warnings

__all__ = ["array_calls", "array_file", "array_ranking"]


def array_calls() -> Iterator[Call]:
    for label, (arrays, options) in _rankings().items():
        run = partial(array_ranking, arrays, options)
        yield Call(f"against/{label}", "1e-10", partial(with_warnings, run))
    for label, (arrays, name, options) in _files().items():
        run = partial(array_file, arrays, name, options)
        yield Call(f"against/file/{label}", "1e-10", partial(with_warnings, run))


def _rankings() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return kinds of arrays and options by label."""
    names = [f"probe {k}" for k in range(12)], [f"gene {k}" for k in range(11)]
    odd, gaps, both = {"is_odd": True}, {"has_gaps": True}, {"has_gaps": True, "is_odd": True}
    return {
        "r2": ({}, {"fdr_level": 0.2}),
        "spearman": ({}, {"measure": "spearman", "names": names}),
        "top=9": ({}, {"top": 9, "names": names}),
        "top=9, standardized": ({}, {"top": 9, "by": "standardized", "fdr": "by"}),
        "top=9, p_value": ({}, {"top": 9, "by": "p_value", "measure": "spearman"}),
        "alpha=0.4, float32": ({"is_single": True}, {"top": 20, "alpha": 0.4}),
        "itself": ({"is_itself": True}, {"top": 15}),
        "odd": (odd, {}),
        "odd, top=20": (odd, {"top": 20}),
        "odd, spearman, top=20": (odd, {"top": 20, "measure": "spearman"}),
        "gaps": (gaps, {}),
        "gaps, top=20": (gaps, {"top": 20, "by": "adjusted"}),
        "gaps, spearman, top=20": (gaps, {"top": 20, "measure": "spearman"}),
        "gaps, itself, min_n=60": (gaps | {"is_itself": True}, {"top": 20, "min_n": 60}),
        "odd with gaps": (both, {"n_jobs": 2}),
        "odd with gaps, top=20": (both, {"top": 20}),
        "20 rows": ({"n": 20}, {"top": 12}),
    }


def _files() -> dict[str, tuple[dict[str, Any], str, dict[str, Any]]]:
    """Return kinds of arrays, name of the file and options by label."""
    both = {"has_gaps": True, "is_odd": True}
    return {
        "parquet": ({}, "pairs.parquet", {"threshold": 0.05}),
        "csv, spearman": (
            {"is_odd": True},
            "pairs.csv",
            {"threshold": 0.02, "measure": "spearman", "top": 3},
        ),
        "odd with gaps": (both, "pairs.parquet", {"threshold": 0.01, "top": 4}),
        "gaps, all": ({"has_gaps": True}, "pairs.parquet", {"threshold": 1.0, "top": 2}),
        "none": ({}, "pairs.csv", {"threshold": 1e-30}),
    }


def array_ranking(arrays: Mapping[str, Any], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the ranking of all pairs of the columns of two arrays, or of one."""
    return ranking_in_full(arrays_ranked(*_sides(**arrays), **options))


def array_file(arrays: Mapping[str, Any], name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the file of all pairs with a small p-value, and the best of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        best = arrays_ranked_to_file(*_sides(**arrays), path, **options)
        written = pq.read_table(path) if path.suffix == ".parquet" else pa.csv.read_csv(path)
        in_folder = [entry.name for entry in Path(folder).iterdir()]
    kept = frame_in_full(written, best.by)
    return {**kept, "best": ranking_in_full(best), "folder": in_folder}


def _sides(*, is_itself: bool = False, is_single: bool = False, **kind: Any) -> tuple[Any, Any]:
    x, y = two_arrays(**kind)
    if is_single:
        x, y = x.astype(np.float32), y.astype(np.float32)
    return (x, x) if is_itself else (x, y)
