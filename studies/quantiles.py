"""Quantiles of sampled nulls against those of a million draws, on pairs of a table that `auto` samples.

    python -m studies.quantiles ../shared/data/WHO.csv [--pairs 80]

For each sample size: the root mean square of the error of the 0.95-quantile of r², in standard deviations of
the null, beside that of the plain order statistic, and how often the error is within two of the standard
errors that are stated with it. docs/validation.md has the output.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from bychance.io import Table
from bychance.kinds import Kind
from bychance.measures import registry
from bychance.nulls.choose import choose_null
from bychance.nulls.draws import draw_many
from bychance.nulls.permutation import Permutation
from bychance.nulls.sample import summary_of_draws
from bychance.nulls.sequential import SamplePlan
from bychance.pair import Pair, prepare_pair

_P, _TRUTH, _CHUNK = 0.95, 1_000_000, 50_000
_SIZES, _N_SAMPLES = (199, 399, 999), 10


def sampled_pairs(table: Table, count: int) -> list[tuple[Pair, SamplePlan]]:
    """Draw random pairs of numbers whose null `auto` samples, with their exact moments."""
    numeric = [column for column in table.columns if column.kind is Kind.NUMERIC]
    rng, measure = np.random.default_rng(6), registry.resolve("r2")
    found: list[tuple[Pair, SamplePlan]] = []
    while len(found) < count:
        x, y = (numeric[k] for k in rng.choice(len(numeric), 2, replace=False))
        pair = prepare_pair(measure, x, y)
        if pair.n < 10 or pair.is_degenerate:
            continue
        plan = choose_null("auto", pair)
        if isinstance(plan, SamplePlan) and plan.exact_mean is not None and plan.exact_std:
            found.append((pair, plan))
    return found


def errors_of(pair: Pair, plan: SamplePlan) -> NDArray[np.float64]:
    """Compute errors of the quantile, stated errors, and errors of the order statistic, in null SDs.

    One row per sample size, then one entry per sample, then the three.
    """
    assert plan.exact_mean is not None
    assert plan.exact_std is not None
    settings = Permutation()
    chunks = [draw_many([pair], settings, first, _CHUNK)[0][0] for first in range(0, _TRUTH, _CHUNK)]
    truth = np.quantile(np.concatenate(chunks), _P)
    found = np.empty((len(_SIZES), _N_SAMPLES, 3))
    for k, size in enumerate(_SIZES):
        for number in range(_N_SAMPLES):
            draws, _ = draw_many([pair], settings, _TRUTH + number * max(_SIZES), size)
            figures = summary_of_draws(
                draws,
                observed=np.array([pair.observed]),
                bound=np.array([pair.bound]),
                exact_mean=np.array([plan.exact_mean]),
                exact_std=np.array([plan.exact_std]),
                levels=[_P],
            )
            plain = np.sort(draws[0])[math.ceil(_P * (size + 1)) - 1]
            errors = figures.quantiles[0, 0] - truth, figures.quantile_se[0], plain - truth
            found[k, number] = np.array(errors) / plan.exact_std
    return found


def main() -> None:
    """Print one row per sample size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Path)
    parser.add_argument("--pairs", type=int, default=80)
    options = parser.parse_args()
    started = time.perf_counter()
    pairs = sampled_pairs(bc.read_table(options.table), options.pairs)
    errors = np.stack([errors_of(*pair) for pair in pairs], axis=1)
    print("| permutations | root mean square error | of the order statistic | within two standard errors |")
    print("|---|---|---|---|")
    for size, (found, stated, plain) in zip(_SIZES, np.moveaxis(errors, -1, 1), strict=True):
        covered = np.mean(np.abs(found) <= 2 * stated)
        sharp, rough = (np.sqrt(np.mean(some**2)) for some in (found, plain))
        print(f"| {size} | {sharp:.3f} | {rough:.3f} | {covered:.1%} |")
    print(f"\n{len(pairs)} pairs, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
