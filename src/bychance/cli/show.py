"""Output on a terminal: tables of rankings, or tab-separated values through a pipe, and notes on stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bychance.messages import MOST_NAMES, Dialect, note_lines
from bychance.names import display_name, inert, short_name
from bychance.ranking.display.sweep import Sweep
from bychance.ranking.display.text import MONTE_CARLO, Summary, legend_line, summarize
from bychance.ranking.ranking import Ranking
from bychance.wording import LESS

__all__ = [
    "NARROWEST",
    "plain_console",
    "plain_grid",
    "print_tabbed",
    "show_grid",
    "show_ranking",
    "show_sentence",
    "show_sweep",
    "terminal_width",
]

_WHOLE = 1_000  # characters of a name before it is cut to the width of the terminal
_SHORTEST_NAME = 12  # characters to which a narrow terminal cuts names (taste)
NARROWEST = 60  # characters that a table needs at least
_GAP = 2  # characters between the columns of a table
_CORE = 80  # characters: at this width or more, n and scores always stay
_NAMES = frozenset({"x", "y"})  # headings of the columns of names
_ERROR = re.compile(rf" \({MONTE_CARLO} [^)]*\)")


Columns = dict[str, list[str]]  # cells of a table by heading


def show_ranking(ranking: Ranking, top: int) -> None:
    """Print the best pairs, the notes on columns, and a one-line legend.

    Through a pipe, it prints a line of names and one line per pair, separated by tabs. The columns are those
    of `to_frame()`, with all digits, and empty if there is no value. Control characters in names are escaped,
    and formulas as in CSV files.
    """
    summary = summarize(ranking, top, _WHOLE, Dialect.COMMAND_LINE)
    if sys.stdout.isatty():
        console = plain_console()
        console.print(summary.verdict, soft_wrap=True, style="bold")
        console.print(summary.headline, soft_wrap=True, style="dim")
        console.print()
        columns, name_width = _fitting(summary, console.width)
        console.print(_table(summary, columns, name_width, ranking.fdr_level))
        console.print()
    else:
        print(summary.verdict, summary.headline, sep="\n", file=sys.stderr)
        # Programs that read a pipe expect both directions of a pair.
        records = tuple(ranking.best(top, fold=True)) or summary.records
        print_tabbed(records)
    sys.stdout.flush()
    noticed = note_lines(ranking.notes, MOST_NAMES, dialect=Dialect.COMMAND_LINE)
    for line in (*summary.remarks, *(f"Note: {line}" for line in noticed)):
        print(line, file=sys.stderr)
    if sys.stdout.isatty():
        sys.stderr.flush()
        console.print(legend_line(_legend(summary, columns), console.width), style="dim")


def show_sweep(sweep: Sweep) -> None:
    """Print each pair's rank at every alpha, first the pairs that stay among the best at all alphas."""
    print()
    if sys.stdout.isatty():
        print(sweep)
        return
    names, rows = sweep.table.names, sweep.rows
    print_tabbed(
        [
            {
                "x": names[rows.x[k]],
                "y": names[rows.y[k]],
                "n": int(rows.n[k]),
                **{f"rank at {a:g}": int(p) for a, p in zip(sweep.alphas, sweep.places[k], strict=True)},
                "stable": bool(sweep.is_stable[k]),
            }
            for k in (*sweep.stable_rows, *sweep.moving_rows)
        ]
    )


def _legend(summary: Summary, columns: Columns) -> list[tuple[str, str]]:
    """Return the legend without entries for columns and marks that a narrow terminal hides."""
    cells = [cell for column in columns.values() for cell in column]
    gone = {heading.text for heading in summary.headings} - set(columns)
    if not any(_ERROR.search(cell) for cell in cells):
        gone.add(MONTE_CARLO)
    if not any(cell.startswith(LESS) for cell in cells):
        gone.add(LESS)
    return [(heading, meaning) for heading, meaning in summary.legend if heading not in gone]


def _table(summary: Summary, columns: Columns, name_width: int, fdr_level: float) -> Table:
    table = plain_grid()
    for heading in summary.headings:
        if heading.text in columns:
            justify: Any = "right" if heading.is_number else "left"
            table.add_column(Text(heading.text), justify=justify, no_wrap=True)
    sized = {name: [_sized(cell, name_width) for cell in columns[name]] for name in _NAMES & columns.keys()}
    rows = zip(*(columns | sized).values(), strict=True)
    for line, record in summary.lines():
        cells = next(rows) if record else line[: len(columns)]
        is_found = bool(record and record["q_value"] is not None and record["q_value"] < fdr_level)
        table.add_row(*map(Text, cells), style="" if is_found else "dim")
    return table


def _fitting(summary: Summary, width: int) -> tuple[Columns, int]:
    """Return as many columns as fit the terminal, and the width for a name."""
    whole = {h.text: [cells[k] for cells in summary.cells] for k, h in enumerate(summary.headings)}
    for columns in _narrower(whole, width):
        names = _NAMES & columns.keys()
        widths = {heading: _width(heading, cells) for heading, cells in columns.items()}
        taken = sum(widths[heading] + _GAP for heading in columns.keys() - names)
        name_width = (width - taken) // len(names) - _GAP
        if name_width >= min(_SHORTEST_NAME, max(widths[heading] for heading in names)):
            break
    return columns, max(name_width, _SHORTEST_NAME)


def _narrower(columns: Columns, width: int) -> Iterator[Columns]:
    """Yield versions of a results table with fewer and fewer columns, to fit a terminal of this width."""
    yield columns
    for spared in ("p", "95% limits"):
        yield (columns := _without(columns, spared))
    yield (
        columns := {heading: [_ERROR.sub("", cell) for cell in cells] for heading, cells in columns.items()}
    )
    for spared in ("±", "measure"):
        yield (columns := _without(columns, spared))
    yield (columns := _stacked(columns))
    for spared in ("by chance", "adjusted", "n") if width < _CORE else ():
        yield (columns := _without(columns, spared))


def _without(columns: Columns, spared: str) -> Columns:
    return {heading: cells for heading, cells in columns.items() if heading != spared}


def _stacked(columns: Columns) -> Columns:
    """Merge the two name columns to one, with one name above the other."""
    if "y" not in columns:
        return columns
    both = [f"{x}\n{y}" for x, y in zip(columns["x"], columns["y"], strict=True)]
    return _without(columns | {"x": both}, "y")


def _sized(name: str, width: int) -> str:
    """Cut a name to a width in terminal cells. Some characters take two cells."""
    if "\n" in name:
        return "\n".join(_sized(line, width) for line in name.split("\n"))
    n_characters = width
    while cell_len(shown := short_name(name, n_characters)) > width:
        n_characters -= 1
    return shown


def _width(heading: str, cells: list[str]) -> int:
    return max(cell_len(line) for text in (heading, *cells) for line in text.split("\n"))


def show_sentence(sentence: str) -> None:
    """Print the main result above the table, or on stderr if stdout is a pipe."""
    if sys.stdout.isatty():
        plain_console().print(sentence, soft_wrap=True, style="bold")
        print()
    else:
        print(sentence, file=sys.stderr)


def show_grid(title: str, grid: Table, records: Sequence[dict[str, Any]], *, raw_names: bool = False) -> None:
    """Print a titled table, or tab-separated records through a pipe, and a blank line."""
    if sys.stdout.isatty():
        console = plain_console()
        console.print(title, style="bold")
        console.print(grid)
    else:
        print_tabbed(records, raw_names=raw_names)
    print()


def print_tabbed(records: Sequence[dict[str, Any]], *, raw_names: bool = False) -> None:
    """Print a header line and one line per record, separated by tabs. Control characters are escaped."""
    if not records:
        return
    print("\t".join(records[0]))
    for record in records:
        print("\t".join(_cell(value, raw_names=raw_names) for value in record.values()))


def _cell(value: Any, *, raw_names: bool) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    shown = display_name(value)
    return shown if raw_names else inert(shown)


def terminal_width() -> int:
    """Return the width of the terminal, at least 60 characters.

    At fewer characters a table would be all ellipses and a text a column of letters. A narrower terminal
    wraps the lines itself.
    """
    return max(Console().width, NARROWEST)


def plain_console() -> Console:
    """Create a rich console that prints text without markup or highlighting."""
    # Without a height rich would set the width of a dumb terminal to 80 characters.
    return Console(highlight=False, markup=False, width=terminal_width(), height=25)


def plain_grid() -> Table:
    """Create a rich table without rules and with bold headings."""
    return Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0))
