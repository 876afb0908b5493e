"""Fits the law of a searched gain: the constants of src/native/forest/null.cpp, from permutations.

The best of the cuts between d ordered values has T = (n − 1)·gain/impurity, whose cube root is nearly normal
under independence. `python -m tools.searched_law` simulates T over a grid of nodes, fits the forms below to
the mean and the standard deviation of its cube root, and prints the constants beside those in use.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

__all__ = ["CONSTANTS", "FORMS", "Node", "Simulated", "fit", "law", "simulate"]

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
class Simulated:
    """What permutations say: mean and deviation of the cube root of T, mean and variance of T."""

    node: Node
    center: float
    scale: float
    mean: float
    variance: float


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
    t = (n - 1) * (children.max(axis=1) / n - 1 + node.impurity) / node.impurity
    root = np.cbrt(t)
    return Simulated(node, root.mean(), root.std(), t.mean(), t.var())


def _center(c: Constants, node: Node) -> float:
    n, _, big_l, e, big_d = _parts(node)
    grown = (c[0] + c[1] * log(1 + c[2] * big_l)) * (1 + c[3] / n)
    return grown + c[4] * log(1 + (c[5] / e) ** 2) * sqrt(big_d) - c[6] * big_l * exp(-c[7] * e)


def _scale(c: Constants, node: Node) -> float:
    n, p, big_l, e, big_d = _parts(node)
    shrunk = (c[0] + c[1] * exp(-c[2] * big_l)) * (1 - c[3] / n)
    return max(0.05, shrunk + c[4] * big_d * log(1 + c[5] / e) * (1 - exp(-c[6] * n * p)))


def _mean(c: Constants, node: Node) -> float:
    n, p, big_l, e, big_d = _parts(node)
    grown = 1 + c[0] * log(1 + c[1] * big_l) * (1 - c[2] / n)
    return grown + c[3] * log(1 + (c[4] / e) ** 2) * sqrt(big_d) * (1 + c[5] * p)


def _variance(c: Constants, node: Node) -> float:
    n, p, big_l, e, big_d = _parts(node)
    grown = (2 + c[0] * (1 - exp(-c[1] * big_l))) * (1 - c[2] / n) ** 2
    return grown + c[3] * big_d**2 / (e * (1 + c[4] * e)) * (1 - exp(-c[5] * n * p))


def _mean_of_more(c: Constants, node: Node) -> float:
    """With more than two classes."""
    power = c[0] + (c[1] + c[2] * max(0.0, node.p - 0.25)) * log(1 + log(node.d / 2))
    return float(1 + (_mean(CONSTANTS["mean"], node) - 1) * node.rate**-power)


def _variance_of_more(c: Constants, node: Node) -> float:
    power = c[0] + c[1] * max(0.0, node.p - 0.25)
    return float(_variance(CONSTANTS["variance"], node) * node.rate ** (-2 * power))


def _parts(node: Node) -> tuple[int, float, float, float, float]:
    p = node.p
    return node.n, p, log(node.d / 2), node.n * p / node.d, 1 - 2 * p


FORMS: dict[str, Callable[[Constants, Node], float]] = {
    "center": _center,
    "scale": _scale,
    "mean": _mean,
    "variance": _variance,
    "mean_of_more": _mean_of_more,
    "variance_of_more": _variance_of_more,
}

CONSTANTS: dict[str, tuple[float, ...]] = {
    "center": (0.802, 0.3697, 2.1362, 0.1158, 0.0239, 0.6793, 0.0129, 0.8579),
    "scale": (0.2259, 0.1783, 0.3945, 2.1852, 0.3774, 0.0362, 15.93),
    "mean": (3.87, 0.396, 0.913, 0.783, 0.114, 3.288),
    "variance": (5.622, 0.354, 2.236, 3.604, 12.95, 0.651),
    "mean_of_more": (0.42, 0.05, 0.2),
    "variance_of_more": (0.55, 0.6),
}


def law(node: Node) -> tuple[float, float]:
    """Center and scale of the cube root of T by the constants in use: what the kernel computes."""
    center, scale = (FORMS[name](CONSTANTS[name], node) for name in ("center", "scale"))
    if len(node.totals) == 2:
        return center, scale
    of_two = _wilson_hilferty(_mean(CONSTANTS["mean"], node), _variance(CONSTANTS["variance"], node))
    of_more = _wilson_hilferty(*(FORMS[f"{m}_of_more"](CONSTANTS[f"{m}_of_more"], node) for m in _MOMENTS))
    ratio = of_more[1] / of_two[1]
    return of_more[0] + (center - of_two[0]) * ratio, scale * ratio


def fit(name: str, simulated: Iterable[Simulated], free: Sequence[int] | None = None) -> NDArray[np.float64]:
    """The constants of a form that come nearest; only those at `free` are moved."""
    cells = list(simulated)
    moved = list(range(len(CONSTANTS[name])) if free is None else free)
    found = np.array([getattr(cell, name.removesuffix("_of_more")) for cell in cells])
    unit = np.array([cell.scale for cell in cells]) if name == "center" else found

    def errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
        constants = np.array(CONSTANTS[name])
        constants[moved] = values
        return np.asarray((np.array([FORMS[name](constants, cell.node) for cell in cells]) - found) / unit)

    constants = np.array(CONSTANTS[name])
    constants[moved] = least_squares(errors, constants[moved], bounds=(0, np.inf), x_scale=constants[moved]).x
    return constants


_MOMENTS = ("mean", "variance")


def _wilson_hilferty(mean: float, variance: float) -> tuple[float, float]:
    h = variance / (9 * mean**2)
    return mean ** (1 / 3) * (1 - h), mean ** (1 / 3) * sqrt(h)


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


def main() -> None:
    """Simulate, fit, and print the constants beside those in use."""
    parser = argparse.ArgumentParser(prog="python -m tools.searched_law", description=__doc__)
    parser.add_argument("--permutations", type=int, default=2000, help="of each node")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    of_two = [simulate(node, arguments.permutations, rng) for node in _nodes(2)]
    of_more = [simulate(node, arguments.permutations, rng) for c in (3, 10) for node in _nodes(c)]
    for name, constants in CONSTANTS.items():
        fitted = fit(name, of_more if name.endswith("_of_more") else of_two)
        print(name, "in use", constants)
        print(" " * len(name), "fitted", tuple(round(float(value), 4) for value in fitted))
    errors = np.array([(law(cell.node)[0] - cell.center) / cell.scale for cell in of_two + of_more])
    print(f"centers in use: off by {np.sqrt(np.mean(errors**2)):.3f} standard deviations (root mean square)")


if __name__ == "__main__":
    main()
