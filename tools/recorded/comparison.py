"""Two records of one call → equal bit for bit, within 1e-10, or different, and in which figure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from tools.recorded.figures import Promise

__all__ = ["Agreement", "Verdict", "compare"]

TOLERANCE = 1e-10
_LEAST_SIZE = 1e-4  # of numbers: what is left of 1 − 1 is rounding
# Sums whose order of summation is the linear algebra library's, which differs between processors.
_NEVER_BITWISE = (
    *("errors", "adjusted_se", "standardized_se", "adjusted_at_se"),
    *("importances", "importance_errors"),
)


class Verdict(IntEnum):
    """Agreement of two records."""

    BITWISE = 0
    CLOSE = 1
    DIFFERENT = 2


@dataclass(frozen=True, slots=True)
class Agreement:
    """A verdict, the relative difference behind it, the figure, and whether the call promises better."""

    verdict: Verdict
    difference: float = 0.0
    what: str = ""
    is_broken: bool = False

    def __str__(self) -> str:
        if self.verdict is Verdict.BITWISE:
            return "bitwise equal"
        if self.verdict is Verdict.DIFFERENT:
            return f"DIFFERENT: {self.what}"
        broken = ", BITWISE WAS PROMISED" if self.is_broken else ""
        return f"within 1e-10 (largest difference {self.difference:.1e}: {self.what}){broken}"


def compare(recorded: Mapping[str, Any], found: Mapping[str, Any], promise: Promise) -> Agreement:
    """Return the worst agreement of a call's figures with the recorded ones."""
    worst = Agreement(Verdict.BITWISE)
    for name in sorted(recorded.keys() | found.keys()):
        if name not in recorded or name not in found:
            return Agreement(Verdict.DIFFERENT, math.inf, f"{name} is in one of them only", is_broken=True)
        best = Verdict.BITWISE if promise == "bitwise" and name not in _NEVER_BITWISE else Verdict.CLOSE
        for agreement in _each(recorded[name], found[name], name):
            judged = replace(agreement, is_broken=agreement.verdict > best)
            worst = max(worst, judged, key=_badness)
    return worst


def _badness(agreement: Agreement) -> tuple[bool, Verdict, float]:
    return agreement.is_broken, agreement.verdict, agreement.difference


def _each(recorded: Any, found: Any, where: str) -> Iterator[Agreement]:
    if _are(dict, recorded, found) and recorded.keys() == found.keys():
        if "hash" in recorded:
            yield _vectors(recorded, found, where)
        else:
            for name in recorded:
                yield from _each(recorded[name], found[name], f"{where}.{name}")
    elif _are(list, recorded, found) and len(recorded) == len(found):
        for k, (old, new) in enumerate(zip(recorded, found, strict=True)):
            yield from _each(old, new, f"{where}[{k}]")
    else:
        yield _scalars(recorded, found, where, size=_LEAST_SIZE)


def _vectors(recorded: Mapping[str, Any], found: Mapping[str, Any], where: str) -> Agreement:
    if recorded["hash"] == found["hash"]:
        return Agreement(Verdict.BITWISE)
    if recorded["n"] != found["n"] or recorded["gaps"] != found["gaps"]:
        return Agreement(Verdict.DIFFERENT, math.inf, f"{where} has another length or other gaps")
    size = max(recorded["size"] / len(recorded["sums"]), _LEAST_SIZE)
    sums = zip(recorded["sums"], found["sums"], strict=True)
    worst = max((_scalars(old, new, f"{where}, a sum", size=size) for old, new in sums), key=_badness)
    # Hashes differ, so bits do, even if every sum is the same.
    return worst if worst.verdict else Agreement(Verdict.CLOSE, 0.0, where)


def _scalars(recorded: Any, found: Any, where: str, *, size: float) -> Agreement:
    if recorded == found and isinstance(recorded, bool) == isinstance(found, bool):
        return Agreement(Verdict.BITWISE)
    if not _are_numbers(recorded, found):
        return Agreement(Verdict.DIFFERENT, math.inf, f"{where}: {recorded!r} → {found!r}")
    if math.isnan(recorded) and math.isnan(found):
        return Agreement(Verdict.BITWISE)
    difference = abs(recorded - found) / max(abs(recorded), abs(found), size)
    if difference <= TOLERANCE:
        return Agreement(Verdict.CLOSE, difference, where)
    return Agreement(Verdict.DIFFERENT, difference, f"{where}: {recorded!r} → {found!r}")


def _are(kind: type, *values: Any) -> bool:
    return all(isinstance(value, kind) for value in values)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
