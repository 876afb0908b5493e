"""Commands without a file: the demo on a table with a known truth, the list of measures, the stored nulls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bychance.cli.show import plain_grid, terminal_width
from bychance.datasets import DEMO_TRUTH, make_demo
from bychance.errors import MissingExtraError
from bychance.measures.registry import list_measures
from bychance.messages import Dialect
from bychance.names import count_of
from bychance.nulls.cache import default_store
from bychance.ranking import Ranking, rank
from bychance.report import LEVELS, write_report

__all__ = ["demo", "measures", "null"]

ALPHA = 0.05  # of `adjusted_at` and of q, the defaults of `rank`
_TARGET = "yield"
_TITLE = "What explains the yield? Three columns do, the others are noise"
_SCORES = {
    "observed": ("raw", ".3f"),
    "adjusted": ("adjusted", "+.3f"),
    "standardized": ("standardized", "+.1f"),
    "adjusted_at": (f"at α = {ALPHA:g}", "+.3f"),
}


def demo(
    report: Annotated[Path, typer.Option(metavar="FILE", help="Where the page to explore goes.")] = Path(
        "bychance-demo.html"
    ),
) -> None:
    """Rank the columns of a built-in table, show what chance does to a ranking, and write a report."""
    console = Console(highlight=False, width=min(terminal_width(), 100))
    ranking = rank(make_demo(), target=_TARGET, alpha=[ALPHA, *LEVELS])
    records = list(ranking.best())
    n_rows = max(record["n"] for record in records)
    fewest = min(record["n"] for record in records)
    console.print(
        f"Which columns explain {_TARGET}? The table was made by rule: three do (●), the others are noise. "
        f"Their share of explained variation, raw and adjusted for chance, best first:\n"
    )
    console.print(_side_by_side(records))
    console.print(
        f"\nNoise leads the raw list: survey_* have {fewest} rows instead of {n_rows}, farmer and plot_code "
        "many categories, and chance alone explains much of the variation then.\n"
        "[bold]adjusted[/bold]: 0 is chance, 1 the maximum: the size of an effect, whatever the categories.\n"
        "[bold]standardized[/bold] and [bold]at α[/bold] also mistrust few rows: what to rank by. Above 0 at "
        f"α is what beats {1 - ALPHA:.0%} of chance.\n"
    )
    console.print(_found(records))
    console.print("\nThe same to explore, in a browser:", style="bold")
    console.print(_page(ranking, report), soft_wrap=True, markup=False)
    console.print("\nYour own: bychance rank FILE --target COLUMN --report page.html", style="bold")


def _side_by_side(records: list[dict[str, Any]]) -> Table:
    """Tabulate the columns ranked by each score, one ranked list per score."""
    table = plain_grid()
    for heading, _ in _SCORES.values():
        table.add_column(heading, no_wrap=True)
    lists = [
        [_entry(record, score) for record in sorted(records, key=lambda r: -r[score])] for score in _SCORES
    ]
    for entries in zip(*lists, strict=True):
        table.add_row(*entries)
    return table


def _entry(record: dict[str, Any], score: str) -> Text:
    is_real = record["x"] in DEMO_TRUTH
    value = format(record[score], _SCORES[score][1])
    return Text(f"{'●' if is_real else ' '} {record['x']:<10}{value:>6}", style="green" if is_real else "dim")


def _page(ranking: Ranking, report: Path) -> str:
    """Write the demo's report and return its path, or a message to install the packages it needs."""
    try:
        made_by: dict[str, Any] = {"command": "bychance demo", "dialect": Dialect.COMMAND_LINE}
        return str(write_report(ranking, report, title=_TITLE, **made_by).resolve())
    except MissingExtraError as missing:
        return str(missing)


def _found(records: list[dict[str, Any]]) -> str:
    found = [record["x"] for record in records if record["q_value"] < ALPHA]
    return f"With q < {ALPHA:g}, that is, hardly by chance: {', '.join(found)}."


def measures() -> None:
    """List the dependency measures: their names, the columns they take, and what they are."""
    table = Table(box=None, header_style="bold")
    for heading in ("name", "columns", "symmetric", "what"):
        table.add_column(heading, no_wrap=heading == "name")
    for info in list_measures():
        table.add_row(info.name, info.kinds, "yes" if info.symmetric else "no", info.summary)
    Console(width=terminal_width()).print(table)


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
