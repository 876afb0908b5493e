"""How wide the terminal is that text and tables are laid out for."""

from __future__ import annotations

from rich.console import Console

__all__ = ["NARROWEST", "terminal_width"]

NARROWEST = 60


def terminal_width() -> int:
    """The width of the terminal, or 60 characters where it is narrower.

    On fewer a table would be all ellipses and a text a column of letters; lines that are too long the
    terminal itself breaks.
    """
    return max(Console().width, NARROWEST)
