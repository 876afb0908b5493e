"""What was controlled, and how well: what an estimate says of its covariates."""

from __future__ import annotations

from dataclasses import dataclass

from bychance.names import count_of, display_name, in_words
from bychance.wording import follow_in_words

__all__ = ["MOST_EXPLAINED", "Controlled", "remarks_on"]

MOST_EXPLAINED = 0.99  # the share of a column above which little is left to relate


@dataclass(frozen=True, slots=True, kw_only=True)
class Controlled:
    """What was controlled for one pair, and how well.

    Attributes
    ----------
    columns : tuple of str
        The covariates.
    control : str
        "smooth", "linear" or "strata"; measures of categories given numbers always take strata.
    n_cells : int
        Cells of rows that could trade places.
    n_used : int
        Rows in cells where both variables vary; the others add nothing.
    df : int
        Degrees of freedom that the covariates take.
    x_share, y_share : float
        The share of each variable's variation that the covariates explain.
    caveats : tuple of str
        What a reader should know of the control.
    still_follow : bool
        True if both columns follow the covariates more finely than what was taken out of them.
    """

    columns: tuple[str, ...]
    control: str
    n_cells: int
    n_used: int
    df: int
    x_share: float
    y_share: float
    caveats: tuple[str, ...] = ()
    still_follow: bool = False

    def __str__(self) -> str:
        return f"beyond {in_words(self.columns)}, {count_of(self.n_cells, 'cell')}"


def remarks_on(
    columns: tuple[str, str],
    covariates: tuple[str, ...],
    *,
    n: int,
    df: int,
    n_used: int,
    shares: tuple[float, float],
    follow: bool,
) -> tuple[str, ...]:
    """Return what the columns and rows of one pair leave to doubt, each in a sentence.

    `follow` says that both columns were found to follow the covariates more finely than what was taken out.
    """
    given = in_words(covariates)
    rules = [
        (2 * df > n, "few rows for so many covariates"),
        (
            follow,
            f"{follow_in_words(covariates)}; give {given} as categories, "
            "or on a scale that both follow smoothly",
        ),
        (2 * n_used < n, f"only {count_of(n_used, 'row')} in cells where both columns vary"),
        *(
            (share > MOST_EXPLAINED, f"the covariates explain {share:.1%} of {display_name(name)}")
            for name, share in zip(columns, shares, strict=True)
        ),
    ]
    return tuple(text for holds, text in rules if holds)
