"""Beyond covariates: whole tables against a loop over pairs, and against themselves without covariates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

import bychance as bc
from benchmarks.timing import Comparison, best_time, in_turns

N_ROWS, N_COLUMNS, N_PEER = 2_000, 300, 10
NUMBERS = ["z1", "z2"]


def table() -> pd.DataFrame:
    """300 numeric columns that depend on two numbers and a label of ten levels."""
    rng = np.random.default_rng(0)
    site, z = rng.integers(0, 10, N_ROWS), rng.standard_normal((N_ROWS, 2))
    noise = rng.standard_normal((N_ROWS, N_COLUMNS))
    values = noise + 0.5 * z[:, :1] + 0.3 * z[:, 1:] ** 2 + 0.1 * site[:, np.newaxis]
    frame = pd.DataFrame(values, columns=[f"c{k}" for k in range(N_COLUMNS)])
    return frame.assign(z1=z[:, 0], z2=z[:, 1], site=np.array(list("abcdefghij"))[site])


def comparisons() -> Iterator[Comparison]:
    """Per pair: all pairs of our table against 45 pairs of a peer's loop."""
    frame = table()
    name, loop = _peer(frame)
    peer_s = min(best_time(loop) for _ in range(3)) / (N_PEER * (N_PEER - 1) / 2)
    numbers = frame.drop(columns="site")
    n_pairs = N_COLUMNS * (N_COLUMNS - 1) / 2
    for control, target in (("linear", "at least 300×"), ("smooth", "at least 150×")):
        ours = partial(bc.rank, numbers, measure="r2", given=bc.Given(NUMBERS, control=control))
        ours_s = min(best_time(ours) for _ in range(3)) / n_pairs
        yield Comparison(
            f"partial r² given two numbers, {control}, per pair", "auto", ours_s, name, peer_s, target
        )


def facts() -> Iterator[str]:
    """What covariates cost: the same table with and without them."""
    frame = table()
    plain = partial(bc.rank, frame.drop(columns=[*NUMBERS, "site"]), measure="r2")
    for what, given, left_out, target in (
        ("one label of ten levels", "site", NUMBERS, 4),
        ("two numbers", NUMBERS, ["site"], 10),
    ):
        ours = partial(bc.rank, frame.drop(columns=left_out), measure="r2", given=given)
        given_s, plain_s = in_turns(ours, plain, rounds=3)
        ratio = given_s / plain_s
        yield (
            f"r2, 2,000 × 300, all 44,850 pairs given {what}: {given_s:.2f} s, "
            f"{ratio:.1f}× the {plain_s:.2f} s without (at most {target}×)"
        )


def _peer(frame: pd.DataFrame) -> tuple[str, Callable[[], object]]:
    """The partial correlation of pingouin, or least squares by statsmodels, on 45 of the pairs."""
    pairs = list(combinations([f"c{k}" for k in range(N_PEER)], 2))
    try:
        import pingouin

        def loop() -> None:
            for x, y in pairs:
                pingouin.partial_corr(frame, x=x, y=y, covar=NUMBERS)

        return "pingouin partial_corr", loop
    except ImportError:
        import statsmodels.api as sm

        def least_squares() -> None:
            for x, y in pairs:
                sm.OLS(frame[y], sm.add_constant(frame[[x, *NUMBERS]])).fit().f_test(f"{x} = 0")

        return "statsmodels OLS", least_squares
