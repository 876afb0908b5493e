"""One cell of a grid: a measure on data sets of one kind and size, and its levels.

Each data set keeps its margins while its rows are paired anew: P(p ≤ a) under independence is the mean over
data sets of the share of pairings that have p ≤ a. Data sets on which `auto` samples, or takes an exact
distribution, are only counted: their p-values keep their level by construction.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from bychance.nulls.base import Null
from bychance.nulls.choose import FixedAuto
from bychance.nulls.sample import SampleNull
from studies.levels.designs import Design, Grid
from studies.levels.fit_data import FIT
from studies.levels.judge_data import JUDGE
from studies.levels.oracles import oracle
from studies.levels.seen_data import SEEN
from studies.levels.tails import true_tails

__all__ = [
    "ALPHAS",
    "FEWEST_SETS",
    "GRIDS",
    "START",
    "TAILS",
    "Cell",
    "TailCell",
    "is_matched",
    "level_cells",
    "run_cell",
    "share_below",
    "tail_cells",
]

ALPHAS = (0.05, 0.01, 0.001)
TAILS = (1e-4, 1e-6, 1e-8)
HIGHEST, LOWEST = 1.25, 0.8  # of P(p ≤ a)/a; the second for continuous nulls
_LIMIT = 2.33  # standard errors: 99%
FEWEST_SETS = 5
MAX_ROWS = {"dcor": 300, "hsic": 160}  # a pairing of these costs n·log n and n²
GRIDS = {"fit": FIT, "seen": SEEN, "judge": JUDGE}
START = 20  # draws per particle of the first level


@dataclass(frozen=True)
class Cell:
    """P(p ≤ a)/a, one row per data set with a matched distribution."""

    measure: str
    data: str
    is_continuous: bool
    n: int
    ratios: NDArray[np.float64]
    n_exact: int
    n_sampled: int
    n_pairings: int

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean ratio at each level."""
        means: NDArray[np.float64] = self.ratios.mean(axis=0) if len(self.ratios) else np.full(3, np.nan)
        return means

    @property
    def error(self) -> NDArray[np.float64]:
        """Its standard error, at least that of as many Bernoulli draws."""
        count = len(self.ratios)
        alphas = np.array(ALPHAS)
        least = np.sqrt((1 - alphas) / alphas / (max(count, 1) * self.n_pairings))
        between = self.ratios.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else least
        error: NDArray[np.float64] = np.maximum(least, between)
        return error

    @property
    def is_right(self) -> bool:
        """True if no ratio is outside its range by more than the 99% limits of the simulation.

        Fewer than five data sets have no limits worth the name, and are not judged.
        """
        if len(self.ratios) < FEWEST_SETS:
            return True
        slack = _LIMIT * self.error
        is_low = self.is_continuous & (self.mean < LOWEST - slack)
        return not np.any((self.mean > HIGHEST + slack) | is_low)


@dataclass(frozen=True)
class TailCell:
    """True p over stated p at TAILS, one row per data set, and the reach that each law states."""

    measure: str
    data: str
    n: int
    ratios: NDArray[np.float64]
    reach: NDArray[np.float64] = field(repr=False)


def is_matched(null: Null) -> bool:
    """Return True if a law is matched to exact moments."""
    return null.engine.endswith("(exact moments)")


def run_cell(
    measure: str, design: Design, n: int, *, n_sets: int, n_pairings: int, rng: np.random.Generator
) -> Cell:
    """Draw the data sets and re-pair each."""
    ratios, n_exact, n_sampled = [], 0, 0
    for _ in range(n_sets):
        x, y = design.x(rng, n), design.y(rng, n)
        null = bc.adjust(measure, x, y, null=FixedAuto(19)).null
        n_sampled += null.engine == "permutation"
        n_exact += null.engine.startswith(("exact", "degenerate"))
        if is_matched(null):
            paired = bc.adjust(measure, x, y, null=bc.Permutation(n_pairings), rng=int(rng.integers(2**31)))
            assert isinstance(paired.null, SampleNull)
            ratios.append([share_below(null, paired.null.draws, alpha) / alpha for alpha in ALPHAS])
    found = np.array(ratios).reshape(-1, len(ALPHAS))
    return Cell(measure, design.name, design.is_continuous, n, found, n_exact, n_sampled, n_pairings)


def share_below(null: Null, ascending: NDArray[np.float64], alpha: float) -> float:
    """Compute the share of the values whose p is at most alpha, for p that falls with the value."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if null.sf(float(ascending[middle])) <= alpha:
            high = middle
        else:
            low = middle + 1
    return 1 - low / len(ascending)


def run_tail_cell(
    measure: str, design: Design, n: int, *, n_sets: int, n_particles: int, rng: np.random.Generator
) -> TailCell:
    """Compute the true tail of each data set at which its matched distribution says 1e-4, 1e-6 and 1e-8."""
    ratios, reach = [], []
    for _ in range(n_sets):
        x, y = design.x(rng, n), design.y(rng, n)
        null = bc.adjust(measure, x, y, null=FixedAuto(19)).null
        if not is_matched(null):
            continue
        permutations = rng.permuted(np.tile(np.arange(n), (START * n_particles, 1)), axis=1)
        swaps, offset = oracle(measure, x, y, permutations)
        asked = np.array([null.quantile(1 - p) for p in TAILS])
        tails = true_tails(swaps, n, asked - offset, rng, n_particles=n_particles)
        ratios.append(tails / TAILS)
        reach.append(null.holds_to)
    return TailCell(measure, design.name, n, np.array(ratios).reshape(-1, len(TAILS)), np.array(reach))


def level_cells(
    grid: str, measures: list[str], sizes: tuple[int, ...], *, n_sets: int, n_pairings: int, jobs: int
) -> Iterator[Cell]:
    """List all cells of a grid, in order."""
    tasks = _tasks(GRIDS[grid], measures, sizes)
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_level_task, [(grid, *task, n_sets, n_pairings) for task in tasks])


def tail_cells(
    grid: str, measures: list[str], sizes: tuple[int, ...], *, n_sets: int, n_particles: int, jobs: int
) -> Iterator[TailCell]:
    """List all cells of tails, in order."""
    tasks = _tasks(GRIDS[grid], measures, sizes)
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_tail_task, [(grid, *task, n_sets, n_particles) for task in tasks])


def _tasks(grid: Grid, measures: list[str], sizes: tuple[int, ...]) -> list[tuple[str, int, int]]:
    return [
        (measure, k, n)
        for measure in measures
        for k in range(len(grid.designs(measure)))
        for n in sizes
        if n <= MAX_ROWS.get(measure, n)
    ]


def _level_task(task: tuple[str, str, int, int, int, int]) -> Cell:
    name, measure, index, n, n_sets, n_pairings = task
    grid = GRIDS[name]
    rng = np.random.default_rng([grid.seed, 1, n, index, *measure.encode()])
    design = grid.designs(measure)[index]
    return run_cell(measure, design, n, n_sets=n_sets, n_pairings=n_pairings, rng=rng)


def _tail_task(task: tuple[str, str, int, int, int, int]) -> TailCell:
    name, measure, index, n, n_sets, n_particles = task
    grid = GRIDS[name]
    rng = np.random.default_rng([grid.seed, 2, n, index, *measure.encode()])
    design = grid.designs(measure)[index]
    return run_tail_cell(measure, design, n, n_sets=n_sets, n_particles=n_particles, rng=rng)
