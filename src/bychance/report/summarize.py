"""Content of the report page of a ranking, as a plain dict of texts, lists and NumPy arrays.

Pairs are in canonical order throughout. Ranks count all pairs, including pairs that are not listed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import FloatArray, IndexArray
from bychance.errors import BychanceError
from bychance.io import Table
from bychance.io.table import ColumnOverview, overview_of
from bychance.messages import Dialect, joined_remarks, note_lines
from bychance.names import count_of, display_name, inert
from bychance.names import in_words as names_in_words
from bychance.ranking import Ranking
from bychance.ranking.closed_testing import Hull
from bychance.ranking.collector import Collected
from bychance.ranking.display.pair_words import reasons_of_rows
from bychance.ranking.display.sweep import Sweep, swept
from bychance.ranking.display.text import MONTE_CARLO, advice_on, directions_of, meanings
from bychance.ranking.display.text import summarize as in_words
from bychance.ranking.limits import limits_of_rows
from bychance.ranking.results import (
    NO_SIGN,
    P_KINDS,
    PairResults,
    mirrors_of,
    one_per_pair,
    p_values_of_tests,
    places,
    scores_of,
)
from bychance.report.charts import heat_map, opening_chart, rank_chart
from bychance.report.repeat import python_code, settings_of, versions
from bychance.report.values import grids_of, holds, sampled_values

__all__ = ["LEVELS", "summarize"]

LEVELS = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.025, 0.01, 0.001, 0.0001)
"""Values of α on the page's slider. At 1 pairs rank by raw values, and smaller values favor many rows."""

RECOMMENDED = 0.05  # the mark on the slider of α, the default of `rank`
_LEVEL = 0.95  # the confidence of the page's bounds, the default of `Ranking.at_least_true`
_MOST_PAIRS = 2_000_000  # pairs of a ranking (their scores at 16 values of α take 256 MB)
_SHOWN_PAIRS = 100_000  # pairs that a page lists (taste)
_LIMITED_PAIRS = 2_000  # best pairs with 95% limits (taste)
_ADVISED_PAIRS = 50  # best pairs that are tried by other measures (taste)
_BUMP_TOP = 10  # ranks that the chart of ranks shows (taste)
_MOST_COLUMNS = 500  # columns that the page lists (taste)
_BAR_HEIGHT = 24  # height of a histogram (pixels)
_ORDERS = {
    "observed": "Raw",
    "adjusted": "Adjusted",
    "standardized": "Standardized",
    "adjusted_at": "At α",
    "p_value": "p-value",
}
_SCORES = (
    *("observed", "adjusted", "standardized", "null_mean", "null_std"),
    *("adjusted_se", "standardized_se", "adjusted_at_se"),
)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs with their ranks at every alpha, and the positions of the pairs that the report lists."""

    sweep: Sweep
    kept: Collected
    fixed: dict[str, NDArray[np.uint32]]
    shown: IndexArray


def summarize(
    ranking: Ranking,
    *,
    alphas: Sequence[float] | None = None,
    title: str | None = None,
    command: str | None = None,
    path: str | os.PathLike[str] = "report.html",
    dialect: Dialect = Dialect.PYTHON,
) -> dict[str, Any]:
    """Return the content of a ranking's report page as a dict of texts, lists and arrays.

    >>> import bychance as bc
    >>> ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10}, measure="r2")
    >>> summary = summarize(ranking, alphas=[0.4, 0.05])
    >>> summary["levels"], summary["pairs"]["n"].tolist(), summary["places"]["levels"].tolist()
    ([0.4, 0.05], [20, 20, 20], [[2, 3, 1], [2, 3, 1]])
    """
    if ranking.n_pairs > _MOST_PAIRS:
        raise BychanceError(
            f"A page holds at most {_MOST_PAIRS:,} pairs, got {ranking.n_pairs:,}: name a target, or x and y."
        )
    plan, job = ranking._plan, ranking._plan.job
    pairs = _all_pairs(ranking, alphas)
    shown, rows = pairs.shown, pairs.sweep.rows.pick(pairs.shown)
    place, q_value = pairs.kept.place[shown], pairs.kept.q_value[shown]
    best, words = np.argsort(place, kind="stable"), in_words(ranking, 1, dialect=dialect)
    return {
        "title": title or _title(ranking),
        "verdict": words.verdict,
        "headline": words.headline,
        "headings": _HEADINGS,
        "meanings": _meanings(ranking),
        "picture": opening_chart(ranking),
        "columns": _overview(plan.table, dialect),
        "target": plan.target,
        "given": None if job.covariates is None else names_in_words(job.covariates.names),
        "measure": job.describe(),
        "p_kinds": P_KINDS,
        "by": job.by,
        "orders": {by: name for by, name in _ORDERS.items() if by != "p_value" or job.by == by},
        "alpha": job.alpha,
        "fdr_level": job.fdr_level,
        **_guarantees(pairs.sweep, job.fdr),
        "levels": list(pairs.sweep.alphas),
        "recommended": _recommended(pairs.sweep.alphas),
        "n_pairs": ranking.n_pairs,
        "names": list(plan.table.names),
        "texts": list(rows.texts),
        "inert": {text: inert(text) for text in (*plan.table.names, *rows.texts) if inert(text) != text},
        "engines": sorted({rows.texts[k] for k in np.unique(rows.engine)} - {""}),
        "has_duplicates": bool(rows.is_duplicate.any()),
        "pairs": {
            **_table_columns(rows, q_value),
            **_directions(ranking, rows, place),
            **_limits(ranking, rows, best[:_LIMITED_PAIRS]),
        },
        "places": {
            **{by: _small(place[shown]) for by, place in pairs.fixed.items()},
            "levels": _small(np.ascontiguousarray(pairs.sweep.places[shown].T)),
        },
        "scores": np.ascontiguousarray(pairs.sweep.scores[shown].T, dtype=np.float32),
        "bump": rank_chart(pairs.sweep, pairs.shown),
        "heat": heat_map(plan.pairs, rows),
        "values": (values := sampled_values(plan, rows, best)),
        "holds": holds(plan.table, values, dialect),
        "grids": grids_of(plan, rows, best),
        "advice": _advice(ranking, rows, best[:_ADVISED_PAIRS], q_value),
        "left_out": _left_out(ranking, pairs, dialect),
        "settings": [*settings_of(ranking, dialect), *versions()],
        "command": command or python_code(ranking, path),
    }


def _all_pairs(ranking: Ranking, alphas: Sequence[float] | None) -> _Pairs:
    job = ranking._plan.job
    levels = (job.levels[1:] or LEVELS) if alphas is None else alphas
    k = max(min(_BUMP_TOP, ranking.n_pairs // 4), 3)
    sweep = _usable(swept(ranking, sorted({*levels, job.alpha}, reverse=True), k), job.alpha)
    rows = sweep.rows
    kept = Collected.of(rows, job)
    fixed = {
        by: places(_native.descending_order(*scores_of(rows, by))) for by in _ORDERS if by != "adjusted_at"
    }
    best = np.minimum.reduce([sweep.places.min(axis=1), kept.place, *fixed.values()])
    shown = np.sort(np.argsort(best, kind="stable")[:_SHOWN_PAIRS])
    return _Pairs(sweep, kept, fixed, shown)


def _usable(sweep: Sweep, own: float) -> Sweep:
    """Drop alphas that give infinite scores or are too small for the number of permutations, except `own`."""
    n_draws = np.asarray(sweep.rows.n_resamples[sweep.rows.n_resamples > 0])
    least = 1 / (n_draws.min() + 1.0) if len(n_draws) else 0.0
    has_end = np.asarray(~np.isinf(sweep.scores).any(axis=0))
    is_known = np.asarray(sweep.alphas) >= least
    keep = np.flatnonzero((is_known & has_end) | (np.asarray(sweep.alphas) == own)).tolist()
    alphas = tuple(sweep.alphas[k] for k in keep)
    return replace(sweep, alphas=alphas, places=sweep.places[:, keep], scores=sweep.scores[:, keep])


def _recommended(alphas: Sequence[float]) -> float | None:
    """Return the position of α = 0.05 on the page's slider in percent, or None if it is not offered."""
    if RECOMMENDED not in alphas or len(alphas) < 2:
        return None
    return round(100 * alphas.index(RECOMMENDED) / (len(alphas) - 1), 2)


def _title(ranking: Ranking) -> str:
    if ranking._plan.target is not None:
        return f"What goes with {display_name(ranking._plan.target, 80)}"
    return f"Relationships in {display_name(ranking._plan.table.origin, 80)}"


_HEADINGS = {
    "n": "n",
    "sign": "±",
    "observed": "raw",
    "adjusted": "adjusted",
    "standardized": "std.",
    "adjusted_at": "at α",
    "p_value": "p",
    "q_value": "q",
}


def _meanings(ranking: Ranking) -> dict[str, str]:
    """Return an explanation of each heading and arrow of the report's table of pairs."""
    known = meanings(ranking)
    known["observed"] += "; the gray part of the bar is what chance gives"
    known["adjusted_at"] = "raw less what chance exceeds with probability α, which the slider sets"
    headings = {**_HEADINGS, "limits": "95% limits", MONTE_CARLO: MONTE_CARLO}
    return {heading: known[name] for name, heading in headings.items()} | dict(directions_of(ranking._plan))


def _guarantees(sweep: Sweep, fdr: str) -> dict[str, Any]:
    """Return data for lower confidence bounds on how many pairs are related, for any selection of pairs."""
    p_values = p_values_of_tests(sweep.rows)
    threshold = Hull.of(p_values).threshold(round(1 - _LEVEL, 12), is_robust=fdr == "by")
    above = [p_values[one_per_pair(sweep.rows, np.flatnonzero(scores > 0))] for scores in sweep.scores.T]
    return {
        "guarantee": {"level": _LEVEL, **threshold._asdict()},
        "above": [{"n": len(chosen), "least": threshold.discoveries(chosen)} for chosen in above],
    }


def _table_columns(rows: Any, q_value: FloatArray) -> dict[str, NDArray[Any]]:
    """Return the columns of the report's table of pairs, as arrays by name."""
    with np.errstate(over="ignore"):
        scores = {name: getattr(rows, name).astype(np.float32) for name in _SCORES}
    return {
        "x": _small(rows.x),
        "y": _small(rows.y),
        "n": rows.n.astype(np.int32),
        "sign": np.where(rows.sign == NO_SIGN, np.int8(2), rows.sign),
        **scores,
        "p_value": rows.p_value,
        "p_kind": rows.stated_kind.astype(np.uint8),
        "p_se": rows.p_se.astype(np.float32),
        "q_value": q_value,
        "n_resamples": rows.n_resamples,
        "measure": _small(rows.measure),
        "engine": _small(rows.engine),
        "note": _small(rows.note),
        "is_duplicate": rows.is_duplicate.astype(np.uint8),
    }


def _directions(ranking: Ranking, rows: PairResults, place: NDArray[Any]) -> dict[str, NDArray[np.uint8]]:
    """Flag pairs with equal results in both directions, and among them those whose reverse ranks higher."""
    is_symmetric = ranking._is_symmetric(rows)
    mirrors = mirrors_of(rows, is_symmetric)
    is_said = (mirrors >= 0) & (place[mirrors] < place)
    return {"is_both": (is_symmetric | (mirrors >= 0)).astype(np.uint8), "is_said": is_said.astype(np.uint8)}


def _limits(ranking: Ranking, rows: PairResults, best: IndexArray) -> dict[str, NDArray[np.float32]]:
    """Compute 95% confidence limits of the best pairs' adjusted values, NaN for other pairs."""
    limits = np.full((2, len(rows)), np.nan, dtype=np.float32)
    if ranking._limits is not None and len(ranking) == len(rows):
        limits[:, best] = np.stack(ranking._limits)[:, best]
    else:
        limits[:, best] = limits_of_rows(ranking._plan, rows.pick(best), is_asked=False)
    return {"adjusted_low": limits[0], "adjusted_high": limits[1]}


def _advice(ranking: Ranking, rows: PairResults, best: IndexArray, q_value: FloatArray) -> dict[str, str]:
    """Return texts of advice on the best pairs, keyed by the pair's position in `rows`."""
    texts = advice_on(ranking, rows, q_value, best)
    return {str(k): advice for k, advice in zip(best.tolist(), texts, strict=True) if advice}


def _small(numbers: NDArray[Any]) -> NDArray[Any]:
    """Convert non-negative integers to the smallest dtype that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _left_out(ranking: Ranking, pairs: _Pairs, dialect: Dialect) -> dict[str, list[tuple[str, str]]]:
    """Return columns, pairs and notes under their titles, each as a name or count and a text."""
    reasons = reasons_of_rows(pairs.sweep.rows, ranking._plan.job.min_n)
    set_aside = [note for note in ranking.notes if note.is_set_aside and note.column is not None]
    notes = note_lines((note for note in ranking.notes if not note.is_set_aside), dialect=dialect)
    n_hidden = ranking.n_pairs - len(pairs.shown)
    hidden = f"with no rank among the best {_SHOWN_PAIRS:,} in any order are counted, and not listed."
    return {
        "Columns": [(note.column or "", joined_remarks(note.remarks, dialect)) for note in set_aside],
        "Pairs that could not be tested": [
            (f"{count:,}", reason or "no reason given") for reason, count in reasons.most_common()
        ],
        "Notes": [("", note) for note in notes],
        "Pairs that are not listed": [(count_of(n_hidden, "pair"), hidden)] if n_hidden else [],
    }


def _overview(table: Table, dialect: Dialect) -> dict[str, Any]:
    """Return the report's overview of the table: its first 500 columns, its notes, and a headline."""
    columns = overview_of(table, dialect)
    n_noted = sum(bool(column.notes) for column in columns)
    parts = [count_of(len(columns), "column")] + ([f"{n_noted:,} with a note"] if n_noted else [])
    if len(columns) > _MOST_COLUMNS:
        parts.append(f"the first {_MOST_COLUMNS:,} are listed")
    return {
        "headline": "; ".join(parts),
        "listed": [_column_entry(column) for column in columns[:_MOST_COLUMNS]],
        "notes": [note.text for note in table.notes if note.column is None],
    }


def _column_entry(column: ColumnOverview) -> dict[str, Any]:
    return {
        "name": display_name(column.name, 200),
        "kind": column.kind,
        "why": column.why,
        "missing": column.missing_shown,
        "distinct": column.distinct_shown,
        "typical": column.typical,
        "bars": _bars(column.histogram),
        "notes": list(column.notes),
    }


def _bars(histogram: tuple[int, ...]) -> list[float]:
    """Return the height of each bar of a histogram, in pixels, at least 1 unless nothing is counted."""
    most = max(histogram, default=0)
    return [max(round(_BAR_HEIGHT * count / most, 1), 1) if count else 0 for count in histogram]
