"""`bychance null`: what the store of nulls holds, filling it ahead of time, and emptying it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from bychance.cli.terminal import terminal_width
from bychance.estimate import adjust
from bychance.measures import registry
from bychance.names import count_of
from bychance.nulls.permutation import Permutation
from bychance.nulls.store import default_store

__all__ = ["null"]

null = typer.Typer(help="The nulls kept on disk: list, warm or clear them.", no_args_is_help=True)

_STORED = ("mic", "mic_e", "tic_e")


@null.command("list")
def list_nulls(
    top: Annotated[int, typer.Option(min=1, help="How many to show, the most recently used first.")] = 20,
) -> None:
    """List the stored nulls.

    Example: bychance null list --top 50
    """
    store = default_store()
    entries = store.entries()
    console = Console(width=terminal_width())
    if store.directory is None:
        console.print("Nulls are kept in memory only (BYCHANCE_CACHE is off).")
        return
    total = sum(entry.bytes for entry in entries)
    console.print(
        f"{count_of(len(entries), 'null')}, {total / 1e6:.1f} MB, in {store.directory}", soft_wrap=True
    )
    table = Table(box=None, header_style="bold")
    for heading in ("measure", "n", "ties", "draws", "seed", "bytes", "last used"):
        table.add_column(heading, justify="left" if heading in ("measure", "ties", "last used") else "right")
    for e in entries[:top]:
        used = e.used.strftime("%Y-%m-%d %H:%M")
        ties = "yes" if e.is_tied else "no"
        table.add_row(e.measure, f"{e.n:,}", ties, f"{e.count:,}", str(e.seed), f"{e.bytes:,}", used)
    if entries:
        console.print(table)
    if len(entries) > top:
        console.print(f"and {len(entries) - top:,} more")


@null.command()
def warm(
    first: Annotated[int, typer.Argument(metavar="FIRST", min=3, help="Smallest number of rows.")],
    last: Annotated[int, typer.Argument(metavar="LAST", min=3, help="Largest number of rows.")],
    measure: Annotated[str, typer.Option(help="mic, mic_e or tic_e.")] = "mic",
    n_resamples: Annotated[int, typer.Option(min=1, help="Draws per null.")] = 9_999,
    seed: Annotated[int, typer.Option(min=0, help="Root seed.")] = 0,
) -> None:
    """Draw and store the nulls of tie-free columns for every number of rows from FIRST to LAST.

    Example: bychance null warm 10 200
    """
    if measure not in _STORED:
        raise typer.BadParameter(f"only {', '.join(_STORED)} have stored nulls, got {measure!r}.")
    if last < first:
        raise typer.BadParameter(f"LAST must be at least FIRST, got {first} and {last}.")
    resolved = registry.resolve(measure)
    console = Console(stderr=True)
    with console.status("") as status:
        for n in range(first, last + 1):
            status.update(f"{measure}, n = {n} of {last}")
            rows = np.arange(n, dtype=np.float64)
            adjust(resolved, rows, rows, null=Permutation(n_resamples), rng=seed)
    console.print(
        f"{count_of(last - first + 1, 'null')} of {measure} stored, {count_of(n_resamples, 'draw')} each."
    )


@null.command()
def clear() -> None:
    """Remove all stored nulls; they are drawn again when needed."""
    removed = default_store().clear()
    Console().print(f"{count_of(removed, 'null')} removed")
