"""Kendall's S under permutation: its exact law with ties in one variable, its moments with ties in both.

S = ½ Σ_{k≠l} A_kl·B_kl with A, B the signs of differences. E[S⁴] expands over the ways in which the eight
indices of four factors can coincide: loopless multigraphs of four edges, of which there are 23.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import factorial, perm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.nulls.base import Moments

__all__ = ["has_exact_law", "s_law", "squared_s_moments"]

Ties = tuple[int, ...]
Edge = tuple[int, int]
Graph = tuple[Edge, ...]

# The fourth moment multiplies matrices with this many tie groups a side: about 10 ms.
_MAX_GROUPS = 300


def has_exact_law(n: int, x_ties: Ties, y_ties: Ties) -> bool:
    """Whether at most one variable has ties, so that the law of S is known whole."""
    return len(x_ties) == n or len(y_ties) == n


@lru_cache(maxsize=256)
def s_law(n: int, x_ties: Ties, y_ties: Ties) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of S and their probabilities where at most one variable has ties."""
    ties = x_ties if len(y_ties) == n else y_ties
    probabilities = _native.kendall_law(np.array(sorted(ties), dtype=np.int64))
    n_pairs = len(probabilities) - 1
    return np.arange(n_pairs, -n_pairs - 1, -2, dtype=np.float64), probabilities


def squared_s_moments(n: int, x_ties: Ties, y_ties: Ties) -> Moments:
    """Mean and variance of S² over all permutations."""
    second = _second_moment(n, x_ties, y_ties)
    if has_exact_law(n, x_ties, y_ties):
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
    """Var S, Kendall's formula with both tie corrections."""
    t, u = np.array(x_ties, dtype=np.float64), np.array(y_ties, dtype=np.float64)
    main = n * (n - 1) * (2 * n + 5) - sum(float(np.sum(v * (v - 1) * (2 * v + 5))) for v in (t, u))
    twos = prod(float(np.sum(v * (v - 1))) for v in (t, u))
    threes = prod(float(np.sum(v * (v - 1) * (v - 2))) for v in (t, u))
    return main / 18 + twos / (2 * n * (n - 1)) + threes / (9 * n * (n - 1) * (n - 2))


def _fourth_cumulant(n: int, ties: Ties) -> float:
    """κ₄(S), ties in one variable: uniform steps of sizes 1..n less those within each group."""
    return -2 / 15 * (_power_sum(n) - sum(_power_sum(t) for t in ties))


def _power_sum(m: int) -> float:
    """Σ_{k≤m} (k⁴ − 1)."""
    return m * (m + 1) * (2 * m + 1) * (3 * m**2 + 3 * m - 1) / 30 - m


def _fourth_moment(n: int, x_ties: Ties, y_ties: Ties) -> float:
    """E[S⁴] = (1/16) Σ over graph types of count · (sum over A) · (sum over B) / (n)_m."""
    first, second = _distinct_sums(x_ties), _distinct_sums(y_ties)
    total = 0.0
    for graph_type, count in _graph_types().items():
        n_vertices = 1 + max(max(edge) for edge in graph_type)
        if n_vertices <= n:
            total += count * first[graph_type] * second[graph_type] / perm(n, n_vertices)
    return total / 16


@lru_cache(maxsize=1024)
def _distinct_sums(ties: Ties) -> dict[Graph, float]:
    """For each graph type, Σ over distinct rows of the product of signs along its edges."""
    sizes = np.array(ties, dtype=np.float64)
    ranks = np.arange(len(ties))
    signs = np.sign(ranks[:, np.newaxis] - ranks).astype(np.float64)
    free = {part: _free_sum(part, signs, sizes) for part in _connected_parts()}
    return {
        graph_type: sum(c * prod(free[part] for part in parts) for parts, c in expansion.items())
        for graph_type, expansion in _expansions().items()
    }


def _free_sum(part: Graph, signs: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """Σ over all assignments of rows to the vertices of a connected graph of the product of its signs."""
    weighted = signs * sizes  # each vertex brings its sizes with one of its edges, the first as a vector
    names = "abcdefgh"
    terms, operands, is_weighted = ["a"], [sizes], {0}
    remaining = list(part)
    while remaining:
        u, v = next(edge for edge in remaining if is_weighted & set(edge))
        remaining.remove((u, v))
        if {u, v} <= is_weighted:
            operands.append(signs)
        elif v not in is_weighted:
            operands.append(weighted)
        else:
            operands.append(sizes[:, np.newaxis] * signs)
        terms.append(names[u] + names[v])
        is_weighted |= {u, v}
    return float(np.einsum(",".join(terms) + "->", *operands, optimize=_path(tuple(terms))))


@lru_cache(maxsize=64)
def _path(terms: tuple[str, ...]) -> list[Any]:
    """The order of contraction, which does not depend on how many groups there are."""
    shapes = [np.empty((8,) * len(term)) for term in terms]
    path: list[Any] = np.einsum_path(",".join(terms) + "->", *shapes, optimize="optimal")[0]
    return path


@lru_cache(maxsize=1)
def _graph_types() -> Counter[Graph]:
    """The loopless multigraphs of four edges, and how many set partitions of eight half-edges give each."""
    types: Counter[Graph] = Counter()
    for labels in _set_partitions(8):
        edges = tuple((labels[2 * e], labels[2 * e + 1]) for e in range(4))
        if all(u != v for u, v in edges):
            types[_whole_type(edges)] += 1
    return types


def _whole_type(edges: Graph) -> Graph:
    """A representative of the graph up to names of vertices and directions of edges."""
    parts = sorted((_canonical(part)[0] for part in _components(edges)), key=lambda p: (len(p), p))
    relabeled: list[Edge] = []
    shift = 0
    for part in parts:
        relabeled += [(u + shift, v + shift) for u, v in part]
        shift = 1 + max(max(edge) for edge in relabeled)
    return tuple(relabeled)


@lru_cache(maxsize=1)
def _expansions() -> dict[Graph, Counter[tuple[Graph, ...]]]:
    """Distinct sums as combinations of free ones, by Möbius inversion over the partitions of vertices."""
    return {graph_type: _expand(graph_type) for graph_type in _graph_types()}


def _expand(graph: Graph) -> Counter[tuple[Graph, ...]]:
    expansion: Counter[tuple[Graph, ...]] = Counter()
    for labels in _set_partitions(1 + max(max(edge) for edge in graph)):
        quotient = tuple((labels[u], labels[v]) for u, v in graph)
        if any(u == v for u, v in quotient):
            continue  # the sign of a row against itself is 0
        parts, sign = [], 1
        for component in _components(quotient):
            part, part_sign = _canonical(component)
            parts.append(part)
            sign *= part_sign
        if sign:
            blocks = Counter(labels).values()
            expansion[tuple(sorted(parts))] += sign * prod((-1) ** (b - 1) * factorial(b - 1) for b in blocks)
    return Counter({parts: c for parts, c in expansion.items() if c})


@lru_cache(maxsize=1)
def _connected_parts() -> frozenset[Graph]:
    return frozenset(part for expansion in _expansions().values() for parts in expansion for part in parts)


def _components(edges: Graph) -> Iterator[Graph]:
    """The connected components of a graph, as its edges."""
    remaining = list(edges)
    while remaining:
        component = [remaining.pop(0)]
        reached = set(component[0])
        while joined := [edge for edge in remaining if reached & set(edge)]:
            component += joined
            remaining = [edge for edge in remaining if not reached & set(edge)]
            reached.update(v for edge in joined for v in edge)
        yield _renamed(component)


def _renamed(edges: Sequence[Edge]) -> Graph:
    """Vertices named 0, 1, … in order of appearance."""
    names: dict[int, int] = {}
    return tuple((names.setdefault(u, len(names)), names.setdefault(v, len(names))) for u, v in edges)


@lru_cache(maxsize=4096)
def _canonical(component: Graph) -> tuple[Graph, int]:
    """The smallest of all renamings, edges pointing up, with the sign of the turned edges.

    The sign is 0 where a renaming turns an odd number of edges of the same graph: its sum vanishes.
    """
    n_vertices = 1 + max(max(edge) for edge in component)
    signs: dict[Graph, set[int]] = {}
    for names in permutations(range(n_vertices)):
        edges = [(names[u], names[v]) for u, v in component]
        n_turned = sum(u > v for u, v in edges)
        graph = tuple(sorted((min(edge), max(edge)) for edge in edges))
        signs.setdefault(graph, set()).add((-1) ** n_turned)
    smallest = min(signs)
    return smallest, 0 if len(signs[smallest]) == 2 else signs[smallest].pop()


def _set_partitions(size: int) -> Iterator[tuple[int, ...]]:
    """All set partitions as restricted growth strings: element i is in block labels[i]."""
    labels = [0] * size

    def place(i: int, n_blocks: int) -> Iterator[tuple[int, ...]]:
        if i == size:
            yield tuple(labels)
            return
        for block in range(n_blocks + 1):
            labels[i] = block
            yield from place(i + 1, max(n_blocks, block + 1))

    yield from place(0, 0)
