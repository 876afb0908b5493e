"""Fits the law of a searched gain: the constants of src/native/forest/null.cpp, from permutations.

The best of many cuts has T = (n − 1)·gain/impurity, whose cube root is nearly normal under independence.
`python -m studies.searched_law` simulates T over a grid of nodes, draws a line through the upper quantiles of
its cube root, where splits are chosen, fits the law below to these lines, and prints the constants beside
those in use.

Cuts count for as many independent ones as the theory of their correlation says (`equal_values`; nothing is
fitted there). Center and scale are those of one cut, Wilson and Hilferty's, moved by the logarithm of that
number. The cuts nearest the ends leave few rows on a side: what the kurtosis of the target adds to the
variance of T there moves both once more.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import norm

__all__ = [
    "CONSTANTS",
    "Node",
    "Simulated",
    "equal_cuts",
    "equal_values",
    "fit",
    "law",
    "simulate_classes",
    "simulate_numbers",
]

Numbers = NDArray[np.float64]
Cuts = NDArray[np.intp]

_BETA = 2.7  # the root of the gains between which columns are chosen
_QUANTILES = (0.7, 0.8, 0.9, 0.95, 0.98)
_COMPARED = (0.5, 1.3, 2.0)  # normal quantiles at which a law is compared with a line
_LEAST_SCALE = 0.05


def independent_cuts(lefts: Numbers, n: float) -> float:
    """How many independent cuts those count for that leave so many of n rows to the left: cuts.cpp."""
    odds = lefts / (n - lefts)
    u, step = 1 - np.sqrt(odds[:-1] / odds[1:]), _BETA * np.sqrt(2)
    x = step * np.sqrt(u)
    return float(1 + np.sum(x**2 / (2 + x * (1.2673 + x * (0.2972 + x * 0.0783)))))


@cache
def _of_equal() -> tuple[Numbers, Numbers]:
    values = np.array([*range(2, 64), *(64 * 2**k for k in range(8))], dtype=float)
    return np.log(values), np.array([independent_cuts(np.arange(1, d), d) for d in values])


def equal_values(lefts: Numbers, n: float) -> float:
    """How many values of equal size have cuts that count for as many independent ones."""
    logs, cuts = _of_equal()
    return float(np.exp(np.interp(independent_cuts(lefts, n), cuts, logs)))


def equal_cuts(n: int, d: int) -> Cuts:
    """The cuts of d values that are as evenly spread over n rows as can be."""
    return np.flatnonzero(np.diff(np.sort(np.arange(n) % d))) + 1


@dataclass(frozen=True)
class Node:
    """A node and the cuts of a column there, as far as the law of the best one knows them."""

    kind: str  # of the target: "two" classes, "more", "numbers"
    n: float
    values: float  # of equal size
    ends: float  # one over the rows beyond the first and the last cut, in the mean
    rate: float = 1  # degrees of freedom of a cut: 1 for two classes, c − 1 for c equal ones
    excess: float = 0  # kurtosis beyond that of normal numbers with as many degrees of freedom
    skew: float = 1  # of unequal classes: 1 where all are equal

    @classmethod
    def of_classes(cls, totals: Sequence[int], cuts: Numbers | Cuts) -> Node:
        """From the totals of its classes."""
        n = sum(totals)
        s2, s3, s4 = (float(np.sum((np.array(totals) / n) ** k)) for k in (2, 3, 4))
        impurity, pairs, triples = 1 - s2, s2 - 2 * s3 + s2**2, s3 - 3 * s4 + 3 * s2 * s3 - s2**3
        rate = impurity**2 / pairs
        kurtosis = ((1 + s2) ** 2 - 4 * (1 + s2) * s2 + 4 * s3) / impurity**2
        kind, skew = ("two", 1.0) if len(totals) == 2 else ("more", triples * impurity / pairs**2)
        return cls(kind, n, *_width(n, cuts), rate, kurtosis - 1 - 2 / rate, skew)

    @classmethod
    def of_numbers(cls, n: int, kurtosis: float, cuts: Numbers | Cuts) -> Node:
        """From the kurtosis of its numbers."""
        return cls("numbers", n, *_width(n, cuts), excess=kurtosis - 3)


def _width(n: int, cuts: Numbers | Cuts) -> tuple[float, float]:
    return equal_values(cuts.astype(float), n), float(1 / cuts[0] + 1 / (n - cuts[-1])) / 2


def law(node: Node, constants: Sequence[float] | Numbers | None = None) -> tuple[float, float]:
    """Center and scale of the cube root of T; by the constants in use it is what the kernel computes."""
    c = CONSTANTS[node.kind] if constants is None else constants
    big_l, variance = np.log(node.values / 2), 2 / (9 * node.rate)
    at_ends = node.excess * node.ends
    more, less = np.log1p(max(at_ends, 0)), min(at_ends, 0)
    grown = 1 - variance + c[0] * node.rate ** -c[1] * np.log1p(c[2] * big_l)
    center = grown * (1 + c[3] / node.n) + c[4] * more + c[5] * less - c[6] * (node.skew - 1)
    shrunk = np.sqrt(variance) * (1 + c[7] * big_l) ** -c[8]
    scale = shrunk * (1 - c[9] / node.n) * node.skew ** c[10]
    return float(center), float(max(_LEAST_SCALE, scale + c[11] * more + c[12] * less))


_OF_MORE_ONLY = (1, 6, 10)
_POSITIVE = (0, 2, 7, 8)

CONSTANTS: dict[str, tuple[float, ...]] = {
    "two": (0.362, 0.0, 2.016, 0.382, -0.004, 0.009, 0.0, 2.95, 0.137, 2.142, 0.0, 0.08, 0.015),
    "more": (0.357, 0.494, 2.082, -0.376, 0.119, 0.006, 0.049, 25.8, 0.063, 1.454, 0.561, -0.005, 0.04),
    "numbers": (0.352, 0.0, 2.24, 0.737, -0.05, 0.02, 0.0, 3.095, 0.154, 2.974, 0.0, 0.096, 0.013),
}


@dataclass(frozen=True)
class Simulated:
    """What permutations say: the line through the normal quantiles and those of the cube root of T."""

    node: Node
    center: float
    scale: float

    def error(self, z: float, constants: Sequence[float] | Numbers | None = None) -> float:
        """By how many standard deviations the law is off at this normal quantile."""
        center, scale = law(self.node, constants)
        return (center + z * scale - self.center - z * self.scale) / max(self.scale, _LEAST_SCALE)


def simulate_classes(
    totals: Sequence[int], columns: Iterable[Cuts], n_permutations: int, rng: np.random.Generator
) -> list[Simulated]:
    """The best of the cuts of each column, whose lefts these are, where classes have these totals."""
    n, lefts = sum(totals), np.arange(1, sum(totals))
    labels = np.repeat(np.arange(len(totals)), totals)
    classes = rng.permuted(np.tile(labels, (n_permutations, 1)), axis=1)
    children = np.zeros((n_permutations, n - 1))
    for j, total in enumerate(totals):
        left = np.cumsum(classes == j, axis=1)[:, :-1]
        children += left**2 / lefts + (total - left) ** 2 / (n - lefts)
    impurity = 1 - np.sum((np.array(totals) / n) ** 2)
    t = (n - 1) * (children / n - 1 + impurity) / impurity
    return [_line(Node.of_classes(totals, cuts), t, cuts) for cuts in columns]


def simulate_numbers(
    y: Numbers, columns: Iterable[Cuts], n_permutations: int, rng: np.random.Generator
) -> list[Simulated]:
    """The same where these numbers are predicted."""
    n, z, lefts = len(y), (y - y.mean()) / y.std(), np.arange(1, len(y))
    sums = np.cumsum(rng.permuted(np.tile(z, (n_permutations, 1)), axis=1), axis=1)[:, :-1]
    t = (n - 1) * sums**2 / (lefts * (n - lefts))
    return [_line(Node.of_numbers(n, float(np.mean(z**4)), cuts), t, cuts) for cuts in columns]


def _line(node: Node, t: Numbers, cuts: Cuts) -> Simulated:
    best = t[:, cuts - 1].max(axis=1)
    scale, center = np.polyfit(norm.ppf(_QUANTILES), np.cbrt(np.quantile(best, _QUANTILES)), 1)
    return Simulated(node, center, scale)


def fit(simulated: Sequence[Simulated], free: Sequence[int] | None = None) -> Numbers:
    """The constants that come nearest for these nodes of one kind; only those at `free` are moved."""
    kind = simulated[0].node.kind
    start = np.array(CONSTANTS[kind])
    usual = [k for k in range(len(start)) if kind == "more" or k not in _OF_MORE_ONLY]
    moved = list(usual if free is None else free)

    def constants(values: Numbers) -> Numbers:
        found = start.copy()
        found[moved] = values
        return found

    def errors(values: Numbers) -> Numbers:
        c = constants(values)
        return np.array([cell.error(z, c) for cell, z in product(simulated, _COMPARED)])

    steps = np.maximum(np.abs(start[moved]), 0.02)
    least = [0 if k in _POSITIVE else -np.inf for k in moved]
    # Numbers that happen to lie unevenly in a node of a dozen rows are off whatever the form.
    found = least_squares(
        errors, start[moved], bounds=(least, np.inf), x_scale=steps, loss="soft_l1", f_scale=0.15
    )
    return constants(found.x)


def _columns(n: int) -> list[Cuts]:
    """Few values to as many as rows, and all cuts that leave a number of rows on one side or on both."""
    columns = [equal_cuts(n, d) for d in sorted({3, 5, 10, 30, 100, int(0.6 * n), n}) if d <= n]
    lefts = np.arange(1, n)
    if n >= 24:
        columns += [lefts[(lefts >= f * n) & (lefts <= n - f * n)] for f in (0.05, 0.2, 0.35)]
        columns.append(lefts[: n // 2])
    return columns


def _classes() -> Iterator[tuple[int, ...]]:
    """Two classes of equal size to one of 5%; more that are equal, one small, one large, or all unequal."""
    for n in (20, 50, 100, 200, 500, 1500):
        for share in (0.5, 0.35, 0.2, 0.1, 0.05):
            if share * n >= 4:  # with fewer rows T has next to no values
                yield round(share * n), n - round(share * n)
        for c in (3, 5, 10):
            small, large, unequal = np.ones(c), np.ones(c), 1 / np.arange(1, c + 1)
            small[0], large[0] = 0.2, 2 * (c - 1)
            for shares in (np.ones(c), small, large, unequal) if 3 * c <= n else ():
                totals = np.maximum(1, np.round(shares / shares.sum() * n)).astype(int)
                totals[totals.argmax()] += n - totals.sum()
                yield tuple(totals.tolist())


def _numbers(rng: np.random.Generator) -> Iterator[Numbers]:
    """Targets of ten kinds, two of them with two values only; none of which a number or two decide all."""
    for n in (12, 16, 24, 38, 70, 130, 250, 600, 1500):
        for _ in range(3 if n < 100 else 1):
            for y in (
                rng.standard_normal(n),
                rng.random(n),
                rng.exponential(size=n),
                rng.standard_t(3, n),
                rng.standard_t(4, n),
                rng.gamma(0.4, size=n),
                np.exp(0.9 * rng.standard_normal(n)),
                rng.poisson(2, n) * 1.0,
                np.arange(n) % 2 * 1.0,
                (np.arange(n) < max(1, n // 10)) * 1.0,
            ):
                if y.std() > 0 and np.mean((y - y.mean()) ** 4) / y.var() ** 2 < n / 3:
                    yield np.asarray(y, dtype=float)


def main() -> None:
    """Simulate, fit, and print the constants beside those in use."""
    parser = argparse.ArgumentParser(prog="python -m studies.searched_law", description=__doc__)
    parser.add_argument("--permutations", type=int, default=2000, help="of each node")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng, cells = np.random.default_rng(arguments.seed), []
    for totals in _classes():
        cells += simulate_classes(totals, _columns(sum(totals)), arguments.permutations, rng)
    for y in _numbers(rng):
        cells += simulate_numbers(y, _columns(len(y)), arguments.permutations, rng)
    for kind, in_use in CONSTANTS.items():
        own = [cell for cell in cells if cell.node.kind == kind]
        fitted = fit(own)
        print(f"{kind}, {len(own)} nodes\n  in use", in_use)
        print("  fitted", tuple(round(float(value), 4) for value in fitted))
        for name, constants in (("in use", in_use), ("fitted", fitted)):
            errors = np.array([cell.error(1.5, constants) for cell in own])
            print(
                f"  {name}: off by {np.sqrt(np.mean(errors**2)):.3f} (root mean square), {errors.mean():+.3f}"
            )


if __name__ == "__main__":
    main()
