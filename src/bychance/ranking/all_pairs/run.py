"""rank_arrays(): options → sides → screen → decided rows → Ranking, or a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError, BychanceWarning
from bychance.expected_words import answers_expected_words
from bychance.gpu.device import DeviceError
from bychance.messages import Code, Note, Option
from bychance.nulls.splitting import END
from bychance.progress import Progress
from bychance.ranking.all_pairs.backend import Backend, NumpyBackend
from bychance.ranking.all_pairs.best import Found, Shortlist, best_pairs, judged, pairs_below
from bychance.ranking.all_pairs.exact import Sides, decided_rows, plan_of
from bychance.ranking.all_pairs.rates import rate_factor
from bychance.ranking.all_pairs.screen import Screen
from bychance.ranking.all_pairs.sides import Lines, Side, read_sides
from bychance.ranking.job import Job, make_job
from bychance.ranking.kept.output import check_output, file_format, open_writer, ranking_columns
from bychance.ranking.planning.plan import Plan
from bychance.ranking.result import Ranking
from bychance.ranking.results import PairResults, p_values_of_tests
from bychance.ranking.rounds import stated_of
from bychance.ranking.run import all_options
from bychance.validation import Seed, number_within, whole_number

__all__ = ["Runs", "file_of", "rank_arrays", "ranking_of"]

_MEASURES = ("r2", "spearman")
_SHOWN = 20  # pairs of a file that are returned, if nobody says how many
_CHUNK = 1 << 16  # rows in hand while a file is written
_MOST_KEPT = 2**22  # pairs that are all kept where `top` is not given
_WORTH_A_GPU = 10**11  # products of two numbers: a few seconds on a core
_MOST_SAMPLED = 100_000  # pairs of a shortlist that are sampled: a minute with 500 rows
_CAUTION = "These q-values rest on matched p-values, which may be far off: see the note."


@answers_expected_words()
def rank_arrays(
    X: Any,
    Y: Any = None,
    *,
    measure: str = "r2",
    by: str = "adjusted_at",
    alpha: float = 0.05,
    min_n: int = 10,
    fdr: str = "bh",
    fdr_level: float = 0.05,
    top: int | None = None,
    threshold: float | None = None,
    path: str | os.PathLike[str] | None = None,
    rng: Seed = 0,
    n_jobs: int | None = None,
    device: str = "cpu",
    progress: bool = False,
) -> Ranking:
    """Rank all pairs of the columns of two arrays, or of one, however many there are.

    Parameters
    ----------
    X, Y
        Two-dimensional arrays of numbers with as many rows, or pandas, polars or pyarrow frames, whose names
        the columns keep. Every column of X is paired with every column of Y. Without Y, every two columns of
        X are paired.
    measure : {"r2", "spearman"}
        The measure.
    by, alpha, min_n, fdr, fdr_level
        As for `rank`.
    top : int, optional
        The number of best pairs to keep. It is needed if there are more than four million pairs.
    threshold : float, optional
        With `path`: the largest p-value to write, such as 1e-8.
    path : optional
        A .parquet, .csv or .json file. All pairs with a p-value of at most `threshold` are written to it, by
        x and then by y, and the 20 best (or `top`) are returned.
    rng, n_jobs, device, progress
        As for `rank`. Screens run on a GPU, too.

    Returns
    -------
    Ranking

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 30)), rng.normal(size=(100, 20))
    >>> Y[:, 7] += X[:, 2]
    >>> best = bc.rank_arrays(X, Y, top=1)[0]
    >>> best["x"], best["y"]
    ('x2', 'y7')
    """
    job = make_job(
        all_options(
            measure=_measure(measure),
            by=by,
            alpha=number_within(alpha, "alpha", 1),
            min_n=min_n,
            fdr=fdr,
            fdr_level=fdr_level,
            rng=rng,
            device=device,
        )
    )
    if (threshold is None) != (path is None):
        raise BychanceError(
            "`threshold` and `path` must come together: the largest p-value to write, such as 1e-8, and the "
            "file.",
            "threshold" if threshold is None else "path",
        )
    sides, runs = read_sides(X, Y), Runs(n_jobs, progress)
    if path is None or threshold is None:
        return ranking_of(sides, job, top, runs)
    return file_of(sides, job, path, threshold, _SHOWN if top is None else top, runs)


@dataclass(frozen=True, slots=True)
class Runs:
    """Who does the work, and whether its progress shows."""

    n_jobs: int | None = None
    progress: bool = False


def ranking_of(sides: Sides, job: Job, top: int | None, runs: Runs) -> Ranking:
    """Return the best pairs of the columns of both sides."""
    n_pairs = _n_pairs(*sides)
    if top is None and n_pairs > _MOST_KEPT:
        raise BychanceError(
            Option("top")
            + f" must say how many pairs to keep: there are {n_pairs:,}, and without it at most "
            f"{_MOST_KEPT:,} are kept.",
            "top",
        )
    size = n_pairs if top is None else whole_number(top, "top")
    if job.null == "auto" and size >= n_pairs:
        decided, device = _all_decided(sides, job, runs), "cpu"
    else:
        with Progress("pairs", total=n_pairs, enabled=runs.progress) as bar:
            shortlist, device = _found(
                sides, job, lambda screen: best_pairs(screen, job, size, runs.n_jobs, bar.advance)
            )
        decided = _decided(sides, job, shortlist, runs)
    return _ranking(sides, job, judged(decided.shortlist, job, size), decided, device)


def file_of(
    sides: Sides, job: Job, path: str | os.PathLike[str], threshold: float, top: int, runs: Runs
) -> Ranking:
    """Write all pairs with p at or below the threshold to a file, and return the best of them."""
    output, suffix = Path(path), file_format(path)
    check_output(output, None)
    limit, top = number_within(threshold, "threshold", 1), whole_number(top, "top")
    with Progress("pairs", total=_n_pairs(*sides), enabled=runs.progress) as bar:
        shortlist, device = _found(
            sides, job, lambda screen: pairs_below(screen, job, limit, runs.n_jobs, bar.advance)
        )
    decided = _decided(sides, job, shortlist, runs, limit)
    found = judged(decided.shortlist, job)
    column_names, rows = _named(sides, found.rows)
    with open_writer(output, suffix) as write:
        for start in range(0, max(len(rows), 1), _CHUNK):
            some = np.arange(start, min(start + _CHUNK, len(rows)))
            write(ranking_columns(rows, some, found.place, found.q_value, column_names))
    order = np.argsort(found.place, kind="stable")
    originals = order[~rows.is_duplicate[order]]
    return _ranking(sides, job, found.pick(np.union1d(order[:top], originals[:top])), decided, device)


def _measure(measure: object) -> str:
    """Return the measure, if it is one of the two that screens know."""
    if not isinstance(measure, str) or measure not in _MEASURES:
        raise BychanceError(
            Option("measure")
            + f" must be 'r2' or 'spearman', got {measure!r}; for other measures rank a table that holds the "
            "columns of both arrays: `bc.rank(table, x=…, y=…)`.",
            "measure",
        )
    return measure


def _found(sides: Sides, job: Job, find: Callable[[Screen], Shortlist]) -> tuple[Shortlist, str]:
    """What is found, and on which device: with "auto", the CPU continues where a GPU fails."""
    n_products = len(sides[0]) * len(sides[1]) * sides[0].n_rows
    if job.device == "cuda" or (job.device == "auto" and n_products >= _WORTH_A_GPU):
        from bychance.gpu.launch import gpu_errors
        from bychance.ranking.all_pairs.cuda import CudaBackend

        try:
            with gpu_errors(), CudaBackend() as backend:
                return find(_screen(sides, job, backend)), "cuda"
        except DeviceError as error:
            if job.device == "cuda":
                raise
            warnings.warn(f"{error} The CPU does it instead.", BychanceWarning, stacklevel=5)
    return find(_screen(sides, job, NumpyBackend())), "cpu"


def _screen(sides: Sides, job: Job, backend: Backend) -> Screen:
    is_ranked = job.describe() == "spearman"
    room = backend.room()
    y = Lines(sides[1], backend, is_ranked=is_ranked, room=room)
    x = y if sides[0] is sides[1] else Lines(sides[0], backend, is_ranked=is_ranked, room=room - y.n_bytes)
    return Screen(x, y, backend)


@dataclass(frozen=True, slots=True, eq=False)
class _Decided:
    """A shortlist with the p-values of any table, or with matched ones if too many would take more.

    `n_open` decisions stay open.
    """

    shortlist: Shortlist
    n_open: int = 0
    is_matched: bool = False


def _all_decided(sides: Sides, job: Job, runs: Runs) -> _Decided:
    """Measure all pairs, where none is left out: there is nothing to screen."""
    rows, n_open = decided_rows(sides, *_all_pairs(*sides), job, n_jobs=runs.n_jobs, progress=runs.progress)
    n_tested = int(np.count_nonzero(~np.isnan(p_values_of_tests(rows))))
    return _Decided(Shortlist(rows, np.empty(0), n_tested, 1.0), n_open)


def _decided(sides: Sides, job: Job, shortlist: Shortlist, runs: Runs, limit: float = 0.0) -> _Decided:
    """Sample and split the pairs of a shortlist as those of any table, unless they are too many."""
    if job.null != "auto":
        return _Decided(shortlist)
    rows = shortlist.rows
    if not len(rows):
        return _Decided(shortlist)
    n_tested = max(shortlist.n_tested, 1)
    least = job.fdr_level / (rate_factor(job.fdr, n_tested) * n_tested)
    if np.count_nonzero(rows.is_approximate) > _MOST_SAMPLED or min(limit or 1.0, least) < END:
        return _Decided(shortlist, is_matched=True)
    x, y = rows.x.astype(np.int64), rows.y.astype(np.int64)
    found, n_open = decided_rows(
        sides, x, y, job, n_tested=n_tested, limit=limit, n_jobs=runs.n_jobs, progress=runs.progress
    )
    if n_open:
        return _Decided(shortlist, is_matched=True)
    if limit:
        low, _ = stated_of(found).limits()
        is_below = (p_values_of_tests(found) <= limit) | (found.is_bound & (low <= limit))
        found = found.pick(np.flatnonzero(is_below))
    return _Decided(replace(shortlist, rows=found))


def _ranking(sides: Sides, job: Job, found: Found, decided: _Decided, device: str) -> Ranking:
    """The rows with a table of the columns that are in them."""
    plan, rows = plan_of(sides, job, found.rows, _notes(found, decided))
    job.used_devices.add(device)
    return Ranking(
        plan,
        rows,
        found.place,
        found.q_value,
        n_pairs=_n_pairs(*sides),
        n_tested=found.n_tested,
        n_found=found.n_found,
        n_duplicates=found.n_duplicates,
        _rerun=_no_second_run,
        _n_open=decided.n_open,
        _caution=_CAUTION if decided.is_matched and found.n_found else "",
    )


def _notes(found: Found, decided: _Decided) -> tuple[Note, ...]:
    notes = list[Note]()
    if decided.is_matched:
        notes.append(Note.on_table(Code.MATCHED_ONLY, end=END, option=Option("top")))
    if found.exact_q < 1 and (found.q_value > found.exact_q).any():
        notes.append(Note.on_table(Code.Q_IS_BOUND, q=float(found.exact_q)))
    return tuple(notes)


def _named(sides: Sides, rows: PairResults) -> tuple[list[str], PairResults]:
    """The names of the columns in these rows, and the rows by their places among these."""
    x, x_at = np.unique(rows.x, return_inverse=True)
    y, y_at = np.unique(rows.y, return_inverse=True)
    names = [sides[0].name(int(k)) for k in x] + [sides[1].name(int(k)) for k in y]
    return names, replace(rows, x=x_at.astype(np.int32), y=(y_at + len(x)).astype(np.int32))


def _no_second_run(plan: Plan) -> PairResults:
    raise BychanceError("A ranking of arrays has no second run: `sweep` knows only " + Option("alpha") + ".")


def _all_pairs(x: Side, y: Side) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The columns' numbers of every pair, by x and then by y."""
    if x is y:
        first, second = np.triu_indices(len(x), 1)
        return first.astype(np.int64), second.astype(np.int64)
    first, second = np.divmod(np.arange(len(x) * len(y)), len(y))
    return first, second


def _n_pairs(x: Side, y: Side) -> int:
    return len(x) * (len(x) - 1) // 2 if x is y else len(x) * len(y)
