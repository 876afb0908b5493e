"""A sample that threads draw together: each takes the next block, and none waits while one is left."""

from __future__ import annotations

from threading import Condition

import numpy as np
from numpy.typing import NDArray

__all__ = ["JointSample"]

_FIRST_BLOCK = 16
_BLOCK_S = 0.01  # so short that no thread waits long for the last one, and long beside the way to the kernel


class JointSample:
    """The first `size` draws of a null in the making, of which some are held.

    Blocks grow to about ten milliseconds, or have the size that is asked for. They may end in any order;
    `n_whole` says how many draws from the first on are there.

    Examples
    --------
    >>> sample = JointSample(np.array([0.5]), 4, block=2)
    >>> sample.take(), sample.take(), sample.take()
    ((1, 2), (3, 1), None)
    >>> sample.put(3, np.array([0.8]), seconds=0.1)
    >>> sample.n_whole
    1
    >>> sample.put(1, np.array([0.6, 0.7]), seconds=0.1)
    >>> sample.whole
    array([0.5, 0.6, 0.7, 0.8])
    """

    def __init__(self, held: NDArray[np.float64], size: int, *, block: int | None = None) -> None:
        self._draws = np.empty(max(size, len(held)))
        self._draws[: len(held)] = held
        self.size, self.n_whole, self.seconds = len(self._draws), len(held), 0.0
        self._block, self._count = block, block or _FIRST_BLOCK
        self._next, self._returned = len(held), list[tuple[int, int]]()
        self._done: dict[int, int] = {}
        self._changed = Condition()

    @property
    def whole(self) -> NDArray[np.float64]:
        """The draws that are there, from the first on."""
        return self._draws[: self.n_whole]

    def take(self) -> tuple[int, int] | None:
        """The first draw of a block that nobody works on, and how many it has; None where all are taken."""
        with self._changed:
            if self._returned:
                return self._returned.pop()
            if self._next == self.size:
                return None
            first, count = self._next, min(self._count, self.size - self._next)
            self._next += count
            return first, count

    def put(self, first: int, draws: NDArray[np.float64], *, seconds: float) -> None:
        """The draws of a block that was taken, and how long they took."""
        self._draws[first : first + len(draws)] = draws
        with self._changed:
            self.seconds += seconds
            self._done[first] = len(draws)
            while self.n_whole in self._done:
                self.n_whole += self._done.pop(self.n_whole)
            if self._block is None:
                self._count = _next_count(len(draws), seconds)
            self._changed.notify_all()

    def give_back(self, first: int, count: int) -> None:
        """Leave a block that was taken to others."""
        with self._changed:
            self._returned.append((first, count))
            self._changed.notify_all()

    def wait(self, size: int) -> None:
        """Until there are so many draws, or a block can be taken."""
        with self._changed:
            self._changed.wait_for(lambda: self.n_whole >= min(size, self.size) or bool(self._returned))


def _next_count(count: int, seconds: float) -> int:
    """Draws of the next block: up to four times as many, but no more than take about ten milliseconds."""
    return 4 * count if 4 * seconds <= _BLOCK_S else max(1, int(count * _BLOCK_S / seconds))
