"""Monte Carlo nulls for any measure: the settings, the draws, and when there are enough of them.

One loop serves all: rows of permutation indices come from a counter-based stream, and the measure turns
each row into a value, natively for built-in measures, by a call for the user's own. Nulls that depend on
ranks alone go through the store, so that they are shared by all pairs and never paid for twice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import codes_of, read_column
from bychance.kinds import Role
from bychance.measures.base import Measure, is_built_in
from bychance.measures.structures import SharedRanks
from bychance.nulls.base import tolerance
from bychance.nulls.sample import SampleNull
from bychance.nulls.sequential import CAP
from bychance.nulls.store import NullKey, default_store, memory_store
from bychance.pair import Pair
from bychance.progress import Progress
from bychance.seeding import stream_key
from bychance.validation import number_within

__all__ = [
    "Permutation",
    "PermutationStream",
    "Source",
    "draw_source",
    "sample_until_precise",
]

Source = Callable[[int], NDArray[np.float64]]
"""How many draws → the first so many of a null's stream."""

_CHUNK = 1 << 17  # indices in flight: half a megabyte
_FIRST_CHUNK, _CHUNK_S = 1, 0.05  # chunks grow while they are short, so that Ctrl-C is heard at once
_FIRST_SAMPLE, _LAST_SAMPLE = 99, 102_399  # sizes of a sample that follows precision: S + 1 doubles from 100


@dataclass(frozen=True, eq=False)
class Permutation:
    """Monte Carlo: the measure over random re-pairings of x and y.

    It assumes that rows are exchangeable under independence. Where they are not, restrict what is
    permuted: `groups` trades rows only within a stratum, `block` trades blocks of consecutive rows
    (time series whose memory is shorter than a block).

    Parameters
    ----------
    n_resamples : int, "adaptive" or "auto"
        How many re-pairings. 99, 999 or 9999 make levels such as 0.05 exact. "adaptive" draws until the
        p-value is known well enough, and at most `cap`: in a ranking, until it is decided whether the pair is
        a discovery. "auto" doubles them until the Monte Carlo error of all three adjustments is at most
        `rtol` times the noise of the estimate itself: its null standard deviation, or for a standardized
        score beyond 1, that score.
    groups : array-like, optional
        A stratum for each row.
    block : int, optional
        Length of the blocks of consecutive rows.
    rtol : float
        For "auto".
    alpha : float
        The level whose quantile "auto" makes precise.
    cap : int
        For "adaptive": the largest number of re-pairings.

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
            raise ValueError(f"`block` must be a positive integer, got {self.block!r}.")
        if self.groups is not None and self.block is not None:
            raise ValueError(
                "`groups` and `block` restrict permutations in different ways; give one of them."
            )
        number_within(self.rtol, "rtol", 1)
        number_within(self.alpha, "alpha", 1)

    @property
    def is_adaptive(self) -> bool:
        """Whether sampling stops once the p-value is known well enough."""
        return self.n_resamples == "adaptive"

    @property
    def follows_precision(self) -> bool:
        """Whether the number of re-pairings follows the precision of one pair."""
        return self.n_resamples == "auto"

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


@dataclass(frozen=True, eq=False)
class PermutationStream:
    """Numbered permutations of n rows, free or restricted: draw k is the same whatever was drawn before."""

    n: int
    key: tuple[int, int]
    strata: NDArray[np.int32] | None = None
    block: int | None = None

    def rows(self, first: int, count: int) -> NDArray[np.int32]:
        """Draws first, first + 1, … as rows of permutation indices."""
        if self.strata is not None:
            return _native.permutations_within(self.key, first, count, self.strata)
        if self.block is not None:
            return _native.permutations_of_blocks(self.key, first, count, self.n, self.block)
        return _native.permutations(self.key, first, count, self.n)


def draw_source(pair: Pair, settings: Permutation) -> Source:
    """Draws shared through the store where ranks are all that matters, else keyed by the two names."""
    shared = next((s for s in pair.structures if isinstance(s, SharedRanks)), None)
    if shared is not None and not settings.is_restricted:
        return _shared_source(pair.measure, pair.n, shared, root=pair.root, progress=pair.progress)
    stream = PermutationStream(
        pair.n,
        stream_key(pair.root, "pair", *sorted(pair.names)),
        strata=_strata(pair, settings),
        block=settings.block,
    )
    return _own_source(pair, stream)


def _strata(pair: Pair, settings: Permutation) -> NDArray[np.int32] | None:
    """What rows stay within: the groups asked for, crossed with the cells of a measure that has them."""
    groups, cells = settings.strata(pair.rows, len(pair.columns[0])), getattr(pair.measure, "strata", None)
    if groups is None or cells is None:
        return groups if cells is None else cells
    both = groups.astype(np.int64) * (int(cells.max()) + 1) + cells
    return np.unique(both, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _own_source(pair: Pair, stream: PermutationStream) -> Source:
    """Draws of this pair's own null, those already made kept for a larger request."""
    held = np.empty(0)

    def draws(size: int) -> NDArray[np.float64]:
        nonlocal held
        if len(held) < size:
            count = size - len(held)
            more = _compute(pair.measure, pair.x, pair.y, stream, len(held), count, pair.progress)
            held = np.concatenate([held, more])
        return held[:size]

    return draws


def _shared_source(measure: Measure[Any], n: int, ranks: SharedRanks, *, root: int, progress: bool) -> Source:
    """Draws of the null that all pairs with these tie groups share, from the store where it has them.

    They are made from the tie groups alone, rows in ascending order, so that they are the same whichever
    pair asks first. Only built-in measures are stored on disk.
    """
    store = default_store() if is_built_in(type(measure)) else memory_store(type(measure))
    settings = tuple((name, repr(value)) for name, value in measure.settings.items())
    key = NullKey(
        measure=measure.name,
        settings=settings,
        n=n,
        x_tie_groups=ranks.x_tie_groups,
        y_tie_groups=ranks.y_tie_groups,
        seed=root,
        kernel_version=ranks.kernel_version,
    )

    def extend(first: int, count: int) -> NDArray[np.float64]:
        x, y = (
            measure.prepare(np.repeat(np.arange(len(groups), dtype=np.float64), groups), role)
            for groups, role in ((ranks.x_tie_groups, Role.X), (ranks.y_tie_groups, Role.Y))
        )
        return _compute(measure, x, y, PermutationStream(n, key.stream), first, count, progress)

    return lambda size: store.draws(key, size, extend)


def sample_until_precise(
    source: Source, settings: Permutation, observed: float, bound: float, reason: str
) -> SampleNull:
    """A null of as many draws as the settings' precision needs, and at most 102,399."""
    size = _FIRST_SAMPLE
    while True:
        null = SampleNull.of(source(size), bound=bound, reason=reason)
        if null.std > 0 and _is_precise(null, settings, observed, bound):
            return null
        if null.is_degenerate and abs(observed - null.mean) <= tolerance(observed, 0.0):
            return null
        if size == _LAST_SAMPLE:
            return SampleNull.of(source(size), bound=bound, reason=f"{reason}; the precision was not reached")
        size = 2 * size + 1


def _is_precise(null: SampleNull, settings: Permutation, observed: float, bound: float) -> bool:
    if null.doubt_at(settings.alpha):
        return False
    z = (observed - null.mean) / null.std
    room = bound - null.mean
    share_error = abs(bound - observed) / room / math.sqrt(len(null.draws)) if room > 0 else 0.0
    quantile_error = null.quantile_se(1 - settings.alpha) / null.std
    standardized_error = null.standardized_se(observed) / max(1.0, abs(z))
    return max(share_error, quantile_error, standardized_error) <= settings.rtol


def _compute(
    measure: Measure[Any],
    x: Any,
    y: Any,
    stream: PermutationStream,
    first: int,
    count: int,
    progress: bool,
) -> NDArray[np.float64]:
    draws = np.empty(count)
    done, chunk = 0, min(_FIRST_CHUNK, max(1, _CHUNK // x.n))
    with Progress("permutations", total=count, enabled=progress) as bar:
        while done < count:
            size = min(chunk, count - done)
            started = time.perf_counter()
            rows = stream.rows(first + done, size)
            draws[done : done + size] = measure.resample(x, y, rows)
            if time.perf_counter() - started < _CHUNK_S:
                chunk = min(4 * chunk, max(1, _CHUNK // x.n))
            done += size
            bar.advance(size)
    return draws


def _is_count(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 1
