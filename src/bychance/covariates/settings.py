"""`Given`, the options of `given=`, and `Controlled`, the record of how covariates were controlled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray, FloatArray, IntArray
from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.names import count_of, display_name, in_words
from bychance.validation import one_of
from bychance.wording import follow_in_words

__all__ = [
    "CONTROLS",
    "EFFECTS",
    "MOST_EXPLAINED",
    "Controlled",
    "Given",
    "as_given",
    "remarks_of_pairs",
    "remarks_on",
]

CONTROLS = ("smooth", "linear", "strata")
EFFECTS = ("common", "separate")


@dataclass(frozen=True, eq=False)
class Given:
    """Covariates to control for, and the way they are controlled.

    Parameters
    ----------
    columns
        For `bc.adjust` and `bc.measure` an array, a list or dict of arrays, or a frame. For `bc.rank` the
        name of a column, or several. Strings and booleans are categorical.
    control : {"smooth", "linear", "strata"}
        "smooth": categories make strata. Numbers are taken out by a smooth curve and by a slope in each cell
        of rows with similar values, and rows are permuted within cells only. Numbers of few values, such as
        counts, make strata too. Pairs that follow a number steeply get smaller cells. "linear": the
        textbook's partial correlation, with one slope per number. "strata": cells of about 12 rows with
        similar values, with nothing taken out within a cell.
    effect : {"common", "separate"}
        "common": `explained`, `shape`, `r2`, `eta2` and `spearman` look for one effect that all strata share.
        "separate": they look for effects that may differ between strata, as measures of two categorical
        columns always do.

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> age = np.arange(40.0)
    >>> x, y = age + np.tile([0, 3], 20), age - np.tile([0, 3], 20)
    >>> bc.adjust("r2", x, y).sign, bc.adjust("r2", x, y, given=bc.Given(age, control="linear")).sign
    (1, -1)
    """

    columns: Any
    control: str = "smooth"
    effect: str = "common"

    def __post_init__(self) -> None:
        one_of(self.control, "control", CONTROLS)
        one_of(self.effect, "effect", EFFECTS)
        if self.control == "linear" and self.effect == "separate":
            raise BychanceError(
                Option("effect", "separate")
                + " needs strata, and "
                + Option("control", "linear")
                + " makes none; leave one of them out.",
                "effect",
            )


def as_given(given: Any) -> Given:
    return given if isinstance(given, Given) else Given(given)


MOST_EXPLAINED = 0.99  # share of variation explained by covariates above which results have a caveat (taste)


@dataclass(frozen=True, slots=True, kw_only=True)
class Controlled:
    """Record of how covariates were controlled for one pair, with caveats.

    Attributes
    ----------
    columns : tuple of str
        The covariates.
    control : str
        "smooth", "linear" or "strata". Measures of categories given numbers always take strata.
    n_cells : int
        Number of cells within which rows are permuted.
    n_used : int
        Number of rows in cells in which both variables vary. Other rows add nothing.
    df : int
        Degrees of freedom that the covariates take.
    x_share, y_share : float
        The share of each variable's variation that the covariates explain.
    caveats : tuple of str
        Doubts about the control, one sentence each.
    still_follow : bool
        True if the residuals of both columns still depend on the covariates.
    """

    columns: tuple[str, ...]
    control: str
    n_cells: int
    n_used: int
    df: int
    x_share: float = 0.0
    y_share: float = 0.0
    caveats: tuple[str, ...] = ()
    still_follow: bool = False

    def __str__(self) -> str:
        return f"beyond {in_words(self.columns)}, {count_of(self.n_cells, 'cell')}"


def remarks_on(
    columns: Sequence[str],
    covariates: tuple[str, ...],
    *,
    n: int,
    df: int,
    n_used: int,
    shares: Sequence[float],
    follow: bool,
) -> tuple[str, ...]:
    """Return caveats about the control of covariates for one pair, one sentence each.

    `follow` is True if the residuals of both columns still depend on the covariates.
    """
    found = list[str]()
    if 2 * df > n:
        found.append("few rows for so many covariates")
    if follow:
        categories = f"give {in_words(covariates)} as categories, or on a scale that both follow smoothly"
        found.append(f"{follow_in_words(covariates)}; {categories}")
    if 2 * n_used < n:
        found.append(f"only {count_of(n_used, 'row')} in cells where both columns vary")
    for name, share in sorted(zip(columns, shares, strict=True)):
        if share > MOST_EXPLAINED:
            found.append(f"the covariates explain {share:.1%} of {display_name(name)}")
    return tuple(found)


def remarks_of_pairs(
    columns: Callable[[int], Sequence[str]],
    covariates: tuple[str, ...],
    *,
    n: IntArray,
    df: IntArray,
    n_used: NDArray[Any],
    shares: FloatArray,
    follow: BoolArray,
) -> NDArray[np.object_]:
    """Return one text of caveats per pair on the control of covariates. `columns` gives its names."""
    # Most pairs have one text in common.
    common = [
        "; ".join(remarks_on(("", ""), covariates, n=1, df=few, n_used=1, shares=(0.0, 0.0), follow=does))
        for does, few in product((False, True), (0, 1))
    ]
    remarks = np.array(common, dtype=np.object_)[(2 * df > n) + 2 * follow]
    for k in np.flatnonzero((2 * n_used < n) | (shares > MOST_EXPLAINED).any(axis=0)).tolist():
        counts = {"n": int(n[k]), "df": int(df[k]), "n_used": int(n_used[k])}
        own = remarks_on(columns(k), covariates, **counts, shares=shares[:, k].tolist(), follow=follow[k])
        remarks[k] = "; ".join(own)
    return remarks
