"""What a reader should know of a displayed pair: another measure sees more, or little is behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from bychance.columns import has_two_values
from bychance.kinds import Kind
from bychance.measures import registry
from bychance.pair import prepare_pair
from bychance.ranking.pair_names import arrow_of, short_name
from bychance.ranking.plan import Plan
from bychance.wording import caution_on, percent

__all__ = ["advice_on", "other_shape", "remarks_on"]

_LINEAR = ("explained", "r2")
_CLEARLY, _FEWEST_ROWS = 0.1, 20
_NAME = 24


def remarks_on(plan: Plan, records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each of these pairs of which there is something to say, by its name."""
    for record in records:
        if advice := advice_on(plan, record):
            names = short_name(record["x"], _NAME)
            if plan.target is None:
                names += f" {arrow_of(plan, record)} {short_name(record['y'], _NAME)}"
            yield f"{names}: {advice}"


def advice_on(plan: Plan, record: dict[str, Any]) -> str:
    """What there is to say of a pair; nothing for most."""
    if record["adjusted"] is None or not plan.table.n_rows:
        return ""
    return "; ".join(filter(None, (_caution(record), other_shape(plan, record))))


def _caution(record: dict[str, Any]) -> str:
    adjusted, chance = record["adjusted"], record["null_mean"]
    # The bound that the row was adjusted by: adjusted = (observed − chance) / (bound − chance).
    return caution_on(chance, chance + (record["observed"] - chance) / adjusted) if adjusted > 0 else ""


def other_shape(plan: Plan, record: dict[str, Any]) -> str:
    """That ranks or ξ see clearly more than a straight line does; nothing without data to see it in."""
    if not plan.table.n_rows:
        return ""
    x, y = plan.table[record["x"]], plan.table[record["y"]]
    is_linear = record["measure"] in _LINEAR and x.kind is y.kind is Kind.NUMERIC
    if not is_linear or record["n"] < _FEWEST_ROWS or plan.job.covariates is not None:
        return ""
    line = max(record["adjusted"], 0.0)
    ranks = prepare_pair(registry.resolve("spearman"), x, y).observed
    if ranks - line > _CLEARLY:
        return f"another shape: ranks explain {percent(ranks)}, a straight line {percent(line)}; try spearman"
    # Of two values ξ sees more than a line also where one number splits them.
    if line >= _CLEARLY and (has_two_values(x) or has_two_values(y)):
        return ""
    xi = max(prepare_pair(registry.resolve("xi"), *sides).observed for sides in ((x, y), (y, x)))
    # Of independent columns ξ has the standard deviation √(2/5n).
    if xi - line > _CLEARLY and xi > 3 * math.sqrt(0.4 / record["n"]):
        return f"another shape: xi is {xi:.2f}, a straight line explains {percent(line)}; try mic"
    return ""
