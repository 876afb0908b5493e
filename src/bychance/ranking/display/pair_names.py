"""Columns and pairs as displays show them: short and harmless names, the direction, each pair once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bychance.names import display_name
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["BOTH_WAYS", "ONE_WAY", "arrow_of", "directions_of", "mirrors_of", "short_name"]

ONE_WAY, BOTH_WAYS = "→", "↔"
_ROUNDING = (
    1e-9  # between the figures of both directions, relative to them and to the null's standard deviation
)
_FIGURES = ("observed", "null_mean", "null_std")


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


def arrow_of(ranking: Ranking, record: dict[str, Any]) -> str:
    """Return → if the measure asks what x says about y, ↔ if both directions are one number."""
    plan = ranking._plan
    kinds = plan.table[record["x"]].kind, plan.table[record["y"]].kind
    measure = plan.job.measures.get(kinds)
    if measure is None or measure.is_symmetric(*kinds):
        return BOTH_WAYS
    x, y = (plan.table.position(record[side], side) for side in "xy")
    at = np.flatnonzero((ranking._rows.x == x) & (ranking._rows.y == y))
    return BOTH_WAYS if (ranking._mirrors[at] >= 0).any() else ONE_WAY


def mirrors_of(rows: PairResults, is_symmetric: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the position of each row's pair in the other direction if its figures are the same, or -1.

    Rows with a symmetric measure have no other direction. Other measures are symmetric for some columns, such
    as a numeric one and one of two categories. Untested rows have no figures to compare.
    """
    mirrors = np.full(len(rows), -1)
    index = np.flatnonzero(~is_symmetric & (rows.null_std > 0))
    first, second = np.minimum(rows.x, rows.y)[index], np.maximum(rows.x, rows.y)[index]
    index = index[np.lexsort((second, first))]
    one, other = index[:-1], index[1:]
    is_same = (rows.x[one] == rows.y[other]) & (rows.y[one] == rows.x[other])
    for name in _FIGURES:
        figures = getattr(rows, name)
        is_same &= np.isclose(
            figures[one], figures[other], rtol=_ROUNDING, atol=_ROUNDING * rows.null_std[one]
        )
    mirrors[one[is_same]], mirrors[other[is_same]] = other[is_same], one[is_same]
    return mirrors


def directions_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """The arrows that this plan has between two names, with what they mean; none with a target."""
    if plan.target is not None:
        return
    ways = {measure.is_symmetric(*kinds) for kinds, measure in plan.job.measures.items()}
    if False in ways:
        yield f"x {ONE_WAY} y", "how much x says about y; y → x is another number, in another row"
    if True in ways:
        yield f"x {BOTH_WAYS} y", "the same in both directions, listed once"
