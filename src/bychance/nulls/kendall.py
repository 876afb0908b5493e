"""Permutation distribution of Kendall's S: exact with ties in one variable, moments with ties in both.

S = ½ Σ_{k≠l} A_kl·B_kl with A, B the signs of differences. E[S⁴] expands over the ways in which the eight
indices of four factors can coincide: loopless multigraphs of four edges, of which 14 have sums other than
0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from math import perm, prod

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray
from bychance.errors import CostError
from bychance.messages import Option
from bychance.nulls.base import DiscreteNull, Moments

__all__ = ["MAX_KENDALL_N", "Ties", "has_exact_distribution", "kendall_null", "squared_s_moments"]

Ties = tuple[int, ...]

MAX_KENDALL_N = 400  # rows of the exact distribution of S, which takes seconds (time; taste)
_MAX_GROUPS = 300  # tie groups per column for the exact fourth moment, which takes 10 ms (time; taste)

# Connected multigraphs by their edges. tests/oracle/kendall_graphs.py derives these tables.
PARTS = {
    "a": "01 01 01 01",
    "b": "01 01 01 02",
    "c": "01 01 02 02",
    "d": "01 01 02 03",
    "e": "01 01 02 12",
    "f": "01 01 02 13",
    "g": "01 01 02 23",
    "h": "01 01",
    "i": "01 02",
    "j": "01 02 03 04",
    "k": "01 02 03 14",
    "l": "01 02 13 23",
    "m": "01 02 13 24",
}
_INDICES = str.maketrans("01234", "abcde")  # from vertices to the letters that einsum takes
# Of each type of graph: its vertices, how many set partitions of eight half-edges give it, and its sum over
# distinct rows by those over any rows of the parts of its quotients (Möbius inversion).
TYPES: list[tuple[int, int, dict[str, int]]] = [
    (2, 8, {"a": 1}),
    (3, 64, {"a": -1, "b": 1}),
    (3, 48, {"a": -1, "c": 1}),
    (4, 96, {"a": 2, "b": -2, "c": -1, "d": 1}),
    (3, 96, {"e": 1}),
    (4, 96, {"a": -1, "b": 2, "e": -1, "f": 1}),
    (4, 192, {"a": -1, "b": 1, "c": 1, "e": 1, "g": 1}),
    (4, 12, {"a": 2, "c": -4, "hh": 1}),
    (5, 48, {"a": -4, "b": 4, "c": 6, "d": -2, "e": 2, "g": 4, "hh": -1, "hi": 1}),
    (5, 16, {"a": -6, "b": 8, "c": 3, "d": -6, "j": 1}),
    (5, 192, {"a": 2, "b": -4, "f": -2, "c": -1, "g": -1, "d": 1, "k": 1}),
    (4, 48, {"a": 1, "c": -2, "l": 1}),
    (5, 192, {"a": -2, "b": 2, "c": 3, "d": -1, "e": 1, "g": 2, "l": -1, "m": 1}),
    (6, 48, {"a": 10, "b": -16, "c": -13, "d": 10, "e": -4, "g": -12, "hh": 1, "hi": -2, "j": -1, "f": -4}
        | {"k": 4, "l": 2, "m": -4, "ii": 1}),
]  # fmt: skip


def has_exact_distribution(n: int, x_ties: Ties, y_ties: Ties) -> bool:
    """Return True if at most one variable has ties, so that the exact distribution of S is known."""
    return len(x_ties) == n or len(y_ties) == n


@lru_cache(maxsize=256)
def _s_distribution(n: int, x_ties: Ties, y_ties: Ties) -> FloatArray:
    """Return the probabilities of Kendall's S, from its largest value downwards in steps of 2."""
    ties = x_ties if len(y_ties) == n else y_ties
    return _native.kendall_distribution(np.array(sorted(ties), dtype=np.int64))


def kendall_null(strata: Sequence[tuple[int, Ties, Ties]], scale: float, *, reason: str) -> DiscreteNull:
    """Return the exact null of scale · (Σ S)², the sum of Kendall's S over strata, squared.

    In each stratum at most one variable may have ties.
    """
    if (n := max(n for n, _, _ in strata)) > MAX_KENDALL_N:
        raise CostError(
            f"the exact distribution of kendall takes at most {MAX_KENDALL_N} rows, got {n}; "
            + Option("null", "moments")
            + " is quick; its mean and variance are exact."
        )
    probabilities = reduce(np.convolve, (_s_distribution(*ties) for ties in strata))
    # S and −S give one value of τ², so the distribution folds at 0.
    s = np.arange(len(probabilities) - 1.0, -1.0, -2.0)
    folded = probabilities[: len(s)].copy()
    folded[: len(probabilities) // 2] += probabilities[::-1][: len(probabilities) // 2]
    return DiscreteNull.of(s**2 * scale, folded, engine="exact Kendall", reason=reason)


def squared_s_moments(n: int, x_ties: Ties, y_ties: Ties) -> Moments:
    """Compute mean and variance of the square of Kendall's S over all permutations."""
    second = _second_moment(n, x_ties, y_ties)
    if has_exact_distribution(n, x_ties, y_ties):
        fourth = 3 * second**2 + _fourth_cumulant(n, x_ties if len(y_ties) == n else y_ties)
    elif max(len(x_ties), len(y_ties)) <= _MAX_GROUPS:
        fourth = _fourth_moment(n, x_ties, y_ties)
    else:
        # With this many distinct values ties in both variables act on the cumulant nearly as if one after
        # the other: the variance of S² is off by less than 0.1%, and by 10⁻⁸ where no value is common.
        fourth = 3 * second**2 + _fourth_cumulant(n, (*x_ties, *y_ties))
    variance = fourth - second**2
    # S² varies by much of its mean unless every permutation gives one value.
    return Moments(second, variance if variance > 1e-9 * second**2 else 0.0)


def _second_moment(n: int, x_ties: Ties, y_ties: Ties) -> float:
    """Compute the variance of S by Kendall's formula with both tie corrections."""
    t, u = np.array(x_ties, dtype=np.float64), np.array(y_ties, dtype=np.float64)
    main = n * (n - 1) * (2 * n + 5) - sum(float(np.sum(v * (v - 1) * (2 * v + 5))) for v in (t, u))
    twos = prod(float(np.sum(v * (v - 1))) for v in (t, u))
    threes = prod(float(np.sum(v * (v - 1) * (v - 2))) for v in (t, u))
    return main / 18 + twos / (2 * n * (n - 1)) + threes / (9 * n * (n - 1) * (n - 2))


def _fourth_cumulant(n: int, ties: Ties) -> float:
    """Compute the fourth cumulant of S with ties in one variable.

    S is a sum of uniform steps of sizes 1..n, less those within tie groups.
    """
    return -2 / 15 * (_power_sum(n) - sum(_power_sum(t) for t in ties if t > 1))


def _power_sum(m: int) -> float:
    """Compute Σ_{k≤m} (k⁴ − 1), in closed form."""
    return m * (m + 1) * (2 * m + 1) * (3 * m**2 + 3 * m - 1) / 30 - m


def _fourth_moment(n: int, x_ties: Ties, y_ties: Ties) -> float:
    """Compute E[S⁴] with ties in both variables.

    It is (1/16) Σ over graph types of count · (sum over A) · (sum over B) / (n)_m.
    """
    total = 0.0
    for (n_vertices, count, _), a, b in zip(
        TYPES, _distinct_sums(x_ties), _distinct_sums(y_ties), strict=True
    ):
        if n_vertices <= n:
            total += count * a * b / perm(n, n_vertices)
    return total / 16


@lru_cache(maxsize=1024)
def _distinct_sums(ties: Ties) -> list[float]:
    """Compute the sum over distinct rows of each product of four signs in E[S⁴], one per type in TYPES."""
    sizes = np.array(ties, dtype=np.float64)
    ranks = np.arange(len(ties))
    signs = np.sign(ranks[:, np.newaxis] - ranks).astype(np.float64)
    free = {name: _free_sum(part, signs, sizes) for name, part in PARTS.items()}
    return [sum(c * prod(free[part] for part in parts) for parts, c in sums.items()) for _, _, sums in TYPES]


def _free_sum(part: str, signs: FloatArray, sizes: FloatArray) -> float:
    """Compute the sum over all rows of one product of signs in E[S⁴], given as the edges of a graph.

    Vertices are rows. An edge has the sign of the difference between its rows. The graph is connected.
    Several vertices may have the same row.
    """
    edges, vertices = part.split(), sorted(set(part) - {" "})
    indices = ",".join([*edges, *vertices]).translate(_INDICES)
    operands = [signs] * len(edges) + [sizes] * len(vertices)
    return float(np.einsum(f"{indices}->", *operands, optimize="greedy"))
