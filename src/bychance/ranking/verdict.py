"""Ranking → one sentence: how many pairs are related, which most, how much, and what chance would give."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance.given.record import in_words
from bychance.names import count_of
from bychance.ranking.advice import other_shape
from bychance.ranking.pair_names import BOTH_WAYS, arrow_of, short_name
from bychance.ranking.pair_rows import p_values_of_tests
from bychance.ranking.untested import in_few_words, reasons_untested
from bychance.wording import percent, says_how_much

if TYPE_CHECKING:
    from bychance.ranking.result import Ranking

__all__ = ["verdict_of"]

_NAME = 50
_ANOTHER_SHAPE = " by a straight line, and another shape more"


def verdict_of(ranking: Ranking) -> str:
    """The sentence that displays and reports open with.

    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> verdict_of(bc.rank(make_demo(), target="yield"))
    '3 of 11 columns are related to yield; rainfall most: it explains 21%...; by chance it would be 0.3%.'
    """
    plan, cautions = ranking._plan, list[str]()
    if ranking.n_found and plan.order is not None and _has_found(ranking, plan.order.columns):
        cautions.append(plan.order.caution)
    if ranking.n_found and plan.repeated_rows is not None:
        cautions.append(plan.repeated_rows.caution)
    return " ".join(filter(None, [_sentence(ranking), *cautions]))


def _has_found(ranking: Ranking, names: Collection[str]) -> bool:
    """Whether two of these columns are among the pairs that count as found."""
    rows, positions = ranking._rows, [ranking._plan.table.position(name) for name in names]
    is_among = np.isin(rows.x, positions) & np.isin(rows.y, positions)
    return bool(
        (is_among & (ranking._q_value < ranking.fdr_level) & ~np.isnan(p_values_of_tests(rows))).any()
    )


def _sentence(ranking: Ranking) -> str:
    if not ranking.n_tested:
        reasons = in_few_words(reasons_untested(ranking))
        against = _to_target(ranking).replace(" to ", " against ", 1)
        return f"None of {_what(ranking)} could be tested{against}{reasons and f': {reasons}'}."
    if not ranking.n_found:
        return _unrelated(ranking)
    first = _first_related(ranking)
    if ranking.n_pairs == 1 and first is not None:
        verb = "is" if ranking._plan.target is not None else "are"
        related = f"{_named(ranking, first)} {verb} related{_to_target(ranking)}"
        return f"{related}: {_strength(ranking, first)}."
    verb = "is" if ranking.n_found == 1 else "are"
    count = f"{ranking.n_found:,} of {_what(ranking)} {verb} related{_to_target(ranking)}"
    if first is None:
        by = ranking.by.replace("_", " ")
        return f"{count}, none of them among the best {len(ranking):,} by {by}."
    return f"{count}; {_named(ranking, first)} most: {_strength(ranking, first)}."


def _unrelated(ranking: Ranking) -> str:
    """That there is nothing beyond chance, and what comes first: raw, beside chance."""
    beyond = "beyond chance" if ranking._plan.job.covariates is None else "and beyond chance"
    related = f"is related{_to_target(ranking)} {beyond}"
    first = next(ranking.best(1, fold=True), None)
    if first is None or first["observed"] is None or first["null_mean"] is None:
        return f"None of {_what(ranking)} {related}."
    name = _named(ranking, first)
    if ranking.n_pairs == 1 and ranking._plan.target is not None:
        return f"{name} is not{related.removeprefix('is')}: it {_beside_chance(first)}."
    return f"None of {_what(ranking)} {related}; the first, {name}, {_beside_chance(first)}."


def _what(ranking: Ranking) -> str:
    return count_of(ranking.n_pairs, "pair" if ranking._plan.target is None else "column")


def _to_target(ranking: Ranking) -> str:
    target = ranking._plan.target
    covariates = ranking._plan.job.covariates
    to = "" if target is None else f" to {short_name(target, _NAME)}"
    return to if covariates is None else f"{to} beyond {in_words(covariates.names)}"


def _first_related(ranking: Ranking) -> dict[str, Any] | None:
    """The first pair in the ranking's order that counts as found; a near-duplicate only where all are."""
    order = ranking._best()
    is_tested = ~np.isnan(p_values_of_tests(ranking._rows)[order])
    related = order[is_tested & (ranking._q_value[order] < ranking.fdr_level)]
    originals = related[~ranking._rows.is_duplicate[related]]
    first = originals[:1] if len(originals) else related[:1]
    return next(ranking._records(first), None)


def _named(ranking: Ranking, record: dict[str, Any]) -> str:
    x = short_name(record["x"], _NAME)
    if ranking._plan.target is not None:
        return x
    return f"{x} {arrow_of(ranking._plan, record)} {short_name(record['y'], _NAME)}"


def _strength(ranking: Ranking, record: dict[str, Any]) -> str:
    subject, other = "it", ""
    if ranking._plan.target is None:
        is_both = arrow_of(ranking._plan, record) == BOTH_WAYS
        subject = "each" if is_both else short_name(record["x"], _NAME)
        other = " of the other" if is_both else f" of {short_name(record['y'], _NAME)}"
    return says_how_much(
        record["measure"],
        observed=record["observed"],
        chance=record["null_mean"],
        adjusted=record["adjusted"],
        limits=(record["adjusted_low"], record["adjusted_high"]),
        subject=subject,
        of=other,
        shape=_ANOTHER_SHAPE if other_shape(ranking._plan, record) else "",
    )


def _beside_chance(first: dict[str, Any]) -> str:
    """The observed value and what chance gives: both are shares of the same."""
    observed, chance = first["observed"], first["null_mean"]
    is_share = 0 <= observed <= 1 and first["measure"] in ("explained", "r2", "eta2", "goodman_kruskal")
    shown = percent if is_share else (lambda value: "—" if math.isnan(value) else f"{value:.3f}")
    what = "explains" if is_share else f"has {first['measure']}"
    return f"{what} {shown(observed)} where chance gives {shown(chance)}"
