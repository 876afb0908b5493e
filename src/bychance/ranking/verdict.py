"""Ranking → one sentence: how many pairs are related, which most, how much, and what chance would give."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bychance.given.record import in_words
from bychance.names import count_of
from bychance.nulls.permutation import Permutation
from bychance.ranking.pair_names import BOTH_WAYS, arrow_of, short_name
from bychance.ranking.pair_rows import p_values_of_tests
from bychance.ranking.shapes import Shape, shape_of
from bychance.ranking.untested import in_few_words, reasons_untested
from bychance.wording import percent, says_how_much

if TYPE_CHECKING:
    from bychance.ranking.result import Ranking

__all__ = ["verdict_of"]

_NAME, _NAMES = 50, 3
_BY_A_LINE = " by a straight line"
_ANOTHER_SHAPE = f"{_BY_A_LINE}, and another shape more"
# Pairs in which other shapes are looked for: the first, and more of short columns where no line was found.
_FIRST_PAIRS, _MOST_PAIRS, _MOST_VALUES = 10, 300, 300_000


def verdict_of(ranking: Ranking) -> str:
    """The sentence that displays and reports open with.

    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> verdict_of(bc.rank(make_demo(), target="yield"))
    '3 of 11 columns are related to yield; rainfall most: it explains 21%...; by chance it would be 0.3%.'
    """
    plan, cautions = ranking._plan, list[str]()
    if plan.order is not None and _has_found(ranking, plan.order.columns):
        cautions.append(plan.order.caution)
    if ranking.n_found and plan.repeated_rows is not None:
        cautions.append(plan.repeated_rows.caution)
    return " ".join(filter(None, [_sentence(ranking), *cautions]))


def _has_found(ranking: Ranking, names: Collection[str]) -> bool:
    """Whether two of these columns are among the pairs that count as found, or that other shapes find."""
    rows, positions = ranking._rows, [ranking._plan.table.position(name) for name in names]
    is_among = np.isin(rows.x, positions) & np.isin(rows.y, positions)
    if ranking.n_found:
        return bool((is_among & _is_found(ranking)).any())
    return any(record["x"] in names and record["y"] in names for record, _ in _other_shapes(ranking))


def _is_found(ranking: Ranking) -> NDArray[np.bool_]:
    """Of each pair whether it is tested and its q-value below the level."""
    is_found: NDArray[np.bool_] = ranking._q_value < ranking.fdr_level
    return is_found & ~np.isnan(p_values_of_tests(ranking._rows))


def _sentence(ranking: Ranking) -> str:
    if not ranking.n_tested:
        reasons = in_few_words(reasons_untested(ranking))
        against = _to_target(ranking).replace(" to ", " against ", 1)
        return f"None of {_what(ranking)} could be tested{against}{reasons and f': {reasons}'}."
    return _related(ranking) if ranking.n_found else _unrelated(ranking)


def _related(ranking: Ranking) -> str:
    """How many are related, and which most; copies of the target are named as such."""
    first, copies = _first_related(ranking), _copies(ranking)
    if ranking.n_pairs == 1 and first is not None:
        what = f"related{_to_target(ranking)}"
        if copies:
            what = f"nearly a copy of {short_name(str(ranking._plan.target), _NAME)}"
        related = f"{_named(ranking, first)} {_is(ranking)} {what}"
        return f"{related}: {_strength(ranking, first)}."
    verb = "is" if ranking.n_found == 1 else "are"
    count = f"{ranking.n_found:,} of {_what(ranking)} {verb} related{_to_target(ranking)}"
    if first is None:
        by = ranking.by.replace("_", " ")
        return f"{count}, none of them among the best {len(ranking):,} by {by}."
    told = _told_copies(ranking, copies)
    if len(copies) == ranking.n_found:
        return f"{count}: {told}.{_shapes_too(ranking)}"
    most = f"{_named(ranking, first)} most: {_strength(ranking, first)}"
    return f"{count}; {most}.{told and f' {told}.'}{_shapes_too(ranking)}"


def _copies(ranking: Ranking) -> list[str]:
    """The columns that are near-duplicates of the target, best first."""
    if ranking._plan.target is None:
        return []
    order = ranking._best()
    columns = ranking._rows.x[order[_is_found(ranking)[order] & ranking._rows.is_duplicate[order]]]
    return [ranking._plan.table.names[k] for k in columns]


def _told_copies(ranking: Ranking, copies: list[str]) -> str:
    if not copies:
        return ""
    shown, n_more = [short_name(name, _NAME) for name in copies[:_NAMES]], len(copies) - _NAMES
    names = in_words((*shown, f"{n_more:,} more") if n_more > 0 else tuple(shown))
    what = "is nearly a copy" if len(copies) == 1 else "are nearly copies"
    return f"{names} {what} of {short_name(str(ranking._plan.target), _NAME)}"


def _unrelated(ranking: Ranking) -> str:
    """That nothing is beyond chance, and what comes first: raw, beside chance, or by another shape."""
    beyond = "beyond chance" if ranking._plan.job.covariates is None else "and beyond chance"
    shapes = _other_shapes(ranking)
    related = f"related{_to_target(ranking)}{_BY_A_LINE if shapes else ''} {beyond}"
    first = shapes[0][0] if shapes else next(ranking.best(1, fold=True), None)
    if first is None or first["observed"] is None or first["null_mean"] is None:
        return f"None of {_what(ranking)} is {related}."
    name, is_one = _named(ranking, first), ranking.n_pairs == 1
    opening = f"{name} {_is(ranking)} not {related}" if is_one else f"None of {_what(ranking)} is {related}"
    if shapes:
        they = "it" if ranking._plan.target is not None else "they"
        return f"{opening}; {_in_ranks(ranking, shapes, they if is_one else name)}."
    if is_one:
        return f"{opening}: {_beside_chance(first, _subject(ranking, first)[0])}."
    return f"{opening}; the first, {name}, {_beside_chance(first)}."


def _shapes_too(ranking: Ranking) -> str:
    """That ranks or ξ find pairs which a line does not."""
    shapes = _other_shapes(ranking)
    if not shapes:
        return ""
    told = _in_ranks(ranking, shapes, _named(ranking, shapes[0][0]), " related too", " others are related")
    return f" {told[0].upper()}{told[1:]}."


def _in_ranks(ranking: Ranking, shapes: list[_Seen], name: str, too: str = "", others: str = " are") -> str:
    """What ranks or ξ see: of the only pair, or how many there are and which most."""
    shape, null = shapes[0][1], ranking._plan.job.null
    if isinstance(null, Permutation) and null.is_restricted:
        return f"of {name} {shape.sees}, which is not tested"
    if len(shapes) > 1:
        return f"by ranks or xi {len(shapes)}{others}, {name} most: {shape.sees}"
    sees = shape.sees.replace("ranks", "they").replace("xi", "it")
    return f"by {'ranks' if shape.by_ranks else 'xi'} {name} {_is(ranking)}{too}: {sees}"


_Seen = tuple[dict[str, Any], Shape]


def _other_shapes(ranking: Ranking) -> list[_Seen]:
    """Pairs that were not found, in which ranks or ξ see more than a line: the strongest first."""
    n_pairs, n_rows = _FIRST_PAIRS, max(ranking._plan.table.n_rows, 1)
    if not ranking.n_found:
        n_pairs = min(max(_FIRST_PAIRS, _MOST_VALUES // n_rows), _MOST_PAIRS)
    order = ranking._best(n_pairs, fold=True)
    records = ranking._records(order[~_is_found(ranking)[order]], limits=False)
    seen = [(record, shape) for record in records if (shape := shape_of(ranking._plan, record)) is not None]
    return sorted(seen, key=lambda pair: -pair[1].seen)


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
    related = order[_is_found(ranking)[order]]
    originals = related[~ranking._rows.is_duplicate[related]]
    first = originals[:1] if len(originals) else related[:1]
    return next(ranking._records(first), None)


def _named(ranking: Ranking, record: dict[str, Any]) -> str:
    x = short_name(record["x"], _NAME)
    if ranking._plan.target is not None:
        return x
    return f"{x} {arrow_of(ranking._plan, record)} {short_name(record['y'], _NAME)}"


def _is(ranking: Ranking) -> str:
    return "is" if ranking._plan.target is not None else "are"


def _subject(ranking: Ranking, record: dict[str, Any]) -> tuple[str, str]:
    """What explains, and of what: a column the target, one the other, or each the other."""
    if ranking._plan.target is not None:
        return "it", ""
    if arrow_of(ranking._plan, record) == BOTH_WAYS:
        return "each", " of the other"
    return short_name(record["x"], _NAME), f" of {short_name(record['y'], _NAME)}"


def _strength(ranking: Ranking, record: dict[str, Any]) -> str:
    subject, other = _subject(ranking, record)
    return says_how_much(
        record["measure"],
        observed=record["observed"],
        chance=record["null_mean"],
        adjusted=record["adjusted"],
        limits=(record["adjusted_low"], record["adjusted_high"]),
        subject=subject,
        of=other,
        shape=_ANOTHER_SHAPE if shape_of(ranking._plan, record) else "",
    )


def _beside_chance(first: dict[str, Any], subject: str = "") -> str:
    """The observed value and what chance gives: both are shares of the same."""
    observed, chance = first["observed"], first["null_mean"]
    is_share = 0 <= observed <= 1 and first["measure"] in ("explained", "r2", "eta2", "goodman_kruskal")
    shown = percent if is_share else (lambda value: "—" if math.isnan(value) else f"{value:.3f}")
    measured = f"{first['measure']} is" if subject else f"has {first['measure']}"
    what = f"{subject} explains".lstrip() if is_share else measured
    return f"{what} {shown(observed)} where chance gives {shown(chance)}"
