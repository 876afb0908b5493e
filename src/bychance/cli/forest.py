"""`bychance forest`: accuracy of a random forest for a file's target column, and column importances."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.text import Text

from bychance.cli import reading
from bychance.cli.error_lines import check_jobs, usage_errors
from bychance.cli.panels import with_panels
from bychance.cli.show import plain_grid, show_grid, show_sentence
from bychance.errors import BychanceError, BychanceWarning
from bychance.io import Table, make_frame, read_table
from bychance.io.frames import arrow_of, as_kind, pick_rows
from bychance.kinds import Kind
from bychance.messages import MOST_NAMES, Code, Dialect, Option, note_lines
from bychance.names import count_of, display_name
from bychance.ranking.diagnostics import diagnose
from bychance.ranking.files import open_writer
from bychance.sealed_files import cannot_be_written
from bychance.wording import probability

__all__ = ["columns_and_target", "forest", "make_directory", "show_records", "write_records"]

Records = list[dict[str, Any]]


@with_panels
def forest(
    file: reading.File,
    how: reading.ReadOptions,
    target: Annotated[list[str], typer.Option(metavar="COLUMN", help="Classes or numbers to predict.")],
    trees: Annotated[int, typer.Option(min=1, help="Number of trees per forest.")] = 500,
    top: Annotated[int, typer.Option(min=1, help="Number of columns to show with their importance.")] = 20,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write all importances here, as importances.csv.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same answer.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads, -1 for one per core.")] = 1,
) -> None:
    """Predict a target from all other columns, and rank these by importance.

    A random forest is grown on the rows, and each row is predicted by the
    trees that were not grown on it. The score is AUC for classes (with more
    than two the mean of every class against the rest), and R² for a target
    of more than 30 different numbers. --categorical and --numeric decide
    otherwise. p_value tests if a column is unrelated to the target. q_value
    is the least false discovery rate at which it counts as related.

    For example:

      bychance forest credit.csv --target default

      bychance forest monks.arff --target class --out monks
    """
    with usage_errors():
        check_jobs(jobs)
        predicted = str(reading.once(target, "--target"))
    read_options = how.options()
    if out is not None:
        make_directory(out)
    table = read_table(file, **read_options)
    are_numbers = predicted in read_options.get("numeric", ())
    X, y = columns_and_target(table, predicted, are_numbers=are_numbers)
    is_numeric = y.dtype.kind == "f"
    what = "a target of numbers" if is_numeric else f"{len(set(y)):,} classes"
    size = f"{X.num_rows:,} rows, {count_of(X.num_columns, 'column')}, {what}"
    # Loaded here: the command line imports this module at every start.
    from bychance.forest import RandomForestClassifier, RandomForestRegressor
    from bychance.forest.base import importance_records
    from bychance.forest.export import forest_in_words

    model = RandomForestRegressor if is_numeric else RandomForestClassifier
    is_seen = int(sys.stderr.isatty())
    grown = model(trees, random_state=seed, oob_score=True, n_jobs=jobs, verbose=is_seen)
    with warnings.catch_warnings():
        # With few trees some rows are never out of bag. The score is over all other rows.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("always", BychanceWarning)
        grown.fit(X, y)
    print(f"{size}; {count_of(trees, 'tree')}", file=sys.stderr)
    show_sentence(" ".join(filter(None, [forest_in_words(grown, y, predicted), _caution(table, predicted)])))
    importances = importance_records(grown)
    show_records("Importance (fair) on rows out of bag", importances[:top])
    sys.stdout.flush()
    if not is_numeric and table[predicted].kind is Kind.NUMERIC:
        reads = Option("numeric", (predicted,)).render(Dialect.COMMAND_LINE)
        print(
            f"Note: the numbers of {display_name(predicted)} are taken for classes; {reads} predicts numbers",
            file=sys.stderr,
        )
    is_told = {(predicted, Code.CLASSES_AS_NUMBERS)}  # replaced by the note above
    notes = [note for note in table.notes if (note.column, note.code) not in is_told]
    for line in note_lines(notes, MOST_NAMES, dialect=Dialect.COMMAND_LINE):
        print(f"Note: {line}", file=sys.stderr)
    if out is not None:
        write_records(out / "importances.csv", importances)


def _caution(table: Table, target: str) -> str:
    """Return cautions on dependent rows (groups, time order), which make p-values too small, or ""."""
    found = diagnose(table.columns, range(len(table.columns)), target)
    return " ".join(diagnosis.caution for diagnosis in found if diagnosis.caution)


_MANY_NUMBERS = 30  # distinct numbers up to which a target is classes (taste)
_LARGE = 1e4  # an importance from which on exponents are shorter than digits


def columns_and_target(table: Table, target: str, *, are_numbers: bool = False) -> tuple[Any, Any]:
    """Return all columns but the target as a frame, and the target, on rows that have a target.

    Numbers are classes if 30 or fewer are different, unless the caller says that they are numbers.
    """
    column = table.columns[table.position(target, "target")]
    others = {other.name: arrow_of(other) for other in table if other.name != target}
    if not others:
        raise BychanceError(f"{table.origin} has no columns besides {target!r}.")
    X = make_frame(others, "pyarrow")
    is_numeric = column.kind is Kind.NUMERIC and column.clock is None
    is_numeric &= are_numbers or len(np.unique(column.present)) > _MANY_NUMBERS
    if is_numeric:
        y = np.asarray(column.values, dtype=np.float64)
    else:
        classes = arrow_of(as_kind(column, Kind.CATEGORICAL)).to_pylist()
        # As objects: NumPy's own strings lose zeros at their ends.
        y = np.array([str(label) for label in classes], dtype=object)
    if column.is_missing is not None:
        present = np.flatnonzero(~column.is_missing)
        print(
            f"Not used: {count_of(len(y) - len(present), 'row')} without {display_name(target)}",
            file=sys.stderr,
        )
        X, y = pick_rows(X, present), y[present]
    n_classes = len(set(y))
    if not is_numeric and not 2 <= n_classes <= len(y) / 2:
        if column.clock is not None:
            raise BychanceError(
                f"--target must name a column of classes or numbers, got dates or times in {target!r}, which "
                "forests do not predict; give a column of numbers, such as minutes since the first."
            )
        raise BychanceError(
            f"--target must name a column of classes, got {n_classes:,} different values in {len(y):,} rows "
            f"of {target!r}."
        )
    return X, y


def show_records(title: str, records: Records) -> None:
    """Print records as a table, with standard errors behind the numbers."""
    grid = plain_grid()
    for name in records[0]:
        if not name.endswith("_se"):
            grid.add_column(Text(name), justify="left" if isinstance(records[0][name], str) else "right")
    for record in records:
        grid.add_row(*(Text(cell) for cell in _cells(record)))
    show_grid(title, grid, records)


def _cells(record: dict[str, Any]) -> list[str]:
    """Format a record's numbers, each with its standard error behind it."""
    cells: list[str] = []
    for name, value in record.items():
        if name.endswith("_se"):
            cells[-1] += f" ± {_number(value)}"
        elif isinstance(value, str):
            cells.append(display_name(value, 40))
        elif name in ("p_value", "q_value"):
            cells.append(probability(value))
        else:
            cells.append(_number(value))
    return cells


def _number(value: float) -> str:
    """Format a number with four decimals, or as a power of ten if it is large."""
    return f"{value:.4f}" if abs(value) < _LARGE else f"{value:.3e}"


def make_directory(path: Path) -> None:
    """Create the output directory, or raise an error that says why it cannot be created."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_be_written(path, error) from None


def write_records(path: Path, records: Records) -> None:
    """Write records as a CSV file."""
    with open_writer(path) as write:
        write({key: [record[key] for record in records] for key in records[0]})
