"""Whether the pairs of a plan fit in memory: an error with the numbers before the work, and not after it."""

from __future__ import annotations

import os
from pathlib import Path

from bychance.errors import BychanceError
from bychance.messages import OPEN, Option
from bychance.ranking.planning.plan import Plan

__all__ = ["check_memory", "check_sums", "memory_of_process"]

_BEST = 8  # a p-value: q-values count all pairs, whichever are kept
_ON_DISK = 16  # scores and ties in order, for the places of all
_ROW, _LEVEL, _COPIES = 140, 8, 3  # whole rows are gathered, joined and put in order
_SUMS = 2 * 64  # of two columns: counts, six powers and a product, while they are merged
_MOST_PAIRS = (1 << 32) - 1  # places are numbers of 32 bits
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_GIB = 1 << 30


def check_memory(plan: Plan, *, keeps_all: bool, to_file: bool = False) -> None:
    """An error where the pairs of the plan need more memory than this process can have.

    `keeps_all` tells that whole rows are kept in memory, and not only the best of them; `to_file` that they
    are kept on disk.
    """
    n_pairs = len(plan.pairs)
    way_out = "name a target, or x and y, to rank fewer"
    if n_pairs > _MOST_PAIRS:
        raise BychanceError(f"A ranking has at most {_MOST_PAIRS:,} pairs, got {n_pairs:,}: {way_out}.")
    n_bytes = _ON_DISK if to_file else _BEST
    if keeps_all:
        n_bytes = _COPIES * (_ROW + _LEVEL * len(plan.job.sweep))
    needed, there_is = n_pairs * n_bytes, memory_of_process()
    if there_is is not None and needed > there_is:
        rule = (
            f"{n_pairs:,} pairs take about {_in_gib(needed)} of memory ({n_bytes} bytes per pair), "
            f"and there is {_in_gib(there_is)}: {way_out}"
        )
        raise BychanceError(
            rule + ("; with " + Option("top", OPEN) + f" it is {_BEST}." if keeps_all else ".")
        )


def check_sums(n_columns: int) -> None:
    """An error where the sums of so many columns, each with other gaps, need more than there is."""
    needed, there_is = n_columns**2 * _SUMS, memory_of_process()
    if there_is is not None and needed > there_is:
        raise BychanceError(
            f"The sums of {n_columns:,} columns take up to {_in_gib(needed)} of memory, and there is "
            f"{_in_gib(there_is)}: " + Option("drop", OPEN) + " leaves columns out."
        )


def memory_of_process() -> int | None:
    """The bytes that this process can have; None where the system does not tell."""
    known = [limit for limit in (_physical(), _of_container(), _of_process()) if limit is not None]
    return min(known, default=None)


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _of_container() -> int | None:
    try:
        return int(_CGROUP.read_text())
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def _in_gib(n_bytes: int) -> str:
    return f"{n_bytes / _GIB:,.3g} GiB"
