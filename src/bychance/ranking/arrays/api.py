"""Implementation of rank_arrays(): screens all column pairs of two arrays for a Ranking or a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bychance.array_types import IntArray
from bychance.errors import BychanceError, BychanceWarning
from bychance.gpu.device import DeviceError, gpu_errors
from bychance.messages import Code, Note, Option
from bychance.nulls.splitting import END
from bychance.parallel import Workers
from bychance.progress import Progress
from bychance.ranking.api import all_options
from bychance.ranking.arrays.columns import ArraysPlan, Sides, read_sides
from bychance.ranking.arrays.products import Backend, CudaBackend
from bychance.ranking.arrays.search import MOST_SAMPLED, Search, Shortlist
from bychance.ranking.arrays.tiles import Screen
from bychance.ranking.collector import Collected, Collector
from bychance.ranking.files import ROWS_PER_WRITE, check_output, file_format, open_writer
from bychance.ranking.options import Job, make_job
from bychance.ranking.ranking import Ranking
from bychance.ranking.results import PairResults, fdr_factor, p_values_of_tests, ranking_columns, stated_of
from bychance.ranking.resume import Parts, fingerprint_of_arrays
from bychance.ranking.run import measure_pairs
from bychance.validation import Seed, answers_expected_words, number_within, whole_number

__all__ = ["rank_arrays"]

_MEASURES = ("r2", "spearman")
_SHOWN = 20  # best pairs returned beside a file by default (taste)
_MOST_KEPT = 2**22  # pairs that are all kept without `top` (memory)
_WORTH_A_GPU = 10**11  # multiplications from which a GPU is used: a few seconds on a core (speed)
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
    resume: bool = False,
    rng: Seed = 0,
    n_jobs: int | None = None,
    device: str = "cpu",
    progress: bool = False,
) -> Ranking:
    """Rank all pairs of columns of two arrays (or of one), even if there are billions.

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
        x and then by y, and the 20 best (or `top`) are returned. It appears only when it is complete.
    resume : bool
        Resume an interrupted run to the same file, with the same arrays, options and version.
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
    sides, workers = read_sides(X, Y), Workers(n_jobs, progress)
    top = None if top is None else whole_number(top, "top")
    if path is None or threshold is None:
        if resume:
            raise BychanceError(
                Option("resume") + " must come with `path`: only files can be resumed.", "resume"
            )
        return _best(sides, job, top, workers)
    limit = number_within(threshold, "threshold", 1)
    return _file_of(sides, job, Path(path), limit, _SHOWN if top is None else top, workers, resume=resume)


def _measure(measure: object) -> str:
    """Return the measure's name, or raise an error if it is not "r2" or "spearman"."""
    if not isinstance(measure, str) or measure not in _MEASURES:
        raise BychanceError(
            Option("measure")
            + f" must be 'r2' or 'spearman', got {measure!r}; for other measures rank a table that holds the "
            "columns of both arrays: `bc.rank(table, x=…, y=…)`.",
            "measure",
        )
    return measure


def _best(sides: Sides, job: Job, top: int | None, workers: Workers) -> Ranking:
    """Return a ranking of the best pairs between the columns of two arrays."""
    n_pairs = sides.n_pairs
    if top is None and n_pairs > _MOST_KEPT:
        raise BychanceError(
            Option("top")
            + f" must say how many pairs to keep: there are {n_pairs:,}, and without it at most "
            f"{_MOST_KEPT:,} are kept.",
            "top",
        )
    if top is None or top >= n_pairs:
        shortlist = _all_pairs(sides, job, workers)
    else:
        shortlist = _searched(sides, job, workers, lambda search: search.best(top))
        shortlist = _decided(sides, job, shortlist, workers)
    return _ranking(sides, job, shortlist, n_pairs if top is None else top, workers)


def _file_of(
    sides: Sides, job: Job, output: Path, limit: float, top: int, workers: Workers, *, resume: bool
) -> Ranking:
    """Write all column pairs with p <= `limit` to a file, and return a ranking of the `top` best."""
    suffix = file_format(output)
    check_output(output, None)
    arrays = [sides.x] if sides.is_same else [sides.x, sides.y]
    mark = fingerprint_of_arrays(
        [side.values for side in arrays], job, limit, [side.given_names for side in arrays]
    )
    parts = Parts(output, mark, None, resume=resume)
    try:
        shortlist = _pairs_below(sides, job, limit, workers, parts)
        shortlist = _decided(sides, job, shortlist, workers, limit, parts)
        found = Collected.of(shortlist.rows, job, top=None, n_tested=shortlist.n_tested)
        used, rows = _renumbered(found.rows)
        names = [sides.name(int(k)) for k in used]
        with open_writer(output, suffix, directory=parts.directory) as write:
            for start in range(0, max(len(rows), 1), ROWS_PER_WRITE):
                some = np.arange(start, min(start + ROWS_PER_WRITE, len(rows)))
                write(ranking_columns(rows, some, found.place, found.q_value, names))
    except KeyboardInterrupt:
        goes_on = "resuming goes on from what is done" if parts.has_any else "there is nothing to resume"
        raise KeyboardInterrupt(f"the file is not written; {goes_on}") from None
    finally:
        parts.remove_if_empty()
    parts.remove()
    return _ranking(sides, job, shortlist, top, workers)


def _pairs_below(sides: Sides, job: Job, limit: float, workers: Workers, parts: Parts) -> Shortlist:
    """Return the pairs with a moment-matched p-value of at most `limit`, resuming an interrupted run."""
    if (kept := parts.kept("pairs")) is not None:
        rows, told = kept
        return Shortlist(rows, told["n_tested"], limit, told["n_doubtful"], told["device"])
    shortlist = _searched(sides, job, workers, lambda search: search.below(limit, parts))
    told = {name: getattr(shortlist, name) for name in ("n_tested", "n_doubtful", "device")}
    parts.keep("pairs", shortlist.rows, told)
    return shortlist


def _searched(sides: Sides, job: Job, workers: Workers, find: Callable[[Search], Shortlist]) -> Shortlist:
    """Search all column pairs with the function `find` on the GPU or CPU, and return the candidate pairs."""

    def find_on(backend: Backend) -> Shortlist:
        with Progress("pairs", total=sides.n_pairs, enabled=workers.progress) as bar:
            screen = Screen.of(sides, backend, is_ranked=job.describe() == "spearman")
            return replace(find(Search(screen, job, workers, bar.advance)), device=backend.name)

    n_products = len(sides.x) * len(sides.y) * sides.n_rows
    if job.device == "cuda" or (job.device == "auto" and n_products >= _WORTH_A_GPU):
        try:
            with gpu_errors(), CudaBackend() as backend:
                return find_on(backend)
        except DeviceError as error:
            if job.device == "cuda":
                raise
            warnings.warn(f"{error} The CPU does it instead.", BychanceWarning, stacklevel=5)
    return find_on(Backend())


def _all_pairs(sides: Sides, job: Job, workers: Workers) -> Shortlist:
    """Measure all column pairs in full, for callers that keep every pair."""
    x, y = np.arange(len(sides.x)), np.arange(len(sides.y)) + sides.first_of_y
    plan, _ = sides.plan_of_all(x, None if sides.is_same else y, job, workers)
    collector = Collector(plan)
    n_open, rows = measure_pairs(plan, collector), collector.rows()
    return Shortlist(rows, int(np.count_nonzero(~np.isnan(p_values_of_tests(rows)))), 1.0, n_open=n_open)


def _decided(
    sides: Sides,
    job: Job,
    shortlist: Shortlist,
    workers: Workers,
    limit: float = 0.0,
    parts: Parts | None = None,
) -> Shortlist:
    """Measure candidate pairs again, with permutations for unreliable nulls unless these are too many."""
    rows, n_tested = shortlist.rows, max(shortlist.n_tested, 1)
    if not len(rows):
        return shortlist
    least = job.fdr_level / (fdr_factor(job.fdr, n_tested) * n_tested)
    if np.count_nonzero(rows.is_approximate) > MOST_SAMPLED or min(limit or 1.0, least) < END:
        return replace(shortlist, is_matched=True)
    plan = ArraysPlan.of_pairs(sides, rows.x.astype(np.int64), rows.y.astype(np.int64), job, workers)
    n_others = n_tested - int(np.count_nonzero(~np.isnan(p_values_of_tests(rows))))
    collector = Collector(plan, parts=parts, n_others=n_others)
    if measure_pairs(plan, collector, limit, is_whole=False):
        return replace(shortlist, is_matched=True)
    found = collector.rows()
    if limit:
        low, _ = stated_of(found).limits()
        is_below = (p_values_of_tests(found) <= limit) | (found.is_bound & (low <= limit))
        found = found.pick(np.flatnonzero(is_below))
    return replace(shortlist, rows=found)


def _renumbered(rows: PairResults) -> tuple[IntArray, PairResults]:
    """Return the column positions that occur in `rows`, and `rows` with x and y as indices into them."""
    used, places = np.unique(np.concatenate([rows.x, rows.y]).astype(np.int64), return_inverse=True)
    x, y = np.split(places.astype(np.int32), [len(rows)])
    return used, replace(rows, x=x, y=y)


def _ranking(sides: Sides, job: Job, shortlist: Shortlist, top: int, workers: Workers) -> Ranking:
    """Build the ranking of the best candidate pairs, with a table of the columns that occur in them."""
    found = Collected.of(shortlist.rows, job, top=top, n_tested=shortlist.n_tested)
    notes, exact_q = list[Note](), min(1.0, shortlist.exact_q * fdr_factor(job.fdr, found.n_tested))
    if shortlist.is_matched:
        notes.append(Note.on_table(Code.MATCHED_ONLY, end=END, option=Option("top")))
    elif shortlist.n_doubtful:
        notes.append(Note.on_table(Code.CHOSEN_BY_MATCHED, n=shortlist.n_doubtful))
    if exact_q < 1 and (found.q_value > exact_q).any():
        notes.append(Note.on_table(Code.Q_IS_BOUND, q=float(exact_q)))
    used, rows = _renumbered(found.rows)
    job.used_devices.add(shortlist.device)
    return Ranking(
        sides.plan_of_kept(used, rows, job, tuple(notes), workers),
        rows,
        found.place,
        found.q_value,
        n_pairs=sides.n_pairs,
        n_tested=found.n_tested,
        n_found=found.n_found,
        n_duplicates=found.n_duplicates,
        _n_open=shortlist.n_open,
        _caution=_CAUTION if shortlist.is_matched and found.n_found else "",
    )
