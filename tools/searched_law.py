"""Fits the law of a searched gain: the constants of src/native/forest/null.cpp, from permutations.

The best of the cuts between d ordered values has T = (n − 1)·gain/impurity, whose cube root is nearly normal
under independence. `python -m tools.searched_law` simulates T over a grid of nodes, draws a line through the
upper quantiles of its cube root, where splits are chosen, fits the forms below to these lines, and prints the
constants beside those in use.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import norm

__all__ = [
    "CONSTANTS",
    "FORMS",
    "Node",
    "NumberNode",
    "Simulated",
    "fit",
    "law",
    "simulate",
    "simulate_numbers",
]

Constants = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True)
class Node:
    """A node by its class totals, and how many ordered values a column has there."""

    totals: tuple[int, ...]
    d: int

    @property
    def n(self) -> int:
        """How many rows it has."""
        return sum(self.totals)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The shares of its classes."""
        return np.array(self.totals) / self.n

    @property
    def impurity(self) -> float:
        """Of Gini."""
        return float(1 - np.sum(self.shares**2))

    @property
    def rate(self) -> float:
        """Of the tail of T: 1 for two classes, c − 1 for c equal ones."""
        s2, s3 = np.sum(self.shares**2), np.sum(self.shares**3)
        return float(self.impurity**2 / (s2 - 2 * s3 + s2**2))

    @property
    def p(self) -> float:
        """The smaller of two classes with the kurtosis of these."""
        s2, s3 = np.sum(self.shares**2), np.sum(self.shares**3)
        kurtosis = ((1 + s2) ** 2 - 4 * (1 + s2) * s2 + 4 * s3) / self.impurity**2
        return float(1 - sqrt(max(0.0, 1 - 4 / (3 + kurtosis)))) / 2


@dataclass(frozen=True)
class NumberNode:
    """A node of a regression tree: its rows, the ordered values of a column, and its numbers' kurtosis."""

    n: int
    d: int
    kurtosis: float

    @property
    def p(self) -> float:
        """The smaller of two classes with this kurtosis."""
        return (1 - sqrt(max(0.0, 1 - 4 / (3 + self.kurtosis)))) / 2


@dataclass(frozen=True)
class Simulated:
    """What permutations say: the line through the normal quantiles and those of the cube root of T."""

    node: Node | NumberNode
    center: float
    scale: float


def simulate(node: Node, n_permutations: int, rng: np.random.Generator) -> Simulated:
    """T of the best cut, for values as evenly spread over the rows as can be."""
    n = node.n
    ends = np.flatnonzero(np.diff(np.sort(np.arange(n) % node.d))) + 1
    labels = np.repeat(np.arange(len(node.totals)), node.totals)
    classes = rng.permuted(np.tile(labels, (n_permutations, 1)), axis=1)
    children = np.zeros((n_permutations, len(ends)))
    for j, total in enumerate(node.totals):
        left = np.cumsum(classes == j, axis=1)[:, ends - 1]
        children += left**2 / ends + (total - left) ** 2 / (n - ends)
    return _line(node, (n - 1) * (children.max(axis=1) / n - 1 + node.impurity) / node.impurity)


def simulate_numbers(
    y: NDArray[np.float64], d: int, n_permutations: int, rng: np.random.Generator
) -> Simulated:
    """The same where these numbers are predicted."""
    n, z = len(y), (y - y.mean()) / y.std()
    ends = np.flatnonzero(np.diff(np.sort(np.arange(n) % d))) + 1
    left = np.cumsum(rng.permuted(np.tile(z, (n_permutations, 1)), axis=1), axis=1)[:, ends - 1]
    t = (n - 1) * (left**2 / (ends * (n - ends))).max(axis=1)
    return _line(NumberNode(n, d, float(np.mean(z**4))), t)


def _line(node: Node | NumberNode, t: NDArray[np.float64]) -> Simulated:
    scale, center = np.polyfit(norm.ppf(_QUANTILES), np.cbrt(np.quantile(t, _QUANTILES)), 1)
    return Simulated(node, center, scale)


def _center(c: Constants, node: Node) -> float:
    n, _, big_l, e, big_d = _parts(node)
    grown = (c[0] + c[1] * log(1 + c[2] * big_l)) * (1 + c[3] / n)
    return grown + c[4] * log(1 + (c[5] / e) ** 2) * sqrt(big_d) - c[6] * big_l * exp(-c[7] * e)


def _scale(c: Constants, node: Node) -> float:
    n, p, big_l, e, big_d = _parts(node)
    shrunk = (c[0] + c[1] * exp(-c[2] * big_l)) * (1 - c[3] / n)
    return max(0.05, shrunk + c[4] * big_d * log(1 + c[5] / e) * (1 - exp(-c[6] * n * p)))


def _center_of_more(c: Constants, node: Node) -> float:
    """With more than two classes; one cut has Wilson and Hilferty's law of mean 1 and variance 2/rate."""
    n, _, big_l, _, big_d = _parts(node)
    grown = c[0] * node.rate ** -c[1] * log(1 + c[2] * big_l) * (1 - c[3] / n)
    return float(1 - 2 / (9 * node.rate) + grown - c[4] * big_d * big_l)


def _scale_of_more(c: Constants, node: Node) -> float:
    n, _, big_l, _, big_d = _parts(node)
    shrunk = (c[0] + (1 - c[0]) * exp(-c[1] * big_l)) * (1 - c[2] / n)
    return max(0.03, sqrt(2 / (9 * node.rate)) * shrunk + c[3] * big_d * big_l)


def _center_of_numbers(c: Constants, node: NumberNode) -> float:
    n, _, big_l, _, big_d = _parts(node)
    grown = (c[0] + c[1] * log(1 + c[2] * big_l)) * (1 + c[3] / n)
    return float(grown - (c[4] + c[5] * big_d**3) * big_l * (node.d / n) ** c[6])


def _scale_of_numbers(c: Constants, node: NumberNode) -> float:
    n, _, big_l, _, big_d = _parts(node)
    shrunk = (c[0] + c[1] * exp(-c[2] * big_l)) * (1 - c[3] / n)
    return max(0.05, float(shrunk + (c[5] * big_d**3 - c[4]) * big_l * (node.d / n) ** c[6]))


def _parts(node: Node | NumberNode) -> tuple[int, float, float, float, float]:
    p = node.p
    return node.n, p, log(node.d / 2), node.n * p / node.d, 1 - 2 * p


FORMS: dict[str, Callable[[Constants, Any], float]] = {
    "center": _center,
    "scale": _scale,
    "center_of_more": _center_of_more,
    "scale_of_more": _scale_of_more,
    "center_of_numbers": _center_of_numbers,
    "scale_of_numbers": _scale_of_numbers,
}

CONSTANTS: dict[str, tuple[float, ...]] = {
    "center": (0.8777, 0.4832, 0.9057, 0.5702, 0.1571, 0.0744, 0.0377, 2.2043),
    "scale": (0.2223, 0.2074, 0.2778, 3.3258, 0.2496, 0.1452, 15.93),
    "center_of_more": (0.3185, 0.5377, 3.0767, 1.0398, 0.0274),
    "scale_of_more": (0.7262, 1.4506, 3.3192, 0.0089),
    "center_of_numbers": (0.7964, 0.3642, 2.0575, 0.6931, 0.0059, 0.0179, 0.0753),
    "scale_of_numbers": (0.348, 0.1468, 1.6025, 2.8394, 0.0205, 0.09, 0.2961),
}


def law(node: Node | NumberNode) -> tuple[float, float]:
    """Center and scale of the cube root of T by the constants in use: what the kernel computes."""
    kind = "_of_numbers" if isinstance(node, NumberNode) else "_of_more" if len(node.totals) > 2 else ""
    center, scale = (FORMS[name + kind](CONSTANTS[name + kind], node) for name in ("center", "scale"))
    return center, scale


def fit(name: str, simulated: Iterable[Simulated], free: Sequence[int] | None = None) -> NDArray[np.float64]:
    """The constants of a form that come nearest; only those at `free` are moved."""
    cells = list(simulated)
    moved = list(range(len(CONSTANTS[name])) if free is None else free)
    found = np.array([getattr(cell, name.split("_")[0]) for cell in cells])
    unit = np.array([max(cell.scale, _LEAST_SCALE) for cell in cells])

    def errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
        constants = np.array(CONSTANTS[name])
        constants[moved] = values
        return np.asarray((np.array([FORMS[name](constants, cell.node) for cell in cells]) - found) / unit)

    constants = np.array(CONSTANTS[name])
    start = constants[moved]
    # Numbers that happen to lie unevenly in a node of a dozen rows are off whatever the form.
    loss: Literal["soft_l1", "linear"] = "soft_l1" if name.endswith("numbers") else "linear"
    constants[moved] = least_squares(
        errors, start, bounds=(0, np.inf), x_scale=start, loss=loss, f_scale=0.15
    ).x
    return constants


_LEAST_SCALE = 0.05  # a rare class has T of few values
_QUANTILES = (0.7, 0.8, 0.9, 0.95, 0.98)


def _nodes(n_classes: int) -> list[Node]:
    """The grid: 20 to 2000 rows, few values to as many as rows, equal classes to one of 5%."""
    nodes = []
    for n, least in product((20, 50, 100, 200, 500, 2000), (1 / n_classes, 0.4 / n_classes, 0.05)):
        small = max(1, round(least * n))
        rest = np.full(n_classes - 1, (n - small) // (n_classes - 1))
        rest[: n - small - rest.sum()] += 1
        totals = (small, *map(int, rest))
        nodes += [Node(totals, d) for d in (3, 5, 10, 30, 100, 500, 2000) if d <= n]
    return nodes


def _numbers(rng: np.random.Generator) -> Iterator[tuple[NDArray[np.float64], int]]:
    """Targets of eight kinds, two of them with two values only, each beside columns of several widths."""
    for n in (12, 16, 24, 38, 70, 130, 250, 600, 1500):
        kinds = (
            rng.standard_normal,
            rng.random,
            rng.exponential,
            lambda size: rng.standard_t(4, size),
            lambda size: np.exp(0.9 * rng.standard_normal(size)),
            lambda size: rng.poisson(2, size) * 1.0,
            lambda size: np.arange(size) % 2 * 1.0,
            lambda size: (np.arange(size) < max(1, size // 10)) * 1.0,
        )
        for kind, d, _ in product(
            kinds, sorted({3, 5, 10, 30, 100, int(0.6 * n), n}), range(3 if n < 100 else 1)
        ):
            if d <= n:
                yield kind(size=n), d


def _is_usual(y: NDArray[np.float64]) -> bool:
    """Whether no number or two stand for all of the variance."""
    return bool(np.std(y) > 0 and np.mean((y - y.mean()) ** 4) / np.var(y) ** 2 < len(y) / 3)


def main() -> None:
    """Simulate, fit, and print the constants beside those in use."""
    parser = argparse.ArgumentParser(prog="python -m tools.searched_law", description=__doc__)
    parser.add_argument("--permutations", type=int, default=2000, help="of each node")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    of_two = [simulate(node, arguments.permutations, rng) for node in _nodes(2)]
    of_more = [simulate(node, arguments.permutations, rng) for c in (3, 10) for node in _nodes(c)]
    of_numbers = [
        simulate_numbers(y, d, 2 * arguments.permutations, rng) for y, d in _numbers(rng) if _is_usual(y)
    ]
    for name, constants in CONSTANTS.items():
        kind = of_more if name.endswith("more") else of_numbers if name.endswith("numbers") else of_two
        fitted = fit(name, kind)
        print(name, "in use", constants)
        print(" " * len(name), "fitted", tuple(round(float(value), 4) for value in fitted))
    errors = np.array(
        [
            (law(cell.node)[0] - cell.center) / max(cell.scale, _LEAST_SCALE)
            for cell in of_two + of_more + of_numbers
        ]
    )
    print(f"centers in use: off by {np.sqrt(np.mean(errors**2)):.3f} standard deviations (root mean square)")


if __name__ == "__main__":
    main()
