"""Terminal width, and the rich console and table style of all commands."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

__all__ = ["GAP", "NARROWEST", "plain_console", "plain_grid", "terminal_width"]

NARROWEST = 60  # characters that a table needs at least
GAP = 2  # between the columns of a table


def terminal_width() -> int:
    """Return the width of the terminal, at least 60 characters.

    At fewer characters a table would be all ellipses and a text a column of letters. A narrower terminal
    wraps the lines itself.
    """
    return max(Console().width, NARROWEST)


def plain_console() -> Console:
    """Create a rich console that prints text without markup or highlighting."""
    # Without a height rich would set the width of a dumb terminal to 80 characters.
    return Console(highlight=False, markup=False, width=terminal_width(), height=25)


def plain_grid() -> Table:
    """Create a rich table without rules and with bold headings."""
    return Table(box=None, header_style="bold", pad_edge=False, padding=(0, GAP, 0, 0))
