"""Plan of a ranking: which columns and pairs are measured, divided into blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from bychance.array_types import BoolArray, IndexArray, IntArray
from bychance.columns import TAKE_ANY, Column, Memory, as_number, codes_of
from bychance.covariates.covariates import Covariates
from bychance.covariates.settings import as_given
from bychance.errors import BychanceError
from bychance.io import Table
from bychance.io.remarks import are_class_codes
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.messages import Code, Note, Option, remark
from bychance.moments.from_sums import varies
from bychance.names import in_words
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.pairs import ListedPairs, Pairs, Tile, Ways, choose_pairs
from bychance.parallel import Counted, Task, Workers, run_tasks
from bychance.progress import Progress
from bychance.ranking.block import Block
from bychance.ranking.diagnostics import Diagnosis, diagnose, note_of_blocks
from bychance.ranking.options import Job, RankOptions, names_of
from bychance.ranking.results import Cut
from bychance.read_column import read_column

__all__ = ["Plan", "block_size", "make_plan"]

# Pairs per block (speed): many if closed forms measure all at once, few if each pair takes long, so that
# progress shows, and little is lost when a run is stopped.
_MOST, _INSTANT, _MIXED, _ON_GPU, _ONE_BY_ONE = 1 << 17, 1 << 16, 1 << 10, 1 << 10, 1 << 8
_MANY_BLOCKS, _MANY_ONE_BY_ONE, _MANY_ON_GPU = 128, 256, 16  # blocks that keep all threads busy (speed)
_FEWEST = 1 << 4  # pairs of a block, at least: they share the costly preparation of columns (speed)
_ROWS_OF_GRIDS = 600  # rows times pairs of a block of MIC, at least: few rows take no time (speed)
_INSTANT_NULLS = ("moments", "paper", "normal")


@dataclass(frozen=True, eq=False)
class Plan:
    """Plan of a ranking: columns, pairs, their blocks, and notes on columns left out."""

    table: Table
    job: Job
    pairs: Pairs
    block_size: int
    tiles: tuple[Tile, ...]  # the rectangles of pairs that are a block each, in the order of their pairs' x
    target: str | None
    workers: Workers
    memory: Memory = field(default_factory=Memory, repr=False)  # shared by all blocks
    _sides: dict[bytes, tuple[Column, ...]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """Problems of the table, such as dependent rows and copied columns."""
        used = np.union1d(self.pairs.x, self.pairs.y).tolist()
        return diagnose(
            self.table.columns, used, self.target, self.job.null, is_sample=self.job.sums is not None
        )

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the table and on the columns that are left out."""
        of_blocks = note_of_blocks(self.job.null, self.table.n_rows)
        first = [of_blocks, *(diagnosis.note for diagnosis in self.diagnoses)]
        kinds = [note for note in self.table.notes if self._is_about_kind(note)]
        others = [note for note in self.table.notes if not self._is_about_kind(note)]
        return (*kinds, *filter(None, first), *others, *_unused(self.table, self.pairs, self.job))

    def _is_about_kind(self, note: Note) -> bool:
        """Return True if a note says that text may be numeric, or a numeric target may be classes."""
        is_of_target = note.column == self.target and note.says(Code.CLASSES_AS_NUMBERS)
        return is_of_target or note.says(Code.NUMBERS_AS_TEXT)

    def emptied(self, table: Table, job: Job) -> Plan:
        """Return a copy of the plan without data: `table` has no rows, but notes on them are kept."""
        plan = replace(self, table=table, job=job)
        noticed = ("diagnoses", "notes")
        plan.__dict__.update({name: getattr(self, name) for name in noticed})
        return plan

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    def run(
        self, tasks: Mapping[int, Callable[[], Task[Counted]]], what: str, total: int
    ) -> Iterator[tuple[int, Counted]]:
        """Run tasks in parallel with a progress bar over `total` steps, and yield results as they finish."""
        n_jobs, default_jobs = self.workers.n_jobs, self.job.default_jobs
        with Progress(what, total=total, enabled=True) if self.workers.progress else nullcontext() as bar:
            tick = bar.advance if bar else lambda steps: None
            yield from run_tasks(tasks, n_jobs=n_jobs, tick=tick, default_jobs=default_jobs)

    def by(
        self,
        measure: Measure[Any],
        x: IndexArray,
        y: IndexArray,
        *,
        null: NullSpec,
        columns: tuple[Column, ...] | None = None,
    ) -> Plan:
        """Return a plan for the column pairs (x, y) with another measure, null and, if given, columns."""
        min_n = self.job.min_n if columns is None else measure.min_n
        table = self.table if columns is None else replace(self.table, columns=columns)
        pairs, kinds = ListedPairs.of(table, x, y), (Kind.NUMERIC, Kind.CATEGORICAL)
        codes = np.unique(2 * pairs.is_labels[x] + pairs.is_labels[y]).tolist()
        measures = {(kinds[code // 2], kinds[code % 2]): measure for code in codes}
        job = replace(
            self.job, measures=measures, null=null, min_n=min_n, levels=(self.job.alpha,), sums=None
        )
        job = replace(job, device="cpu", default_jobs=1)
        size = block_size(job, len(x), table)
        return Plan(table, job, pairs, size, tuple(pairs.tiles(size)), None, self.workers)

    def columns_at(self, positions: IndexArray) -> tuple[Column, ...]:
        """Return the columns at these positions."""
        return tuple(self.table.columns[k] for k in positions)

    def numbers(self, number: int) -> IntArray:
        """Return the positions of a block's pairs in the list of all pairs."""
        if len(self.tiles) == 1:
            return np.arange(len(self.pairs))
        return self.pairs.numbers(self.tiles[number])

    def block(self, place: int | Tile, cut: Callable[[], Cut] | None = None) -> Block:
        """Return a block of pairs to measure, given by its number or by its ranges of x and y columns.

        `cut` says which rows are still wanted, where not all are.
        """
        tile = place if isinstance(place, Tile) else self.tiles[place]
        x, y, first, second = self.pairs.columns_within(tile)
        x_columns, y_columns, memory = self.columns_of_block(x, y)
        is_listed, wanted = isinstance(self.pairs, ListedPairs), None if cut is None else cut()
        is_shared = wanted is not None and wanted.p_values is not None and not is_listed
        starts = self.pairs.first_numbers(tile) if is_shared else None
        return Block(x_columns, y_columns, x, y, first, second, self.job, wanted, memory, is_listed, starts)

    def columns_of_block(
        self, x: IndexArray, y: IndexArray
    ) -> tuple[tuple[Column, ...], tuple[Column, ...], Memory]:
        """Return the columns at positions x and y, and the cache for values computed from them."""
        return self._side(x), self._side(y), self.memory

    def forget(self) -> None:
        """Clear the caches of columns and computed values that all blocks share."""
        self.memory.forget()
        self._sides.clear()

    def _side(self, positions: IndexArray) -> tuple[Column, ...]:
        """Return the columns at these positions, as the same tuple object each time, for cache lookups."""
        key = positions.tobytes()
        if key not in self._sides:
            self._sides.setdefault(key, self.columns_at(positions))  # another thread may be first
        return self._sides[key]


def make_plan(table: Table, job: Job, options: RankOptions, workers: Workers) -> Plan:
    """Plan the pairs of a table. Raise an error if no pair is left, or the target is constant.

    Columns that are `given` leave the pairs, and rows that lack any of them leave the table.
    """
    if job.sums is not None and isinstance(job.null, Permutation) and job.null.is_restricted:
        raise BychanceError(
            Option("groups")
            + " and "
            + Option("block")
            + " of a Permutation need all rows in memory; this table is read in batches: "
            + Option("stream", False)
            + " reads it whole.",
            "null",
        )
    if isinstance(job.null, Permutation) and job.null.block is not None and 2 * job.null.block > table.n_rows:
        raise BychanceError(
            Option("block")
            + f" must be at most half of the {table.n_rows:,} rows, got {job.null.block:,}: fewer "
            "than two whole blocks leave nothing to permute.",
            "null",
        )
    job = replace(job, null=_null_of_table(job.null, table))
    target, x, y, given = (options[name] for name in ("target", "x", "y", "given"))
    if given is not None:
        asked = {"target": target, "x": x, "y": y}
        table, covariates, kept = _set_covariates_aside(table, given, asked)
        job = replace(job, covariates=covariates, null=_null_of_rows(job.null, kept))
    if job.only_numbers:
        table = replace(table, columns=tuple(map(as_number, table.columns)))
    target = None if target is None else str(target)
    x, y = (None if names is None else names_of(names) for names in (x, y))
    ways = dict.fromkeys(product(Kind, Kind), Ways.NEVER)
    for kinds, measure in job.measures.items():
        ways[kinds] = Ways.ONCE if measure.is_symmetric(*kinds) else Ways.BOTH
    pairs = choose_pairs(table, target=target, x=x, y=y, ways=ways)
    if target is not None:
        target = table[target].name
        _check_target(table[target], job)
        table = _with_note_on_classes(table, target, options["numeric"])
    if not len(pairs):
        taken = " or ".join(dict.fromkeys(measure.kinds.value for measure in job.measures.values()))
        no_pair = f"No two columns can be paired: {job.describe()} takes {taken} columns"
        raise BychanceError(f"{no_pair}. {TAKE_ANY} take any." if taken != "any" else f"{no_pair}.")
    size = block_size(job, len(pairs), table)
    return Plan(table, job, pairs, size, tuple(pairs.tiles(size)), target, workers)


def _set_covariates_aside(
    table: Table, given: Any, asked: Mapping[str, object]
) -> tuple[Table, Covariates, BoolArray | None]:
    """Split the covariates off a table, and return both with a mask of the rows that have them.

    `asked` are the columns that `target`, `x` and `y` name: none of them can be a covariate too.
    """
    settings = as_given(given)
    names = list(dict.fromkeys(names_of(settings.columns)))
    if not names:
        raise BychanceError(Option("given") + " must name at least one column, got none.", "given")
    positions = {table.position(name, "given") for name in names}
    for argument, columns in asked.items():
        if both := [name for name in names_of(columns) if name in names]:
            raise BychanceError(
                Option("given")
                + " must not name a column of "
                + Option(argument)
                + f", got {both[0]!r} in both.",
                "given",
                argument,
            )
    covariates = Covariates(tuple(table[name] for name in names), settings.control, settings.effect)
    rest = tuple(column for k, column in enumerate(table.columns) if k not in positions)
    notes, kept = table.notes, covariates.shared_rows()
    if kept is not None:
        if not kept.any():
            raise BychanceError(
                f"No row has {in_words(covariates.names)}: " + Option("given") + " leaves none.", "given"
            )
        covariates, rest = covariates.at(kept), tuple(column.at(kept) for column in rest)
        lacking = int(np.count_nonzero(~kept))
        notes = (*notes, Note.on_table(Code.COVARIATES_MISSING, n=lacking, covariates=covariates.names))
    return replace(table, columns=rest, notes=notes), covariates, kept


def _null_of_table(null: NullSpec, table: Table) -> NullSpec:
    """Return the null with a group label per row, if its groups name a column of the table.

    Rows with a missing group form one more group.
    """
    if not isinstance(null, Permutation) or not isinstance(null.groups, str):
        return null
    column = table.columns[table.position(null.groups, "groups")]
    codes = np.unique(column.values, return_inverse=True)[1].reshape(-1).astype(np.int64)
    groups = codes if column.is_missing is None else np.where(column.is_missing, -1, codes)
    return replace(null, groups=groups)


def _null_of_rows(null: NullSpec, kept: BoolArray | None) -> NullSpec:
    """Return the null for the kept rows only, because permutation groups have one label per row."""
    if kept is None or not isinstance(null, Permutation) or null.groups is None:
        return null
    groups = read_column(null.groups, "groups")
    # Of another length they are refused where they are used, in words that name both lengths.
    return replace(null, groups=codes_of(groups, kept)) if len(groups) == len(kept) else null


def _check_target(column: Column, job: Job) -> None:
    if not any(kinds[1] is column.kind for kinds in job.measures):
        raise BychanceError(
            Option("target") + f" must suit the measure: {column.name!r} is {column.kind.value}, "
            f"which {job.describe()} does not take; {TAKE_ANY} do.",
            "target",
        )
    present = column.present
    is_constant = len(present) == 0 or bool(np.all(present == present[0]))
    if is_constant and job.sums is not None:
        is_constant = not varies(job.sums, column)
    if is_constant:
        what = "has no values" if len(present) == 0 else "is constant"
        raise BychanceError(
            Option("target") + f" must vary: {column.name!r} {what}, so no column can explain it.", "target"
        )


def _with_note_on_classes(table: Table, target: str, numeric: Any) -> Table:
    """Add a note that the target's few whole numbers may be classes, unless declared numeric."""
    is_wanted = target == numeric or (not isinstance(numeric, str) and target in map(str, numeric))
    is_noted = any(note.column == target and note.says(Code.CLASSES_AS_NUMBERS) for note in table.notes)
    if is_wanted or is_noted or not are_class_codes(table[target]):
        return table
    said = remark(Code.CLASSES_AS_NUMBERS, option=Option("categorical", (target,)))
    return replace(table, notes=(Note(target, (said,)), *table.notes))


def _unused(table: Table, pairs: Pairs, job: Job) -> Iterator[Note]:
    """Yield a note for each column whose kind no measure takes."""
    takes_x = {kinds[0] for kinds in job.measures}
    takes_y = {kinds[1] for kinds in job.measures}
    for position in np.union1d(pairs.x, pairs.y):
        column = table.columns[position]
        if column.kind not in takes_x | takes_y:
            said = remark(Code.KIND_NOT_TAKEN, kind=column.kind.value, measure=job.describe())
            yield Note(column.name, (said,), is_set_aside=True)


def block_size(job: Job, n_pairs: int, table: Table) -> int:
    """Return a suitable number of pairs per block for the measure and the null."""
    is_whole = all(kinds in measure.forms for kinds, measure in job.measures.items())
    if not is_whole or job.null not in (*_INSTANT_NULLS, "auto"):
        if job.is_drawn_on_gpu:
            return min(_ON_GPU, max(1, n_pairs // _MANY_ON_GPU))
        has_grids = all(measure.has_grid for measure in job.measures.values())
        fewest = min(_FEWEST, max(1, _ROWS_OF_GRIDS // max(table.n_rows, 1))) if has_grids else _FEWEST
        return min(_ONE_BY_ONE, max(fewest, n_pairs // _MANY_ONE_BY_ONE))
    return min(_MOST, max(_MIXED if job.null == "auto" else _INSTANT, n_pairs // _MANY_BLOCKS))
