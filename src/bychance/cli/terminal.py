"""The terminal: how wide it is, and how text and tables look on it."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

__all__ = ["GAP", "NARROWEST", "plain_console", "plain_grid", "terminal_width"]

NARROWEST = 60
GAP = 2  # between the columns of a table


def terminal_width() -> int:
    """The width of the terminal, or 60 characters where it is narrower.

    On fewer a table would be all ellipses and a text a column of letters; lines that are too long the
    terminal itself breaks.
    """
    return max(Console().width, NARROWEST)


def plain_console() -> Console:
    """What prints texts as they are."""
    # Without a height rich would take a dumb terminal to be 80 columns wide.
    return Console(highlight=False, markup=False, width=terminal_width(), height=25)


def plain_grid() -> Table:
    """A table without lines, its headings bold."""
    return Table(box=None, header_style="bold", pad_edge=False, padding=(0, GAP, 0, 0))
