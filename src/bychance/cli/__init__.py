"""The command line: one file a verb; arguments in, text out; no statistics."""

from __future__ import annotations

import sys

import typer

from bychance import __version__
from bychance.cli.demo import demo
from bychance.cli.measures import measures
from bychance.cli.null import null
from bychance.errors import BychanceError

__all__ = ["app", "main"]

app = typer.Typer(
    name="bychance",
    help="How much of a dependency measure is just chance.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(measures)
app.add_typer(null, name="null")


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        typer.echo(f"bychance {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program; an error about the data is one line on stderr and exit code 1."""
    try:
        app()
    except BychanceError as error:
        print(f"bychance: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
