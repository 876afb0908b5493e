"""Names of one unit (h, hr, hours; kg, KG): units → those that differ; whether a column's name has one."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["is_in_name", "one_name_each"]

_NAMES = (
    "s sec secs second seconds",
    "min mins minute minutes",
    "h hr hrs hour hours",
    "d day days",
    "wk wks week weeks",
    "mo mos month months",
    "y yr yrs year years",
    "g gr gram grams",
    "kg kgs kilo kilos kilogram kilograms",
    "oz ounce ounces",
    "lb lbs pound pounds",
    "cm cms",
    "km kms kilometer kilometers kilometre kilometres",
    "in inch inches",
    "ft foot feet",
    "yd yds yard yards",
    "mi mile miles",
    "ml mls",
    "l liter liters litre litres",
    "% percent pct",
)
_FIRST = {name: names.split()[0] for names in _NAMES for name in names.split()}
_WORDS = re.compile(r"[^\W\d_]+|%")


def one_name_each(units: Iterable[str]) -> tuple[str, ...]:
    """The units without those that are another with an s, another's long name, or written in other case.

    Case counts in single letters, and in units that are not listed here: mW is no MW.

    >>> one_name_each(["h", "hrs"]), one_name_each(["KG", "kg"]), one_name_each(["MW", "mW"])
    (('h',), ('kg',), ('MW', 'mW'))
    >>> one_name_each(["person", "persons"]), one_name_each(["hours"])
    (('person',), ('hours',))
    """
    names = sorted(set(units))
    names = [name for name in names if not (name.endswith("s") and name[:-1] in names)]
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(_first(name), []).append(name)
    return tuple(own[0] if len(own) == 1 else first for first, own in sorted(alike.items()))


def is_in_name(unit: str, name: str) -> bool:
    """Whether a column's name says in which unit its numbers are.

    >>> is_in_name("years", "How many years have you worked?"), is_in_name("kg", "weight_kg")
    (True, True)
    >>> is_in_name("kg", "weight")
    False
    """
    return _first(unit) in {_first(word) for word in _WORDS.findall(name.replace("_", " "))}


def _first(unit: str) -> str:
    """The first name of a unit that has several."""
    return _FIRST.get(unit if len(unit) == 1 else unit.casefold(), unit)
