"""Spellings of yes and no (Yes, Y, TRUE, 1) in one column: labels → those of each answer."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["NO", "yes_and_no"]

_YES = frozenset({"yes", "y", "true", "t", "1", "1.0", "ja", "j", "oui"})
NO = frozenset({"no", "n", "false", "f", "0", "0.0", "nein", "non"})


def yes_and_no(labels: Sequence[str]) -> list[list[int]] | None:
    """Which labels are yes and which are no; None where others are there, or each has one spelling.

    Case and blanks make no other spelling.

    >>> yes_and_no(["Yes", "N", "no", "TRUE"]), yes_and_no(["Yes", "no", "YES"]), yes_and_no(["Y", "N", "?"])
    ([[0, 3], [1, 2]], None, None)
    """
    keys = ["".join(label.casefold().split()) for label in labels]
    if not set(keys) <= _YES | NO:
        return None
    answers = [[k for k, key in enumerate(keys) if key in answer] for answer in (_YES, NO)]
    has_several = any(len({keys[k] for k in answer}) > 1 for answer in answers)
    return answers if all(answers) and has_several else None
