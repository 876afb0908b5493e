"""Sums and sampled rows as bytes in a file, from which an interrupted run resumes.

In:  a Found.
Out: compressed arrays in NumPy's format, and the sampled rows in Arrow's. Reading them back never runs code
     that they contain.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceWarning, in_one_sentence
from bychance.moments.row_sums import RowSums
from bychance.moments.sums_of_pairs import Dictionary, GivenSums, GroupSums, PairCounts
from bychance.names import display_name
from bychance.sealed_files import (
    DamagedFileError,
    open_regular,
    read_sealed,
    remove_unfinished,
    write_sealed,
)
from bychance.streaming.parts import Part, Stamp
from bychance.ticks import Moment

if TYPE_CHECKING:
    from bychance.streaming.sums import Found
    from bychance.streaming.typed_batches import Typing

__all__ = ["SavedSums", "json_in", "pack", "unpack"]

Arrays = dict[str, NDArray[Any]]

_PLAIN, _OF_GROUPS = ("counts", "powers", "cross", "zeros"), ("sizes", "sums", "missing")
_OF_TABLES = "keys", "cells"
_EVERY_S = 10.0  # least number of seconds between two saves (taste)
_SHARE = 0.05  # largest share of the running time that saving may take (taste)
_NOT_KNOWN_AGAIN = (
    "has no size and time of change by which resuming could know its rows again: all rows are read anew, and "
    "finished blocks of pairs are used only if all sums are the same."
)


def pack(found: Found, **told: Any) -> bytes:
    """Convert sums, a sample and further JSON values to bytes."""
    from pyarrow import feather

    arrays: Arrays = {}
    sums = found.sums
    told |= {"n_rows": sums.n_rows, "few": [None if few is None else sorted(few) for few in sums.few]}
    told["n_left_out"] = sums.n_left_out
    told["labels"] = [[_label_as_json(label) for label in each.labels] for each in sums.dictionaries]
    _put_sums(arrays, sums)
    if sums.given is not None:
        told["regressors"] = [[_label_as_json(part) for part in each] for each in sums.given.regressors]
    sample = found.sample.trimmed()
    told["limit"] = int(sample.limit)
    if sample.rows is not None:
        order = np.lexsort(sample.places.T[::-1])
        rows = io.BytesIO()
        feather.write_feather(sample.rows.take(order).combine_chunks(), rows, compression="zstd")
        arrays["rows"] = _bytes(rows.getvalue())
        arrays["places"] = sample.places[order]
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, told=_bytes(json.dumps(told).encode()), **arrays)
    return file.getvalue()


def json_in(data: bytes) -> dict[str, Any]:
    """Return the JSON values that `pack` stored in these bytes."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        told: dict[str, Any] = json.loads(arrays["told"].tobytes())
    return told


def unpack(data: bytes, none: Found) -> Found:
    """Convert packed bytes back to sums and a sample, by filling the empty ones in `none`."""
    from pyarrow import feather

    told = json_in(data)
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        sample = replace(none.sample, limit=np.uint64(told["limit"]))
        if "rows" in arrays:
            rows = feather.read_table(io.BytesIO(arrays["rows"].tobytes()))
            sample = sample.holding(rows, arrays["places"])
        return replace(none, sums=_sums_of(arrays, told, none.sums), sample=sample)


def _put_sums(arrays: Arrays, sums: RowSums) -> None:
    arrays |= {name: getattr(sums, name) for name in _PLAIN}
    if sums.given is not None:
        arrays["products"] = sums.given.products
    for k, group in enumerate(sums.groups):
        arrays |= {f"{name} {k}": getattr(group, name) for name in _OF_GROUPS}
    for at, table in sums.tables.items():
        arrays |= {f"{name} {at}": own for name, own in zip(_OF_TABLES, table.cells(), strict=True)}


def _sums_of(arrays: Any, told: Mapping[str, Any], none: RowSums) -> RowSums:
    given = none.given
    if given is not None:
        regressors = tuple(tuple(_label(part) for part in each) for each in told["regressors"])
        given = GivenSums(regressors, arrays["products"])
    plain: dict[str, Any] = {name: arrays[name] for name in _PLAIN}
    return replace(
        none,
        n_rows=told["n_rows"],
        few=tuple(None if values is None else frozenset(values) for values in told["few"]),
        dictionaries=tuple(Dictionary([_label(label) for label in labels]) for labels in told["labels"]),
        groups=tuple(
            GroupSums(*(arrays[f"{name} {k}"] for name in _OF_GROUPS)) for k in range(len(none.groups))
        ),
        tables={at: PairCounts(None, *(arrays[f"{each} {at}"] for each in _OF_TABLES)) for at in none.tables},
        given=given,
        n_left_out=told["n_left_out"],
        **plain,
    )


def _bytes(data: Any) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


def _label_as_json(label: object) -> object:
    """Convert a category label to JSON, with its type if JSON lacks it."""
    if isinstance(label, Moment):
        return {"moment": [label.what, str(label.count)]}
    if isinstance(label, bytes):
        return {"bytes": label.hex()}
    return {"decimal": str(label)} if isinstance(label, Decimal) else label


def _label(told: Any) -> object:
    if not isinstance(told, dict):
        return told
    ((kind, value),) = told.items()
    if kind == "moment":
        return Moment(value[0], int(value[1]))
    return bytes.fromhex(value) if kind == "bytes" else Decimal(value)


class SavedSums:
    """Sums of finished parts saved in a file, from which a later run can resume.

    A run resumes if the version, the options and the finished parts are the same. A part that could not be
    read may have been repaired since. Parts without a stamp are neither saved nor restored. Without `resume`,
    an existing file is removed.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path, self._mark, self._next = path, "", time.monotonic() + _EVERY_S
        self._stamps: list[Stamp | None] = []  # taken before the rows are read
        self._is_to_warn = resume
        if resume:
            remove_unfinished(path)
        else:
            self.remove()

    def restored(
        self, parts: Sequence[Any], typing: Typing, empty: Callable[[Typing], Found], *what: object
    ) -> tuple[Found, Typing, int] | None:
        """Return an earlier run's sums, types and number of parts, or None if data or options changed."""
        from bychance import __version__

        self._stamps = [_named_stamp(part) for part in parts]
        if self._is_to_warn and None in self._stamps:
            name = display_name(parts[self._stamps.index(None)].name)
            warnings.warn(f"{name} {_NOT_KNOWN_AGAIN}", BychanceWarning, stacklevel=2)
            self._is_to_warn = False
        self._mark = hashlib.blake2b(
            repr((__version__, typing.kinds, *what)).encode(), digest_size=16
        ).hexdigest()
        try:
            with open_regular(self.path) as file:
                packed = read_sealed(file, self._mark)
        except (OSError, DamagedFileError):
            return None
        told = json_in(packed)
        stamps, typing = told["stamps"], typing.scaled_as(told["scales"])
        is_same = len(stamps) <= len(parts) and stamps == self._stamps[: len(stamps)]
        return (unpack(packed, empty(typing)), typing, len(stamps)) if is_same else None

    def save(self, found: Found, typing: Typing, n_parts: int, *, is_last: bool = False) -> None:
        """Save the sums of the finished parts, every ten seconds and at the end.

        If saving takes long, it is done less often.
        """
        start, stamps = time.monotonic(), self._stamps[:n_parts]
        if not stamps or None in stamps or (not is_last and start < self._next):
            return
        write_sealed(self.path, pack(found, stamps=stamps, scales=typing.scales), self._mark)
        end = time.monotonic()
        self._next = end + max(_EVERY_S, (end - start) / _SHARE)

    def remove(self) -> None:
        """Remove the file, and the unfinished files of killed runs."""
        self.path.unlink(missing_ok=True)
        remove_unfinished(self.path)


def _named_stamp(part: Part) -> Stamp | None:
    with in_one_sentence(part.name):
        stamp = part.stamp()
    return None if stamp is None else [part.name, *stamp]
