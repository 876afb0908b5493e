"""Standard errors of measures that compare all pairs of rows: Kendall's τ and the distance correlation.

The measure with a row left out follows from sums over the pairs that include the row, so that the jackknife
costs as much as one pass over all pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.jackknife import Error, jackknife_error, recompute_without
from bychance.kinds import Role
from bychance.measures.dcor import DistanceCorrelation, scaled_to_unit, without_outer_gaps

__all__ = ["MOST_ROWS", "distance_correlation_error", "kendall_error"]

Numbers = NDArray[Any]
Floats = NDArray[np.float64]

MOST_ROWS = 2_000  # rows of a jackknife over pairs of rows (32 MB per matrix of distances)
"""Largest number of rows for which all pairs of rows are compared."""


def kendall_error(x: Numbers, y: Numbers) -> Error:
    """Compute the standard error of atanh τ_b."""
    signs = [np.sign(values[:, None] - values[None, :]) for values in (x, y)]
    agreement = np.einsum("ij,ij->i", *signs)
    untied = [np.abs(sign).sum(axis=1) for sign in signs]
    without = _leave_one_out(agreement)
    sides = [_leave_one_out(counts) for counts in untied]
    tau = without / np.sqrt(np.maximum(sides[0] * sides[1], 1e-300))
    sign = 1.0 if agreement.sum() >= 0 else -1.0
    return jackknife_error(np.arctanh(np.clip(tau, -1 + 1e-12, 1 - 1e-12)), sign=sign)


def distance_correlation_error(x: Numbers, y: Numbers) -> Error:
    """Compute the standard error of the bias-corrected squared distance correlation."""
    trimmed = (without_outer_gaps(values, np.argsort(values, kind="stable")) for values in (x, y))
    a, b = (np.abs(values[:, None] - values[None, :]) for values in map(scaled_to_unit, trimmed))
    cross, own_x, own_y = (_leave_one_out_products(*sides) for sides in ((a, b), (a, a), (b, b)))
    with np.errstate(divide="ignore", invalid="ignore"):
        without = cross / np.sqrt(own_x * own_y)
        left = np.minimum(own_x / own_x.max(), own_y / own_y.max())

    recompute_without(without, left, _distance_correlation, x, y)
    return jackknife_error(without)


def _distance_correlation(x: Floats, y: Floats) -> float:
    dcor = DistanceCorrelation()
    return dcor.estimate(dcor.prepare(x, Role.X), dcor.prepare(y, Role.Y))


def _leave_one_out(of_rows: Floats) -> Floats:
    """Return a sum over pairs of rows with each row left out, from the sum per row."""
    without: Floats = of_rows.sum() / 2 - of_rows
    return without


def _leave_one_out_products(a: Floats, b: Floats) -> Floats:
    """Return the inner product of U-centered distances with each row left out, up to a common factor."""
    n = len(a) - 1
    products = np.einsum("ij,ij->i", a, b)
    rows_a, rows_b = a.sum(axis=1), b.sum(axis=1)
    inner = products.sum() - 2 * products
    totals = (rows_a.sum() - 2 * rows_a) * (rows_b.sum() - 2 * rows_b)
    rows = rows_a @ rows_b - rows_a * rows_b - b @ rows_a - a @ rows_b + products
    centered: Floats = inner + totals / ((n - 1) * (n - 2)) - 2 * rows / (n - 2)
    return centered
