"""Names of columns and pairs as displays show them: short, harmless, with the direction of the relation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bychance.names import display_name
from bychance.ranking.planning.plan import Plan

__all__ = ["BOTH_WAYS", "ONE_WAY", "arrow_of", "directions_of", "short_name"]

ONE_WAY, BOTH_WAYS = "→", "↔"


def short_name(name: str, width: int) -> str:
    r"""The name as a terminal may show it, its middle left out where it is too long.

    >>> short_name("Breast_cancer_number_of_female_deaths", 16)
    'Breast_c…_deaths'
    >>> short_name(" ", 16)
    "' '"
    >>> short_name("a\x1b[31m", 16)
    'a\\x1b[31m'
    """
    shown = display_name(name)
    if not shown.strip():
        return repr(shown)
    if len(shown) <= width:
        return shown
    tail = (width - 1) // 2
    return f"{shown[: width - 1 - tail]}…{shown[len(shown) - tail :]}"


def arrow_of(plan: Plan, record: dict[str, Any]) -> str:
    """→ where the measure asks what x says about y, ↔ where both directions are one number."""
    kinds = plan.table[record["x"]].kind, plan.table[record["y"]].kind
    measure = plan.job.measures.get(kinds)
    return BOTH_WAYS if measure is None or measure.is_symmetric(*kinds) else ONE_WAY


def directions_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """The arrows that this plan has between two names, with what they mean; none with a target."""
    if plan.target is not None:
        return
    ways = {measure.is_symmetric(*kinds) for kinds, measure in plan.job.measures.items()}
    if False in ways:
        yield f"x {ONE_WAY} y", "how much x says about y; y → x is another number, in another row"
    if True in ways:
        yield f"x {BOTH_WAYS} y", "the same in both directions, listed once"
