"""What a reader should know of a displayed pair: another measure sees more, or little is behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bychance.ranking.display.pair_names import arrow_of, short_name
from bychance.ranking.display.second_look import seen_beside_line
from bychance.scores import bound_of
from bychance.wording import caution_on

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["advice_on", "remarks_on"]

_NAME = 24


def remarks_on(ranking: Ranking, records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each of these pairs of which there is something to say, with its name."""
    for record in records:
        if advice := advice_on(ranking, record):
            names = short_name(record["x"], _NAME)
            if ranking._plan.target is None:
                names += f" {arrow_of(ranking, record)} {short_name(record['y'], _NAME)}"
            yield f"{names}: {advice}"


def advice_on(ranking: Ranking, record: dict[str, Any]) -> str:
    """What there is to say of a pair; nothing for most."""
    if record["adjusted"] is None:
        return ""
    return "; ".join(map(str, filter(None, (_caution(record), seen_beside_line(ranking, record)))))


def _caution(record: dict[str, Any]) -> str:
    adjusted, chance = record["adjusted"], record["null_mean"]
    return caution_on(chance, bound_of(record["observed"], chance, adjusted)) if adjusted > 0 else ""
