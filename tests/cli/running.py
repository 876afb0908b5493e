"""`bychance rank` run in this process, its output read, and tables for it."""

from __future__ import annotations

from typer.testing import CliRunner

from bychance.cli import app
from bychance.cli.show import _fitting, _table
from tests.engine.ranking import summarize


def run(*arguments):
    return CliRunner().invoke(app, ["rank", *map(str, arguments)])


def table_of(ranking, top, width):
    """Return the best pairs as a terminal of this width shows them."""
    summary = summarize(ranking, top, 1_000)
    return _table(summary, *_fitting(summary, width), ranking.fdr_level)


def tabbed(text):
    header, *lines = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(header, line, strict=True)) for line in lines]


def error_of(*arguments, code=1):
    """Return the only line of the run, which is on stderr, with nothing on stdout."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if code == 1:
        assert result.stderr.startswith("bychance: ")
        assert len(result.stderr.splitlines()) == 1
    return " ".join(result.stderr.replace("│", " ").split())


def write_csv(path, columns, rows=None):
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows if rows is not None else zip(*columns.values(), strict=True))
    return path
