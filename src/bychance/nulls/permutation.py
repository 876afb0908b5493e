"""Settings of permutation nulls: number of draws, rows that may be exchanged, refined p-values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from bychance import _native
from bychance.array_types import BoolArray, Int32Array
from bychance.columns import coded, codes_of, crossed
from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.read_column import read_column
from bychance.validation import number_within, one_of, whole_number

__all__ = ["CAP", "Auto", "NullSpec", "Permutation", "auto_settings", "tails_of"]

CAP = 9_999  # largest number of draws of an adaptive sample by default (time; taste)
_TAILS = ("open", "all", "none")


@dataclass(frozen=True, eq=False)
class Permutation:
    """Settings for a null distribution sampled by permuting the rows of y.

    Permutations assume that rows are exchangeable under independence. Where they are not, restrict them:
    `groups` permutes rows within a stratum only, `block` permutes blocks of consecutive rows (for a time
    series whose autocorrelation is shorter than a block).

    Parameters
    ----------
    n_resamples : int, "adaptive" or "auto"
        Number of permutations. 99, 999 or 9999 make tests at 0.05 exact. "adaptive" draws until the
        p-value is known well enough, and at most `cap`: in a ranking, until it is decided whether the pair is
        a discovery. "auto" doubles them until the Monte Carlo error of all three adjustments is at most
        `rtol` null standard deviations. Of a standardized score beyond 1, at most `rtol` times the score.
    groups : array-like or str, optional
        A stratum for each row. In a ranking also the name of a column of the table, whose missing values
        form one more stratum.
    block : int, optional
        Length of the blocks of consecutive rows.
    rtol : float
        For "auto".
    alpha : float
        The alpha whose quantile "auto" makes precise.
    cap : int
        For "adaptive": the largest number of permutations.

    Examples
    --------
    >>> import bychance as bc
    >>> x, y = [1, 2, 3, 4, 5, 6], [1, 2, 4, 3, 5, 6]
    >>> bc.adjust("r2", x, y, null=bc.Permutation(999)).null.n_resamples
    999
    >>> bc.adjust("r2", x, y, null=bc.Permutation("auto", rtol=0.2)).null.n_resamples
    199
    >>> bc.adjust("r2", x, y, null=bc.Permutation("adaptive")).null.n_resamples
    999
    """

    n_resamples: int | str = 9_999
    groups: Any = None
    block: int | None = None
    rtol: float = 0.1
    alpha: float = 0.05
    cap: int = CAP

    def __post_init__(self) -> None:
        if self.n_resamples not in ("adaptive", "auto") and not _is_count(self.n_resamples):
            raise ValueError(
                f'`n_resamples` must be a positive integer, "adaptive" or "auto", got {self.n_resamples!r}.'
            )
        if not _is_count(self.cap):
            raise ValueError(f"`cap` must be a positive integer, got {self.cap!r}.")
        if self.block is not None and not _is_count(self.block):
            raise BychanceError(Option("block") + f" must be a positive integer, got {self.block!r}.")
        if self.groups is not None and self.block is not None:
            raise BychanceError(Option("groups") + " and " + Option("block") + " cannot be combined.")
        number_within(self.rtol, "rtol", 1)
        number_within(self.alpha, "alpha", 1)

    @property
    def is_adaptive(self) -> bool:
        """True if sampling stops once the p-value is known well enough."""
        return self.n_resamples == "adaptive"

    @property
    def follows_precision(self) -> bool:
        """True if each pair gets as many permutations as its requested precision needs."""
        return self.n_resamples == "auto"

    @property
    def most_draws(self) -> int:
        """Approximate largest number of permutations per pair."""
        return self.cap if isinstance(self.n_resamples, str) else int(self.n_resamples)

    @property
    def is_restricted(self) -> bool:
        """True if only some permutations are allowed, within groups or by blocks."""
        return self.groups is not None or self.block is not None

    def permutations(
        self,
        key: tuple[int, int],
        n: int,
        rows: BoolArray | None = None,
        n_rows: int | None = None,
        cells: Int32Array | None = None,
    ) -> _native.Permutations:
        """Return the numbered random permutations of n rows that a key determines, as a C++ object.

        `n_rows` counts all rows, `rows` is the mask of those in use. Rows stay within the groups, and
        within the cells of a measure given covariates.
        """
        strata = cells
        if self.groups is not None:
            strata = self._strata(rows, n if n_rows is None else n_rows)
            if cells is not None:
                strata = coded(crossed(strata, cells))
        if strata is not None:
            return _native.Permutations.within(key, strata)
        if self.block is not None:
            return _native.Permutations.blocks(key, n, self.block)
        return _native.Permutations.free(key, n)

    def _strata(self, rows: BoolArray | None, n_rows: int) -> Int32Array:
        """Return the stratum of each row in use, numbered from 0."""
        if isinstance(self.groups, str):
            raise BychanceError(
                Option("groups")
                + f" must have one entry per row: there is no table with a column {self.groups!r} here."
            )
        column = read_column(self.groups, "groups")
        if len(column) != n_rows:
            raise BychanceError(
                Option("groups") + f" must have one entry per row ({n_rows}), got {len(column)}."
            )
        if column.is_missing is not None:
            raise BychanceError(Option("groups") + " must not have missing values.")
        return codes_of(column, rows)


_settings = lru_cache(Permutation)  # one record for all pairs


class Auto(str):
    """Null `"auto"` with its settings: which small p-values are refined, and most permutations.

    Parameters
    ----------
    tails : {"open", "all", "none"}
        Which p-values are found by splitting if they are smaller than permutations or a matched distribution
        can resolve: those that decide if a pair is a discovery ("open"), all, or none. The others are bounds:
        `p_kind` is "bound", and p is at most the number. `Ranking.refine` finds those of the first rows.
    cap : int
        The largest number of permutations of a pair that is sampled.

    Examples
    --------
    >>> import bychance as bc
    >>> x, y = range(40), [k + 9 * (-1) ** k for k in range(40)]
    >>> [bc.adjust("r2", x, y, null=bc.Auto(tails=tails)).p_kind for tails in ("open", "all")]
    ['bound', 'splitting']
    """

    tails: str
    cap: int

    def __new__(cls, *, tails: str = "open", cap: int = CAP) -> Self:
        """Create the string "auto" with the settings as its attributes."""
        auto = super().__new__(cls, "auto")
        auto.tails, auto.cap = one_of(tails, "tails", _TAILS), whole_number(cap, "cap")
        return auto

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        return (), vars(self)

    def __repr__(self) -> str:
        return f"Auto(tails={self.tails!r}, cap={self.cap})"

    @property
    def sampling(self) -> Permutation:
        """Settings for sampling a null that has no exact or matched distribution."""
        return _settings("adaptive", cap=self.cap)


NullSpec = str | Permutation


def auto_settings(spec: NullSpec) -> Permutation:
    """Return the settings for sampling a null that is requested by name."""
    return spec.sampling if isinstance(spec, Auto) else _settings("adaptive")


def tails_of(spec: NullSpec) -> str:
    """Return which small p-values are refined: "open" (those that decide discoveries), "all" or "none"."""
    return spec.tails if isinstance(spec, Auto) else "open"


def _is_count(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 1
