"""Claims and times as records, and records as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reproduction.claims import Claim

__all__ = ["Records", "markdown", "verdict_record"]

Records = Sequence[dict[str, Any]]

_SIGNS = {"at_most": "≤ ", "at_least": "≥ ", "above": "> ", "below": "< "}


def verdict_record(item: str, claim: Claim) -> dict[str, str]:
    """Make a row of the verdict table, its figures as they are shown."""
    return {
        "item": item,
        "source": claim.source,
        "claim": claim.text,
        "paper": _SIGNS.get(claim.kind, "") + _shown(claim.paper),
        "ours": _shown(claim.ours),
        "tolerance": _shown(claim.tolerance) if claim.tolerance else "",
        "verdict": claim.verdict,
        "size": claim.size,
    }


def markdown(records: Records) -> str:
    """Make a table in Markdown, numbers to the right.

    >>> print(markdown([{"item": "a|b", "seconds": 1.5}]))
    | item | seconds |
    |---|---:|
    | a\\|b | 1.5 |
    """
    names = list(records[0]) if records else []
    numeric = [all(isinstance(record[name], int | float) for record in records) for name in names]
    rules = ["---:" if is_number else "---" for is_number in numeric]
    lines = [names, *([_shown(record[name]) for name in names] for record in records)]
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([rows[0], f"|{'|'.join(rules)}|", *rows[1:]])


def _shown(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return format(float(value), ".4g")
