"""Storage of finished blocks on disk beside the output, so that an interrupted run can resume."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import pickle
import re
import shutil
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from types import CodeType, MethodType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, numpy_of
from bychance.errors import BychanceError, BychanceWarning
from bychance.measures import CallableMeasure, Measure
from bychance.measures.base import is_built_in
from bychance.names import count_of, display_name
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults
from bychance.sealed_files import (
    SEAL_BYTES,
    DamagedFileError,
    cannot_be_written,
    open_regular,
    read_sealed,
    write_sealed,
)

__all__ = ["Parts", "fingerprint", "fingerprint_of_arrays"]

_HASHED_BYTES = 2**26  # bytes of an array that are hashed at a time (memory)
_SWEPT, _MARK, _SCREENED = "swept ", "fingerprint", "screened-"
_BLOCK = re.compile(r"block-(\d{6})\.arrow")


class Parts:
    """Directory on disk that stores finished blocks of pairs beside the output file.

    `mark` tells the run from others. `resume` goes on with what an earlier run left there, and is an error
    where that run had another input, other options or another version; blocks that are not as they were
    written are dropped. Without it, what is there is removed. Pairs that a screen found are kept, too: how
    many blocks they make is not known before.
    """

    def __init__(self, output: Path, mark: str, n_blocks: int | None, *, resume: bool) -> None:
        self.directory = output.with_name(f".{output.name}.parts")
        self._output, self._mark, self._has_pairs = output, mark, False
        self._finished: set[int] = set()
        self._replaced: set[int] = set()
        if output.is_dir():
            raise cannot_be_written(output, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)))
        try:
            if resume and self.directory.is_dir():
                self._check_mark()
                self._keep_whole_blocks(n_blocks)
            else:
                self.remove()
                self.directory.mkdir()
            write_sealed(self.directory / _MARK, self._mark.encode(), _MARK)
        except OSError as error:
            raise cannot_be_written(output, error) from None

    def finished(self) -> frozenset[int]:
        """Return the numbers of the blocks that are stored."""
        return frozenset(self._finished)

    def write(self, number: int, rows: PairResults) -> None:
        """Store the rows of a block."""
        self._write(_block(number), rows)
        self._finished.add(number)

    def replace(self, number: int, rows: PairResults) -> None:
        """Store new rows of a block for this run only, keeping the file from which a later run resumes."""
        self._write(_replaced(number), rows)
        self._replaced.add(number)

    def read(self, number: int) -> PairResults:
        """Return the rows of a finished block, memory-mapped from disk."""
        return self._read(_replaced(number) if number in self._replaced else _block(number))[0]

    @property
    def has_any(self) -> bool:
        """True if finished blocks exist to resume from."""
        return bool(self._finished) or self._has_pairs

    def keep(self, name: str, rows: PairResults, told: Mapping[str, Any]) -> None:
        """Store pairs found by the search for large |r| under a name, with the dict `told`."""
        self._write(_SCREENED + name, rows, told)
        self._has_pairs = True

    def kept(self, name: str) -> tuple[PairResults, dict[str, Any]] | None:
        """Return the pairs and dict that `keep` stored under this name, or None if missing or incomplete."""
        if not self._is_whole(_SCREENED + name):
            return None
        self._has_pairs = True
        return self._read(_SCREENED + name)

    def save(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Save an array to disk, and return it memory-mapped."""
        path = self.directory / f"{name}.npy"
        np.save(path, array)
        saved: NDArray[Any] = np.load(path, mmap_mode="r")
        return saved

    def remove(self) -> None:
        """Remove the directory and its files."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def remove_if_empty(self) -> None:
        """Remove the directory if no block was finished."""
        if not self.has_any:
            self.remove()

    def _check_mark(self) -> None:
        """Raise an error if the directory belongs to a run with another fingerprint."""
        try:
            mark = _unsealed(self.directory / _MARK, _MARK)
        except (OSError, DamagedFileError):
            return
        if mark != self._mark.encode():
            raise BychanceError(
                f"The unfinished run of {display_name(self._output.name)} had another input, other options "
                "or another version; start over without resuming."
            )

    def _keep_whole_blocks(self, n_blocks: int | None) -> None:
        """Remove files that are damaged, incomplete or not blocks of this run."""
        n_damaged = 0
        for path in list(self.directory.iterdir()):
            named = _BLOCK.fullmatch(path.name)
            is_block = named is not None and (n_blocks is None or int(named[1]) < n_blocks)
            if is_block and self._is_whole(path.stem):
                self._finished.add(int(path.stem[-6:]))
            elif is_block or not path.name.startswith(_SCREENED) or not path.is_file():
                n_damaged += is_block
                _remove(path)  # pairs of a screen are looked at when they are asked for
        if n_damaged:
            n_found = n_damaged + len(self._finished)
            found = f"{count_of(n_found, 'finished block')} of {display_name(self._output.name)}"
            message = f"{n_damaged:,} of the {found} cannot be used (damaged, or of another run)"
            warnings.warn(f"{message}; computed anew.", BychanceWarning, stacklevel=5)

    def _write(self, name: str, rows: PairResults, told: Mapping[str, Any] | None = None) -> None:
        arrays: dict[str, Any] = rows.arrays()
        swept = arrays.pop("swept")
        arrays.update({f"{_SWEPT}{k}": np.ascontiguousarray(column) for k, column in enumerate(swept.T)})
        columns = {column: arrow_of_numpy(array) for column, array in arrays.items()}
        metadata = {"texts": json.dumps(rows.texts), "told": json.dumps(dict(told or {}))}
        batch = pa.record_batch(columns, metadata=metadata)
        content = pa.BufferOutputStream()
        with pa.ipc.new_file(content, batch.schema) as writer:
            writer.write_batch(batch)
        try:
            write_sealed(self._path(name), memoryview(content.getvalue()), f"{self._mark} {name}")
        except OSError as error:
            raise cannot_be_written(self._output, error) from None

    def _read(self, name: str) -> tuple[PairResults, dict[str, Any]]:
        """Return stored rows, memory-mapped, and the numbers stored with them."""
        sealed = pa.memory_map(str(self._path(name))).read_buffer()
        batch = pa.ipc.open_file(sealed.slice(0, sealed.size - SEAL_BYTES)).get_batch(0)
        arrays = {column: numpy_of(batch.column(column)) for column in batch.schema.names}
        swept = [arrays.pop(column) for column in batch.schema.names if column.startswith(_SWEPT)]
        arrays["swept"] = np.column_stack(swept) if swept else np.empty((batch.num_rows, 0))
        told = batch.schema.metadata
        return PairResults(**arrays, texts=tuple(json.loads(told[b"texts"]))), json.loads(told[b"told"])

    def _is_whole(self, name: str) -> bool:
        try:
            _unsealed(self._path(name), f"{self._mark} {name}")
        except (OSError, DamagedFileError):
            return False
        return True

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}.arrow"


def _block(number: int) -> str:
    return f"block-{number:06}"


def _replaced(number: int) -> str:
    return f"replaced-{number:06}"


def _unsealed(path: Path, identity: str) -> bytes:
    with open_regular(path) as file:
        return read_sealed(file, identity)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def fingerprint(plan: Plan) -> str:
    """Return a digest of all that determines a plan's results: version, options and data."""
    job, pairs = plan.job, plan.pairs
    given = () if job.covariates is None else job.covariates.columns
    how = None if job.covariates is None else (job.covariates.control, job.covariates.effect)
    listed = pairs.x.tolist(), pairs.y.tolist(), pairs.is_all, pairs.ways.tolist()
    digest = _digest_of(job, plan.block_size, listed, how, len(given))
    digest.update(b"" if job.sums is None else job.sums.digest())
    for column in (*given, *plan.table.columns):
        digest.update(repr((column.name, column.kind, column.values.dtype.str, column.labels)).encode())
        digest.update(column.values.tobytes())
        digest.update(b"" if column.is_missing is None else column.is_missing.tobytes())
    return digest.hexdigest()


def fingerprint_of_arrays(values: Sequence[Any], job: Job, *also: object) -> str:
    """Return a digest of all that determines the results for pairs of arrays."""
    digest = _digest_of(job, *also)
    for array in values:
        digest.update(repr((array.shape, array.dtype.str)).encode())
        step = max(1, _HASHED_BYTES // max(array[:1].nbytes, 1))
        for start in range(0, len(array), step):
            rows = array[start : start + step]
            digest.update(np.ascontiguousarray(rows if isinstance(rows, np.ndarray) else rows.get()).data)
    return digest.hexdigest()


def _digest_of(job: Job, *also: object) -> hashlib.blake2b:
    """Return a digest of the version, the names of the result fields, and the options."""
    from bychance import __version__

    version = __version__, tuple(field.name for field in fields(PairResults))
    measures = {f"{x.value} {y.value}": _identity(measure) for (x, y), measure in job.measures.items()}
    options = job.by, job.levels, job.min_n, job.fdr, job.fdr_level, job.root
    digest = hashlib.blake2b(repr((version, measures, options, also)).encode(), digest_size=16)
    digest.update(pickle.dumps(job.null))
    return digest


def _identity(measure: Measure[Any]) -> tuple[object, ...]:
    """Return a tuple that identifies a measure: name, settings, and code if the user wrote it."""
    known = (type(measure).__qualname__, measure.name, sorted(measure.settings.items()))
    if isinstance(measure, CallableMeasure):
        return *known, _code(measure.function)
    classes = (parent for parent in type(measure).__mro__ if not is_built_in(parent))
    return *known, [_code_of_class(parent) for parent in classes if parent not in Measure.__mro__]


def _code_of_class(stated_by: type) -> list[tuple[str, object]]:
    stated = {name: value for name, value in vars(stated_by).items() if not name.startswith(("__", "_abc_"))}
    stated |= {name: vars(stated_by).get(name) for name in ("__init__", "__call__")}
    return [(name, _code(getattr(value, "fget", value))) for name, value in sorted(stated.items())]


def _code(function: object) -> object:
    """Return the bytecode and constants of a callable, and a digest of the values it refers to.

    Globals that it reads are not looked at.
    """
    if isinstance(function, partial):
        return "partial", _code(function.func), _content((function.args, function.keywords))
    if isinstance(function, MethodType):
        return "method", _code(function.__func__), _code(function.__self__)
    if isinstance(function, type):
        return function.__qualname__
    code = getattr(function, "__code__", function)
    if not isinstance(code, CodeType):
        if callable(function) and hasattr(function, "__dict__"):
            return _code_of_class(type(function)), _content(vars(function))
        return _content(function)
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    constants = [_code(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    defaults = getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)
    return code.co_code, code.co_names, constants, _content(defaults), [_code(held) for held in cells]


def _content(value: object) -> object:
    """Return a digest of a pickled value, or a random one if it cannot be pickled."""
    import cloudpickle

    try:
        return hashlib.blake2b(cloudpickle.dumps(value), digest_size=16).hexdigest()
    except Exception:
        return os.urandom(16).hex()
