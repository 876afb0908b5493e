"""Beyond covariates: whole tables against a loop over pairs and themselves without, one pair on more rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

import bychance as bc
from benchmarks.timing import Row, beside

N_ROWS, N_COLUMNS, N_PEER = 2_000, 300, 10
NUMBERS = ["z1", "z2"]


def rows() -> Iterator[Row]:
    yield from of_a_table()
    yield from beside_no_covariates()
    yield from more_rows()


def table() -> pd.DataFrame:
    """Draw 300 numeric columns that depend on two numbers and a label of ten levels."""
    rng = np.random.default_rng(0)
    site, z = rng.integers(0, 10, N_ROWS), rng.standard_normal((N_ROWS, 2))
    noise = rng.standard_normal((N_ROWS, N_COLUMNS))
    values = noise + 0.5 * z[:, :1] + 0.3 * z[:, 1:] ** 2 + 0.1 * site[:, np.newaxis]
    frame = pd.DataFrame(values, columns=[f"c{k}" for k in range(N_COLUMNS)])
    return frame.assign(z1=z[:, 0], z2=z[:, 1], site=np.array(list("abcdefghij"))[site])


def of_a_table() -> Iterator[Row]:
    """Time all pairs of our table against 45 pairs of a peer's loop, per pair."""
    units = N_COLUMNS * (N_COLUMNS - 1) // 2, N_PEER * (N_PEER - 1) // 2
    for control, target in (("linear", "at least 300×"), ("smooth", "at least 150×")):

        def start(control: str = control):
            frame = table()
            given = bc.Given(NUMBERS, control=control)
            return partial(bc.rank, frame.drop(columns="site"), measure="r2", given=given), loop(frame)

        what = f"partial r2 given two numbers, {control}, per pair"
        yield beside(what, start, null="auto", peer="pingouin partial_corr", target=target, units=units)


def beside_no_covariates() -> Iterator[Row]:
    """Return the time relative to the same table without covariates."""
    for what, given, left_out, target in (
        ("one label of ten levels", "site", NUMBERS, 4),
        ("two numbers", NUMBERS, ["site"], 10),
    ):

        def start(given: object = given, left_out: list[str] = left_out):
            frame = table()
            plain = partial(bc.rank, frame.drop(columns=[*NUMBERS, "site"]), measure="r2")
            return partial(bc.rank, frame.drop(columns=left_out), measure="r2", given=given), plain

        named = f"r2, 2,000 × 300, given {what}"
        yield beside(
            named, start, null="auto", peer="without", target=f"at most {target}×", unit="× the time"
        )


def more_rows() -> Iterator[Row]:
    """Return the time of one pair relative to 10,000 rows."""
    for n_numbers in (1, 2):
        for n_rows in (50_000, 100_000):

            def start(n_numbers: int = n_numbers, n_rows: int = n_rows):
                return pair(n_rows, n_numbers), pair(10_000, n_numbers)

            given = "one number" if n_numbers == 1 else "two numbers"
            what = f"adjust('explained') given {given}, {n_rows:,} rows"
            target = "at most 12×" if n_rows == 100_000 else ""
            yield beside(
                what, start, null="auto", peer="10,000 rows", target=target, unit="× the time", peer_number=5
            )


def pair(n_rows: int, n_numbers: int) -> Callable[[], object]:
    """Draw two columns that depend on the covariates."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n_rows, n_numbers))
    x, y = z.sum(axis=1) + rng.standard_normal((2, n_rows))
    given = {f"z{k}": z[:, k] for k in range(n_numbers)}
    return partial(bc.adjust, "explained", x, y, given=given)


def loop(frame: pd.DataFrame) -> Callable[[], object]:
    """Compute pingouin's partial correlation of 45 pairs."""
    import pingouin

    pairs = list(combinations([f"c{k}" for k in range(N_PEER)], 2))

    def each() -> None:
        for x, y in pairs:
            pingouin.partial_corr(frame, x=x, y=y, covar=NUMBERS)

    return each
