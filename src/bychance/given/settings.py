"""What to control for, and how: the settings of `given=`, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.validation import one_of

__all__ = ["CONTROLS", "EFFECTS", "Given", "as_given"]

CONTROLS = ("smooth", "linear", "strata")
EFFECTS = ("common", "separate")


@dataclass(frozen=True, eq=False)
class Given:
    """Covariates to look beyond, and how they are controlled.

    Parameters
    ----------
    columns
        For `bc.adjust` and `bc.measure` an array, a list or dict of arrays, or a frame; for `bc.rank` the
        name of a column, or several. Strings and booleans are categorical.
    control : {"smooth", "linear", "strata"}
        "smooth": categories make strata; numbers are taken out by a smooth curve and by a line in each cell
        of rows with similar values, and rows are permuted within cells only. Numbers of few values, such as
        counts, make strata too; pairs that follow a number steeply take smaller cells. "linear": the
        textbook's partial correlation, one line per number. "strata": cells of about 12 rows with similar
        values, nothing taken out within a cell.
    effect : {"common", "separate"}
        Whether `explained`, `r2`, `eta2` and `spearman` look for one effect that all strata share, or for
        separate effects that may differ from stratum to stratum. Measures of two categorical columns always
        look for separate effects.

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
    """The settings, defaults around plain columns."""
    return given if isinstance(given, Given) else Given(given)
