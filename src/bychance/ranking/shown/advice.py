"""What a reader should know of a displayed pair: another measure sees more, or little is behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bychance.nulls.permutation import Permutation
from bychance.ranking.planning.plan import Plan
from bychance.ranking.shown.pair_names import arrow_of, short_name
from bychance.ranking.shown.shapes import shape_of
from bychance.scores import bound_of
from bychance.wording import caution_on

if TYPE_CHECKING:
    from bychance.ranking.result import Ranking

__all__ = ["advice_on", "remarks_on"]

_NAME = 24


def remarks_on(ranking: Ranking, records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each of these pairs of which there is something to say, with its name."""
    plan = ranking._plan
    for record in records:
        if advice := advice_on(plan, record):
            names = short_name(record["x"], _NAME)
            if plan.target is None:
                names += f" {arrow_of(ranking, record)} {short_name(record['y'], _NAME)}"
            yield f"{names}: {advice}"


def advice_on(plan: Plan, record: dict[str, Any]) -> str:
    """What there is to say of a pair; nothing for most."""
    if record["adjusted"] is None or not plan.table.n_rows:
        return ""
    null = plan.job.null
    # The laws of ranks and ξ are those of rows in any order: blocks and groups have others.
    is_restricted = isinstance(null, Permutation) and null.is_restricted
    shape = None if is_restricted else shape_of(plan, record)
    return "; ".join(map(str, filter(None, (_caution(record), shape))))


def _caution(record: dict[str, Any]) -> str:
    adjusted, chance = record["adjusted"], record["null_mean"]
    return caution_on(chance, bound_of(record["observed"], chance, adjusted)) if adjusted > 0 else ""
