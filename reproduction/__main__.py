"""The paper's examples, figures and tables as files, and a verdict for every claim.

python -m reproduction [ITEM …] [--quick] [--data FOLDER] [--out FOLDER]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from bychance.cli.error_lines import DATA, check_jobs, errors_in_one_line, say, usage_errors
from bychance.cli.show import plain_grid, show_grid, terminal_width
from bychance.errors import UnknownNameError
from bychance.names import count_of
from reproduction import ITEMS
from reproduction.reproduce import reproduce

_WRAPPED = ("source", "claim")
_SPARED, _WIDE = ("tolerance", "size"), 120  # what a narrow terminal does without: verdicts.csv has it
_STYLES = {"holds": "green", "does not hold": "red", "undecided": "yellow"}


app = typer.Typer(pretty_exceptions_enable=False)


@app.command()
@errors_in_one_line()
def main(
    items: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ITEM", help=f"Which of the paper's items; all by default. {', '.join(sorted(ITEMS))}."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the data files are; by default what BYCHANCE_DATA names."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Reduced sizes: minutes instead of hours.")] = False,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where figures, numbers, tables and finished pieces go.")
    ] = Path("build/paper"),
    jobs: Annotated[int, typer.Option(help="Processes; -1 for one per core.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same numbers.")] = 0,
    permutations: Annotated[
        int, typer.Option(min=99, help="Of each pair of the WHO table by MIC; the paper has 10,000.")
    ] = 999,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch missing data from OpenML, where it is there.")
    ] = False,
) -> None:
    """Compute the paper's examples, figures and tables anew, with a verdict for every claim.

    Each item writes a PNG and an SVG figure and a CSV file of its
    numbers. Verdicts are computed: a claim holds within four standard
    errors of our simulation and the paper's rounding. What is finished is
    kept, so that a run that was stopped goes on.

    For example:

      python -m reproduction --quick

      python -m reproduction example_1 noise_r2 --out figures --jobs 2
    """
    with usage_errors():
        check_jobs(jobs, "processes")
    try:
        found = reproduce(
            items or None,
            out=out,
            data=data,
            quick=quick,
            permutations=permutations,
            jobs=jobs,
            seed=seed,
            download=download,
            progress=sys.stderr.isatty(),
        )
    except UnknownNameError as error:
        raise typer.BadParameter(str(error).replace("`items`", "ITEM")) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"what is finished is in {out / 'pieces'}; run again to go on") from None
    _show("Verdicts", found.verdicts)
    _show("Where the time went", found.timing)
    for name, reason in found.missing.items():
        say(f"{name} was left out: {reason}")
    if not found.timing:
        raise typer.Exit(DATA)
    counts = Counter(record["verdict"] for record in found.verdicts)
    verdicts = ", ".join(_counted(verdict, counts[verdict]) for verdict in _STYLES if counts[verdict])
    print(f"{count_of(len(found.verdicts), 'claim')}: {verdicts}; all of it is in {out}", file=sys.stderr)


_PLURALS = {"holds": "hold", "does not hold": "do not hold"}


def _counted(verdict: str, count: int) -> str:
    """Count the claims with a verdict, in words.

    >>> _counted("holds", 2), _counted("does not hold", 1)
    ('2 hold', '1 does not hold')
    """
    if verdict == "undecided":
        return f"{count} undecided at this size"
    return f"{count} {verdict if count == 1 else _PLURALS[verdict]}"


def _show(title: str, records: list[dict[str, Any]]) -> None:
    if not records:
        return
    width = terminal_width()
    shown = [name for name in records[0] if width >= _WIDE or name not in _SPARED]
    grid = plain_grid()
    for name in shown:
        is_text = isinstance(records[0][name], str)
        grid.add_column(Text(name), justify="left" if is_text else "right", no_wrap=name not in _WRAPPED)
    for record in records:
        style = _STYLES.get(str(record.get("verdict")), "")
        grid.add_row(*(Text(str(record[name]), style if name == "verdict" else "") for name in shown))
    show_grid(title, grid, records, raw_names=True)


if __name__ == "__main__":
    app()
