"""A ranking on stdout: a table on a terminal, tab-separated values through a pipe; remarks on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bychance.cli.error_lines import in_options
from bychance.cli.terminal import terminal_width
from bychance.names import count_of, display_name, inert
from bychance.ranking.display import Summary, short_name, summarize
from bychance.ranking.result import Ranking
from bychance.ranking.sweep import Sweep

__all__ = ["print_tabbed", "show_ranking", "show_sweep"]

_FEW_NOTES = 3
_WHOLE = 1_000  # characters of a name before it is known how wide the terminal is
_SHORTEST_NAME, _GAP = 14, 2
_SPARED = ("p", "by chance", "adjusted", "n")  # what a narrow terminal does without, in this order


def show_ranking(ranking: Ranking, top: int, *, raw_names: bool = False, all_notes: bool = False) -> None:
    """The best pairs without near-duplicates, then the first notes or all of them.

    Through a pipe: a line of names and one per pair, separated by tabs; the columns of `to_frame()`, figures
    in full, nothing where there is none; control characters in names are escaped, and formulas as in CSV.
    """
    summary = summarize(ranking, top, _WHOLE)
    if sys.stdout.isatty():
        console = Console(highlight=False, markup=False, width=terminal_width())
        console.print(summary.headline, soft_wrap=True, style="bold")
        console.print(_table(summary, console.width, ranking.fdr_level))
    else:
        print(summary.headline, file=sys.stderr)
        print_tabbed(summary.records, raw_names=raw_names)
    sys.stdout.flush()
    for remark in summary.remarks:
        if not _is_about_notes(remark):
            print(in_options(remark), file=sys.stderr)
    _show_notes(ranking, all_notes=all_notes)


def _is_about_notes(remark: str) -> bool:
    return remark.startswith(("Note: ", "and ")) and (remark.startswith("Note: ") or "more note" in remark)


def _show_notes(ranking: Ranking, *, all_notes: bool) -> None:
    n_shown = len(ranking.notes) if all_notes else _FEW_NOTES
    for note in ranking.notes[:n_shown]:
        print(f"Note: {in_options(display_name(str(note)))}", file=sys.stderr)
    if len(ranking.notes) > n_shown:
        print(f"{count_of(len(ranking.notes) - n_shown, 'more note')}: --notes shows all", file=sys.stderr)


def show_sweep(sweep: Sweep, *, raw_names: bool) -> None:
    """The stable pairs and the moving ones with their places, after a blank line."""
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
        ],
        raw_names=raw_names,
    )


def _table(summary: Summary, width: int, fdr_level: float) -> Table:
    shown, name_width = _fitting(summary, width)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0))
    for k in shown:
        heading = summary.headings[k]
        table.add_column(Text(heading.text), justify="right" if heading.is_figure else "left", no_wrap=True)
    for record, cells in zip(summary.records, summary.cells, strict=True):
        is_found = record["q_value"] is not None and record["q_value"] < fdr_level
        sized = [_sized(cells[k], name_width) if _is_name(summary, k) else cells[k] for k in shown]
        table.add_row(*(Text(cell) for cell in sized), style="" if is_found else "dim")
    return table


def _fitting(summary: Summary, width: int) -> tuple[list[int], int]:
    """The columns for a terminal of this width, and what is left for a name."""
    shown = list(range(len(summary.headings)))
    for spared in (None, *_SPARED):
        shown = [k for k in shown if summary.headings[k].text != spared]
        taken = sum(_width(summary, k) + _GAP for k in shown if not _is_name(summary, k))
        names = [k for k in shown if _is_name(summary, k)]
        name_width = (width - taken) // len(names) - _GAP
        if name_width >= min(_SHORTEST_NAME, max(_width(summary, k) for k in names)):
            break
    return shown, max(name_width, _SHORTEST_NAME)


def _is_name(summary: Summary, k: int) -> bool:
    return summary.headings[k].text in ("x", "y")


def _sized(name: str, width: int) -> str:
    """The name in as many cells of the terminal: some characters take two."""
    n_characters = width
    while cell_len(shown := short_name(name, n_characters)) > width:
        n_characters -= 1
    return shown


def _width(summary: Summary, k: int) -> int:
    return max(cell_len(text) for text in (summary.headings[k].text, *(cells[k] for cells in summary.cells)))


def print_tabbed(records: Sequence[dict[str, Any]], *, raw_names: bool) -> None:
    """One line of names and one per record, separated by tabs; control characters are escaped."""
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
