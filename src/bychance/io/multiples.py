"""Thousands, millions and bytes by letters behind numbers: 1.2M and 300K, 4.5 MB → powers of ten."""

from __future__ import annotations

from typing import Any

from bychance.messages import Code, Remark, remark

__all__ = ["in_powers"]

_START = 1000
_POWERS = {"K": 3, "M": 6, "B": 9, "T": 12}
_MULTIPLE = r"[0-9] ?(?P<letter>[KkMBT])$"
_BYTES = r"[0-9] ?(?P<letter>[KkMGT]?)i?B$"
_BARE = r"[0-9]\)?$"
_BYTE_POWERS = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "": 0}


def in_powers(texts: Any) -> tuple[Any, tuple[Remark, ...]]:
    """The cells with powers of ten for letters that stand for them, and what to say of it.

    Letters are multiples where two of them occur, or K beside numbers without any: a single one is a unit.

    >>> from bychance.arrow_values import strings_of
    >>> in_powers(strings_of(["$1.2M", "$300K"]))[0].to_pylist()
    ['$1.2e6', '$300e3']
    >>> in_powers(strings_of(["4.5 MB", "512 B"]))[0].to_pylist(), in_powers(strings_of(["5 K", "7 K"]))[1]
    (['4.5e6', '512e0'], ())
    """
    import pyarrow.compute as pc

    start = pc.drop_null(texts).slice(0, _START)
    for pattern, powers, said in (
        (_BYTES, _BYTE_POWERS, Code.BYTES),
        (_MULTIPLE, {**_POWERS, "k": 3}, Code.MULTIPLES),
    ):
        found = pc.drop_null(pc.extract_regex(start, pattern))
        letters = set(found.field("letter").to_pylist())
        if not letters:
            continue
        is_bare = pc.any(pc.match_substring_regex(start, _BARE)).as_py()
        if len({powers[letter] for letter in letters}) < 2 and not (is_bare and letters <= {"K", "k"}):
            continue
        for letter in sorted(letters):
            behind = rf"{letter}i?B" if powers is _BYTE_POWERS else letter
            texts = pc.replace_substring_regex(texts, rf"([0-9]) ?{behind}$", rf"\1e{powers[letter]}")
        return texts, (remark(said),)
    return texts, ()
