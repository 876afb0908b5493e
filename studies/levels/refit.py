"""Fitted limits of the validity rules on the fitting grid, each beside the one that validity.cpp states.

    python -m studies.levels.refit [--sets 4] [--pairings 2000] [--tail-sets 1] [--jobs 2]

Data sets of the grid are drawn whether or not their distributions are valid. For one limit at a time, those
are kept on which every other rule holds: the rules themselves are asked, with a figure that breaks nothing in
the place of the one in question. Going outward by that figure, the fitted limit is where the mean of P(p ≤
a)/a over a window of data sets first leaves its range: 0.8 to 1.25 at a = 0.05, 0.01 and 0.001, or at most
1.5 for a tail.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from studies.levels.cells import ALPHAS, GRIDS, HIGHEST, LOWEST, TAILS
from studies.levels.figures import BETA_FIGURES, Judged, level_of, of_rules, tail_of

__all__ = ["BY_HAND", "LIMITS", "Limit", "fit", "loosest", "stated"]

RULES = Path(__file__).parents[2] / "src" / "native" / "distributions" / "validity.cpp"
HIGHEST_TAIL = 1.5  # of true over stated p, on average down to the reach of a distribution
WINDOW, ERRORS = 40, 2.33  # data sets, and standard errors of their mean: 99%
SIZES, TAIL_SIZES = (12, 20, 45, 150), (20, 45, 150)
# Not "explained": long tails against small groups move its windows at every figure (kMaxFourth).
MEASURES = ("r2", "spearman", "eta2", "mi")
NEUTRAL = {"variance_ratio": 1.0, "skew_ratio": 1.0, "third": 0.0, "min_expected": 1e9}

BY_HAND = {
    "kLeastReach": "the smallest level of the grid",
    "kMaxSkew": "the skewness of one squared normal, sqrt 8, and a margin",
    "kNearNormal": "below it all distributions of three moments agree to what a level can show",
    "kEnoughRows, kFewestRows, kFewestTied": "the grid has five sizes, too few to place a limit between them",
    "kEnoughRepeats": "the grid has two shares of distinct labels",
    "kMaxThirdOfSquares, kSomeRows, kDenseReach": "dcor and hsic: a draw costs n log n, a window some hours",
    "kNormalReach": "as far as the simulated levels of Kendall, xi and agreement go",
    "kSomeOthers, kManyOthers, kMaxSmoothSkew": "one atom holds most of the null, which no mean shows",
    "kFewCells": "a handful of atoms: counted, not fitted",
    "kManyDistinct, kManySteps": "xi and agreement have no third moment to tell how near their limits are",
    "kMaxFourth": "the grid has no long tails against labels of one to three rows (docs/nulls.md)",
    "kMaxThirdOfGamma, third_of_gamma": "tables: atoms of the null move a level more than the fit does",
    "kInformationSteps": "the grid has six tables whose tails the rules admit",
    "rows_per_direction": "as kFewestRows",
}


@dataclass(frozen=True)
class Limit:
    """A number of validity.cpp by its name, and on which figure of which distributions it is a limit."""

    name: str
    part: int  # of the numbers that follow the name in the file
    distribution: str
    figure: str
    sign: int  # 1 for an upper limit, -1 for a lower one
    tail: int | None = None  # index into TAILS, or None for a level

    @property
    def title(self) -> str:
        side = {1: "at most", -1: "at least"}[self.sign]
        at = "" if self.tail is None else f", p = {TAILS[self.tail]:g}"
        return f"{self.name}: {self.figure} {side} ({self.distribution}{at})"

    def keeps(self, sets: Sequence[Judged]) -> NDArray[np.bool_]:
        """Flag the data sets that break no other rule."""
        return np.array([self._keeps({**each.figures, self.figure: NEUTRAL[self.figure]}) for each in sets])

    def _keeps(self, figures: dict[str, float]) -> bool:
        if self.distribution == "information":
            return _native.judge_information(figures["min_expected"])[0] == 0
        caveat, _, reach = _native.judge_beta(*of_rules(figures, BETA_FIGURES))
        return caveat == 0 and (self.tail is None or reach <= TAILS[self.tail] * 1.01)


def _steps(field: int, figure: str) -> list[Limit]:
    return [Limit("kSteps", 5 * k + field, "beta", figure, 1, k) for k in range(len(TAILS))]


LIMITS = [
    Limit("kVarianceRatio", 0, "beta", "variance_ratio", -1),
    Limit("kVarianceRatio", 1, "beta", "variance_ratio", 1),
    Limit("kSkewRatio", 0, "beta", "skew_ratio", -1),
    Limit("kSkewRatio", 1, "beta", "skew_ratio", 1),
    Limit("kMaxThirdOfBeta", 0, "beta", "third", 1),
    Limit("kMinExpected", 0, "information", "min_expected", -1),
    *_steps(2, "third"),
    *_steps(4, "variance_ratio"),
]


def stated(limit: Limit) -> float:
    """Read the number in validity.cpp."""
    text = re.sub(r"//.*", "", RULES.read_text())
    found = re.search(rf"\b{limit.name}(?:\[\])?\s*(?:=\s*)?([^;]*);", text)
    if found is None:
        raise LookupError(f"validity.cpp states no {limit.name}.")
    value = found[1] if found[1].startswith("{") else found[1].split(",")[0]
    return float(re.findall(r"[\d.]+(?:e-?\d+)?", value)[limit.part])


def loosest(
    figure: NDArray[np.float64],
    ratios: NDArray[np.float64],
    range_of: tuple[float, float],
    *,
    window: int = WINDOW,
    least_error: NDArray[np.float64] | float = 0.0,
) -> tuple[float, bool]:
    """Find the first window, going up by the figure, whose mean ratio leaves its range.

    Returns the middle of the window, or the largest figure if none leaves the range, or NaN for too few.

    >>> figure, ratios = np.arange(100.0), np.repeat([[1.0], [2.0]], 50, axis=0)
    >>> loosest(figure, ratios, (0.8, 1.25), window=10)
    (47.0, True)
    """
    order = np.argsort(figure, kind="stable")
    figure, ratios = figure[order], ratios[order]
    if len(figure) < window:
        return np.nan, False
    for end in range(window, len(figure) + 1):
        part = ratios[end - window : end]
        error = np.maximum(np.nanstd(part, axis=0) / np.sqrt(window), least_error / np.sqrt(window))
        mean = np.nanmean(part, axis=0)
        if np.any((mean > range_of[1] + ERRORS * error) | (mean < range_of[0] - ERRORS * error)):
            return float(figure[end - 1 - window // 2]), True
    return float(figure[-1]), False


def fit(limit: Limit, sets: Sequence[Judged], n_pairings: int) -> str:
    """Return one line: the limit, what is stated, what is fitted, on how many data sets."""
    is_tail = limit.tail is not None
    sets = [each for each in sets if each.distribution == limit.distribution and each.is_tail == is_tail]
    if limit.distribution == "beta":  # ties are the business of the rules on few values
        sets = [each for each in sets if each.is_continuous]
    if sets:
        sets = [each for each, kept in zip(sets, limit.keeps(sets), strict=True) if kept]
    sets = [s for s in sets if limit.sign * (s.figures[limit.figure] - NEUTRAL[limit.figure]) >= 0]
    figure = np.array([limit.sign * each.figures[limit.figure] for each in sets])
    if is_tail:
        ratios, range_of, least = np.array([[s.ratios[limit.tail]] for s in sets]), (0.0, HIGHEST_TAIL), 0.0
    else:  # ties make p too large by their atoms, whatever the distribution
        ratios = np.array([np.where(s.is_continuous, s.ratios, np.maximum(s.ratios, LOWEST)) for s in sets])
        alphas = np.array(ALPHAS)
        range_of, least = (LOWEST, HIGHEST), np.sqrt((1 - alphas) / alphas / n_pairings)
    value, is_left = loosest(figure, ratios, range_of, least_error=least) if sets else (np.nan, False)
    value *= limit.sign
    found = "too few data sets" if np.isnan(value) else f"{value:.3g}" if is_left else f"beyond {value:.3g}"
    return f"| {limit.title} | {stated(limit):g} | {found} | {len(sets)} |"


def gather(*, n_sets: int, n_pairings: int, n_tail_sets: int, jobs: int) -> Iterator[Judged]:
    """Return data sets of the fitting grid with their figures and ratios, and tails if they are valid."""
    tasks = [
        (measure, k, n, is_tail)
        for is_tail in (False, True)
        for measure in MEASURES
        for k, design in enumerate(GRIDS["fit"].designs(measure))
        if design.is_continuous or (measure == "mi" and not is_tail)
        for n in (TAIL_SIZES if is_tail else SIZES)
    ]
    run = partial(_task, n_sets=n_sets, n_pairings=n_pairings, n_tail_sets=n_tail_sets)
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(run, tasks, chunksize=4):
            yield from found


def _task(
    task: tuple[str, int, int, bool], *, n_sets: int, n_pairings: int, n_tail_sets: int
) -> list[Judged]:
    measure, index, n, is_tail = task
    grid = GRIDS["fit"]
    design = grid.designs(measure)[index]
    rng = np.random.default_rng([grid.seed, 3 + is_tail, n, index, *measure.encode()])
    draw = tail_of if is_tail else partial(level_of, n_pairings=n_pairings)
    found = (draw(measure, design, n, rng) for _ in range(n_tail_sets if is_tail else n_sets))
    return [each for each in found if each is not None]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m studies.levels.refit", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--sets", type=int, default=4, help="data sets per cell")
    parser.add_argument("--pairings", type=int, default=2_000, help="pairings of each")
    parser.add_argument("--tail-sets", type=int, default=1, help="data sets per cell of the tail")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.perf_counter()
    counts = {"n_sets": options.sets, "n_pairings": options.pairings, "n_tail_sets": options.tail_sets}
    sets = list(gather(**counts, jobs=options.jobs))
    print("| limit | stated | fitted | data sets |\n|---|---|---|---|")
    for limit in LIMITS:
        print(fit(limit, sets, options.pairings), flush=True)
    print(f"\n{len(sets):,} data sets, {time.perf_counter() - started:.0f} s. Set by hand:\n")
    for names, why in BY_HAND.items():
        print(f"- {names}: {why}")


if __name__ == "__main__":
    main()
