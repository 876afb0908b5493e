"""Does the fair criterion predict better than Gini, SGini and AGini on a table? The criteria side by side.

    python -m studies.forest_criteria FILE --target COLUMN [--repeats 10] [--trees 500] [--out DIR]

The rows are cut into two halves again and again, and each half is predicted by forests grown on the other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from bychance.cli import reading
from bychance.cli.error_lines import check_jobs, errors_in_one_line, usage_errors
from bychance.cli.forest import columns_and_target, make_directory, show_records, write_records
from bychance.cli.panels import with_panels
from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.curve import (
    AlphaCurve,
    MakeModel,
    ScoreTable,
    agini_makers,
    compare_auc,
    cross_validate,
    make_folds,
    with_changes,
)
from bychance.forest.parameters import GRID
from bychance.forest.regressor import RandomForestRegressor
from bychance.io import read_table
from bychance.names import count_of
from bychance.progress import Progress
from bychance.ranking.files import replacing

# By the names of the table of AUCs, which has the levels of the curve as well.
CRITERIA = {"gini": "Gini", "sgini": "SGini", "0.05": "AGini(0.05)", "tuned": "AGini(tuned)", "fair": "fair"}
NUMBER_CRITERIA: dict[str, dict[str, Any]] = {
    "variance": {"criterion": "variance"},
    "standardized": {"criterion": "standardized"},
    "adjusted(0.05)": {"criterion": "adjusted"},
    "fair": {},
}


@dataclass(frozen=True, slots=True, eq=False)
class ForestStudy:
    """AUCs, or R² of numbers, and for classes the curve of alpha."""

    scores: ScoreTable
    curve: AlphaCurve | None = field(default=None, repr=False)

    def criteria(self) -> list[dict[str, Any]]:
        """Return one record per criterion: its score and its excess over raw gains, with errors."""
        score, raw, shown = "auc", "gini", CRITERIA
        if self.curve is None:
            score, raw, shown = "r2", "variance", {name: name for name in NUMBER_CRITERIA}
        keys = (score, f"{score}_se", f"over_{raw}", f"over_{raw}_se")
        records = []
        for name, criterion in shown.items():
            k = self.scores.names.index(name)
            own = self.scores.mean[k], self.scores.standard_error[k]
            figures = map(float, (*own, *self.scores.difference(name, raw)))
            records.append({"criterion": criterion, **dict(zip(keys, figures, strict=True))})
        return records


def study_forest(
    X: Any,
    y: Any,
    *,
    n_estimators: int = 500,
    n_repeats: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> ForestStudy:
    """Compare the paper's criteria and the default by repeated 2-fold cross-validation.

    Gini, SGini and AGini are as in the paper. AGini(tuned) chooses its level out of bag on the training rows
    of every fold, so no row that it is scored on influenced it. The best point of the curve, in contrast,
    is chosen and scored on the same rows.
    """
    settings: dict[str, Any] = {"n_estimators": n_estimators, "n_jobs": n_jobs}
    paper = RandomForestClassifier.from_paper(**settings)
    fair = RandomForestClassifier(**settings)
    makers = agini_makers(paper, GRID)
    makers["tuned"] = partial(with_changes, paper, {"criterion__alpha": "oob"})
    makers["fair"] = partial(with_changes, fair, {})
    with Progress("forests", total=2 * n_repeats * len(makers), enabled=progress) as bar:
        auc = compare_auc(makers, X, y, n_repeats=n_repeats, seed=seed, tick=bar.advance)
    return ForestStudy(auc, AlphaCurve(GRID, auc))


def study_numbers(
    X: Any,
    y: NDArray[np.float64],
    *,
    n_estimators: int = 500,
    n_repeats: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> ForestStudy:
    """Compare the criteria of regression on the same folds."""
    fair = RandomForestRegressor(n_estimators=n_estimators, n_jobs=n_jobs)
    makers = {name: partial(with_changes, fair, changes) for name, changes in NUMBER_CRITERIA.items()}
    with Progress("forests", total=2 * n_repeats * len(makers), enabled=progress) as bar:
        r2 = compare_r2(makers, X, y, n_repeats=n_repeats, seed=seed, tick=bar.advance)
    return ForestStudy(r2)


def compare_r2(
    regressors: Mapping[str, MakeModel],
    X: Any,
    y: NDArray[np.float64],
    *,
    n_repeats: int,
    seed: int,
    tick: Callable[[int], None],
) -> ScoreTable:
    """Compute R² of each regressor in every repetition, each half of the rows predicted from the other."""

    def predict(model: Any, rows: Any) -> NDArray[np.float64]:
        return np.asarray(model.predict(rows))

    def r2(predicted: NDArray[np.float64]) -> float:
        return float(1 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2))

    folds = make_folds(np.zeros(len(y), dtype=np.intp), n_repeats, seed)
    return cross_validate(regressors, X, y, folds, predict, r2, tick)


app = typer.Typer(pretty_exceptions_enable=False)


@app.command()
@errors_in_one_line()
@with_panels
def main(
    file: reading.File,
    how: reading.ReadOptions,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The classes or numbers to predict.")],
    trees: Annotated[int, typer.Option(min=1, help="Number of trees per forest.")] = 500,
    repeats: Annotated[int, typer.Option(min=2, help="How many times the rows are cut in two.")] = 10,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the tables here, and the curve of alpha as alpha.svg."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same answer.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads, -1 for one per core.")] = 1,
) -> None:
    """Compare criteria of splits on a table: some hundred forests.

    The rows are cut into two halves repeatedly, and each half is predicted
    by forests grown on the other. Gini, SGini and AGini are as in the paper.
    AGini(tuned) chooses its alpha on training rows alone. fair is the
    default of this library. Standard errors are over repetitions: they say
    how much other halves would change a value, not other rows.
    """
    with usage_errors():
        check_jobs(jobs)
    read_options = how.options()
    if out is not None:
        make_directory(out)
    X, y = columns_and_target(read_table(file, **read_options), target)
    print(f"{len(y):,} rows, {count_of(X.num_columns, 'column')}; {count_of(trees, 'tree')}", file=sys.stderr)
    is_numeric = y.dtype.kind == "f"
    found = (study_numbers if is_numeric else study_forest)(
        X, y, n_estimators=trees, n_repeats=repeats, seed=seed, n_jobs=jobs, progress=sys.stderr.isatty()
    )
    tables = [("r2", "R²", found.criteria()) if is_numeric else ("auc", "AUC", found.criteria())]
    if found.curve is not None:
        tables.append(("alpha", "AGini(α)", found.curve.to_frame().to_pylist()))
    for name, title, records in tables:
        show_records(f"{title} by {next(iter(records[0]))}", records)
        if out is not None:
            write_records(out / f"{name}.csv", records)
    if out is not None and found.curve is not None:
        with replacing(out / "alpha.svg") as path:
            found.curve.plot().figure.savefig(path, format="svg")


if __name__ == "__main__":
    app()
