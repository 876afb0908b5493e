"""Errors and warnings as one line on stderr, with exit codes. Tracebacks are for developers."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from bychance.errors import BychanceError, BychanceWarning
from bychance.messages import Dialect
from bychance.names import display_name, first_line

__all__ = ["DATA", "STOPPED", "Program", "check_jobs", "errors_in_one_line", "say", "usage_errors"]

DATA, STOPPED = 1, 130  # exit codes: an error of the data, and 128 + SIGINT


class Program(TyperGroup):
    """Command group that prints every error about data, disk or memory as one line."""

    def invoke(self, ctx: Any) -> Any:
        with errors_in_one_line():
            return super().invoke(ctx)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Print errors and warnings as one line on stderr, and end with an exit code after an error."""
    with _warnings_in_one_line():
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(0) from None
        except (ValueError, OSError) as error:
            say(_message(error))
            raise typer.Exit(DATA) from None
        except MemoryError:
            say("there is not enough memory; --out writes all pairs to a file and keeps few of them")
            raise typer.Exit(DATA) from None
        except KeyboardInterrupt as stop:
            say("; ".join(["stopped", *(str(reason) for reason in stop.args)]))
            raise typer.Exit(STOPPED) from None


def say(message: str) -> None:
    """Print a message as one line on stderr, with line breaks and control characters escaped."""
    print(f"bychance: {display_name(message)}", file=sys.stderr)


def check_jobs(jobs: int, of: str = "threads") -> None:
    """Raise an error if the number of threads is 0."""
    if jobs == 0:
        raise BychanceError(f"--jobs must be a number of {of}, or -1 for one per core, got 0.")


@contextmanager
def usage_errors() -> Iterator[None]:
    """Convert errors about options to usage errors with exit code 2."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(display_name(_message(error))) from None


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, BychanceError):
        return error.render(Dialect.COMMAND_LINE)
    return str(error) or first_line(error)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if isinstance(message, BychanceWarning):
            say(f"warning: {message.render(Dialect.COMMAND_LINE)}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", BychanceWarning)
        warnings.showwarning = show
        yield


def _forget_stdout() -> None:
    """Discard what is left in the buffer of stdout after its reader has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
