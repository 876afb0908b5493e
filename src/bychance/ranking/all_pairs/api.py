"""Implementation of rank_arrays(): screens all column pairs of two arrays for a Ranking or a file."""

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
from bychance.gpu.device import DeviceError
from bychance.messages import Code, Note, Option
from bychance.nulls.splitting import END
from bychance.parallel import Workers
from bychance.progress import Progress
from bychance.ranking.all_pairs.backend import Backend, NumpyBackend
from bychance.ranking.all_pairs.doubtful import MOST_SAMPLED
from bychance.ranking.all_pairs.plans import ArraysPlan, Sides, name_at, plan_of, plan_of_all
from bychance.ranking.all_pairs.screen import Screen
from bychance.ranking.all_pairs.search import Shortlist, best_pairs, pairs_below
from bychance.ranking.all_pairs.sides import Lines, Side, read_sides
from bychance.ranking.api import all_options
from bychance.ranking.collector import Collected, Collector
from bychance.ranking.files import check_output, file_format, open_writer, ranking_columns
from bychance.ranking.options import Job, make_job
from bychance.ranking.ranking import Ranking
from bychance.ranking.results import PairResults, fdr_factor, p_values_of_tests, stated_of
from bychance.ranking.resume import Parts, fingerprint_of_arrays
from bychance.ranking.run import measure_rows
from bychance.validation import Seed, answers_expected_words, number_within, whole_number

__all__ = ["file_of", "rank_arrays", "ranking_of"]

_MEASURES = ("r2", "spearman")
_SHOWN = 20  # pairs of a file that are returned, if nobody says how many
_CHUNK = 1 << 16  # rows in hand while a file is written
_MOST_KEPT = 2**22  # pairs that are all kept without `top`
_WORTH_A_GPU = 10**11  # products of two numbers: a few seconds on a core
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
    if path is None or threshold is None:
        if resume:
            raise BychanceError(
                Option("resume") + " must come with `path`: only files can be resumed.", "resume"
            )
        return ranking_of(sides, job, top, workers)
    return file_of(sides, job, path, threshold, _SHOWN if top is None else top, workers, resume=resume)


def ranking_of(sides: Sides, job: Job, top: int | None, workers: Workers) -> Ranking:
    """Return a ranking of the best pairs between the columns of two arrays."""
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
        decided, device = _all_decided(sides, job, workers), "cpu"
    else:
        with Progress("pairs", total=n_pairs, enabled=workers.progress) as bar:
            shortlist, device = _found(
                sides, job, lambda screen: best_pairs(screen, job, size, workers, bar.advance)
            )
        decided = _decided(sides, job, shortlist, workers)
    return _ranking(sides, job, _with_ranks(decided.shortlist, job, size), decided, device, workers)


def file_of(
    sides: Sides,
    job: Job,
    path: str | os.PathLike[str],
    threshold: float,
    top: int,
    workers: Workers,
    *,
    resume: bool = False,
) -> Ranking:
    """Write all column pairs with p at or below the threshold to a file, and return the best."""
    output, suffix = Path(path), file_format(path)
    check_output(output, None)
    limit, top = number_within(threshold, "threshold", 1), whole_number(top, "top")
    arrays = list({id(side): side for side in sides}.values())
    mark = fingerprint_of_arrays(
        [side.values for side in arrays], job, limit, [s.given_names for s in arrays]
    )
    parts = Parts(output, mark, None, resume=resume)
    try:
        shortlist, device = _pairs_below(sides, job, limit, workers, parts)
        decided = _decided(sides, job, shortlist, workers, limit, parts)
        found = _with_ranks(decided.shortlist, job)
        column_names, rows = _named(sides, found.rows)
        with open_writer(output, suffix, directory=parts.directory) as write:
            for start in range(0, max(len(rows), 1), _CHUNK):
                some = np.arange(start, min(start + _CHUNK, len(rows)))
                write(ranking_columns(rows, some, found.place, found.q_value, column_names))
    except KeyboardInterrupt:
        goes_on = "resuming goes on from what is done" if parts.has_any else "there is nothing to resume"
        raise KeyboardInterrupt(f"the file is not written; {goes_on}") from None
    finally:
        parts.remove_if_empty()
    parts.remove()
    return _ranking(sides, job, _with_ranks(decided.shortlist, job, top), decided, device, workers)


def _pairs_below(
    sides: Sides, job: Job, limit: float, workers: Workers, parts: Parts
) -> tuple[Shortlist, str]:
    """Return the pairs with a matched p-value of at most `limit`: computed, or from an interrupted run."""
    if (kept := parts.kept("pairs")) is not None:
        rows, told = kept
        return Shortlist(rows, np.empty(0), told["n_tested"], limit, told["n_doubtful"]), told["device"]
    stripes = _Stripes(parts)
    with Progress("pairs", total=_n_pairs(*sides), enabled=workers.progress) as bar:
        shortlist, device = _found(
            sides, job, lambda screen: pairs_below(screen, job, limit, workers, bar.advance, stripes)
        )
    told = {"n_tested": shortlist.n_tested, "n_doubtful": shortlist.n_doubtful, "device": device}
    parts.keep("pairs", shortlist.rows, told)
    return shortlist, device


@dataclass(frozen=True, slots=True)
class _Stripes:
    """Pairs that passed the screen, stored on disk per block of x columns so that runs can resume."""

    parts: Parts

    def found(self, block: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return the pairs that an interrupted run stored for a block, or None."""
        kept = self.parts.kept(f"{block.start}-{block.stop}")
        return None if kept is None else (kept[0].x.astype(np.int64), kept[0].y.astype(np.int64))

    def keep(self, block: slice, x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
        """Store the pairs of a block on disk."""
        self.parts.keep(f"{block.start}-{block.stop}", PairResults.unknown(x, y, np.zeros_like(x), 0), {})


def _with_ranks(shortlist: Shortlist, job: Job, top: int | None = None) -> Collected:
    """Return the candidate pairs (or the `top` best) with ranks and q-values among all pairs."""
    return Collected.of(shortlist.rows, job, top=top, others=shortlist.other_p, n_tested=shortlist.n_tested)


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


def _found(sides: Sides, job: Job, find: Callable[[Screen], Shortlist]) -> tuple[Shortlist, str]:
    """Run `find` on a screen, on the GPU or CPU. Return its result and the device."""
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
    """Candidate pairs with sampled p-values, or with matched ones if sampling would take too long.

    `n_open` pairs stay undecided.
    """

    shortlist: Shortlist
    n_open: int = 0
    is_matched: bool = False


def _all_decided(sides: Sides, job: Job, workers: Workers) -> _Decided:
    """Measure all pairs without a screen, as every pair is kept."""
    x, y = (np.arange(len(side)) for side in sides)
    plan = plan_of_all(sides, x, y, job, workers, is_triangle=sides[0] is sides[1])
    rows, n_open = measure_rows(plan, Collector(plan))
    n_tested = int(np.count_nonzero(~np.isnan(p_values_of_tests(rows))))
    return _Decided(Shortlist(rows, np.empty(0), n_tested, 1.0), n_open)


def _decided(
    sides: Sides,
    job: Job,
    shortlist: Shortlist,
    workers: Workers,
    limit: float = 0.0,
    parts: Parts | None = None,
) -> _Decided:
    """Compute p-values of candidate pairs by permutation, unless the pairs are too many."""
    rows, n_tested = shortlist.rows, max(shortlist.n_tested, 1)
    if job.null != "auto" or not len(rows):
        return _Decided(shortlist)
    least = job.fdr_level / (fdr_factor(job.fdr, n_tested) * n_tested)
    if np.count_nonzero(rows.is_approximate) > MOST_SAMPLED or min(limit or 1.0, least) < END:
        return _Decided(shortlist, is_matched=True)
    plan = ArraysPlan.of_pairs(sides, rows.x.astype(np.int64), rows.y.astype(np.int64), job, workers)
    n_others = n_tested - int(np.count_nonzero(~np.isnan(p_values_of_tests(rows))))
    found, n_open = measure_rows(plan, Collector(plan, parts=parts, n_others=n_others), limit, is_whole=False)
    if n_open:
        return _Decided(shortlist, is_matched=True)
    if limit:
        low, _ = stated_of(found).limits()
        is_below = (p_values_of_tests(found) <= limit) | (found.is_bound & (low <= limit))
        found = found.pick(np.flatnonzero(is_below))
    return _Decided(replace(shortlist, rows=found))


def _ranking(
    sides: Sides, job: Job, found: Collected, decided: _Decided, device: str, workers: Workers
) -> Ranking:
    """Build the ranking of the candidate pairs, with a table of the columns that occur in them."""
    exact_q = min(1.0, decided.shortlist.exact_q * fdr_factor(job.fdr, found.n_tested))
    plan, rows = plan_of(sides, job, found.rows, _notes(found, decided, exact_q), workers)
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
        _n_open=decided.n_open,
        _caution=_CAUTION if decided.is_matched and found.n_found else "",
    )


def _notes(found: Collected, decided: _Decided, exact_q: float) -> tuple[Note, ...]:
    notes, n_doubtful = list[Note](), decided.shortlist.n_doubtful
    if decided.is_matched:
        notes.append(Note.on_table(Code.MATCHED_ONLY, end=END, option=Option("top")))
    elif n_doubtful:
        notes.append(Note.on_table(Code.CHOSEN_BY_MATCHED, n=n_doubtful))
    if exact_q < 1 and (found.q_value > exact_q).any():
        notes.append(Note.on_table(Code.Q_IS_BOUND, q=float(exact_q)))
    return tuple(notes)


def _named(sides: Sides, rows: PairResults) -> tuple[list[str], PairResults]:
    """Return the names of the columns in these rows, and the rows with x and y as indices into them."""
    used, places = np.unique(np.concatenate([rows.x, rows.y]), return_inverse=True)
    x, y = places[: len(rows)].astype(np.int32), places[len(rows) :].astype(np.int32)
    return [name_at(sides, int(k)) for k in used], replace(rows, x=x, y=y)


def _n_pairs(x: Side, y: Side) -> int:
    return len(x) * (len(x) - 1) // 2 if x is y else len(x) * len(y)
