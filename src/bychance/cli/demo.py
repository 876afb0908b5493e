"""`bychance demo`: a built-in table with a known truth, ranked by the raw measure and by each adjustment.

It also writes a report to explore.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bychance.cli.terminal import plain_grid, terminal_width
from bychance.datasets import DEMO_TRUTH, make_demo
from bychance.extras import MissingExtraError
from bychance.messages import Dialect
from bychance.ranking import Ranking, rank
from bychance.report import LEVELS, write_report

__all__ = ["demo"]

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
    """Write the report and return its path, or the instruction to install what it needs."""
    try:
        made_by: dict[str, Any] = {"command": "bychance demo", "dialect": Dialect.COMMAND_LINE}
        return str(write_report(ranking, report, title=_TITLE, **made_by).resolve())
    except MissingExtraError as missing:
        return str(missing)


def _found(records: list[dict[str, Any]]) -> str:
    found = [record["x"] for record in records if record["q_value"] < ALPHA]
    return f"With q < {ALPHA:g}, that is, hardly by chance: {', '.join(found)}."
