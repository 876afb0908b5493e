"""Search for nonlinear relations: pairs that ranks or a bent line find, but r² or group means miss.

In:  a ranking by `explained` or `r2`.
Out: the pairs that ranks, or a bent line in ranks, find at half the level, and how much they explain.

If one column of a pair is categorical, it is tested twice: by a straight and by a bent line in the ranks of
the number. Two numbers are tested three times, since either may bend. A pair's p-value is the smallest of
these, times their number (Bonferroni), at most 1. The code calls each of these tests a look.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance.array_types import BoolArray, FloatArray, IndexArray
from bychance.measures import Measure
from bychance.measures.explained import Explained, RankBends, RankLine, Shape
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults, p_values_of_tests, pair_keys, rates_of
from bychance.ranking.run import measured_by
from bychance.wording import percent

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["LINEAR", "ExplainedShares", "SecondLook", "look_again"]

LINEAR = ("explained", "r2")
_CLEARLY = 0.1  # share of variation by which ranks or curves must exceed a line to be told (taste)
_CLEARLY_IN_ROWS = 8.0  # the same times the rows: as much as chance gives in one look of 200
_FAR_LESS = 0.3  # share of variation by which ranks must fall short of a line to be told (taste)
_ROUNDING = 1e-9  # error of a share: a line through ranks is a bent line without a bend
_MOST_VALUES = 30_000_000  # rows times pairs that are tested again: about three seconds

_Pair = tuple[int, int]  # positions of x and y among the columns


@dataclass(frozen=True, slots=True)
class ExplainedShares:
    """Shares of variation explained by a straight line (or group means), and by ranks or a bent line.

    `is_shape` if the other look is a bent line, `in_ranks` if this is one through ranks, and `is_turned` if
    it is y that bends and explains x. `by_groups` if x is categorical.
    """

    line: float
    seen: float
    is_shape: bool = False
    in_ranks: bool = False
    is_turned: bool = False
    by_groups: bool = False

    @property
    def is_less(self) -> bool:
        """Return True if the straight line explains more than ranks, so that it rests on extreme values."""
        return self.seen < self.line

    def clause(self, x: str, y: str, *, has_target: bool) -> str:
        """Return a clause comparing the share explained by ranks or a curve with that of a straight line."""
        it, of = ("it", "") if has_target else (x, f" of {y}")
        seen, line = percent(self.seen), f"{self._line} {percent(self.line)}"
        ranks = " of the ranks" if self.in_ranks else ""
        if self.is_turned:
            what = f"the ranks of {x}" if self.in_ranks else x
            return f"by the shape of {y}: a curve in {y} explains {seen} of {what}, {line}"
        if self.is_shape:
            its = "its" if has_target else "the"
            return f"by {its} shape: {it} explains {seen}{ranks}{of}, {line}"
        if self.by_groups:
            return f"by the ranks of {y}: {it} explains {seen} of them, {line}"
        return f"by ranks: they explain {seen}, {line}"

    def __str__(self) -> str:
        line = f"{self._line} {percent(self.line)}"
        if self.is_shape:
            ranks = " in ranks" if self.in_ranks else ""
            return f"another shape: it explains {percent(self.seen)}{ranks}, {line}; try shape"
        ranks = f"{'in ranks it explains' if self.by_groups else 'ranks explain'} {percent(self.seen)}"
        if self.is_less:
            return f"rests on extreme values: {ranks}, {line}; try spearman"
        if self.by_groups:
            return f"extreme values hide it: {ranks}, {line}"
        return f"another shape or extreme values: {ranks}, {line}; try spearman"

    @property
    def _line(self) -> str:
        return "group means" if self.by_groups else "a straight line"


@dataclass(frozen=True, eq=False)
class SecondLook:
    """Pairs related by a linear measure, and further pairs that only ranks or curves find.

    `is_found` flags the rows of the ranking that count as found, at half the level beside further pairs. `x`
    and `y` are the column positions of the further pairs, best first. `is_shape` flags those that a bent line
    found, not a straight one in ranks. `n_found` counts the found rows, also those that were not kept, and
    `n_related` the related pairs of columns.
    """

    plan: Plan
    is_found: BoolArray
    x: IndexArray
    y: IndexArray
    is_shape: BoolArray
    n_found: int
    n_related: int
    _seen: dict[_Pair, ExplainedShares | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.x)

    def first(self) -> tuple[int, int, ExplainedShares]:
        """Return x, y and the explained shares of the best pair that only ranks or curves find."""
        x, y = int(self.x[0]), int(self.y[0])
        self._measure_shares({})
        seen = self._seen[x, y]
        assert seen is not None
        return x, y, seen

    def beside_line(
        self, rows: PairResults, q_value: FloatArray, index: IndexArray
    ) -> list[ExplainedShares | None]:
        """Return the shares explained by a line and by ranks or curves per row, None if they are close."""
        plan, rows, is_number = self.plan, rows.pick(index), ~self.plan.pairs.is_labels
        pairs = list(zip(rows.x.tolist(), rows.y.tolist(), strict=True))
        is_line = np.isin(rows.text("measure"), LINEAR) & (q_value[index] < plan.job.fdr_level)
        is_line &= is_number[rows.x] & is_number[rows.y] & (plan.job.covariates is None)
        further = set(zip(self.x.tolist(), self.y.tolist(), strict=True))
        rows_of_pairs = zip(pairs, rows.n.tolist(), is_line, strict=True)
        self._measure_shares({pair: n for pair, n, is_asked in rows_of_pairs if is_asked or pair in further})
        return [self._seen.get(pair) for pair in pairs]

    def _measure_shares(self, n_of: Mapping[_Pair, int]) -> None:
        """Compute and cache the shares explained in these pairs, and in the first further pair."""
        further = zip(self.x.tolist(), self.y.tolist(), strict=True)
        is_shape = dict(zip(further, self.is_shape.tolist(), strict=True))
        # The verdict names the first further pair, too: all are measured together.
        new = [pair for pair in dict.fromkeys([*n_of, *list(is_shape)[:1]]) if pair not in self._seen]
        if not new or not self.plan.table.n_rows:
            return
        x, y = np.array(new, dtype=np.intp).T
        first, second = np.append(x, y), np.append(y, x)
        is_number = ~self.plan.pairs.is_labels[first]
        bent, bent_ranks = np.full((2, len(first)), np.nan)
        line, ranks = self._shares(Explained(), first, second), self._shares(RankLine(), x, y)
        for shares, measure in ((bent, Shape()), (bent_ranks, RankBends())):
            shares[is_number] = self._shares(measure, first[is_number], second[is_number])
        for k, pair in enumerate(new):
            by_ranks = ExplainedShares(line[k], ranks[k], by_groups=not is_number[k])
            if is_shape.get(pair) is False:
                self._seen[pair] = by_ranks
                continue
            by_bend = _by_bend(*(shares[k :: len(new)] for shares in (line, bent, bent_ranks)))
            is_further = pair in is_shape
            self._seen[pair] = by_bend if is_further else _far_from_line(by_ranks, by_bend, n_of[pair])

    def _shares(self, measure: Measure[Any], x: IndexArray, y: IndexArray) -> FloatArray:
        """Return the share of y's variation that x explains by the measure, adjusted for chance, per pair."""
        return np.maximum(measured_by(self.plan, measure, x, y, null="moments")[1].adjusted, 0.0)


def _by_bend(line: FloatArray, bent: FloatArray, bent_ranks: FloatArray) -> ExplainedShares:
    """Return a pair's shares by a bent line, in the direction (x to y or back) that explains more."""
    side = int(np.nanargmax(bent_ranks))
    in_ranks = bool(bent[side] < bent_ranks[side] / 2)  # extreme values leave little to a line through values
    most = bent_ranks[side] if in_ranks else bent[side]
    return ExplainedShares(line[side], most, True, in_ranks, is_turned=side == 1)


def _far_from_line(ranks: ExplainedShares, bend: ExplainedShares, n: int) -> ExplainedShares | None:
    """Return the shares by ranks or a bend if they differ much from those by a line, else None."""
    seen = ranks if ranks.seen >= bend.seen - _ROUNDING else bend
    if seen.seen - seen.line > max(_CLEARLY, _CLEARLY_IN_ROWS / n):
        return seen
    return ranks if ranks.line - ranks.seen > _FAR_LESS and 2 * ranks.seen < ranks.line else None


def look_again(ranking: Ranking) -> SecondLook:
    """Test pairs by ranks and curves, at half the FDR level, if the linear measure did not find them.

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 60)
    >>> found = look_again(bc.rank({"x": x, "wave": np.cos(5 * x)}))
    >>> len(found), found.is_shape.tolist()
    (1, [True])
    """
    plan, rows, level = ranking._plan, ranking._rows, ranking.fdr_level
    is_found, is_sure = ((ranking._q_value < part) & ranking._is_tested for part in (level, level / 2))
    x = y = np.zeros(0, dtype=np.intp)
    if plan.table.n_rows and plan.job.covariates is None:
        x, y = _candidates(ranking, is_found, is_sure)
    p_values, is_shape = _p_values(plan, x, y) if len(x) else (np.zeros(0), np.zeros(0, dtype=np.bool_))
    rates = rates_of(p_values, plan.job.fdr)
    order = np.argsort(p_values, kind="stable")
    order = order[rates[order] < level / 2]
    x, y, is_shape = x[order], y[order], is_shape[order]
    keys, n_found = pair_keys(rows.x[is_found], rows.y[is_found]), ranking.n_found
    if np.isin(pair_keys(x, y), keys).all():
        x, y, is_shape = x[:0], y[:0], is_shape[:0]  # the line found them too: there is one list
    else:
        is_found, n_found = is_sure, int(is_sure.sum())
        keys = pair_keys(rows.x[is_sure], rows.y[is_sure])
    n_further = int((~np.isin(pair_keys(x, y), keys)).sum())
    n_related = n_further + (len(np.unique(keys)) if ranking._is_whole else n_found)
    return SecondLook(plan, is_found, x, y, is_shape, n_found, n_related)


def _candidates(ranking: Ranking, is_found: BoolArray, is_sure: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Return x and y positions of the pairs not significant by the linear measure at half the FDR level."""
    rows, plan, order = ranking._rows, ranking._plan, ranking._best()
    most = max(_MOST_VALUES // plan.table.n_rows, 1)
    is_linear = np.isin(rows.text("measure"), LINEAR)
    order = order[(is_linear & ~is_sure)[order]]
    x, y = rows.x[order].astype(np.intp), rows.y[order].astype(np.intp)
    has_all_pairs = bool(plan.tiles)  # not the plan of two arrays, which has the columns that were kept
    are_found_kept = is_linear.all() and is_found.sum() == ranking.n_found
    if has_all_pairs and not ranking._is_whole and ranking.n_pairs <= most and are_found_kept:
        sides = [plan.pairs.within(tile) for tile in plan.tiles]
        all_x, all_y = (np.concatenate(side) for side in zip(*sides, strict=True))
        is_other = ~np.isin(pair_keys(all_x, all_y), pair_keys(rows.x, rows.y))
        x, y = np.append(x, all_x[is_other]), np.append(y, all_y[is_other])
    keys, sure = pair_keys(x, y), pair_keys(rows.x[is_sure], rows.y[is_sure])
    is_open = ~(plan.pairs.is_labels[x] & plan.pairs.is_labels[y]) & ~np.isin(keys, sure)
    open_pairs = np.flatnonzero(is_open)
    once = open_pairs[np.sort(np.unique(keys[is_open], return_index=True)[1])[:most]]
    return x[once], y[once]


def _p_values(plan: Plan, x: IndexArray, y: IndexArray) -> tuple[FloatArray, BoolArray]:
    """Return each pair's Bonferroni p-value over tests by ranks and bent lines, and flags of bent lines."""
    is_labels = plan.pairs.is_labels
    number, other = np.where(is_labels[x], y, x), np.where(is_labels[x], x, y)
    numbers = np.flatnonzero(~is_labels[other])
    by_line = p_values_of_tests(measured_by(plan, RankLine(), number, other)[1])
    first, second = np.append(number, other[numbers]), np.append(other, number[numbers])
    by_bends = p_values_of_tests(measured_by(plan, RankBends(), first, second)[1])
    by_bends, turned = by_bends[: len(x)], by_bends[len(x) :]
    by_bends[numbers] = np.fmin(by_bends[numbers], turned)
    n_looks = np.full(len(x), 2)
    n_looks[numbers] = 3
    return np.minimum(n_looks * np.fmin(by_line, by_bends), 1.0), by_bends < by_line
