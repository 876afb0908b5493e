"""Rankings for tests: their plan, blocks and rows, what is kept and resumed, cautions, what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

import bychance as bc
from bychance.moments.column_pairs import ColumnPairs
from bychance.names import short_name
from bychance.parallel import _packed, _run_packed, run_tasks
from bychance.ranking.api import DEFAULTS, plan_ranking
from bychance.ranking.collector import Collector
from bychance.ranking.diagnostics import copies, diagnose, repeated_rows
from bychance.ranking.display.pair_words import in_few_words, reasons_untested
from bychance.ranking.display.text import numbers_as_text, summarize
from bychance.ranking.limits_of_work import (
    _LEVEL,
    _ROW,
    Forecast,
    check_measurable,
    check_sums,
    forecast,
    memory_of_process,
)
from bychance.ranking.options import BY, RankOptions
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults, fdr_factor, ranking_columns, rates_of
from bychance.ranking.resume import Parts, fingerprint

__all__ = [
    "BY",
    "DEFAULTS",
    "Forecast",
    "Parts",
    "RankOptions",
    "blocks_of",
    "bytes_of_row",
    "check_measurable",
    "check_sums",
    "collector_of",
    "copies",
    "diagnose",
    "fdr_factor",
    "fingerprint_of",
    "forecast",
    "in_few_words",
    "measured",
    "memory_of_process",
    "numbers_as_text",
    "packed_block",
    "parts_of",
    "plan_of",
    "progress_of",
    "ranked",
    "ranked_to_file",
    "rates_of",
    "reasons_untested",
    "repeated_rows",
    "rows_of",
    "rows_of_nothing",
    "run_packed",
    "short_name",
    "sides_of_blocks",
    "summarize",
]


def plan_of(table: object, *, block_size: int | None = None, **options: Any) -> Plan:
    """Return the plan of `rank(table, **options)`: columns, pairs, blocks."""
    with blocks_of(block_size):
        return plan_ranking(table, **options)


def measured(plan: Plan, number: int, cut: Callable | None = None):
    """Return a block of the plan as it is measured, with the rows that `cut` still wants."""
    return plan.block(number, cut).measured()


def sides_of_blocks(plan: Plan) -> list[ColumnPairs]:
    """Return the columns on either side of each block of pairs of numbers, and which pairs they form."""
    blocks = [plan.block(number) for number in range(len(plan.tiles))]
    return [part.pairs for block in blocks for part in block.parts()]


def packed_block(plan: Plan, number: int) -> bytes:
    """Return a block as it is sent to another process."""
    return _packed(plan.block(number))


def run_packed(packed: bytes, number: int):
    """Return the number and the result of a block that was sent."""
    return _run_packed(number, packed)


def progress_of(plan: Plan, n_jobs: int) -> list[int]:
    """Return how many pairs are done at each step of a run of all blocks."""
    counted: list[int] = []
    blocks = {number: partial(plan.block, number) for number in range(len(plan.tiles))}
    for _ in run_tasks(blocks, n_jobs=n_jobs, tick=counted.append):
        pass
    return counted


def fingerprint_of(table: object, **options: Any) -> str:
    """Return the key of a run on a table, so that only the same run is resumed."""
    return fingerprint(plan_of(table, **options))


def parts_of(path: Path, plan: Plan, *, resume: bool = False) -> Parts:
    """Return the finished blocks beside an output file."""
    return Parts(path, fingerprint(plan), len(plan.tiles), resume=resume)


def collector_of(plan: Plan, *, top: int | None = None, parts: Parts | None = None) -> Collector:
    """Return what blocks are added to: all rows, the best `top`, or rows on disk."""
    return Collector(plan, top=top, parts=parts)


def rows_of(ranking: bc.Ranking) -> list[dict[str, Any]]:
    """Return the records of a ranking's frame less the 95% limits, which take longer than all else."""
    names = ranking._plan.table.names
    columns = ranking_columns(ranking._rows, slice(None), ranking._place, ranking._q_value, names)
    return pa.table(columns).to_pylist()


def rows_of_nothing(n_levels: int) -> PairResults:
    """Return rows without pairs, with a number of levels."""
    none = np.empty(0, dtype=np.intp)
    return PairResults.unknown(none, none, none, n_levels)


def bytes_of_row(n_levels: int) -> int:
    """Return the bytes of a row by which memory is judged before a run, with levels besides alpha."""
    return _ROW + n_levels * _LEVEL


@contextmanager
def blocks_of(n_pairs: int | None) -> Iterator[None]:
    """Set the number of pairs per block for the time of a `with`, or let measure and null decide."""
    if n_pairs is None:
        yield
        return
    with mock.patch("bychance.ranking.plan.block_size", return_value=n_pairs):
        yield


def ranked(source: object, *, block_size: int | None = None, **options: Any) -> bc.Ranking:
    """Return `rank(source, **options)` in blocks of `block_size` pairs."""
    with blocks_of(block_size):
        return bc.rank(source, **options)


def ranked_to_file(
    source: object, path: Path, *, block_size: int | None = None, **options: Any
) -> bc.Ranking:
    """Return `rank_to_file(source, path, **options)` in blocks of `block_size` pairs."""
    with blocks_of(block_size):
        return bc.rank_to_file(source, path, **options)
