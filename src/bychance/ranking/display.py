"""A ranking as text and as HTML: what was done, the best pairs, and what was folded or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bychance.ranking.result import Ranking

__all__ = ["html_of", "text_of"]


def text_of(ranking: Ranking) -> str:
    """The ranking for a terminal or a prompt."""
    return f"<Ranking of {ranking.n_pairs:,} pairs>"


def html_of(ranking: Ranking) -> str:
    """The ranking for a notebook."""
    return text_of(ranking)
