"""Outcome of a case of the fuzz: counts of calls by kind, and differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Calls by (part, null, measure, family), and differences as text that can be run.

    `families` counts a call once for each of its columns' families, `calls` once.
    """

    calls: int = 0
    tried: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def count(self, part: str, null: str, measure: str, families: set[str], calls: int = 1) -> None:
        self.calls += calls
        for family in families:
            self.tried[part, null, measure, family] += calls

    def differ(self, case: str, code: str, found: list[str]) -> None:
        """Note what differs, below lines of Python that show it again."""
        lines = [f"# {case}", code, *(f"#   {line}" for line in found)]
        self.differences.append("\n".join(lines))

    def add(self, other: Outcome) -> None:
        self.calls += other.calls
        self.tried.update(other.tried)
        self.differences += other.differences
