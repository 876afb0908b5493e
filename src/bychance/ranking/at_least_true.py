"""Lower bound on the number of truly related pairs among selected pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance.array_types import FloatArray, IndexArray
from bychance.errors import BychanceError
from bychance.names import count_of
from bychance.ranking.closed_testing import Hull, Threshold
from bychance.ranking.display.pair_words import counted, to_target
from bychance.ranking.joint_permutations import JointTests, joint_tests
from bychance.ranking.results import one_per_pair, p_values_of_tests
from bychance.validation import number_within, one_of, whole_number

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["AtLeastTrue", "Guarantees"]

METHODS = ("simes", "robust", "joint")


@dataclass(frozen=True, slots=True)
class AtLeastTrue:
    """A lower bound on the number of truly related pairs among selected ones. `str` gives a sentence.

    Attributes
    ----------
    n_selected : int
        Number of selected pairs of columns, with those that could not be tested. Two directions of a measure
        are one pair, tested by the smaller p-value.
    at_least : int
        Lower bound on the number of related pairs among them.
    level, method
        As they were given to `Ranking.at_least_true`.
    sentence : str
        The bound in words.
    """

    n_selected: int
    at_least: int
    level: float
    method: str
    sentence: str

    @property
    def share(self) -> float:
        """Lower bound on the share of truly related pairs, NaN if none is selected."""
        return self.at_least / self.n_selected if self.n_selected else float("nan")

    def __str__(self) -> str:
        return self.sentence


class Guarantees:
    """Calculator of lower bounds on the related pairs in any selection from a ranking, with a cache."""

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        self._thresholds: dict[tuple[str, float], Threshold] = {}

    def __reduce__(self) -> tuple[type[Guarantees], tuple[Ranking]]:
        """Pickle the arguments instead of the caches."""
        return Guarantees, (self._ranking,)

    def of(self, selection: Any, level: float, method: str) -> AtLeastTrue:
        """Return the lower bound on the number of related pairs in a selection, at this confidence level."""
        one_of(method, "method", METHODS)
        alpha = round(1 - number_within(level, "level", 1), 12)
        if alpha == 0:
            raise BychanceError("`level` must be below 1, such as 0.95: no bound is certain.", "level")
        if (method, alpha) not in self._thresholds:
            self._thresholds[method, alpha] = self._threshold(alpha, method)
        threshold, ranking = self._thresholds[method, alpha], self._ranking
        if selection is None and ranking._n_column_pairs[0] == ranking.n_pairs:
            n_selected, at_least = ranking.n_tested, self._of_all(threshold, method)
        else:
            chosen = ranking._is_tested.nonzero()[0]
            if selection is not None:
                chosen = selected_rows(ranking, selection)
            index = one_per_pair(ranking._rows, chosen)
            n_selected, at_least = len(index), threshold.discoveries(self._p_values(method)[index])
        sentence = _sentence(ranking, n_selected, at_least, level, is_all=selection is None)
        return AtLeastTrue(n_selected, at_least, level, method, sentence)

    @cached_property
    def hull(self) -> Hull | None:
        """Return the lower convex hull of all pairs' sorted p-values, or None if some are unknown."""
        ranking = self._ranking
        if ranking._hull is None and ranking._is_whole:
            return Hull.of(self._own_p_values)
        return ranking._hull

    @cached_property
    def _joint(self) -> JointTests:
        return joint_tests(self._ranking._plan)

    @cached_property
    def _own_p_values(self) -> FloatArray:
        return p_values_of_tests(self._ranking._rows)

    def _threshold(self, alpha: float, method: str) -> Threshold:
        if method == "joint":
            return self._joint.threshold(alpha)
        if self.hull is None:
            raise BychanceError(
                f"`at_least_true` needs the p-value of all {self._ranking.n_pairs:,} pairs, and a ranking of "
                f"two arrays keeps those of {len(self._ranking):,}: rank a table that holds the columns of "
                "both, with x=… and y=…."
            )
        return self.hull.threshold(alpha, is_robust=method == "robust")

    def _p_values(self, method: str) -> FloatArray:
        """Return each row's p-value: its own, or a closed-form one if `method` is "joint"."""
        if method == "joint":
            of_rows: FloatArray = self._joint.p_values[self._ranking._rows.x, 0]
            return of_rows
        return self._own_p_values

    def _of_all(self, threshold: Threshold, method: str) -> int:
        if method == "joint":
            return threshold.discoveries(self._joint.p_values[:, 0])
        assert self.hull is not None
        return self.hull.n_tests - self.hull.largest(threshold.alpha, is_robust=method == "robust")


def selected_rows(ranking: Ranking, selection: Any) -> IndexArray:
    """Return the positions of the selected rows, each once, or raise an error for an invalid selection."""
    order = ranking._best()
    if isinstance(selection, Integral) and not isinstance(selection, bool):
        return order[: whole_number(selection, "selection", 0)]
    if isinstance(selection, Real) and not isinstance(selection, bool):
        if not selection < 1:
            raise BychanceError(
                f"`selection` must be below 1 to select by `adjusted`, got {selection!r}: a whole number "
                "selects the first rows.",
                "selection",
            )
        return np.flatnonzero(ranking._rows.adjusted > float(selection))
    if isinstance(selection, str):
        selection = [selection]
    chosen = np.asarray(selection)
    if chosen.ndim == 1 and not len(chosen):
        return order[:0]
    kind = chosen.dtype.kind if chosen.ndim == 1 else ""
    if kind == "b":
        if len(chosen) != len(ranking):
            raise BychanceError(
                f"`selection` must have one boolean per row ({len(ranking):,}), got {len(chosen):,}.",
                "selection",
            )
        return np.asarray(order[chosen])
    if kind in ("i", "u"):
        if chosen.min() < 0 or chosen.max() >= len(ranking):
            raise BychanceError(
                f"`selection` must hold row numbers from 0 to {len(ranking) - 1:,}, got "
                f"{chosen.min():,} to {chosen.max():,}.",
                "selection",
            )
        return np.asarray(order[np.unique(chosen)])
    if kind and all(isinstance(name, str) for name in chosen.tolist()):
        return _rows_of_columns(ranking, chosen.tolist())
    raise BychanceError(
        "`selection` must be row numbers, one boolean per row, names of columns, a number of first rows or a "
        f"value of `adjusted`, got {selection!r}.",
        "selection",
    )


def _rows_of_columns(ranking: Ranking, names: list[str]) -> IndexArray:
    """Return the positions of rows whose x or y is one of the columns `names`."""
    table = ranking._plan.table
    positions = [table.position(name, "selection") for name in names]
    return np.flatnonzero(np.isin(ranking._rows.x, positions) | np.isin(ranking._rows.y, positions))


def _sentence(ranking: Ranking, n_selected: int, at_least: int, level: float, *, is_all: bool) -> str:
    noun = "pair" if ranking._plan.target is None else "column"
    selected = counted(ranking, n_selected) if is_all else f"{count_of(n_selected, noun)} you selected"
    related = f"related{to_target(ranking)}"
    promise = f"{100 * level:.10g}% confidence{'' if is_all else ', for any selection you make'}"
    if not at_least:
        return f"None of the {selected} is surely {related} ({promise})."
    return (
        f"At least {at_least:,} of the {selected} {'is' if at_least == 1 else 'are'} {related} ({promise})."
    )
