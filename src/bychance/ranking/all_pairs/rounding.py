"""Proven bound on the error of a correlation computed from rounded columns, for any summation order.

Let c and d be two columns, centered and of unit norm, so that r = c·d. The screen holds them rounded to half
or single precision, ĉ and d̂ (after scaling by a power of two, which rounds nothing and is left out here),
and adds up the products of their entries in float32.

1. Rounding of the entries. ĉ·d̂ − c·d = (ĉ − c)·d̂ + c·(d̂ − d), and by Cauchy and Schwarz

       |ĉ·d̂ − r| ≤ ρ_c·(1 + ρ_d) + ρ_d,    ρ_c = ‖ĉ − c‖, ρ_d = ‖d̂ − d‖.

   ρ is not estimated but measured, in float64, for every column: underflow and outliers are in it.

2. Rounding of the sum. Products of two halves are exact in float32; those of two singles round by 2⁻²⁴. Every
   partial sum is at most S = Σ|ĉ_k·d̂_k| ≤ (1 + ρ_c)(1 + ρ_d) in size. An IEEE addition rounds by at most
   2⁻²⁴·S, so that a sum and its products, in any order, are off by less than 2·n·2⁻²⁴·S. Tensor cores align
   k products (k = 4, 8 or 16) and the sum so far to the largest exponent, cut each off below 24 bits, and cut
   the result: (k + 2)·2⁻²³·S for k products (Fasi, Higham, Mikaitis, Pranesh, PeerJ Comput. Sci. 2021), at
   most 1.5·2⁻²³·S per product. With 2⁻²²·S per product (`_UNIT`) both are covered:

       |computed − ĉ·d̂| ≤ m·2⁻²²·S + h·2⁻²³·S,

   for h chunks of at most m rows, added up in float32: the sum of one chunk only sees its own part of S, and
   these parts add up to S.

3. Rounding of c itself, by centering and scaling in float64: columns whose relative error may exceed 1e-10
   are odd (lines.py) and never screened; `_SLACK` covers the rest and that of the threshold to float32.
"""

from __future__ import annotations

import math

__all__ = ["CHUNK_ROWS", "rounding_bound"]

CHUNK_ROWS = 4096
_UNIT = 2.0**-22
_SLACK = 1e-7


def rounding_bound(n_rows: int, x_rounding: float, y_rounding: float) -> float:
    """Return the largest error of the screen's r, from the largest rounding errors of x and y columns.

    >>> rounding_bound(1000, 2.5e-4, 2.5e-4) < 1e-3
    True
    """
    size = (1 + x_rounding) * (1 + y_rounding)
    entries = x_rounding * (1 + y_rounding) + y_rounding
    n_chunks = math.ceil(n_rows / CHUNK_ROWS)
    return entries + size * (min(n_rows, CHUNK_ROWS) * _UNIT + n_chunks * _UNIT / 2) + _SLACK
