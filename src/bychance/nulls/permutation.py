"""Monte Carlo nulls for any measure: the permutation engine and its settings.

One loop serves all: rows of permutation indices come from a counter-based stream, and the measure turns
each row into a value, natively for built-in measures, by a call for the user's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import codes_of, read_column
from bychance.measures.base import Measure
from bychance.nulls.sample import SampleNull
from bychance.progress import Progress

__all__ = ["Permutation", "permutation_draws", "permutation_null"]

_CHUNK = 1 << 17  # indices in flight: half a megabyte, and short enough for Ctrl-C


@dataclass(frozen=True, eq=False)
class Permutation:
    """Monte Carlo: the measure over random re-pairings of x and y.

    It assumes that rows are exchangeable under independence. Where they are not, restrict what is
    permuted: `groups` trades rows only within a stratum, `block` trades blocks of consecutive rows
    (time series whose memory is shorter than a block).

    Parameters
    ----------
    resamples : int
        How many re-pairings. 99, 999 or 9999 make levels such as 0.05 exact.
    groups : array-like, optional
        A stratum for each row.
    block : int, optional
        Length of the blocks of consecutive rows.

    Examples
    --------
    >>> import bychance as bc
    >>> result = bc.adjust("r2", [1, 2, 3, 4, 5, 6], [1, 2, 4, 3, 5, 6], null=bc.Permutation(999))
    >>> result.null.n_resamples
    999
    """

    resamples: int = 9_999
    groups: Any = None
    block: int | None = None

    def __post_init__(self) -> None:
        if (
            isinstance(self.resamples, bool)
            or not isinstance(self.resamples, int | np.integer)
            or self.resamples < 1
        ):
            raise ValueError(f"`resamples` must be a positive integer, got {self.resamples!r}.")
        if self.block is not None and (
            isinstance(self.block, bool) or not isinstance(self.block, int | np.integer) or self.block < 1
        ):
            raise ValueError(f"`block` must be a positive integer, got {self.block!r}.")
        if self.groups is not None and self.block is not None:
            raise ValueError(
                "`groups` and `block` restrict permutations in different ways; give one of them."
            )

    @property
    def is_restricted(self) -> bool:
        """Whether not every re-pairing is allowed."""
        return self.groups is not None or self.block is not None

    def strata(self, rows: NDArray[np.bool_] | None, n_rows: int) -> NDArray[np.int32] | None:
        """The strata of the rows in use, numbered from 0."""
        if self.groups is None:
            return None
        column = read_column(self.groups, "groups")
        if len(column) != n_rows:
            raise ValueError(f"`groups` must have one entry a row ({n_rows}), got {len(column)}.")
        if column.is_missing is not None:
            raise ValueError("`groups` must not have missing values.")
        return codes_of(column, rows)


def permutation_null(
    measure: Measure[Any],
    x: Any,
    y: Any,
    *,
    settings: Permutation,
    strata: NDArray[np.int32] | None,
    key: tuple[int, int],
    bound: float,
    reason: str,
    progress: bool = False,
    is_paper_rule: bool = False,
    exact_mean: float | None = None,
    exact_std: float | None = None,
) -> SampleNull:
    """The null from `settings.resamples` draws of the stream `key`, with what is known of it exactly."""
    draws = np.empty(settings.resamples)
    with Progress("permutations", total=settings.resamples, enabled=progress) as bar:
        for first, rows in permutation_draws(x.n, settings, strata, key):
            draws[first : first + len(rows)] = measure.resample(x, y, rows)
            bar.advance(len(rows))
    return SampleNull.of(
        draws,
        bound=bound,
        reason=reason,
        is_paper_rule=is_paper_rule,
        exact_mean=exact_mean,
        exact_std=exact_std,
    )


def permutation_draws(
    n: int, settings: Permutation, strata: NDArray[np.int32] | None, key: tuple[int, int]
) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Chunks of the stream: the number of the first draw, and rows of permutation indices."""
    chunk = max(1, min(1024, _CHUNK // n))
    for first in range(0, settings.resamples, chunk):
        count = min(chunk, settings.resamples - first)
        if strata is not None:
            yield first, _native.permutations_within(key, first, count, strata)
        elif settings.block is not None:
            yield first, _native.permutations_of_blocks(key, first, count, n, settings.block)
        else:
            yield first, _native.permutations(key, first, count, n)
