"""`bychance null`: how large the store of nulls is, filling it ahead of time, and emptying it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from bychance.estimate import adjust
from bychance.measures import registry
from bychance.names import count_of
from bychance.nulls.permutation import Permutation
from bychance.nulls.store import default_store

__all__ = ["null"]

null = typer.Typer(help="The nulls kept on disk: show, warm or clear them.", no_args_is_help=True)

_STORED = ("mic", "mic_e", "tic_e")


@null.command()
def show() -> None:
    """Say how many nulls are stored, how large they are and where they lie."""
    store = default_store()
    sizes = store.sizes()
    where = "memory only (BYCHANCE_CACHE is off)" if store.directory is None else store.directory
    typer.echo(f"{count_of(len(sizes), 'null')}, {sum(sizes) / 1e6:.1f} MB, in {where}")


@null.command()
def warm(
    first: Annotated[int, typer.Argument(metavar="FIRST", min=3, help="Smallest number of rows.")],
    last: Annotated[int, typer.Argument(metavar="LAST", min=3, help="Largest number of rows.")],
    measure: Annotated[str, typer.Option(help="mic, mic_e or tic_e.")] = "mic",
    n_resamples: Annotated[int, typer.Option(min=1, help="Permutations per null.")] = 9_999,
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
        f"{count_of(last - first + 1, 'null')} of {measure} stored, "
        f"{count_of(n_resamples, 'permutation')} each."
    )


@null.command()
def clear() -> None:
    """Remove all stored nulls; they are drawn again when needed."""
    removed = default_store().clear()
    Console().print(f"{count_of(removed, 'null')} removed")
