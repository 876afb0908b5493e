"""First and last rows with the sums of all others are left out, and no other rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bychance.io import read_table
from bychance.io.footer import rows_of_totals
from bychance.read_column import read_column

RNG = np.random.default_rng(1)
IMPRESSIONS, CLICKS = RNG.integers(100, 900, size=60), RNG.integers(5, 60, size=60)
COST = RNG.normal(2, 0.4, size=60).round(2)
ROWS = [
    f"camp {k % 9},{a},{b},{c:.2f}" for k, (a, b, c) in enumerate(zip(IMPRESSIONS, CLICKS, COST, strict=True))
]
SUMS = f"{IMPRESSIONS.sum()},{CLICKS.sum()},{COST.mean():.2f}"
NAMES = "campaign,impressions,clicks,cost"


@pytest.fixture
def read(tmp_path):
    def read_lines(*lines, names=NAMES, **options):
        path = tmp_path / "t.csv"
        path.write_text("\n".join([names, *lines]))
        return read_table(path, **options)

    return read_lines


PEAKS = {"first": 0, "last": 65, "inside": 40}


def deaths(seed, peak, n_months=66, n_places=180):
    """Draw counts by month and place, with one month about as large as all others together."""
    rng = np.random.default_rng(seed)
    expected = rng.gamma(2, 1.5, n_places)
    counts = rng.poisson(expected, (n_months, n_places))
    rest = np.delete(counts, peak, axis=0).sum(axis=0)
    counts[peak] = rng.poisson(rest * rng.uniform(0.9, 1.1, n_places))
    return tuple(read_column(counts[:, k], f"place {k}") for k in range(n_places))


@pytest.mark.parametrize("peak", PEAKS)
def test_a_month_as_large_as_all_others_is_never_taken_for_their_sum(peak):
    """In some of many columns it is, by chance."""
    tables = [deaths(seed, PEAKS[peak]) for seed in range(34)]

    assert [rows_of_totals({}, columns) for columns in tables] == [None] * 34
    n_equal = [
        sum(int(column.values[PEAKS[peak]]) * 2 == int(column.values.sum()) for column in columns)
        for columns in tables
    ]
    assert sum(n_equal) > 34


def test_the_peak_of_a_monthly_file_is_read(read):
    columns = deaths(0, 40)
    lines = [
        f"2020-{k},{','.join(str(column.values[k]) for column in columns)}" for k in range(len(columns[0]))
    ]

    assert read(*lines, names=",".join(["month", *(column.name for column in columns)])).n_rows == 66


@pytest.mark.parametrize("place", ["first", "last"])
def test_sums_of_half_of_the_columns_are_found_among_many(read, place):
    """The others are shares, of which no total is written."""
    counts = np.random.default_rng(4).integers(0, 400, size=(30, 12))
    shares = (counts / counts.sum(axis=1, keepdims=True)).round(3)
    rows = [",".join(map(str, [k, *a, *b])) for k, (a, b) in enumerate(zip(counts, shares, strict=True))]
    total = ",".join(map(str, ["world", *counts.sum(axis=0), *[""] * 12]))
    names = ",".join(["place", *(f"n{k}" for k in range(12)), *(f"share{k}" for k in range(12))])
    table = read(*([total, *rows] if place == "first" else [*rows, total]), names=names)

    assert table["n3"].values.tolist() == counts[:, 3].tolist()


def test_without_a_header_and_in_frames_all_rows_are_data(read):
    assert read(*ROWS, f"Total,{SUMS}", header=False).n_rows == 62
    frame = pd.DataFrame([row.split(",") for row in [f"Total,{SUMS}", *ROWS]], columns=NAMES.split(","))
    assert read_table(frame).n_rows == 61


NOT_SUMS = {
    "one column": lambda n: {"a": [*n, n.sum()], "b": [*n[::-1], 7]},
    "proportional": lambda n: {"a": [*n, n.sum()], "b": [*(2 * n), 2 * n.sum()]},
    "nearly": lambda n: {"a": [*n, n.sum() + 1], "b": [*(n**2), (n**2).sum() - 1]},
    "with signs": lambda n: {"a": [*n, -n.sum(), 0], "b": [*(n**2), -(n**2).sum(), 0]},
    "few digits": lambda n: {"a": [1, 0, 1, 1, 3], "b": [2, 1, 0, 1, 4]},
    "three rows": lambda n: {"a": [100, 207, 307], "b": [512, 111, 623]},
}


@pytest.mark.parametrize("make", NOT_SUMS.values(), ids=NOT_SUMS)
def test_other_rows_are_data(make):
    assert rows_of_totals({}, read_table(make(IMPRESSIONS)).columns) is None


def test_noise_is_never_taken_for_sums():
    """Counts, mostly 0 or with few very large ones, and short tables: 300 of them."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 40))
        table = {"rare": rng.poisson(0.4, size=n), "dice": rng.integers(1, 7, size=n)}
        table |= {name: (3 * rng.pareto(0.7, size=n)).round() for name in ("cities", "towns")}
        table |= {"noise": rng.normal(size=n).round(1), "centered": rng.integers(-2, 3, size=n)}
        assert rows_of_totals({}, read_table(table).columns) is None
