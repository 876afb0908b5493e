"""rank_to_file(): more pairs than fit in memory, block by block to one file.

Blocks go to parts beside the output as they are done. Then every pair's score and p-value give places and
q-values, at most 16 bytes a pair at a time, and the parts become the output, in canonical order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bychance import _native
from bychance.ranking.memory import check_memory
from bychance.ranking.order import best_first, fdr_factor, p_values_of_tests, places, q_values, scores_of
from bychance.ranking.output import check_output, file_format, open_writer, ranking_columns
from bychance.ranking.pair_rows import Rows, join_rows
from bychance.ranking.plan import Plan
from bychance.ranking.result import Ranking
from bychance.ranking.resume import Parts
from bychance.ranking.run import RankOptions, make_ranking, plan_ranking, run_blocks
from bychance.ranking.sinks import Floor, Kept
from bychance.validation import whole_number

__all__ = ["rank_to_file"]

_CHUNK = 1 << 16  # rows in hand while the output is written


def rank_to_file(
    source: Any,
    path: str | os.PathLike[str],
    *,
    top: int = 20,
    sort: bool = False,
    resume: bool = False,
    raw_names: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
    **options: Unpack[RankOptions],
) -> Ranking:
    """Rank a table of any size to a file, and return the best of it.

    The file has a row for every pair and the columns of `Ranking.to_frame`, less the limits. It appears whole
    or not at all: finished blocks wait beside it, so that an interrupted run can resume.

    Parameters
    ----------
    source
        As for `rank`.
    path
        The file to write: .parquet, .csv or .json.
    top : int
        How many of the best rows to return, near-duplicates aside.
    sort : bool
        Write the best pair first. Otherwise pairs come in canonical order: by x, then by y, as in the table.
    resume : bool
        Go on from the blocks that an earlier run left; its input, options and version must be the same.
    raw_names : bool
        As for `Ranking.to_csv`.
    n_jobs, progress
        As for `rank`.
    **options
        The other options of `rank`.

    Returns
    -------
    Ranking
        The best rows; places and q-values count all pairs.

    Examples
    --------
    >>> import bychance as bc, tempfile, os
    >>> table = {"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     best = bc.rank_to_file(table, os.path.join(folder, "pairs.csv"), top=1)
    ...     print(len(best), best.n_pairs, os.listdir(folder))
    1 3 ['pairs.csv']
    """
    output = Path(path)
    suffix = file_format(output)
    check_output(output, source)
    plan = plan_ranking(source, **options)
    check_memory(plan, keeps_all=False)
    top = whole_number(top, "top")
    parts = Parts(output, plan, resume=resume)
    try:
        left = sorted(set(range(len(plan.tiles))) - parts.finished())
        for number, rows in run_blocks(plan, left, n_jobs=n_jobs, progress=progress):
            parts.write(number, rows)
        kept = _write_output(plan, parts, output, suffix, sort=sort, top=top, raw_names=raw_names)
    except KeyboardInterrupt:
        n_done = len(parts.finished())
        raise KeyboardInterrupt(
            f"{n_done:,} of {len(plan.tiles):,} blocks are done; resuming goes on from them"
        ) from None
    finally:
        parts.remove_if_empty()
    parts.remove()
    return make_ranking(plan, kept, n_jobs=n_jobs, progress=progress)


def _write_output(
    plan: Plan, parts: Parts, output: Path, suffix: str, *, sort: bool, top: int, raw_names: bool
) -> Kept:
    order = _save(parts, "order", _order(plan, parts))
    place = _save(parts, "place", places(order))
    p_values = _gather(plan, parts, p_values_of_tests, np.float64)
    n_tested = int(np.sum(~np.isnan(p_values)))
    _native.false_discovery_rates(p_values, fdr_factor(plan.job.fdr, n_tested))
    rates = _save(parts, "rates", p_values)
    del p_values
    # Until it is whole it lies among the parts: a resumed run removes what a killed one left of it.
    with open_writer(output, suffix, directory=parts.directory, raw_names=raw_names) as write:
        batches = _in_canonical_order(plan, parts, place, rates)
        for columns in _sorted(batches, parts, order) if sort else batches:
            write(columns)
    chosen, n_duplicates = _best(plan, parts, order, top)
    rows = _rows_of(plan, parts, chosen)
    best_q = float(np.nanmin(rates)) if n_tested else float("nan")
    floor = Floor.of(parts.read(number) for number in range(len(plan.tiles)))
    q_value = q_values(rates[chosen], rows)
    n_found = int(np.sum(rates < plan.job.fdr_level))
    return Kept(rows, place[chosen], q_value, n_tested, n_found, n_duplicates, best_q, floor)


def _order(plan: Plan, parts: Parts) -> NDArray[np.uint32]:
    by = plan.job.by
    scores = _gather(plan, parts, lambda rows: scores_of(rows, by)[0], np.float64)
    ties = _gather(plan, parts, lambda rows: scores_of(rows, by)[1], np.float32) if by == "p_value" else None
    return best_first(scores, ties)


def _gather(plan: Plan, parts: Parts, figure: Callable[[Rows], Any], dtype: Any) -> NDArray[Any]:
    """One figure of every pair, by its number."""
    gathered = np.empty(len(plan.pairs), dtype=dtype)
    for number in range(len(plan.tiles)):
        gathered[plan.numbers(number)] = figure(parts.read(number))
    return gathered


def _save(parts: Parts, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array on disk, of which only what is looked at is in memory."""
    path = parts.directory / f"{name}.npy"
    np.save(path, array)
    saved: NDArray[Any] = np.load(path, mmap_mode="r")
    return saved


def _in_canonical_order(
    plan: Plan, parts: Parts, place: NDArray[np.uint32], rates: NDArray[np.float64]
) -> Iterator[dict[str, Any]]:
    """All pairs by x, then by y, a few x at a time."""
    tiles = enumerate(plan.tiles)
    for _, stripe in groupby(tiles, key=lambda numbered: numbered[1].x.start):
        blocks = [(parts.read(number), plan.numbers(number)) for number, _ in stripe]
        firsts = np.unique(np.concatenate([rows.x for rows, _ in blocks]))
        height = max(1, _CHUNK * len(firsts) // sum(len(rows) for rows, _ in blocks))
        listed = plan.pairs.x[np.isin(plan.pairs.x, firsts)]
        for start in range(0, len(listed), height):
            wanted = listed[start : start + height]
            yield _batch(blocks, wanted, plan, place, rates)


def _batch(
    blocks: list[tuple[Rows, NDArray[np.int64]]],
    wanted: NDArray[np.intp],
    plan: Plan,
    place: NDArray[np.uint32],
    rates: NDArray[np.float64],
) -> dict[str, Any]:
    picked = [(rows, numbers, np.flatnonzero(np.isin(rows.x, wanted))) for rows, numbers in blocks]
    numbers = np.concatenate([numbers[index] for _, numbers, index in picked])
    order = np.argsort(numbers)
    rows = join_rows([rows.pick(index) for rows, _, index in picked]).pick(order)
    numbers = numbers[order]
    return ranking_columns(rows, slice(None), place[numbers], q_values(rates[numbers], rows), plan.table)


def _sorted(
    batches: Iterator[dict[str, Any]], parts: Parts, order: NDArray[np.uint32]
) -> Iterator[dict[str, Any]]:
    """The same rows, best first: written once in canonical order, and picked from there."""
    path = parts.directory / "canonical.arrow"
    with open_writer(path, "arrow") as write:
        for columns in batches:
            write(columns)
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    for start in range(0, len(order), _CHUNK):
        chunk = table.take(pa.array(order[start : start + _CHUNK]))
        yield dict(zip(chunk.column_names, chunk.columns, strict=True))


def _best(plan: Plan, parts: Parts, order: NDArray[np.uint32], top: int) -> tuple[NDArray[np.intp], int]:
    """The numbers of the best pairs with and without near-duplicates, ascending; and how many those are."""
    is_duplicate = _gather(plan, parts, lambda rows: rows.is_duplicate, np.bool_)
    originals: list[int] = []
    for start in range(0, len(order), _CHUNK):
        chunk = order[start : start + _CHUNK]
        originals.extend(chunk[~is_duplicate[chunk]][: top - len(originals)].tolist())
        if len(originals) >= top:
            break
    return np.union1d(order[:top], originals).astype(np.intp), int(is_duplicate.sum())


def _rows_of(plan: Plan, parts: Parts, chosen: NDArray[np.intp]) -> Rows:
    found = []
    for number in range(len(plan.tiles)):
        numbers = plan.numbers(number)
        index = np.flatnonzero(np.isin(numbers, chosen))
        if len(index):
            found.append((parts.read(number).pick(index), numbers[index]))
    rows, numbers = join_rows([rows for rows, _ in found]), np.concatenate([some for _, some in found])
    return rows.pick(np.argsort(numbers))
