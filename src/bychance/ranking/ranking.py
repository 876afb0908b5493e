"""Result of rank(): all pairs with ranks, as a frame, short list, matrix, plot or report."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bychance.array_types import BoolArray, FloatArray, IndexArray
from bychance.columns import Column
from bychance.errors import BychanceWarning, unknown_name
from bychance.io import make_frame
from bychance.messages import Code, Dialect, Note, Option
from bychance.nulls.sample import too_few_draws
from bychance.pairs import Ways
from bychance.parallel import Workers
from bychance.ranking.at_least_true import AtLeastTrue, Guarantees
from bychance.ranking.closed_testing import Hull
from bychance.ranking.display.second_look import SecondLook, look_again
from bychance.ranking.display.sweep import Sweep, swept
from bychance.ranking.display.text import html_of, summarize, text_of
from bychance.ranking.display.verdict import verdict_of
from bychance.ranking.files import open_writer
from bychance.ranking.limits import Limits, limits_of_rows
from bychance.ranking.plan import Plan
from bychance.ranking.results import (
    NO_SIGN,
    NUMBERS,
    PairResults,
    mirrors_of,
    one_per_pair,
    p_values_of_tests,
    ranking_columns,
)
from bychance.ranking.run import refined
from bychance.validation import whole_number

__all__ = ["Ranking"]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Pairs of columns, each with its estimate, its null and its rank among all.

    `to_frame()` has all values, `top()` the best pairs without near-duplicates. `sweep()` shows how the
    order changes with alpha.

    Attributes
    ----------
    n_pairs : int
        Number of pairs that were measured, more than are listed if only the top was kept.
    n_tested : int
        Number of pairs whose null is not degenerate: those that q-values count.
    n_found : int
        Number of discoveries: pairs with a q-value below `fdr_level`.
    n_duplicates : int
        Number of pairs of near-duplicates.
    by, alpha, fdr_level
        As they were given to `rank`.
    notes : tuple of Note
        What was set aside on the way, and why.
    """

    _plan: Plan = field(repr=False)
    _rows: PairResults = field(repr=False)
    _place: NDArray[np.uint32] = field(repr=False)
    _q_value: FloatArray = field(repr=False)
    n_pairs: int
    n_tested: int
    n_found: int
    n_duplicates: int
    _limits: Limits | None = field(default=None, repr=False)
    _n_open: int = field(default=0, repr=False)  # pairs that their p-values leave open
    _caution: str = field(default="", repr=False)  # what the verdict ends with
    _hull: Hull | None = field(default=None, repr=False)  # of all p-values, if not all rows are kept

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on excluded columns and on rows, and on pairs that may or may not be discoveries."""
        if not self._n_open:
            return self._plan.notes
        tails = Option("tails", "all")
        return (*self._plan.notes, Note.on_table(Code.PAIRS_OPEN, n=self._n_open, option=tails))

    @property
    def by(self) -> str:
        """Name of the value that orders the pairs."""
        return self._plan.job.by

    @property
    def alpha(self) -> float:
        """Probability with which chance alone exceeds the null quantile that `adjusted_at` subtracts."""
        return self._plan.job.alpha

    @property
    def device(self) -> str:
        """Device that computed the results: "cuda" if a GPU took part, else "cpu"."""
        return "cuda" if "cuda" in self._plan.job.used_devices else "cpu"

    @property
    def fdr_level(self) -> float:
        """False discovery rate: pairs with a smaller q-value count as discoveries."""
        return self._plan.job.fdr_level

    def __len__(self) -> int:
        return len(self._rows)

    def to_frame(self, *, intervals: bool = False) -> Any:
        """Return all pairs, best first, as a frame of the library that the table came in.

        The columns: rank, x, y, measure, n, sign, observed, adjusted, standardized, adjusted_at, p_value,
        q_value, p_kind, p_se, null_mean, null_std, engine, n_resamples, adjusted_se, standardized_se,
        adjusted_at_se, adjusted_low, adjusted_high, note. p_kind says what kind of number p_value is (exact,
        monte carlo, sequential, splitting, matched, or bound if p is at most this) and p_se is the standard
        error of its log10. The others in _se are Monte Carlo standard errors, 0 if the null was not sampled.
        low and high are the 95% limits of `adjusted`: of the best 5,000 pairs if there is a closed form, and
        with `intervals` of all pairs, whatever the measure.

        >>> import bychance as bc
        >>> ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10})
        >>> frame = ranking.to_frame()
        >>> list(zip(frame["rank"].to_pylist(), frame["x"].to_pylist(), frame["y"].to_pylist()))
        [(1, 'b', 'c'), (2, 'a', 'b'), (3, 'a', 'c')]
        """
        ranking = self._with_limits() if intervals else self
        return ranking._frame(ranking._best())

    def top(self, k: int = 10, *, fold: bool = True) -> Any:
        """Return the k best pairs as a frame, without near-duplicates unless `fold` is false."""
        return self._frame(self._best(whole_number(k, "k"), fold=fold))

    def head(self, k: int = 10) -> Any:
        """Return the k best pairs as a frame, with near-duplicates."""
        return self.top(k, fold=False)

    def to_pandas(self) -> Any:
        """Return `to_frame()` as a pandas frame, whatever the library of the table."""
        return make_frame(self._columns(self._best()), "pandas")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return `to_frame()` as an Arrow stream, which polars, pyarrow and DuckDB read as a table.

        >>> import bychance as bc, pyarrow as pa
        >>> pa.table(bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5}))["x"].to_pylist()
        ['a']
        """
        return pa.table(self._columns(self._best())).__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.best()

    def __getitem__(self, key: int | slice | str) -> Any:
        """Return the pair at a position as a record, several by a slice, or a column by name.

        >>> import bychance as bc
        >>> ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10})
        >>> ranking[0]["x"], [pair["y"] for pair in ranking[:2]], ranking["n"].to_pylist()
        ('b', ['c', 'b'], [20, 20, 20])
        """
        if isinstance(key, str):
            return self.to_frame()[key]
        index = self._best()[key]
        records = self._records(np.atleast_1d(index))
        return records if isinstance(key, slice) else records[0]

    def matrix(self, column: str = "adjusted") -> Any:
        """Return one result column as a square matrix over the columns, NaN for pairs without one.

        Rows explain columns: row x, column y holds x → y. Where a measure has no direction, both halves hold
        the same.

        >>> import bychance as bc
        >>> ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5}, measure="r2")
        >>> ranking.matrix("observed").to_pydict()
        {'column': ['a', 'b'], 'a': [nan, 0.6...], 'b': [0.6..., nan]}
        """
        values = self._figure(column)
        x, y = np.unique(self._plan.pairs.x), np.unique(self._plan.pairs.y)
        square = np.full((len(x), len(y)), np.nan)
        first, second = self._rows.x, self._rows.y
        square[np.searchsorted(x, first), np.searchsorted(y, second)] = values
        is_once = self._is_symmetric(self._rows) & np.isin(second, x) & np.isin(first, y)
        square[np.searchsorted(x, second[is_once]), np.searchsorted(y, first[is_once])] = values[is_once]
        names = self._plan.table.names
        heading = next(free for n in count() if (free := "column" + "_" * n) not in names)
        contents: dict[str, Any] = {heading: [names[k] for k in x]}
        contents.update({names[k]: square[:, place] for place, k in enumerate(y)})
        frame = make_frame(contents, self._plan.table.library)
        return frame.set_index(heading) if self._plan.table.library == "pandas" else frame

    def sweep(self, alphas: Sequence[float] = (0.4, 0.2, 0.1, 0.05, 0.01), *, k: int = 10) -> Sweep:
        """Return the rank of every pair at each alpha, and the pairs that stay in the top k.

        Values of alpha that `rank(…, alpha=[…])` kept cost nothing. Others need a second run, with the same
        nulls. A warning says if permutations are too few for an alpha.

        >>> import bychance as bc
        >>> table = {"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10}
        >>> bc.rank(table).sweep([0.4, 0.05], k=1)
        Ranks of 3 pairs at alpha = 0.4, 0.05: 1 in the top 1 at every alpha, 0 at some
        <BLANKLINE>
        In the top 1 at every alpha:
        x  y   n  at 0.4  at 0.05
        b  c  20       1        1
        """
        sweep = swept(self, alphas, k)
        n_draws = sweep.rows.n_resamples[sweep.rows.n_resamples > 0]
        if len(n_draws) and self._plan.job.null != "paper":
            doubt = too_few_draws(int(n_draws.min()), min(sweep.alphas))
            if doubt:
                message = f"{doubt}; the order there is that of the observed values less the bound."
                warnings.warn(message, BychanceWarning, stacklevel=2)
        return sweep

    def refine(self, k: int = 10, *, n_jobs: int | None = None, progress: bool = False) -> Ranking:
        """Return the ranking with p-values from rare-event simulation (splitting) for the k best pairs.

        By default a p-value is only as precise as its decision needs: a bound that is small enough for a
        discovery stays. Splitting ends at 1e-12. q-values follow, and by p-value the order.

        >>> import bychance as bc
        >>> ranking = bc.rank({"a": range(40), "b": [k + 9 * (-1) ** k for k in range(40)]}, measure="r2")
        >>> ranking[0]["p_kind"], ranking.refine(1)[0]["p_kind"]
        ('bound', 'splitting')
        """
        return refined(self, whole_number(k, "k"), Workers(n_jobs, progress))

    def plot(self, k: int = 15, *, ax: Any = None) -> Any:
        """Plot the k best pairs beside the chance level (`bc.plot_ranking`), and return the axes.

        >>> import bychance as bc
        >>> ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5})
        >>> ranking.plot().get_ylabel()
        'against b'
        """
        from bychance.plots.rankings import plot_ranking

        return plot_ranking(self, k, ax=ax)

    def without_data(self) -> Ranking:
        """Return the results without the table's values, for storage. `sweep` cannot recompute then.

        >>> import bychance as bc
        >>> ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5}).without_data()
        >>> len(ranking.to_frame())
        1
        """
        table = self._plan.table
        job = self._plan.job
        for dialect in Dialect:
            summarize(self, dialect=dialect)  # looks at the values, and remembers what it sees in them
        if job.covariates is not None:
            job = replace(job, covariates=replace(job.covariates, columns=_emptied(job.covariates.columns)))
        plan = self._plan.emptied(replace(table, columns=_emptied(table.columns)), job)
        emptied = replace(self._with_limits(is_asked=False), _plan=plan)
        look = replace(self._second_look, plan=plan)
        emptied.__dict__.update(_verdicts=self._verdicts, _second_look=look)
        return emptied

    def _with_limits(self, *, is_asked: bool = True) -> Ranking:
        """Return a copy that stores confidence limits, NaN for costly ones unless `is_asked`."""
        order, limits = self._best(), np.full((2, len(self)), np.nan)
        limits[:, order] = self._limits_of(order, is_asked=is_asked)
        return replace(self, _limits=(limits[0], limits[1]))

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write `to_frame()` to a Parquet file, completely or not at all."""
        self._write(path, "parquet")

    def to_csv(self, path: str | os.PathLike[str], *, raw_names: bool = False) -> None:
        """Write `to_frame()` to a CSV file, completely or not at all.

        A name that a spreadsheet would run as a formula (it begins with =, +, - or @) gets an apostrophe,
        unless `raw_names`; a name of apostrophes and then one of these gets one more, so that taking one
        away gives back the name. Numbers, Parquet and JSON are as they are.
        """
        self._write(path, "csv", raw_names=raw_names)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write `to_frame()` as a JSON list of records, completely or not at all."""
        self._write(path, "json")

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        alphas: Sequence[float] | None = None,
        title: str | None = None,
        command: str | None = None,
    ) -> Path:
        """Write a self-contained HTML page to explore the ranking, which needs no network.

        Parameters
        ----------
        path
            The HTML file, which is written whole or not at all.
        alphas : list of float, optional
            The values of alpha of the page's slider. By default those that `rank(…, alpha=[…])` kept, or else
            `bychance.report.LEVELS`, computed in a second run with the same nulls.
        title : str, optional
            The page's heading.
        command : str, optional
            Code that made the ranking, for readers who want to repeat it, by default Python.

        Returns
        -------
        pathlib.Path
            Path of the page.

        Examples
        --------
        >>> import bychance as bc, tempfile
        >>> ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = ranking.report(f"{folder}/page.html", title="Three columns")
        ...     page.name, "Three columns" in page.read_text(encoding="utf-8")
        ('page.html', True)
        """
        from bychance.report import write_report

        return write_report(self, path, alphas=alphas, title=title, command=command)

    def at_least_true(self, selection: Any = None, level: float = 0.95, method: str = "simes") -> AtLeastTrue:
        """Return a lower bound on the number of truly related pairs among the selected ones.

        With probability `level` the bounds of all selections hold together, so that the selection may be
        made after a look at the results (closed testing).

        Parameters
        ----------
        selection : optional
            All tested pairs by default. A whole number selects the first rows of `to_frame()`, a fraction
            the rows with `adjusted` above it. Row numbers from 0, or one boolean per row, select rows.
            Names of columns select the rows that contain any of them.
        level : float
            The confidence.
        method : {"simes", "robust", "joint"}
            "simes" holds under positive dependence of the p-values, the condition of q-values by Benjamini
            and Hochberg. "robust" holds under any dependence and finds less. "joint" permutes the target 999
            times for all columns together. It needs a target and a measure with closed-form p-values.

        Returns
        -------
        AtLeastTrue
            A record with `n_selected`, `at_least`, `share`, `level`, `method` and `sentence`.

        Examples
        --------
        >>> import bychance as bc
        >>> from bychance.datasets import make_demo
        >>> ranking = bc.rank(make_demo())
        >>> print(ranking.at_least_true(10))
        At least 3 of the 7 pairs you selected are related (95% confidence, for any selection you make).
        >>> ranking.at_least_true("soil").at_least
        1
        """
        return self._guarantees.of(selection, level, method)

    @cached_property
    def _guarantees(self) -> Guarantees:
        return Guarantees(self)

    def verdict(self) -> str:
        """Return a sentence: number of related pairs, the strongest, its strength, and the chance level.

        A pair is related if its q-value is below `fdr_level`. If at least ten pairs are tested, a second
        sentence says how many are related at least (see `at_least_true`).

        >>> import bychance as bc
        >>> from bychance.datasets import make_demo
        >>> bc.rank(make_demo(), target="yield").verdict()
        '3 of 11 columns are related to yield; rainfall most: it explains 21%...At least 3 of...'
        """
        return self._verdict(Dialect.PYTHON)

    def _verdict(self, dialect: Dialect) -> str:
        if dialect not in self._verdicts:
            self._verdicts[dialect] = verdict_of(self, dialect)
        return self._verdicts[dialect]

    @cached_property
    def _verdicts(self) -> dict[Dialect, str]:
        return {}

    @cached_property
    def _second_look(self) -> SecondLook:
        return look_again(self)

    @cached_property
    def _is_whole(self) -> bool:
        """True if this ranking holds all pairs, not only the best."""
        return len(self._rows) == self.n_pairs

    @cached_property
    def _n_column_pairs(self) -> tuple[int, int]:
        """Number of all pairs and of tested pairs. If all are kept, (x, y) and (y, x) count once."""
        if not self._is_whole:
            return self.n_pairs, self.n_tested
        every, is_tested = np.arange(len(self._rows)), np.flatnonzero(self._is_tested)
        return len(one_per_pair(self._rows, every)), len(one_per_pair(self._rows, is_tested))

    def __repr__(self) -> str:
        return text_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    def best(self, k: int | None = None, *, fold: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the k best pairs (or all) as records, without near-duplicates if `fold` is true."""
        yield from self._records(self._best(k, fold=fold))

    def _records(self, index: IndexArray, *, limits: bool = True) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = pa.table(self._columns(index, limits=limits)).to_pylist()
        return records

    def _columns(self, index: IndexArray, *, limits: bool = True) -> dict[str, Any]:
        ends, names = self._limits_of(index) if limits else None, self._plan.table.names
        return ranking_columns(self._rows, index, self._place, self._q_value, names, ends)

    def _best(self, k: int | None = None, *, fold: bool = False, once: bool = False) -> IndexArray:
        """Return positions of the k best rows, without near-duplicates (`fold`) or mirrored rows (`once`)."""
        order = np.argsort(self._place, kind="stable")
        if fold:
            order = order[~self._rows.is_duplicate[order]]
        if once:
            order = order[~self._is_reversed_repeat[order]]
        return order if k is None else order[:k]

    @cached_property
    def _is_tested(self) -> BoolArray:
        """Return a mask of the rows whose null is not degenerate."""
        is_tested: BoolArray = ~np.isnan(p_values_of_tests(self._rows))
        return is_tested

    @cached_property
    def _mirrors(self) -> IndexArray:
        """Return, per row, the row of the pair in reverse direction if results are equal, else -1."""
        return mirrors_of(self._rows, self._is_symmetric(self._rows))

    @property
    def _is_reversed_repeat(self) -> BoolArray:
        """Flag rows (y, x) to hide, since a higher-ranked row (x, y) has the same result."""
        return (self._mirrors >= 0) & (self._place[self._mirrors] < self._place)

    def _frame(self, index: IndexArray) -> Any:
        return make_frame(self._columns(index), self._plan.table.library)

    def _limits_of(self, index: IndexArray, *, is_asked: bool = False) -> Limits:
        """Return 95% confidence limits of the adjusted values of the rows at positions `index`."""
        if self._limits is not None:
            return self._limits[0][index], self._limits[1][index]
        return limits_of_rows(self._plan, self._rows.pick(index), is_asked=is_asked)

    def _write(
        self, path: str | os.PathLike[str], suffix: str, *, raw_names: bool = False, limits: bool = True
    ) -> None:
        with open_writer(path, suffix, raw_names=raw_names) as write:
            write(self._columns(self._best(), limits=limits))

    def _figure(self, column: str) -> FloatArray:
        figures = ("rank", "n", "sign", "q_value", *NUMBERS)
        if column not in figures:
            raise unknown_name("column", column, figures)
        if column == "rank":
            return self._place.astype(np.float64)
        if column == "q_value":
            return self._q_value
        values: FloatArray = getattr(self._rows, column).astype(np.float64)
        return np.where(self._rows.sign == NO_SIGN, np.nan, values) if column == "sign" else values

    def _is_symmetric(self, rows: PairResults) -> BoolArray:
        """Flag rows whose measure does not depend on the order of x and y."""
        pairs = self._plan.pairs
        labels = pairs.is_labels.astype(np.intp)
        is_symmetric: BoolArray = pairs.ways[labels[rows.x], labels[rows.y]] == Ways.ONCE
        return is_symmetric


def _emptied(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns with zero rows."""
    return tuple(replace(c, values=c.values[:0].copy(), is_missing=None, labels=()) for c in columns)
