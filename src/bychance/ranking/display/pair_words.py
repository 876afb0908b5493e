"""Pairs of a ranking in words: names with arrows, counts, and reasons why pairs were not tested."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bychance.columns import Column
from bychance.estimate import CONSTANT
from bychance.kinds import Kind
from bychance.names import LISTED, count_of, display_name, in_words, short_name
from bychance.pairs import Ways, n_shared
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults, p_values_of_tests

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = [
    "BOTH_WAYS",
    "NAME",
    "ONE_WAY",
    "arrow_of",
    "column_name",
    "counted",
    "in_few_words",
    "pair_name",
    "reasons_of_rows",
    "reasons_untested",
    "to_target",
]

NAME = 50  # characters of a name in a sentence (taste)
ONE_WAY, BOTH_WAYS = "→", "↔"

_WIDTH = 300  # characters of a reason (taste)
_MOST_PAIRS = 1 << 20  # pairs whose reasons are counted from their columns (taste)


def arrow_of(ranking: Ranking, x: int, y: int) -> str:
    """Return "→" if the measure of columns x and y depends on the direction, else "↔"."""
    rows, pairs = ranking._rows, ranking._plan.pairs
    if pairs.ways[int(pairs.is_labels[x]), int(pairs.is_labels[y])] != Ways.BOTH:
        return BOTH_WAYS
    is_equal = ranking._mirrors[(rows.x == x) & (rows.y == y)] >= 0
    return BOTH_WAYS if is_equal.any() else ONE_WAY


def column_name(ranking: Ranking, k: int, width: int = NAME) -> str:
    """Return the name of the column at position k for a sentence."""
    return short_name(ranking._plan.table.names[k], width)


def pair_name(ranking: Ranking, x: int, y: int, width: int = NAME) -> str:
    """Return a pair's name: both columns with an arrow, or x alone if the ranking has a target."""
    first, second = column_name(ranking, x, width), column_name(ranking, y, width)
    return first if ranking._plan.target is not None else f"{first} {arrow_of(ranking, x, y)} {second}"


def counted(ranking: Ranking, number: int) -> str:
    """Format a number of pairs: "11 columns" against a target, "65 tested pairs" if some are untested."""
    noun = "pair" if ranking._plan.target is None else "column"
    told = count_of(number, noun if number == ranking._n_column_pairs[0] else f"tested {noun}")
    pairs = ranking._plan.pairs
    once = replace(pairs, ways=np.minimum(pairs.ways, Ways.ONCE))
    return told if ranking._is_whole or len(once) == len(pairs) else f"{told} (each direction counted)"


def to_target(ranking: Ranking, to: str = "to") -> str:
    """Return " to yield beyond age" with the names of the target and the covariates, or "" without them."""
    target, covariates = ranking._plan.target, ranking._plan.job.covariates
    named = "" if target is None else f" {to} {short_name(target, NAME)}"
    return named if covariates is None else f"{named} beyond {in_words(covariates.names)}"


def reasons_untested(ranking: Ranking) -> Counter[str]:
    """Count the known reasons why pairs were not tested."""
    if ranking._is_whole:
        return reasons_of_rows(ranking._rows, ranking._plan.job.min_n)
    plan, n_untested = ranking._plan, ranking.n_pairs - ranking.n_tested
    is_known = plan.table.n_rows and plan.job.sums is None and len(plan.pairs) == ranking.n_pairs
    return _by_columns(plan, n_untested) if is_known and ranking.n_pairs <= _MOST_PAIRS else Counter()


def in_few_words(reasons: Counter[str]) -> str:
    """Format the most frequent reasons as text, each with its count."""
    common = reasons.most_common(LISTED)
    listed = [f"{display_name(reason.removesuffix('.'), _WIDTH)} ({count:,})" for reason, count in common]
    n_more = reasons.total() - sum(count for _, count in common)
    return "; ".join([*listed, *([f"other reasons ({n_more:,})"] if n_more else [])])


def reasons_of_rows(rows: PairResults, min_n: int) -> Counter[str]:
    """Count the reasons why rows were not tested."""
    is_untested = np.isnan(p_values_of_tests(rows))
    is_few = is_untested & (rows.n > 0) & (rows.n < min_n)
    reasons = Counter[str](rows.text("note")[is_untested & ~is_few].tolist())
    if is_few.any():
        reasons[_few_rows(min_n)] = int(is_few.sum())
    return reasons


def _few_rows(min_n: int) -> str:
    return f"fewer than {min_n} shared rows"


def _by_columns(plan: Plan, n_untested: int) -> Counter[str]:
    """Count why pairs were not tested, from columns alone: too few shared rows, or a constant column."""
    columns, reasons = plan.table.columns, Counter[str]()
    tells_nothing = np.array([_tells_nothing(column) for column in columns])
    for tile in plan.tiles:
        x, y = plan.pairs.within(tile)
        rows, first = np.unique(x, return_inverse=True)
        others, second = np.unique(y, return_inverse=True)
        shared = n_shared([columns[k] for k in rows], [columns[k] for k in others])[first, second]
        is_few, is_none = shared < plan.job.min_n, shared == 0
        reasons["no shared rows"] += int(is_none.sum())
        reasons[_few_rows(plan.job.min_n)] += int((is_few & ~is_none).sum())
        reasons[CONSTANT] += int((~is_few & (tells_nothing[x] | tells_nothing[y])).sum())
    left = n_untested - reasons.total()
    if left < 0 or left == n_untested:
        return Counter()
    reasons["other reasons"] = left
    return +reasons


def _tells_nothing(column: Column) -> bool:
    present = column.present
    if len(present) == 0 or bool((present == present[0]).all()):
        return True
    return column.kind is Kind.CATEGORICAL and len(np.unique(present)) == len(present)
