"""rank() and rank_to_file() of two arrays: options → sides → screen → exact rows → Ranking, or a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from bychance.errors import BychanceError, BychanceWarning
from bychance.gpu.device import DeviceError
from bychance.pairs import Pairs, Ways
from bychance.progress import Progress
from bychance.ranking.all_pairs.backend import Backend, NumpyBackend
from bychance.ranking.all_pairs.best import Found, best_pairs, pairs_below
from bychance.ranking.all_pairs.screen import Screen
from bychance.ranking.all_pairs.sides import Lines, Side, read_sides
from bychance.ranking.job import Job, RankOptions, make_job
from bychance.ranking.kept.output import check_output, file_format, open_writer, ranking_columns
from bychance.ranking.kept.pair_rows import Rows
from bychance.ranking.planning.plan import Plan
from bychance.ranking.result import Ranking
from bychance.ranking.run import DEFAULTS
from bychance.table import Note, Table
from bychance.validation import number_within, whole_number

__all__ = ["file_of_arrays", "rank_arrays"]

_MEASURES = {"auto": "r2", "r2": "r2", "spearman": "spearman"}
_ALLOWED = ("measure", "by", "alpha", "min_n", "null", "fdr", "fdr_level", "intervals", "rng", "device")
_CHUNK = 1 << 16  # rows in hand while a file is written
_MOST_KEPT = 2**22  # pairs that are all kept where `top` is not given
_WORTH_A_GPU = 10**11  # products of two numbers: a few seconds on a core


def rank_arrays(
    source: Any,
    against: Any,
    *,
    names: Any,
    top: int | None,
    n_jobs: int | None,
    progress: bool,
    options: RankOptions,
) -> Ranking:
    """The best pairs of the columns of two arrays, as `rank` returns them."""
    sides, job = read_sides(source, against, names), _job(options)
    n_pairs = _n_pairs(*sides)
    if top is None and n_pairs > _MOST_KEPT:
        raise BychanceError(
            f"`top` must say how many pairs to keep: there are {n_pairs:,}, and without it at most "
            f"{_MOST_KEPT:,} are kept.",
            "top",
        )
    size = n_pairs if top is None else whole_number(top, "top")
    with Progress("pairs", total=n_pairs, enabled=progress) as bar:
        found, device = _found(sides, job, lambda screen: best_pairs(screen, job, size, n_jobs, bar.advance))
    return _ranking(sides, job, found, device)


def file_of_arrays(
    source: Any,
    path: str | os.PathLike[str],
    against: Any,
    *,
    threshold: float | None,
    names: Any,
    top: int,
    sort: bool,
    raw_names: bool,
    n_jobs: int | None,
    progress: bool,
    options: RankOptions,
) -> Ranking:
    """All pairs with p at or below the threshold into a file, and the best of them as a Ranking."""
    output, suffix = Path(path), file_format(path)
    check_output(output, None)
    if threshold is None:
        raise BychanceError(
            "`threshold` must be given with `against`: the largest p-value to write, such as 1e-8.",
            "threshold",
        )
    limit, top = number_within(threshold, "threshold", 1), whole_number(top, "top")
    sides, job = read_sides(source, against, names), _job(options)
    with Progress("pairs", total=_n_pairs(*sides), enabled=progress) as bar:
        found, device = _found(
            sides, job, lambda screen: pairs_below(screen, job, limit, n_jobs, bar.advance)
        )
    ordered = np.argsort(found.place, kind="stable")
    order = ordered if sort else np.arange(len(ordered))
    column_names, rows = _named(sides, found.rows)
    with open_writer(output, suffix, raw_names=raw_names) as write:
        for start in range(0, max(len(order), 1), _CHUNK):
            index = order[start : start + _CHUNK]
            write(ranking_columns(rows, index, found.place, found.q_value, column_names))
    originals = ordered[~rows.is_duplicate[ordered]]
    return _ranking(sides, job, found.pick(np.union1d(ordered[:top], originals[:top])), device)


def _job(options: RankOptions) -> Job:
    """The checked options; an error for those that two arrays do not take."""
    for name, value in options.items():
        default = DEFAULTS.get(name)
        is_left_out = value is None or (isinstance(value, type(default)) and value == default)
        if name not in _ALLOWED and not is_left_out:
            raise BychanceError(f"`{name}` must be left out with `against`, got {value!r}.", name)
    asked = {**DEFAULTS, **{name: value for name, value in options.items() if name in _ALLOWED}}
    measure, null = asked["measure"], asked["null"]
    if not isinstance(measure, str) or measure not in _MEASURES:
        raise BychanceError(
            f"`measure` must be 'r2' or 'spearman' with `against`, got {measure!r}; for other measures rank "
            "a table that holds the columns of both arrays, with x=… and y=….",
            "measure",
        )
    if not isinstance(null, str) or null not in ("auto", "moments"):
        raise BychanceError(
            f"`null` must be 'moments' with `against` ('auto' is the same there), got {null!r}.", "null"
        )
    return make_job(cast(RankOptions, {**asked, "measure": _MEASURES[measure], "null": "moments"}))


def _found(sides: tuple[Side, Side], job: Job, find: Callable[[Screen], Found]) -> tuple[Found, str]:
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
            warnings.warn(f"{error} The CPU does it instead.", BychanceWarning, stacklevel=4)
    return find(_screen(sides, job, NumpyBackend())), "cpu"


def _screen(sides: tuple[Side, Side], job: Job, backend: Backend) -> Screen:
    is_ranked = job.describe() == "spearman"
    room = backend.room()
    y = Lines(sides[1], backend, is_ranked=is_ranked, room=room)
    x = y if sides[0] is sides[1] else Lines(sides[0], backend, is_ranked=is_ranked, room=room - y.n_bytes)
    return Screen(x, y, backend)


def _ranking(sides: tuple[Side, Side], job: Job, found: Found, device: str) -> Ranking:
    """The rows with a table of the columns that are in them."""
    rows = found.rows
    x_used, y_used = (np.unique(numbers).astype(np.intp) for numbers in (rows.x, rows.y))
    if sides[0] is sides[1]:
        used = np.union1d(x_used, y_used)
        columns = sides[0].columns(used)
        x, y = np.searchsorted(used, rows.x), np.searchsorted(used, rows.y)
    else:
        columns = (*sides[0].columns(x_used), *sides[1].columns(y_used))
        x, y = np.searchsorted(x_used, rows.x), len(x_used) + np.searchsorted(y_used, rows.y)
    rows = replace(rows, x=x.astype(np.int32), y=y.astype(np.int32))
    origin = "two arrays" if sides[0] is not sides[1] else "an array"
    table = Table(columns, _notes(found), origin=origin)
    ways = np.full((2, 2), Ways.ONCE, dtype=np.int8)
    is_labels = np.zeros(len(columns), dtype=np.bool_)
    pairs = Pairs(np.unique(x), np.unique(y), False, is_labels, ways)
    plan = Plan(table, job, pairs, block_size=1, tiles=(), target=None)
    job.used_devices.add(device)
    return Ranking(
        plan,
        rows,
        found.place,
        found.q_value,
        n_pairs=_n_pairs(*sides),
        n_tested=found.n_tested,
        n_found=int(np.count_nonzero(found.all_q < job.fdr_level)),
        n_duplicates=found.n_duplicates,
        _rerun=_no_second_run,
    )


def _notes(found: Found) -> tuple[Note, ...]:
    if found.exact_q >= 1 or not (found.q_value > found.exact_q).any():
        return ()
    text = f"q-values above {found.exact_q:.2g} are upper bounds: pairs that were not kept could lower them"
    return (Note(None, text),)


def _named(sides: tuple[Side, Side], rows: Rows) -> tuple[list[str], Rows]:
    """The names of the columns in these rows, and the rows by their places among these."""
    x, x_at = np.unique(rows.x, return_inverse=True)
    y, y_at = np.unique(rows.y, return_inverse=True)
    names = [sides[0].name(int(k)) for k in x] + [sides[1].name(int(k)) for k in y]
    return names, replace(rows, x=x_at.astype(np.int32), y=(y_at + len(x)).astype(np.int32))


def _no_second_run(plan: Plan) -> Rows:
    raise BychanceError("A ranking of arrays has no second run: `sweep` knows only `alpha`.")


def _n_pairs(x: Side, y: Side) -> int:
    return len(x) * (len(x) - 1) // 2 if x is y else len(x) * len(y)
