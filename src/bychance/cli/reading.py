"""How FILE is read: the options that every verb with a file has, and the table that they give."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from bychance.cli.error_lines import usage_errors
from bychance.errors import BychanceError
from bychance.table import TextFormat
from bychance.validation import number_within

__all__ = [
    "Categorical",
    "DayFirst",
    "Decimal",
    "Delimiter",
    "Drop",
    "Encoding",
    "File",
    "Files",
    "Header",
    "MaxGib",
    "Merge",
    "Missing",
    "Numeric",
    "SampleRows",
    "Sheet",
    "SkipRows",
    "Stream",
    "once",
    "option",
    "reading_options",
    "source_of",
]

Names = list[str] | None
_READING = "How FILE is read"
_URL = re.compile(r"^[a-z][a-z0-9+]+:/[^/]")  # a path loses one of its slashes


def option(help_text: str, panel: str, *flags: str, **more: Any) -> Any:
    """An option of this panel of the help."""
    return typer.Option(*flags, help=help_text, rich_help_panel=panel, **more)


def _read(help_text: str, *flags: str, **more: Any) -> Any:
    return option(help_text, _READING, *flags, **more)


def _column(help_text: str) -> Any:
    return _read(help_text, metavar="COLUMN")


def _text(help_text: str) -> Any:
    return _read(help_text, metavar="TEXT")


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSON lines, Parquet, Feather, ARFF or Excel; file.db::table; - for standard input.",
    ),
]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="CSV, TSV, JSON lines, Parquet, Feather, ARFF or Excel; file.db::table; - for standard input; "
        "several files, a directory or a glob of Parquet, Feather or CSV; a URL.",
    ),
]
Stream = Annotated[
    bool | None,
    _read(
        "Read FILE in batches, or whole. Default: in batches where it would not fit in memory.",
        "--stream/--no-stream",
        show_default=False,
    ),
]
SampleRows = Annotated[int, _read("With --stream: rows in the sample for what has no closed form.", min=10)]
Numeric = Annotated[Names, _column("Read this column as numbers (repeatable).")]
Categorical = Annotated[Names, _column("Read this column as categories (repeatable).")]
Drop = Annotated[Names, _column("Leave this column out (repeatable).")]
Merge = Annotated[Names, _column("Take categories that differ by case or blanks only as one (repeatable).")]
Missing = Annotated[
    Names,
    _text(
        "What stands for a missing value, instead of NA, ? and the like: --missing NA --missing -9 keeps NA "
        "(repeatable)."
    ),
]
DayFirst = Annotated[
    bool | None,
    _read(
        "Read 03/04/2019 as 3 April, or as 4 March. Default: as the column's other dates tell.",
        "--day-first/--month-first",
        show_default=False,
    ),
]
Header = Annotated[bool, _read("Whether the first row holds names.", "--header/--no-header")]
SkipRows = Annotated[int, _read("Rows above the table.", min=0)]
Sheet = Annotated[str | None, _text("Sheet of an Excel FILE, by name or number; the first by default.")]
Delimiter = Annotated[str | None, _text("What separates values; detected by default.")]
Decimal = Annotated[str | None, _text("Decimal mark; detected by default.")]
Encoding = Annotated[str | None, _text("Encoding; detected by default.")]
MaxGib = Annotated[float, _read("Most GiB of memory that a packed FILE may take.")]

_BY_NAME = ("numeric", "categorical", "drop", "merge")
_AS_GIVEN = ("day_first", "header", "skip_rows", "sheet", "max_gib")


def reading_options(context: Any) -> dict[str, Any]:
    """The options of `read_table` that the command line has, checked as far as they can be without FILE."""
    given = context.params
    options = {name: given.get(name) or () for name in _BY_NAME}
    options |= {name: given[name] for name in _AS_GIVEN if name in given}
    # An option that is not given is an empty list; as `missing` that would mean no marks at all.
    options["missing"] = given.get("missing") or None
    delimiter = given.get("delimiter")
    with usage_errors():
        # A tab is hard to type.
        delimiter = "\t" if delimiter in (r"\t", "tab") else delimiter
        options["text_format"] = TextFormat(delimiter, given.get("decimal"), given.get("encoding"))
        number_within(options["max_gib"], "max_gib", math.inf)
    return options


def once(values: Names, option: str) -> str | None:
    """The value of an option that may be given once."""
    if values and len(values) > 1:
        raise BychanceError(f"{option} must be given once, got {' and '.join(map(repr, values))}.")
    return values[0] if values else None


def source_of(files: list[Path]) -> Any:
    """One file as it is named, a URL with both slashes, or several."""
    named = [str(file).replace(":/", "://", 1) if _URL.match(str(file)) else file for file in files]
    return named[0] if len(named) == 1 else named
