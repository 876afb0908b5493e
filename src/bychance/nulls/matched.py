"""The law matched to the structure of one pair: an array of one, handed to matching.py."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from bychance import _native
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
from bychance.nulls.matching import match_information
from bychance.nulls.moments import exact_moments

__all__ = ["Match", "match_structure"]


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
            n=_one(n),
            others=(_one(others[0]), _one(others[1])),
            upper=np.array([upper]),
            distinct=(_one(len(rows)), _one(len(columns))),
            smallest=(_one(rows.min()), _one(columns.min())),
        )
    return _normal(moments, n, others, (0.0, upper), "agreement", moments.std / structure.scale)


@_laws.register
def _(structure: PairSum, upper: float) -> Laws | None:
    x, y = structure.x, structure.y
    others, fewest = (x.n_others, y.n_others), min(x.n_distinct, y.n_distinct)
    return _normal(_known(structure), structure.n, others, (-np.inf, upper), "xi", fewest)


@_laws.register
def _(structure: TogetherSum, upper: float) -> Laws | None:
    n, others = _rows_and_others(structure.rows, structure.columns)
    return _normal(_known(structure), n, others, (0.0, upper))


@_laws.register
def _(structure: SignSum, upper: float) -> Laws | None:
    n, others = _rows_and_others(np.array(structure.x_ties), np.array(structure.y_ties))
    moments, distinct = _known(structure), (len(structure.x_ties), len(structure.y_ties))
    return Laws(**_native.match_signs(moments.mean, moments.variance, n, distinct, others, upper))


def _normal(
    moments: Moments,
    n: int,
    others: tuple[int, int],
    support: tuple[float, float],
    rule: str = "",
    figure: float = np.nan,
) -> Laws:
    fields = _native.match_normal(moments.mean, moments.variance, n, others, *support, rule, figure)
    return Laws(**fields)


def _one(value: int) -> NDArray[np.int64]:
    return np.array([value], dtype=np.int64)


def _known(structure: Structure) -> Moments:
    moments = exact_moments(structure)
    assert moments is not None  # the structures that come here have them in closed form
    return moments


def _rows_and_others(x_totals: NDArray[np.int64], y_totals: NDArray[np.int64]) -> tuple[int, tuple[int, int]]:
    """Count rows, and those that differ from the most common value of either variable."""
    n = int(x_totals.sum())
    return n, (n - int(x_totals.max()), n - int(y_totals.max()))
