"""Text about the cases that a run tried and the differences that it found."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.outcome import Outcome

_SHOWN = 10


def tried(outcome: Outcome) -> str:
    """Make one table per part and null: measures down, families across.

    A call on columns of two families counts for both.
    """
    parts = list(dict.fromkeys((part, null) for part, null, _, _ in sorted(outcome.tried)))
    return "\n\n".join(_table(outcome, part, null) for part, null in parts)


def _table(outcome: Outcome, part: str, null: str) -> str:
    cells = {(m, f): v for (p, u, m, f), v in outcome.tried.items() if (p, u) == (part, null)}
    measures = sorted({m for m, _ in cells})
    families = sorted({f for _, f in cells})
    widths = [max(len(f), 6) for f in families]
    head = f"{f'{part}, {null}':30}" + "".join(f"  {f:>{w}}" for f, w in zip(families, widths, strict=True))
    lines = [
        f"  {m:28}"
        + "".join(f"  {cells.get((m, f), 0):>{w},}" for f, w in zip(families, widths, strict=True))
        for m in measures
    ]
    return "\n".join([head, *lines])


def found(outcome: Outcome, where: str) -> str:
    """Count the differences of each kind, and show the first of them in full."""
    if not outcome.differences:
        return f"{outcome.calls:,} calls and p-values compared, no unexplained difference"
    kinds = Counter(_kind(text) for text in outcome.differences)
    lines = [f"{outcome.calls:,} calls and p-values compared, {len(outcome.differences):,} differ"]
    lines += [f"  {number:6,}  {kind}" for kind, number in kinds.most_common()]
    lines += ["", f"the first {min(_SHOWN, len(outcome.differences))} of them ({where}):", ""]
    return "\n".join([*lines, "\n\n".join(outcome.differences[:_SHOWN])])


def _kind(text: str) -> str:
    """Return part, measure and null: the case without its number."""
    words = text.splitlines()[0].removeprefix("# ").split()
    return " ".join(w for w in words if "/" not in w)
