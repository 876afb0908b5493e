"""The selection figures: which sample size r² and its adjustments prefer."""

from __future__ import annotations

from functools import partial

import numpy as np

from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.selection import Selection, check_claims, compare, draw_selection, select

__all__ = ["ITEM"]

# 200,000 iterations with another program.
INDEPENDENT_RUNS = 200_000
INDEPENDENT = {
    ("independent", "r²"): (0.4453, 0.2317, 0.1463, 0.1021, 0.0745),
    ("independent", "Ar²"): (0.2553, 0.2002, 0.1777, 0.1727, 0.1941),
    ("independent", "Sr²"): (0.2027, 0.2002, 0.1988, 0.2000, 0.1983),
    ("independent", "p-value"): (0.1980, 0.2002, 0.1999, 0.2017, 0.2002),
    ("10% noise", "r²"): (0.3671, 0.2230, 0.1639, 0.1336, 0.1124),
    ("10% noise", "Ar²"): (0.3570, 0.2224, 0.1664, 0.1374, 0.1168),
    ("10% noise", "Sr²"): (0.0000, 0.0000, 0.0000, 0.0376, 0.9624),
    ("10% noise", "p-value"): (0.0009, 0.0097, 0.0560, 0.2310, 0.7023),
    ("10% noise", "Ar²(0.05)"): (0.0305, 0.1738, 0.2317, 0.2693, 0.2947),
    ("10% noise", "Ar²(0.1)"): (0.0862, 0.2022, 0.2273, 0.2393, 0.2449),
    ("10% noise", "Ar²(0.4)"): (0.2858, 0.2255, 0.1848, 0.1611, 0.1428),
}


def compute(run: Run) -> Outcome:
    """Compute shares by r² and all its adjustments, and by the p-value."""
    selection = select(run, "r2", "r²", p_values=True)
    checks = check_claims(selection, INDEPENDENT, INDEPENDENT_RUNS)
    claims = [
        *compare(selection, "r²", ("Figure 4", "Figure 5", "Figure 6")),
        _p_value_claim(selection),
        *checks,
    ]
    return Outcome(selection.table(), claims, {"selection": selection})


def _p_value_claim(selection: Selection) -> Claim:
    by_score, by_p = ((("10% noise", score)) for score in ("Sr²", "p-value"))
    return Claim(
        text='P(n = 100) by the p-value, 10% noise, is that by Sr² ("equivalent")',
        source="Section 4.1",
        paper=float(selection.shares[by_score][-1]),
        ours=float(selection.shares[by_p][-1]),
        se=float(np.hypot(selection.error(*by_score)[-1], selection.error(*by_p)[-1])),
        size=selection.size,
    )


ITEM = Item("selection_r2", "Selection by r²", compute, partial(draw_selection, symbol="r²"))
