"""Implementation of rank_to_file(): ranks more pairs than fit in memory, block by block, to a file.

Finished blocks are stored beside the output. Then every pair's score and p-value give ranks and q-values, at
most 16 bytes per pair at a time, and the parts become the output, in canonical order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy
from bychance.parallel import Workers
from bychance.ranking.api import make_ranking, measure_all, plan_ranking
from bychance.ranking.collector import Collector, Standing
from bychance.ranking.limits_of_work import check_memory
from bychance.ranking.load import sums_beside
from bychance.ranking.options import OptionsBesideTarget, RankOptions
from bychance.ranking.output import check_output, file_format, open_writer, ranking_columns
from bychance.ranking.plan import Plan
from bychance.ranking.ranking import Ranking
from bychance.ranking.results import PairResults, join_results, q_values
from bychance.ranking.resume import Parts, fingerprint
from bychance.streaming import Streamed
from bychance.validation import answers_expected_words, whole_number

__all__ = ["rank_to_file"]

_CHUNK = 1 << 16  # rows in hand while the output is written


@answers_expected_words(also=RankOptions.__annotations__)
def rank_to_file(
    source: Any,
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    top: int = 20,
    sort: bool = False,
    resume: bool = False,
    raw_names: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
    **options: Unpack[OptionsBesideTarget],
) -> Ranking:
    """Rank the pairs of a table, write all of them to a file, and return the best.

    The file has one line per pair and the columns of `Ranking.to_frame`, without the limits. It appears only
    when it is complete. Until then finished blocks lie beside it, so that an interrupted run can resume.

    Parameters
    ----------
    source
        As for `rank`.
    path
        The file to write: .parquet, .csv or .json.
    target
        As for `rank`.
    top : int
        Number of best pairs to return, without near-duplicates.
    sort : bool
        Write the best pair first. Otherwise pairs come in canonical order: by x, then by y, as in the table.
    resume : bool
        Resume an interrupted run with the same input, options and version.
    raw_names : bool
        As for `Ranking.to_csv`.
    n_jobs, progress
        As for `rank`.
    **options
        The other options of `rank`.

    Returns
    -------
    Ranking
        The best pairs. Ranks and q-values count all pairs.

    Examples
    --------
    >>> import bychance as bc, tempfile, os
    >>> table = {"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     best = bc.rank_to_file(table, os.path.join(folder, "pairs.csv"), top=1)
    ...     print(len(best), best.n_pairs, os.listdir(folder))
    1 3 ['pairs.csv']
    """
    asked = cast(RankOptions, {"target": target, **options})
    output = Path(path)
    suffix = file_format(output)
    check_output(output, source)
    kept = sums_beside(output, resume=resume or isinstance(source, Streamed))
    plan = plan_ranking(source, Workers(n_jobs, progress), kept=kept, **asked)
    check_memory(plan, keeps_all=False, to_file=True)
    top = whole_number(top, "top")
    parts = Parts(output, fingerprint(plan), len(plan.tiles), resume=resume)
    try:
        collector = Collector(plan, top=top, parts=parts)
        best = measure_all(plan, collector)
        _write_output(plan, parts, collector.standing, output, suffix, sort=sort, raw_names=raw_names)
    except KeyboardInterrupt:
        n_done = len(parts.finished())
        goes_on = "; resuming goes on from them" if n_done else ", so that there is nothing to resume"
        raise KeyboardInterrupt(f"{n_done:,} of {len(plan.tiles):,} blocks are done{goes_on}") from None
    finally:
        parts.remove_if_empty()
    parts.remove()
    kept.remove()
    return make_ranking(plan, best)


def _write_output(
    plan: Plan, parts: Parts, standing: Standing, output: Path, suffix: str, *, sort: bool, raw_names: bool
) -> None:
    # Until it is whole it lies among the parts: a resumed run removes what a killed one left of it.
    with open_writer(output, suffix, directory=parts.directory, raw_names=raw_names) as write:
        batches = _in_canonical_order(plan, parts, standing)
        for columns in _sorted(batches, parts, standing.order) if sort else batches:
            write(columns)


def _in_canonical_order(plan: Plan, parts: Parts, standing: Standing) -> Iterator[dict[str, Any]]:
    """Yield batches of all pairs, sorted by x and then by y."""
    tiles = enumerate(plan.tiles)
    for _, stripe in groupby(tiles, key=lambda numbered: numbered[1].x.start):
        blocks = [(parts.read(number), plan.numbers(number)) for number, _ in stripe]
        firsts = np.unique(np.concatenate([rows.x for rows, _ in blocks]))
        height = max(1, _CHUNK * len(firsts) // sum(len(rows) for rows, _ in blocks))
        listed = plan.pairs.x[np.isin(plan.pairs.x, firsts)]
        for start in range(0, len(listed), height):
            wanted = listed[start : start + height]
            yield _batch(blocks, wanted, plan, standing)


def _batch(
    blocks: list[tuple[PairResults, NDArray[np.int64]]],
    wanted: NDArray[np.intp],
    plan: Plan,
    standing: Standing,
) -> dict[str, Any]:
    picked = [(rows, numbers, np.flatnonzero(np.isin(rows.x, wanted))) for rows, numbers in blocks]
    numbers = np.concatenate([numbers[index] for _, numbers, index in picked])
    order = np.argsort(numbers)
    rows = join_results([rows.pick(index) for rows, _, index in picked]).pick(order)
    numbers = numbers[order]
    q_value = q_values(standing.rates[numbers], rows)
    return ranking_columns(rows, slice(None), standing.place[numbers], q_value, plan.table.names)


def _sorted(
    batches: Iterator[dict[str, Any]], parts: Parts, order: NDArray[np.uint32]
) -> Iterator[dict[str, Any]]:
    """Store the rows in canonical order on disk, then yield them best first."""
    path = parts.directory / "canonical.arrow"
    with open_writer(path, "arrow") as write:
        for columns in batches:
            write(columns)
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    for start in range(0, len(order), _CHUNK):
        chunk = table.take(arrow_of_numpy(order[start : start + _CHUNK]))
        yield dict(zip(chunk.column_names, chunk.columns, strict=True))
