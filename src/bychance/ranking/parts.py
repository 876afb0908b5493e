"""Finished blocks on disk: one file each beside the output, so that a run can be stopped and gone on with."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import pickle
import shutil
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pyarrow as pa

from bychance.errors import BychanceError
from bychance.measures import CallableMeasure, Measure
from bychance.names import display_name
from bychance.ranking.output import cannot_be_written, replacing
from bychance.ranking.plan import Plan
from bychance.ranking.rows import Rows

__all__ = ["Parts", "fingerprint"]

_SWEPT = "swept "


class Parts:
    """The rows of finished blocks in a directory beside the output.

    `resume` goes on with what an earlier run left there, and is an error where that run had another input,
    other options or another version. Without it, what is there is removed.
    """

    def __init__(self, output: Path, plan: Plan, *, resume: bool) -> None:
        self.directory = output.with_name(f".{output.name}.parts")
        self._output = output
        if output.is_dir():
            raise cannot_be_written(output, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)))
        mark = fingerprint(plan)
        if resume and self.directory.is_dir():
            self._check(mark)
        else:
            self.remove()
            self._begin(mark)

    def finished(self) -> set[int]:
        """The numbers of the blocks that are here."""
        return {int(path.stem.removeprefix("block-")) for path in self.directory.glob("block-*.arrow")}

    def write(self, number: int, rows: Rows) -> None:
        """Keep the rows of a block."""
        arrays: dict[str, Any] = rows.arrays()
        swept = arrays.pop("swept")
        arrays.update({f"{_SWEPT}{k}": np.ascontiguousarray(column) for k, column in enumerate(swept.T)})
        table = pa.table(arrays).replace_schema_metadata({"texts": json.dumps(rows.texts)})
        with replacing(self._path(number)) as path, pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)

    def read(self, number: int) -> Rows:
        """The rows of a block, left on disk until they are looked at."""
        table = pa.ipc.open_file(pa.memory_map(str(self._path(number)))).read_all()
        arrays = {name: table.column(name).to_numpy() for name in table.column_names}
        swept = [arrays.pop(name) for name in table.column_names if name.startswith(_SWEPT)]
        arrays["swept"] = np.column_stack(swept) if swept else np.empty((table.num_rows, 0))
        return Rows(**arrays, texts=tuple(json.loads(table.schema.metadata[b"texts"])))

    def remove(self) -> None:
        """Remove the directory and all that is in it."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def remove_if_empty(self) -> None:
        """Remove the directory where no block was finished."""
        if not self.finished():
            self.remove()

    def _path(self, number: int) -> Path:
        return self.directory / f"block-{number:06}.arrow"

    def _begin(self, mark: str) -> None:
        try:
            self.directory.mkdir()
            (self.directory / "fingerprint").write_text(mark)
        except OSError as error:
            raise cannot_be_written(self._output, error) from None

    def _check(self, mark: str) -> None:
        path = self.directory / "fingerprint"
        if not path.is_file() or path.read_text() != mark:
            raise BychanceError(
                f"The unfinished run of {display_name(self._output.name)} had another input, other options "
                "or another version; start over without resuming."
            )


def fingerprint(plan: Plan) -> str:
    """What the rows of a plan depend on, in a few characters: the version, the options and the data."""
    from bychance import __version__

    job, digest = plan.job, hashlib.blake2b(digest_size=16)
    measures = {f"{x.value} {y.value}": _identity(measure) for (x, y), measure in job.measures.items()}
    options = (job.by, job.alpha, job.min_n, job.fdr, job.root, job.sweep, plan.block_size)
    pairs = (plan.pairs.x.tolist(), plan.pairs.y.tolist(), plan.pairs.is_all, plan.pairs.ways.tolist())
    digest.update(repr((__version__, measures, options, pairs)).encode())
    digest.update(pickle.dumps(job.null))
    for column in plan.table.columns:
        digest.update(repr((column.name, column.kind, column.values.dtype.str, column.labels)).encode())
        digest.update(column.values.tobytes())
        digest.update(b"" if column.is_missing is None else column.is_missing.tobytes())
    return digest.hexdigest()


def _identity(measure: Measure[Any]) -> tuple[object, ...]:
    """What tells a measure from others: its settings, and the code of a function of the user's own."""
    known = (type(measure).__qualname__, measure.name, sorted(measure.settings.items()))
    return (*known, _code(measure.function)) if isinstance(measure, CallableMeasure) else known


def _code(function: object) -> object:
    """The instructions and constants of a function and of those inside it, with what it holds on to."""
    code = getattr(function, "__code__", function)
    if not isinstance(code, CodeType):
        return repr(type(function))
    held = [repr(cell.cell_contents) for cell in getattr(function, "__closure__", None) or ()]
    constants = [_code(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return code.co_code, code.co_names, constants, repr(getattr(function, "__defaults__", None)), held
