"""One data set of a grid: the inputs of the validity rules, and the error of its distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from bychance import _native
from bychance.io import read_table
from bychance.measures import registry
from bychance.measures.structures import CellSum, TraceForm
from bychance.nulls.base import Null
from bychance.nulls.matching import beta_parameters, match_structure
from bychance.nulls.sample import SampleNull
from bychance.pair import Pair, prepare_pair
from studies.levels.cells import ALPHAS, START, TAILS, is_matched, share_below
from studies.levels.designs import Design
from studies.levels.oracles import oracle
from studies.levels.tails import true_tails

__all__ = [
    "BETA_FIGURES",
    "FIGURES",
    "GAMMA_FIGURES",
    "Judged",
    "figures_of",
    "level_of",
    "of_rules",
    "tail_of",
]

# In the order in which judge_beta and judge_gamma take them after the counts.
BETA_FIGURES = ("rank", "third", "variance_ratio", "skew_ratio")
GAMMA_FIGURES = ("rank", "third", "fourth", "skew", "skew_ratio")
FIGURES = (
    *("n", "x_distinct", "y_distinct", "x_others", "y_others"),
    *("rank", "third", "variance_ratio", "skew_ratio", "skew", "fourth", "min_expected"),
)
_N_PARTICLES = 300


@dataclass(frozen=True)
class Judged:
    """The figures of one data set, and P(p ≤ a)/a at ALPHAS, or true over stated p at TAILS."""

    distribution: str
    figures: dict[str, float]
    is_continuous: bool
    is_tail: bool
    ratios: NDArray[np.float64]


def of_rules(figures: dict[str, float], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the arguments of a rule: rows, counts of x and y, and the named figures."""
    distinct, others = ((figures[f"x_{of}"], figures[f"y_{of}"]) for of in ("distinct", "others"))
    return figures["n"], distinct, others, *(float(figures[name]) for name in names)


def level_of(
    measure: str, design: Design, n: int, rng: np.random.Generator, *, n_pairings: int
) -> Judged | None:
    """Compare the matched distribution of a data set with its permutations, or return None."""
    x, y, found = _draw(measure, design, n, rng)
    if found is None:
        return None
    distribution, figures, null = found
    paired = bc.adjust(measure, x, y, null=bc.Permutation(n_pairings), rng=int(rng.integers(2**31))).null
    if not isinstance(paired, SampleNull):  # one value only
        return None
    ratios = np.array([share_below(null, paired.draws, alpha) / alpha for alpha in ALPHAS])
    return Judged(distribution, figures, design.is_continuous, False, ratios)


def tail_of(measure: str, design: Design, n: int, rng: np.random.Generator) -> Judged | None:
    """Compare a valid distribution of a data set with its true tail."""
    x, y, found = _draw(measure, design, n, rng)
    if found is None or found[2].caveat:
        return None
    distribution, figures, null = found
    permutations = rng.permuted(np.tile(np.arange(n), (START * _N_PARTICLES, 1)), axis=1)
    swaps, offset = oracle(measure, x, y, permutations)
    asked = np.array([null.quantile(1 - p) for p in TAILS])
    tails = true_tails(swaps, n, asked - offset, rng, n_particles=_N_PARTICLES)
    return Judged(distribution, figures, design.is_continuous, True, tails / TAILS)


def _draw(
    measure: str, design: Design, n: int, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any], tuple[str, dict[str, float], Null] | None]:
    x, y = design.x(rng, n), design.y(rng, n)
    columns = read_table({"x": x, "y": y}).columns
    pair = prepare_pair(registry.resolve(measure), columns[0], columns[1])
    return x, y, None if pair.is_degenerate else figures_of(pair)


def figures_of(pair: Pair) -> tuple[str, dict[str, float], Null] | None:
    """Return name, judged figures and distribution of a matched pair, or None without a distribution."""
    distribution: str
    for structure in pair.structures:
        if isinstance(structure, TraceForm) and structure.distribution != "pearson3":
            distribution, figures = structure.distribution, _of_trace(structure)
        elif isinstance(structure, CellSum) and structure.function == "information":
            smallest = structure.rows.min() * structure.columns.min()
            distribution, figures = "information", {"min_expected": smallest / structure.rows.sum()}
        else:
            continue
        null = match_structure(structure, pair.bound)
        if null is None or not is_matched(null) or null.caveat == "rare values":
            return None
        return distribution, {**dict.fromkeys(FIGURES, np.nan), **figures}, null
    return None


def _of_trace(form: TraceForm) -> dict[str, float]:
    """Compute the figures as src/native/distributions/matching.cpp does."""
    sides = form.x, form.y
    invariants = [np.asarray(side.invariants, dtype=np.float64)[np.newaxis] for side in sides]
    at = np.zeros(1, dtype=np.int64)
    n = np.array([float(form.n)])
    moments = _native.trace_moments(invariants[0], invariants[1], n, at, at)
    mean, variance, third, normal_variance = (float(moment[0]) for moment in moments)
    std = np.sqrt(variance)
    skew, matched_skew = third / std**3, 2 * std / mean
    if form.distribution == "beta":
        a, b = beta_parameters(np.array([form.scale * mean]), np.array([form.scale**2 * variance]))
        total = a[0] + b[0]
        matched_skew = 2 * (b[0] - a[0]) * np.sqrt(total + 1) / ((total + 2) * np.sqrt(a[0] * b[0]))
    are_lines = [abs(v[0, 1] - v[0, 0] ** 2) <= 1e-7 * v[0, 0] ** 2 for v in invariants]
    ranks = [1 if line else side.n_distinct - 1 for line, side in zip(are_lines, sides, strict=True)]
    thirds = [abs(v[0, 7]) / v[0, 1] ** 1.5 for v in invariants]
    peaks = [
        v[0, 3] / (v[0, 1] - v[0, 3]) if line else abs(v[0, 7] - v[0, 4]) / (v[0, 1] - v[0, 3]) ** 1.5
        for line, v in zip(are_lines, invariants, strict=True)
    ]
    return {
        "n": form.n,
        "x_distinct": form.x.n_distinct,
        "y_distinct": form.y.n_distinct,
        "x_others": form.x.n_others,
        "y_others": form.y.n_others,
        "rank": max(ranks),
        "third": form.n * thirds[0] * thirds[1],
        "fourth": 0.0 if are_lines[0] == are_lines[1] else 2 * (form.n * peaks[0] * peaks[1]) ** 2,
        "variance_ratio": variance / normal_variance,
        "skew_ratio": skew / matched_skew,
        "skew": skew,
    }
