"""The tables of Kendall's fourth moment, derived: graphs of four edges and their sums over distinct rows."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import permutations
from math import factorial, prod


def tables():
    """Return vertices, count and expansion of each type of graph whose sum is not always 0."""
    rows = []
    for graph, count in graph_types().items():
        expansion = expand(graph)
        if expansion:
            rows.append((1 + max(map(max, graph)), count, dict(expansion)))
    return rows


def graph_types():
    """Count the set partitions of eight half-edges for each loopless multigraph of four edges."""
    types = Counter()
    for labels in set_partitions(8):
        edges = tuple((labels[2 * e], labels[2 * e + 1]) for e in range(4))
        if all(u != v for u, v in edges):
            types[whole_type(edges)] += 1
    return types


def whole_type(edges):
    """Return a representative of the graph up to names of vertices and directions of edges."""
    parts = sorted((canonical(part)[0] for part in components(edges)), key=lambda p: (len(p), p))
    relabeled = []
    shift = 0
    for part in parts:
        relabeled += [(u + shift, v + shift) for u, v in part]
        shift = 1 + max(max(edge) for edge in relabeled)
    return tuple(relabeled)


def expand(graph):
    """Expand the sum over distinct rows by Möbius inversion over partitions of the vertices."""
    expansion = Counter()
    for labels in set_partitions(1 + max(max(edge) for edge in graph)):
        quotient = tuple((labels[u], labels[v]) for u, v in graph)
        if any(u == v for u, v in quotient):
            continue  # the sign of a row against itself is 0
        parts, sign = [], 1
        for component in components(quotient):
            part, part_sign = canonical(component)
            parts.append(part)
            sign *= part_sign
        if sign:
            blocks = Counter(labels).values()
            expansion[tuple(sorted(parts))] += sign * prod((-1) ** (b - 1) * factorial(b - 1) for b in blocks)
    return Counter({parts: c for parts, c in expansion.items() if c})


def components(edges):
    """Return the connected components of a graph, as its edges."""
    remaining = list(edges)
    while remaining:
        component = [remaining.pop(0)]
        reached = set(component[0])
        while joined := [edge for edge in remaining if reached & set(edge)]:
            component += joined
            remaining = [edge for edge in remaining if not reached & set(edge)]
            reached.update(v for edge in joined for v in edge)
        yield renamed(component)


def renamed(edges):
    """Rename vertices to 0, 1, … in order of appearance."""
    names = {}
    return tuple((names.setdefault(u, len(names)), names.setdefault(v, len(names))) for u, v in edges)


@cache
def canonical(component):
    """Return the smallest of all renamings, edges pointing up, with the sign of the turned edges.

    The sign is 0 if a renaming turns an odd number of edges of the same graph: its sum vanishes.
    """
    n_vertices = 1 + max(max(edge) for edge in component)
    signs = {}
    for names in permutations(range(n_vertices)):
        edges = [(names[u], names[v]) for u, v in component]
        n_turned = sum(u > v for u, v in edges)
        graph = tuple(sorted((min(edge), max(edge)) for edge in edges))
        signs.setdefault(graph, set()).add((-1) ** n_turned)
    smallest = min(signs)
    return smallest, 0 if len(signs[smallest]) == 2 else signs[smallest].pop()


def set_partitions(size):
    """Yield all set partitions as restricted growth strings: element i is in block labels[i]."""
    labels = [0] * size

    def place(i, n_blocks):
        if i == size:
            yield tuple(labels)
            return
        for block in range(n_blocks + 1):
            labels[i] = block
            yield from place(i + 1, max(n_blocks, block + 1))

    yield from place(0, 0)
