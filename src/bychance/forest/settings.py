"""How a tree is grown: plain numbers and names, and what the kernel makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal, get_args

from scipy.special import ndtri

from bychance import _native

__all__ = ["SHRINKAGES", "ClassCriterion", "GrowSettings", "NumberCriterion", "Shrinkage"]

ClassCriterion = Literal["fair", "agini", "sgini", "gini", "entropy"]
NumberCriterion = Literal["fair", "adjusted", "standardized", "variance"]
Criterion = ClassCriterion | NumberCriterion

Shrinkage = Literal["none", "rows", "chance", "leaf5", "leaf10"]
SHRINKAGES: tuple[Shrinkage, ...] = get_args(Shrinkage)  # what others must be better than comes first


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowSettings:
    """The settings of one tree.

    `max_features` columns are drawn at each node, and more until one has a usable split. With `random_cuts` a
    column has one cut per node, drawn at random. `max_depth` is 0 for no limit. `n_grow` rows grow the tree,
    `n_order` others order the categories, the rest is out of bag; with `bootstrap` the first are drawn with
    replacement and the other two come from the rows not drawn. Where no rows order the categories of an
    "ordered" split, it is multiway. A finite `min_adjusted_gain` is the least score a split must have.
    """

    criterion: Criterion
    alpha: float = 0.05
    null: Literal["moments", "multinomial"] = "moments"
    quantile: Literal["cantelli", "gamma"] = "cantelli"
    categorical_split: Literal["ordered", "multiway"] = "ordered"
    max_features: int
    max_depth: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_adjusted_gain: float = -inf
    missing: Literal["majority", "best"] = "majority"
    n_grow: int
    n_order: int = 0
    bootstrap: bool = False
    random_cuts: bool = False

    def for_kernel(self) -> _native.TreeSettings:
        """What the kernel reads."""
        return _native.TreeSettings(self)

    @property
    def deviation(self) -> float:
        """Standard deviations above the mean (Cantelli), or the normal score of the gamma quantile."""
        if self.quantile == "cantelli":
            return sqrt((1 - self.alpha) / self.alpha)
        return float(ndtri(1 - self.alpha))
