"""Measured rows as lines of text, beside the recorded ones."""

from __future__ import annotations

from math import isnan

from benchmarks.timing import Figure, Row, share_of


def heading(title: str) -> str:
    """Return the title and the names of the columns."""
    names = f"{'what':70} {'null':26} {'ours':>10} {'peer':>10} {'result':>12} {'recorded':>12} {'share':>6}"
    return f"\n{title}\n{names}  {'peer':30} target"


def line(row: Row, figure: Figure, recorded: float | None) -> str:
    """Return one line. The share of the recorded value is below 1 if the result is worse."""
    measured = (
        f"{_seconds(figure.ours_s):>10} {_seconds(figure.peer_s):>10} {_value(figure.value, figure.unit):>12}"
    )
    before = "" if recorded is None else _value(recorded, figure.unit)
    share = "" if recorded is None else f"{share_of(figure, recorded):.2f}"
    rest = "; ".join(filter(None, (row.target, figure.remark)))
    return f"{row.what:70} {row.null:26} {measured} {before:>12} {share:>6}  {row.peer:30} {rest}"


def _value(value: float, unit: str) -> str:
    if unit == "MB":
        return f"{value:,.0f} MB"
    return f"{value:.3g}×" if value < 100 else f"{value:,.0f}×"


def _seconds(value: float) -> str:
    if isnan(value):
        return ""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"
