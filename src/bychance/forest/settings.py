"""How a tree is grown: plain numbers and names, as the kernel takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any, Literal

from scipy.special import ndtri

__all__ = ["GrowSettings"]

_MULTIWAY_MARGIN = 1.0  # in z: offered beside cuts without it, multiway splits predict worse


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowSettings:
    """The settings of one tree.

    `max_features` columns are drawn at each node, and more until one has a usable split; where there are
    `turns`, the trees of a forest take their numbers of columns from those, one after the other. `max_depth`
    is 0 for no limit. `n_grow` rows grow the tree, `n_order` others order the categories (none: the rows that
    grow it do), the rest is out of bag; with `bootstrap` the first are drawn with replacement and the other
    two come from the rows not drawn. A finite `min_adjusted_gain` is the least score a split must have.
    """

    criterion: Literal["gini", "entropy", "sgini", "agini", "fair"]
    alpha: float = 0.05
    null: Literal["moments", "multinomial"] = "moments"
    quantile: Literal["cantelli", "gamma"] = "cantelli"
    categorical_split: Literal["multiway", "ordered", "auto"] = "auto"
    max_features: int
    turns: tuple[int, ...] = ()
    max_depth: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_adjusted_gain: float = -inf
    missing: Literal["majority", "best"] = "majority"
    n_grow: int
    n_order: int = 0
    bootstrap: bool = False

    def of_tree(self, number: int) -> GrowSettings:
        """The settings of this tree of a forest.

        >>> settings = GrowSettings(criterion="fair", max_features=4, turns=(4, 8), n_grow=50)
        >>> [settings.of_tree(number).max_features for number in range(3)]
        [4, 8, 4]
        """
        return replace(self, max_features=self.turns[number % len(self.turns)]) if self.turns else self

    def for_kernel(self, n_classes: int) -> dict[str, Any]:
        """What the kernel reads; "auto" splits and the level of the quantile are settled here.

        "auto" orders categories; under "fair" and more than two classes it offers multiway splits too.
        """
        is_fair = self.criterion == "fair"
        offers_both = self.categorical_split == "auto" and is_fair and n_classes > 2
        ordered_or_both = "both" if offers_both else "ordered"
        return {
            "criterion": self.criterion,
            "null": "moments" if is_fair else self.null,
            "quantile": self.quantile,
            "deviation": self._deviation(),
            "categorical_split": "multiway" if self.categorical_split == "multiway" else ordered_or_both,
            "multiway_margin": _MULTIWAY_MARGIN if offers_both else 0.0,
            "max_features": self.max_features,
            "max_depth": self.max_depth,
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "min_adjusted_gain": self.min_adjusted_gain,
            "missing": self.missing,
            "n_grow": self.n_grow,
            "n_order": self.n_order,
            "bootstrap": self.bootstrap,
        }

    def _deviation(self) -> float:
        """Standard deviations above the mean (Cantelli), or the normal score of the gamma quantile."""
        if self.quantile == "cantelli":
            return sqrt((1 - self.alpha) / self.alpha)
        return float(ndtri(1 - self.alpha))
