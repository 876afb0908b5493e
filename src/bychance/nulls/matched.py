"""The law matched to the structure of one pair: an array of one, handed to matching.py."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from bychance.errors import CostError
from bychance.measures.structures import (
    CellSum,
    PairSum,
    RootOf,
    SignSum,
    Structure,
    TogetherSum,
    TraceForm,
)
from bychance.nulls.base import Moments, Null
from bychance.nulls.law_null import RootNull, as_null
from bychance.nulls.laws import ENGINES, Engine, Laws
from bychance.nulls.matching import match_information, match_normal, match_signs
from bychance.nulls.moments import exact_moments
from bychance.nulls.trust import Caveat

__all__ = ["Match", "match_structure"]

_MANY_GROUPS = 100  # distinct values per side from which ξ is near its normal limit
_SMOOTH_STEPS = 30  # standard deviations of agreement, in rows, from which it is nearly continuous


@dataclass(frozen=True, slots=True)
class Match:
    """A matched law; `doubt` says why its level may be off, and is empty where it can be trusted."""

    null: Null
    doubt: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether `auto` may take it."""
        return not self.null.caveat


def match_structure(structure: Structure, upper: float, log_floor: float = -np.inf) -> Match | None:
    """The law matched to a structure's exact moments, `upper` the end of its support.

    No p-value is below exp(log_floor).

    None where it has none; a CostError where its moments are too costly, or where the root of a bound would
    be needed.
    """
    if isinstance(structure, RootOf):
        return _match_root(structure, upper, log_floor)
    laws = _laws(structure, upper)
    if laws is None or laws.is_undecided[0]:
        return None
    laws = replace(laws, log_floor=np.array([log_floor]))
    return Match(as_null(laws), laws.doubt(0))


def _match_root(structure: RootOf, upper: float, log_floor: float) -> Match:
    matches = (match_structure(base, upper**2 / structure.factor, log_floor) for base in structure.base)
    match = next(filter(None, matches))
    if match.null.engine == ENGINES[Engine.CANTELLI].name:
        raise CostError(match.doubt)
    if match.null.is_degenerate:
        root = float(np.sqrt(match.null.mean * structure.factor))
        return Match(replace(match.null, mean=root))
    return Match(RootNull.of(match.null, structure.factor), match.doubt)


@singledispatch
def _laws(structure: Structure, upper: float) -> Laws | None:
    return None


@_laws.register
def _(structure: TraceForm, upper: float) -> Laws | None:
    x, y = structure.x, structure.y
    return Laws.of_traces(
        n=_one(structure.n),
        x_invariants=x.invariants[np.newaxis],
        y_invariants=y.invariants[np.newaxis],
        x_distinct=_one(x.n_distinct),
        y_distinct=_one(y.n_distinct),
        others=(_one(x.n_others), _one(y.n_others)),
        apart=(_one(x.n_apart), _one(y.n_apart)),
        scale=structure.scale,
        law=structure.law,
        upper=upper,
    )


@_laws.register
def _(structure: CellSum, upper: float) -> Laws | None:
    moments = exact_moments(structure)
    if moments is None:
        return None
    rows, columns = structure.rows, structure.columns
    n, others = _rows_and_others(rows, columns)
    if structure.function == "information":
        return match_information(
            mean=np.array([moments.mean]),
            variance=np.array([moments.variance]),
            n=n,
            others=others,
            upper=np.array([upper]),
            distinct=(_one(len(rows)), _one(len(columns))),
            smallest=(_one(rows.min()), _one(columns.min())),
        )
    is_smooth = moments.std > _SMOOTH_STEPS * structure.scale
    caveat = Caveat.NONE if is_smooth else Caveat.FEW_VALUES
    return match_normal(**_one_each(moments), n=n, others=others, support=(0.0, upper), caveat=caveat)


@_laws.register
def _(structure: PairSum, upper: float) -> Laws | None:
    x, y = structure.x, structure.y
    is_smooth = min(x.n_distinct, y.n_distinct) >= _MANY_GROUPS
    return match_normal(
        **_one_each(exact_moments(structure)),
        n=_one(structure.n),
        others=(_one(x.n_others), _one(y.n_others)),
        support=(-np.inf, upper),
        caveat=Caveat.NONE if is_smooth else Caveat.FEW_DISTINCT,
    )


@_laws.register
def _(structure: TogetherSum, upper: float) -> Laws | None:
    n, others = _rows_and_others(structure.rows, structure.columns)
    moments = _one_each(exact_moments(structure))
    return match_normal(**moments, n=n, others=others, support=(0.0, upper), caveat=Caveat.UNKNOWN_SKEWNESS)


@_laws.register
def _(structure: SignSum, upper: float) -> Laws | None:
    n, others = _rows_and_others(np.array(structure.x_ties), np.array(structure.y_ties))
    return match_signs(
        **_one_each(exact_moments(structure)),
        n=n,
        distinct=(_one(len(structure.x_ties)), _one(len(structure.y_ties))),
        others=others,
        upper=np.array([upper]),
    )


def _one(value: int) -> NDArray[np.int64]:
    return np.array([value], dtype=np.int64)


def _one_each(moments: Moments | None) -> dict[str, NDArray[np.float64]]:
    assert moments is not None  # the structures that come here have them in closed form
    return {"mean": np.array([moments.mean]), "variance": np.array([moments.variance])}


def _rows_and_others(
    x_totals: NDArray[np.int64], y_totals: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows, and how many of them differ from the most common value of either variable."""
    n = int(x_totals.sum())
    return _one(n), (_one(n - int(x_totals.max())), _one(n - int(y_totals.max())))
