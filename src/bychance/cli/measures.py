"""`bychance measures`: the table of dependency measures."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from bychance.cli.terminal import terminal_width
from bychance.named_measures import list_measures

__all__ = ["measures"]


def measures() -> None:
    """List the dependency measures: their names, the columns they take, and what they are."""
    table = Table(box=None, header_style="bold")
    for heading in ("name", "columns", "symmetric", "what"):
        table.add_column(heading, no_wrap=heading == "name")
    for info in list_measures():
        table.add_row(info.name, info.kinds, "yes" if info.symmetric else "no", info.summary)
    Console(width=terminal_width()).print(table)
