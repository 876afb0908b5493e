"""Command line: arguments are parsed and text is printed, without any statistics."""

from __future__ import annotations

import os
import sys

import typer

from bychance import __version__
from bychance.cli.error_lines import DATA, STOPPED, Program, say
from bychance.cli.forest import forest
from bychance.cli.library import demo, measures, null
from bychance.cli.rank import rank
from bychance.cli.rank_options import RankHelp
from bychance.cli.reading import columns
from bychance.names import first_line

__all__ = ["app", "main"]

app = typer.Typer(
    name="bychance",
    help="How much of a dependency measure is just chance.",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command(cls=RankHelp)(rank)
app.command()(columns)
app.command()(forest)
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
    """Run the command line. An internal error prints one line, or a traceback under `python -X dev`."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except SystemExit as end:
        if end.code == STOPPED:
            # Threads may be inside a kernel, and a normal shutdown of the interpreter would abort them.
            sys.stderr.flush()
            os._exit(STOPPED)
        raise
    except Exception as fault:
        if sys.flags.dev_mode:
            raise
        say(f"internal error (please report it): {type(fault).__name__}: {first_line(fault)}")
        sys.exit(DATA)


def _open_closed_streams() -> None:
    """Send stdout or stderr to the null device if it is closed (`>&-`)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 as long as the program


if __name__ == "__main__":
    main()
