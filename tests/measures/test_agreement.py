"""Agreement compares what values mean, across dtypes and units."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bychance as bc

DAYS = np.arange("2020-01-01", "2020-01-09", dtype="M8[D]")


@pytest.mark.parametrize(
    ("x", "y", "share"),
    [
        (DAYS, DAYS + 1, 0),
        (DAYS, np.append(DAYS[:4], DAYS[:4]), 0.5),
        (DAYS, DAYS.astype("M8[ns]"), 1),
        (DAYS.astype("M8[25s]"), pl.Series(DAYS), 1),
        (DAYS[:1].astype("M8[M]").repeat(8), DAYS, 0.125),
        (pd.Series(DAYS).dt.tz_localize("UTC"), pd.Series(DAYS).dt.tz_localize("Europe/Rome"), 0),
        (np.arange(8).astype("m8[h]"), pd.to_timedelta(np.arange(8) * 60, unit="min"), 1),
        (2**60 + np.arange(8), 2**60 + 1 + np.arange(8, dtype=np.uint64), 0),
        (2**60 + np.arange(8), 2**60 + np.arange(8, dtype=np.uint64), 1),
        (2**60 + np.arange(8), np.full(8, 2.0**60), 0.125),
        (np.arange(8), np.arange(8.0), 1),
    ],
)
def test_agreement_compares_what_values_mean(x, y, share):
    assert bc.measure("agreement", x, y) == bc.measure("agreement", y, x) == share


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (np.arange(8), "dates and numeric"),
        (np.arange(8).astype("m8[D]"), "dates and spans of time"),
        (pd.Series(DAYS).dt.tz_localize("UTC"), "dates and dates with a time zone"),
        (pd.period_range("2020-01-01", periods=8, freq="D"), "dates and periods of D"),
    ],
)
def test_agreement_refuses_what_can_never_be_equal(y, what):
    with pytest.raises(ValueError, match=f"same kind of categories, got {what}"):
        bc.measure("agreement", DAYS, y)


def test_agreement_with_nothing_has_no_estimate():
    assert bc.adjust("agreement", DAYS, [None] * 8).n == 0
    assert bc.adjust("agreement", list("abcdefgh"), [None] * 8).n == 0
