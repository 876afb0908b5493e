"""How a tree is grown: plain numbers and names, and what the kernel makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Literal, NamedTuple, get_args

from scipy.special import ndtri

from bychance import _native

__all__ = [
    "SHRINKAGES",
    "CategoricalRules",
    "ClassCriterion",
    "FewSplit",
    "GrowSettings",
    "NumberCriterion",
    "Shrinkage",
    "Turn",
    "Turns",
]

_FEW_CATEGORIES = 6  # beyond, an order of the categories predicts better than other splits do
_SINGLE_CATEGORIES = 24  # where they cannot be ordered; beyond, a child for each is judged better
_FEW_CLASSES = 4  # beyond, one category against the others predicts worse
_ORDER_ROWS = 3  # a category: with fewer, an order predicts no better than a child for each
_ANY_NUMBER = 2**31

ClassCriterion = Literal["fair", "agini", "sgini", "gini", "entropy"]
NumberCriterion = Literal["fair", "adjusted", "standardized", "variance"]
Criterion = ClassCriterion | NumberCriterion

FewSplit = Literal["ordered", "single", "multiway"]

Shrinkage = Literal["none", "rows", "chance", "leaf5", "leaf10"]
SHRINKAGES: tuple[Shrinkage, ...] = get_args(Shrinkage)  # what others must be better than comes first


class Turn(NamedTuple):
    """What the trees of a forest differ in: columns to try, how "auto" splits few categories, and cuts."""

    max_features: int
    few_split: FewSplit
    random_cuts: bool = False


class Turns(NamedTuple):
    """What the trees of a forest take in turns.

    Where there is a `trial`, the first `n_trial` trees follow it, and the rest `usual`, or `clear` where the
    trial says so.
    """

    usual: tuple[Turn, ...]
    trial: tuple[Turn, ...] = ()
    clear: tuple[Turn, ...] = ()
    n_trial: int = 0

    def of_tree(self, number: int) -> Turn:
        """The turn of this tree.

        >>> turns = Turns((Turn(4, "ordered"), Turn(8, "single")))
        >>> [turns.of_tree(number).max_features for number in range(3)]
        [4, 8, 4]
        """
        turns = self.trial if number < self.n_trial else self.usual
        return turns[number % len(turns)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowSettings:
    """The settings of one tree.

    `max_features` columns are drawn at each node, and more until one has a usable split. `few_split` is how
    "auto" splits columns of few categories. With `random_cuts` a column has one cut per node, drawn at
    random. The trees of a forest take these from `turns`. `max_depth` is 0 for no limit. `n_grow` rows grow
    the tree, `n_order` others order the categories (none: the rows that grow it do), the rest is out of bag;
    with `bootstrap` the first are drawn with replacement and the other two come from the rows not drawn. A
    finite `min_adjusted_gain` is the least score a split must have.
    """

    criterion: Criterion
    alpha: float = 0.05
    null: Literal["moments", "multinomial"] = "moments"
    quantile: Literal["cantelli", "gamma"] = "cantelli"
    categorical_split: Literal["auto", "ordered", "single", "multiway"] = "auto"
    few_split: FewSplit = "ordered"
    max_features: int
    turns: Turns | None = None
    max_depth: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_adjusted_gain: float = -inf
    missing: Literal["majority", "best"] = "majority"
    n_grow: int
    n_order: int = 0
    bootstrap: bool = False
    random_cuts: bool = False

    def of_tree(self, number: int) -> GrowSettings:
        """The settings of this tree of a forest."""
        return self.taking(self.turn_of(number))

    def turn_of(self, number: int) -> Turn:
        """What this tree of a forest differs in from others."""
        return self.turns.of_tree(number) if self.turns else Turn(self.max_features, self.few_split)

    def taking(self, turn: Turn) -> GrowSettings:
        """The settings of the trees that take this turn."""
        random_cuts = self.random_cuts or turn.random_cuts
        return replace(
            self, max_features=turn.max_features, few_split=turn.few_split, random_cuts=random_cuts
        )

    def for_kernel(self, n_classes: int) -> _native.TreeSettings:
        """What the kernel reads, for so many classes (0: numbers)."""
        return _native.TreeSettings(self, CategoricalRules.of(self, n_classes))

    @property
    def deviation(self) -> float:
        """Standard deviations above the mean (Cantelli), or the normal score of the gamma quantile."""
        if self.quantile == "cantelli":
            return sqrt((1 - self.alpha) / self.alpha)
        return float(ndtri(1 - self.alpha))


class CategoricalRules(NamedTuple):
    """How columns of up to so many categories are split, where they can be ordered and where they cannot."""

    with_order: list[tuple[int, str]]
    without_order: list[tuple[int, str]]
    order_rows: int = 0  # per category
    has_identifiers: bool = False

    @classmethod
    def of(cls, settings: GrowSettings, n_classes: int) -> CategoricalRules:
        """What `categorical_split` means for a target of so many classes; numbers count as two.

        "auto" orders categories, unless they are few and `few_split` has its turn. Two categories have but
        one split.
        """
        if settings.categorical_split == "multiway":
            splits = [(_ANY_NUMBER, "multiway")]
            return cls(splits, splits, has_identifiers=True)
        if settings.categorical_split != "auto":
            splits = [(2, "ordered"), (_ANY_NUMBER, settings.categorical_split)]
            return cls(splits, splits)
        few, singly = [(2, "ordered")], []
        if n_classes <= _FEW_CLASSES:
            singly = [(_FEW_CATEGORIES, "multiway"), (_SINGLE_CATEGORIES, "single")]
            if settings.few_split != "ordered":
                few.append((_FEW_CATEGORIES, settings.few_split))
        return cls(
            [*few, (_ANY_NUMBER, "ordered")],
            [*few, *singly, (_ANY_NUMBER, "multiway")],
            order_rows=_ORDER_ROWS,
        )
