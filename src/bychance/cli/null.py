"""`bychance null`: the size of the file cache of sampled nulls, and its removal."""

from __future__ import annotations

import typer

from bychance.names import count_of
from bychance.nulls.cache import default_store

__all__ = ["null"]

null = typer.Typer(help="The nulls kept on disk: show or clear them.", no_args_is_help=True)


@null.command()
def show() -> None:
    """Print the number, size and location of stored nulls."""
    store = default_store()
    sizes = store.sizes()
    where = "memory only (BYCHANCE_CACHE is off)" if store.directory is None else store.directory
    typer.echo(f"{count_of(len(sizes), 'null')}, {sum(sizes) / 1e6:.1f} MB, in {where}")


@null.command()
def clear() -> None:
    """Remove all stored nulls. They are drawn again when needed."""
    typer.echo(f"{count_of(default_store().clear(), 'null')} removed")
