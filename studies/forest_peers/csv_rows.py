"""Fits of all methods → docs/validation/forests.csv and forests_by_table.csv."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studies.csv_files import write_rows
from studies.forest_peers.tables import CLASSES, LATER, NUMBERS, Table, is_held_out, is_later

__all__ = ["Facts", "Fits", "by_table", "compared", "facts_of", "summary", "write_all"]

OURS, FIRST = "bychance", "bychance, first look"
PEERS = (
    "scikit-learn",
    "scikit-learn, target encoding",
    "ranger",
    "LightGBM",
    "XGBoost",
    "CatBoost",
)
EXTRA, SKLEARN_EXTRA = "bychance extra trees", "scikit-learn extra trees"
_TIE = 0.2  # points
_MANY = 10  # categories of a column


@dataclass(frozen=True)
class Score:
    """A score of a fit: its key, name, and points that make a difference of it a gain."""

    key: str
    name: str
    points: float  # negative: less is better


AUC, LOG_LOSS = Score("auc", "AUC", 100), Score("log_loss", "log loss", -100)
R2, MAE = Score("r2", "R²", 100), Score("mae", "mean absolute error", -100)


class Fits:
    """The lines of fits, by table and method."""

    def __init__(self, lines: Iterable[dict[str, Any]]) -> None:
        self._of: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
        for line in lines:
            self._of.setdefault((line["table"], line["method"]), {})[line["half"]] = line

    def halves(self, table: str, method: str) -> list[int]:
        """Return the halves that a method was run on."""
        return sorted(self._of.get((table, method), {}))

    def mean(self, table: str, method: str, key: str) -> float:
        """Return the mean over halves, or NaN without any."""
        values = [line[key] for line in self._of.get((table, method), {}).values()]
        return float(np.mean(values)) if values else np.nan

    def gain(self, table: str, ours: str, peer: str, score: Score) -> float:
        """Return the points by which ours is better on the halves that both have, or NaN."""
        first, second = (self._of.get((table, method), {}) for method in (ours, peer))
        both = sorted(first.keys() & second.keys())
        differences = [first[half][score.key] - second[half][score.key] for half in both]
        return score.points * float(np.mean(differences)) if both else np.nan


def compared(gains: Sequence[float]) -> list[str]:
    """Return tables, median, mean, wins, ties and losses of points gained, without NaN.

    >>> compared([1.0, 0.1, -0.3, float("nan")])
    ['3', '+0.10', '+0.27', '1', '1', '1']
    """
    found = np.array([gain for gain in gains if not np.isnan(gain)])
    wins, losses = int(np.sum(found >= _TIE)), int(np.sum(found <= -_TIE))
    counts = (wins, len(found) - wins - losses, losses)
    return [str(len(found)), f"{np.median(found):+.2f}", f"{found.mean():+.2f}", *map(str, counts)]


def write_all(folder: Path, fits: Fits, facts: dict[str, Facts]) -> None:
    names = ("tables", "against", "score", "n_tables", "median", "mean", "won", "tied", "lost")
    write_rows(folder / "forests.csv", names, summary(fits, facts))
    write_rows(folder / "forests_by_table.csv", TABLE_NAMES, by_table(fits, facts))


def summary(fits: Fits, facts: dict[str, Facts]) -> Iterator[list[str]]:
    """Yield one row per group of tables, peer and score: ours minus theirs, in points."""
    many = [t for t in NUMBERS if facts[t.name].n_categories >= _MANY]
    number_peers = (*PEERS[:3], SKLEARN_EXTRA, *PEERS[3:])
    of_classes, of_numbers = (AUC, LOG_LOSS), (R2, MAE)
    yield from _group(fits, LATER, PEERS, of_classes, "New, the first look", FIRST)
    yield from _group(fits, LATER, PEERS, of_classes, "New, the seventh look")
    yield from _group(fits, _earlier(CLASSES), PEERS, of_classes, "Classes, looked at eight times")
    yield from _group(fits, _others(CLASSES), PEERS, of_classes, "Classes, tables that had a say")
    yield from _group(fits, _earlier(NUMBERS), number_peers, of_numbers, "Numbers, looked at eight times")
    yield from _group(fits, _others(NUMBERS), number_peers, of_numbers, "Numbers, tables that had a say")
    yield from _group(fits, many, number_peers, (R2,), "Numbers, ten categories or more")
    yield from _group(fits, NUMBERS, (SKLEARN_EXTRA,), (R2,), "Numbers, extra trees by both", EXTRA)


def _earlier(tables: Iterable[Table]) -> list[Table]:
    return [table for table in tables if is_held_out(table.name) and not is_later(table.name)]


def _others(tables: Iterable[Table]) -> list[Table]:
    return [table for table in tables if not is_held_out(table.name)]


def _group(
    fits: Fits,
    tables: Sequence[Table],
    peers: Sequence[str],
    scores: Sequence[Score],
    title: str,
    ours: str = OURS,
) -> Iterator[list[str]]:
    for peer in peers:
        for score in scores:
            gains = [fits.gain(table.name, ours, peer, score) for table in tables]
            if not np.all(np.isnan(gains)):
                yield [title, peer, score.name, *compared(gains)]


@dataclass(frozen=True)
class Facts:
    """Sizes and kinds of a table."""

    n_rows: int
    n_columns: int
    n_categories: int  # of the column that has most
    n_classes: int
    has_gaps: bool


def facts_of(table: Table) -> Facts:
    """Return sizes and kinds of a table."""
    X, y = table.read()
    labels = X.select_dtypes("category")
    most = max((int(labels[name].nunique()) for name in labels.columns), default=0)
    return Facts(len(X), X.shape[1], most, len(np.unique(y)), bool(X.isna().any().any()))


_BESIDE = (*PEERS, SKLEARN_EXTRA, EXTRA)
TABLE_NAMES = (
    "table", "target", "role", "rows", "columns", "classes", "most_categories", "gaps", "score",
    OURS, *_BESIDE,
)  # fmt: skip


def by_table(fits: Fits, facts: dict[str, Facts]) -> Iterator[list[str]]:
    """Yield one row per table: our score in percent, and ours minus each other method's in points."""
    for tables, score in ((CLASSES, AUC), (NUMBERS, R2)):
        for table in tables:
            of = facts[table.name]
            gains = (fits.gain(table.name, OURS, peer, score) for peer in _BESIDE)
            yield [
                table.name,
                table.target,
                _role(table.name),
                str(of.n_rows),
                str(of.n_columns),
                str(of.n_classes) if tables is CLASSES else "",
                str(of.n_categories or ""),
                "yes" if of.has_gaps else "",
                score.name,
                f"{100 * fits.mean(table.name, OURS, score.key):.2f}",
                *("" if np.isnan(gain) else f"{gain:+.2f}" for gain in gains),
            ]


def _role(name: str) -> str:
    """Return whether the table was new, held out, or had a say in how the forest makes its choices."""
    return "new" if is_later(name) else "held out" if is_held_out(name) else "had a say"
