"""Search for nonlinear relations: pairs that ranks or a bent line find, but r² or group means miss.

In:  a ranking by `explained` or `r2`.
Out: the pairs that ranks, or a bent line in ranks, find at half the level, and how much they explain.

If one column of a pair is categorical, it is tested twice: by a straight and by a bent line in the ranks of
the number. Two numbers are tested three times, since either may bend. A pair's p-value is the smallest of
these, times their number (Bonferroni), at most 1. The code calls each of these tests a look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bychance.array_types import BoolArray, FloatArray, IndexArray
from bychance.measures import Measure
from bychance.measures.explained import Explained, RankBends, RankLine, Shape
from bychance.ranking.results import fdr_factor, p_values_of_tests, pair_keys, rates_of
from bychance.wording import caution_on_pair, percent

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = [
    "LINEAR",
    "Looks",
    "Seen",
    "ShapeShares",
    "advice_on",
    "look_again",
    "seen_beside_line",
    "shares_of",
]

LINEAR = ("explained", "r2")
_CLEARLY, _FAR_LESS = 0.1, 0.3  # shares by which another look differs from a line that is found, to be told
_LEAST = 8.0  # the same times the rows: as much as chance gives in one look of 200
_ROUNDING = 1e-9  # of a share: a line through ranks is a bent line without a bend
_ROWS_OF_PAIRS = 30_000_000  # rows times pairs that are looked at: about three seconds


@dataclass(frozen=True, slots=True)
class Looks:
    """Pairs that ranks or curves find but the linear measure misses, as column positions, best first.

    `is_shape` flags pairs that a bent line found, not a straight one in ranks. `is_found` flags the rows of
    the ranking that count as found, too.
    """

    x: IndexArray
    y: IndexArray
    is_shape: BoolArray
    is_found: BoolArray

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, slots=True)
class Seen:
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
        """Return a clause on the share that a relation by ranks or by a curve explains, beside the line's."""
        it, of = ("it", "") if has_target else (x, f" of {y}")
        seen, line = percent(self.seen), f"{self._line} {percent(self.line)}"
        ranks = " of the ranks" if self.in_ranks else ""
        if self.is_turned:
            return f"by the shape of {y}: that explains {seen} of {ranks and 'the ranks of '}{x}, {line}"
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


def look_again(ranking: Ranking) -> Looks:
    """Test pairs again by ranks and curves, at half the level, if the linear measure did not find them.

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 60)
    >>> found = look_again(bc.rank({"x": x, "wave": np.cos(5 * x)}))
    >>> len(found), found.is_shape.tolist()
    (1, [True])
    """
    plan, rows, level = ranking._plan, ranking._rows, ranking.fdr_level
    is_found, is_sure = ((ranking._q_value < part) & ranking._is_tested for part in (level, level / 2))
    empty = np.zeros(0, dtype=np.intp)
    none = Looks(empty, empty, empty.astype(np.bool_), is_found)
    if not plan.table.n_rows or plan.job.covariates is not None:
        return none
    x, y = _candidates(ranking, is_found, is_sure)
    if not len(x):
        return none
    p_values, is_shape = _p_values(ranking, x, y)
    rates = rates_of(p_values, p_values, int((~np.isnan(p_values)).sum()), fdr_factor(plan.job.fdr, len(x)))
    order = np.argsort(p_values, kind="stable")
    seen = order[rates[order] < level / 2]
    was_found = pair_keys(rows.x[is_found], rows.y[is_found])
    if np.isin(pair_keys(x[seen], y[seen]), was_found).all():
        return none  # the line found them too: there is one list
    return Looks(x[seen], y[seen], is_shape[seen], is_sure)


def _candidates(ranking: Ranking, is_found: BoolArray, is_sure: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Return x and y positions of the pairs that a linear measure did not find at half the level."""
    rows, plan, order = ranking._rows, ranking._plan, ranking._best()
    most = max(_ROWS_OF_PAIRS // plan.table.n_rows, 1)
    is_linear = np.isin(rows.text("measure"), LINEAR)
    order = order[(is_linear & ~is_sure)[order]]
    x, y = rows.x[order].astype(np.intp), rows.y[order].astype(np.intp)
    has_all_pairs = bool(plan.tiles)  # not the plan of two arrays, which has the columns that were kept
    if (
        has_all_pairs
        and len(rows) < ranking.n_pairs <= most
        and is_linear.all()
        and is_found.sum() == ranking.n_found
    ):
        # Pairs that were not kept were not found.
        sides = [plan.pairs.within(tile) for tile in plan.tiles]
        others_x, others_y = (np.concatenate(side) for side in zip(*sides, strict=True))
        is_other = ~np.isin(pair_keys(others_x, others_y), pair_keys(rows.x, rows.y))
        x, y = np.append(x, others_x[is_other]), np.append(y, others_y[is_other])
    keys, sure = pair_keys(x, y), pair_keys(rows.x[is_sure], rows.y[is_sure])
    is_open = ~(plan.pairs.is_labels[x] & plan.pairs.is_labels[y]) & ~np.isin(keys, sure)
    open_pairs = np.flatnonzero(is_open)
    once = open_pairs[np.sort(np.unique(keys[is_open], return_index=True)[1])[:most]]
    return x[once], y[once]


def _p_values(ranking: Ranking, x: IndexArray, y: IndexArray) -> tuple[FloatArray, BoolArray]:
    """Return each pair's p-value by ranks and bent lines (Bonferroni), and flags if a bent line gave it."""
    is_labels = ranking._plan.pairs.is_labels
    number, other = np.where(is_labels[x], y, x), np.where(is_labels[x], x, y)
    numbers = np.flatnonzero(~is_labels[other])
    by_line = p_values_of_tests(ranking._measured(RankLine(), number, other)[1])
    first, second = np.append(number, other[numbers]), np.append(other, number[numbers])
    by_bends = p_values_of_tests(ranking._measured(RankBends(), first, second)[1])
    by_bends, turned = by_bends[: len(x)], by_bends[len(x) :]
    by_bends[numbers] = np.fmin(by_bends[numbers], turned)
    n_looks = np.full(len(x), 2)
    n_looks[numbers] = 3
    return np.minimum(n_looks * np.fmin(by_line, by_bends), 1.0), by_bends < by_line


def advice_on(ranking: Ranking, records: Sequence[dict[str, Any]]) -> list[str]:
    """Return a remark per record: cautions, and shares that ranks or curves explain, "" for most."""
    told = iter(seen_beside_line(ranking, [record for record in records if record["adjusted"] is not None]))
    return [
        ""
        if record["adjusted"] is None
        else "; ".join(map(str, filter(None, (caution_on_pair(record), next(told)))))
        for record in records
    ]


def seen_beside_line(ranking: Ranking, records: Sequence[dict[str, Any]]) -> list[Seen | None]:
    """Return each record's shares explained by a line and by ranks or curves, None if they hardly differ."""
    plan, looks = ranking._plan, ranking._looks
    is_shape_of = dict(zip(zip(looks.x.tolist(), looks.y.tolist(), strict=True), looks.is_shape, strict=True))
    pairs = [(plan.table.position(record["x"]), plan.table.position(record["y"])) for record in records]
    told = [
        pair
        for pair, record in zip(pairs, records, strict=True)
        if pair in is_shape_of or _is_found_line(ranking, pair, record)
    ]
    # The sentence names the first pair of the second look, too: all are measured together.
    shares = dict(zip(told, shares_of(ranking, [*told, *list(is_shape_of)[:1]]), strict=False))
    return [
        None
        if pair not in shares
        else shares[pair].seen(is_shape=bool(is_shape_of[pair]))
        if pair in is_shape_of
        else shares[pair].far_from_line(record["n"])
        for pair, record in zip(pairs, records, strict=True)
    ]


def _is_found_line(ranking: Ranking, pair: tuple[int, int], record: dict[str, Any]) -> bool:
    """Return True if a linear measure finds two numeric columns, and ranks or curves can be computed."""
    plan = ranking._plan
    is_found = record["q_value"] is not None and record["q_value"] < ranking.fdr_level
    are_numbers = not plan.pairs.is_labels[list(pair)].any()
    can_look = plan.job.covariates is None and (bool(plan.table.n_rows) or pair in ranking._shares)
    return is_found and are_numbers and record["measure"] in LINEAR and can_look


class ShapeShares(NamedTuple):
    """Chance-adjusted shares of variation explained by a straight line, by ranks and by a bent line.

    All but `ranks` are of y by x and of x by y, NaN if the one that explains is categorical.
    """

    line: tuple[float, float]
    ranks: float
    bent: tuple[float, float]
    bent_ranks: tuple[float, float]
    by_groups: bool

    def seen(self, *, is_shape: bool | None = None) -> Seen:
        """Return the shares explained by a straight line, and by ranks or a curve (by default the larger)."""
        ranks = Seen(self.line[0], self.ranks, by_groups=self.by_groups)
        if is_shape is False:
            return ranks
        side = int(np.nanargmax(self.bent_ranks))
        # Extreme values leave little to a line through values.
        in_ranks = self.bent[side] < self.bent_ranks[side] / 2
        most = self.bent_ranks[side] if in_ranks else self.bent[side]
        bent = Seen(self.line[side], most, True, in_ranks, is_turned=side == 1)
        return ranks if is_shape is None and ranks.seen >= bent.seen - _ROUNDING else bent

    def far_from_line(self, n: int) -> Seen | None:
        """Return both shares if ranks or a curve explain much more than a line, or ranks less, else None."""
        seen = self.seen()
        if seen.seen - seen.line > max(_CLEARLY, _LEAST / n):
            return seen
        ranks = self.seen(is_shape=False)
        return ranks if ranks.line - ranks.seen > _FAR_LESS and 2 * ranks.seen < ranks.line else None


def shares_of(ranking: Ranking, pairs: Sequence[tuple[int, int]]) -> list[ShapeShares]:
    """Return the shares explained by line, ranks and bent line, per pair of column positions (cached)."""
    new = [pair for pair in dict.fromkeys(pairs) if pair not in ranking._shares]
    if new:
        is_labels = ranking._plan.pairs.is_labels
        x, y = np.array(new, dtype=np.intp).T
        first, second = both = np.concatenate([x, y]), np.concatenate([y, x])
        at = np.flatnonzero(~is_labels[first])
        line, bent, bent_ranks = np.full((3, len(first)), np.nan)
        line[:] = _shares(ranking, Explained(), *both)
        for found, look in ((bent, Shape()), (bent_ranks, RankBends())):
            found[at] = _shares(ranking, look, first[at], second[at])
        ranks = _shares(ranking, RankLine(), x, y)
        for k, pair in enumerate(new):
            of_line, of_bent, of_ranks = ((each[k], each[k + len(new)]) for each in (line, bent, bent_ranks))
            ranking._shares[pair] = ShapeShares(of_line, ranks[k], of_bent, of_ranks, bool(is_labels[x[k]]))
    return [ranking._shares[pair] for pair in pairs]


def _shares(ranking: Ranking, look: Measure[Any], x: IndexArray, y: IndexArray) -> FloatArray:
    """Return the adjusted share of y's variation that x explains by the measure `look`, per pair."""
    return np.maximum(ranking._measured(look, x, y, null="moments")[1].adjusted, 0.0)
