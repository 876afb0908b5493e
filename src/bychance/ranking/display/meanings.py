"""Column headings and arrows of a ranking's table with their meanings, for terminal, notebook and report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance.names import in_words
from bychance.pairs import Ways
from bychance.ranking.plan import Plan
from bychance.wording import LESS

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["BOTH_WAYS", "MONTE_CARLO", "ONE_WAY", "arrow_of", "directions_of", "legend_line", "meanings"]

ONE_WAY, BOTH_WAYS = "→", "↔"

MONTE_CARLO = "MC"
"""The mark of a Monte Carlo standard error, which is about the sampled null and not about the data."""

# The headings that a reader cannot guess, the most important first.
_IN_SHORT = {
    "adjusted": "the number to report (0 chance, 1 maximum)",
    "q": "false discovery rate",
    f"x {ONE_WAY} y": "what x says about y",
    LESS: "a bound",
    MONTE_CARLO: "Monte Carlo error",
}


def meanings(plan: Plan) -> dict[str, str]:
    """Return the meaning of each result column by its public name."""
    job = plan.job
    order = ": the order of this list" if job.by == "adjusted_at" else ""
    chosen = (
        " where the pair was chosen beforehand: too high for the best of many" if len(plan.pairs) > 1 else ""
    )
    given, too = "", ""
    if job.covariates is not None:
        given, too = f" given {in_words(job.covariates.names)}", ", beside what is given"
    return {
        "n": f"rows that both columns have{too}",
        "sign": "+ rises with the other, − falls",
        "observed": _what(plan),
        "null_mean": f"the mean of that if the columns were independent{given}",
        "adjusted": "the same on a scale where 0 is chance and 1 the maximum: the number to report",
        "limits": "where the adjusted value of the whole population lies, with 95% confidence" + chosen,
        "standardized": "distance from chance in standard deviations",
        "adjusted_at": f"observed less what chance exceeds with probability {job.alpha:g}{order}",
        "p_value": f"probability of at least this much if the columns were independent{given}",
        "q_value": "expected share of false discoveries among pairs with a q this small",
        LESS: "a bound: p is smaller than this",
        MONTE_CARLO: "Monte Carlo standard error: another seed changes the value by about this much",
    }


def _what(plan: Plan) -> str:
    """Describe what the measures measure."""
    measures = {measure.name: measure.summary for measure in plan.job.measures.values()}
    if len(measures) > 1:
        return f"the measure ({', '.join(measures)}) as it is"
    return next(f"{name}: {summary}" for name, summary in measures.items())


def legend_line(legend: Sequence[tuple[str, str]], width: int | None = None) -> str:
    """Return short meanings of the headings, as many as fit one line of `width` characters.

    >>> legend_line([("n", "rows"), ("adjusted", "the same on a scale"), ("q", "the expected share")], 60)
    'adjusted: the number to report (0 chance, 1 maximum)'
    """
    headings = {heading for heading, _ in legend}
    parts = [f"{heading}: {short}" for heading, short in _IN_SHORT.items() if heading in headings]
    while width is not None and len("; ".join(parts)) > width:
        parts.pop()
    return "; ".join(parts)


def arrow_of(ranking: Ranking, record: dict[str, Any]) -> str:
    """Return "→" if the measure depends on the direction, "↔" if both directions are equal."""
    rows, pairs = ranking._rows, ranking._plan.pairs
    x, y = (ranking._plan.table.position(record[side]) for side in "xy")
    if pairs.ways[int(pairs.is_labels[x]), int(pairs.is_labels[y])] != Ways.BOTH:
        return BOTH_WAYS
    at = np.flatnonzero((rows.x == x) & (rows.y == y))
    return BOTH_WAYS if (ranking._mirrors[at] >= 0).any() else ONE_WAY


def directions_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the arrows that this ranking uses between two names, with their meanings."""
    if plan.target is not None:
        return
    if (plan.pairs.ways == Ways.BOTH).any():
        yield f"x {ONE_WAY} y", "how much x says about y; y → x is another number, in another row"
    if (plan.pairs.ways == Ways.ONCE).any():
        yield f"x {BOTH_WAYS} y", "the same in both directions, listed once"
