"""Typed columns → what the kernels read: training rows as codes, once per fit, and new rows encoded alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column
from bychance.forest.inputs import Feature
from bychance.forest.scales import Scale
from bychance.kinds import Kind
from bychance.parallel import on_threads

__all__ = ["FeatureEncoder", "FeatureRows", "FeatureTable"]

FeatureRows = _native.FeatureRows

_MISSING, _UNSEEN = -1, -2
_MANY_CELLS = 500_000  # to be worth threads


@dataclass(frozen=True, slots=True)
class FeatureEncoder:
    """What is left of the training columns once the trees are grown; it can be pickled.

    `labels` holds, per column, the categories that training rows have, by number; None for numbers, whose
    `scales` say what thresholds cut.
    """

    labels: tuple[tuple[object, ...] | None, ...]
    scales: tuple[Scale, ...]

    def encode(self, columns: Sequence[Column]) -> FeatureRows:
        """New rows: numbers on the scale of training, categories by their number there."""
        rows = FeatureRows(len(columns[0]), len(columns))
        for column, labels, scale in zip(columns, self.labels, self.scales, strict=True):
            if labels is None:
                rows.add_numeric(scale.numbers(column))
            else:
                rows.add_categorical(_matched_codes(column, labels), len(labels))
        return rows


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """Training columns as codes: ranks of distinct numbers, numbers of categories.

    >>> from bychance.read_column import read_column
    >>> columns = [read_column([2.5, 1.0, None], "dose"), read_column(["b", "a", "b"], "group")]
    >>> table = FeatureTable.of(columns)
    >>> table.n_rows, table.n_features, table.is_categorical
    (3, 2, (False, True))
    """

    encoder: FeatureEncoder
    native: _native.FeatureTable = field(repr=False)

    @classmethod
    def of(cls, columns: Sequence[Column], n_jobs: int | None = None) -> FeatureTable:
        """The table of these columns; categories that no row has are left out."""
        return cls.read([partial(_itself, column) for column in columns], len(columns[0]), n_jobs=n_jobs)[0]

    @classmethod
    def read(
        cls,
        readers: Sequence[Callable[[], Column]],
        n_rows: int,
        is_kept: NDArray[np.bool_] | None = None,
        n_jobs: int | None = None,
    ) -> tuple[FeatureTable, tuple[Feature, ...]]:
        """The same of columns that are read when their turn comes, and what they are.

        Few are in memory at a time. Where not all rows are kept, `n_rows` counts those that are.
        """
        native = _native.FeatureTable(n_rows, len(readers))

        def set_column(k: int) -> tuple[tuple[object, ...] | None, Scale, Feature]:
            return _set_column(native, k, readers[k], is_kept)

        n_jobs = n_jobs if n_rows * len(readers) >= _MANY_CELLS else 1
        labels, scales, features = zip(*on_threads(set_column, range(len(readers)), n_jobs), strict=True)
        return cls(FeatureEncoder(labels, scales), native), features

    def encode(self, columns: Sequence[Column]) -> FeatureRows:
        """New rows with the same columns."""
        return self.encoder.encode(columns)

    @property
    def n_rows(self) -> int:
        """How many training rows there are."""
        return self.native.n_rows

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return len(self.encoder.labels)

    @property
    def is_categorical(self) -> tuple[bool, ...]:
        """Which columns hold categories."""
        return tuple(labels is not None for labels in self.encoder.labels)

    def at(self, positions: Sequence[int]) -> FeatureTable:
        """The table of the columns at these positions."""
        labels, scales = self.encoder.labels, self.encoder.scales
        encoder = FeatureEncoder(tuple(labels[k] for k in positions), tuple(scales[k] for k in positions))
        return _from_codes(encoder, self._columns(positions))

    def __reduce__(self) -> tuple[Any, ...]:
        """By the codes, so that other processes can grow trees."""
        return _from_codes, (self.encoder, self._columns(range(self.n_features)))

    def _columns(self, positions: Sequence[int]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        return [(self.native.codes(k), self.native.values(k)) for k in positions]


def _from_codes(encoder: FeatureEncoder, columns: list[tuple[NDArray[Any], NDArray[Any]]]) -> FeatureTable:
    native = _native.FeatureTable(len(columns[0][0]), len(columns))
    for k, ((codes, values), labels) in enumerate(zip(columns, encoder.labels, strict=True)):
        if labels is None:
            native.set_ranks(k, codes, values)
        else:
            native.set_categories(k, codes, len(labels))
    return FeatureTable(encoder, native)


def _itself(column: Column) -> Column:
    return column


def _set_column(
    native: _native.FeatureTable, k: int, reader: Callable[[], Column], is_kept: NDArray[np.bool_] | None
) -> tuple[tuple[object, ...] | None, Scale, Feature]:
    """Write column number k; its categories, or None for numbers, and what else is known of it."""
    column = reader() if is_kept is None else reader().at(is_kept)
    scale = Scale.of(column)
    if column.kind is Kind.NUMERIC:
        native.set_numbers(k, scale.numbers(column))
        return None, scale, Feature.of(column)
    labels, codes = _labels_of(column), column.values.astype(np.int64)
    if column.is_missing is not None:
        codes[column.is_missing] = len(labels)
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels) + 1)[: len(labels)])
    new_codes = np.full(len(labels) + 1, _MISSING, dtype=np.int32)
    new_codes[used] = np.arange(len(used))
    native.set_categories(k, new_codes[codes], len(used))
    return tuple(labels[code] for code in used), scale, Feature.of(column)


def _labels_of(column: Column) -> tuple[object, ...]:
    return (False, True) if column.values.dtype.kind == "b" else column.labels


def _matched_codes(column: Column, labels: tuple[object, ...]) -> NDArray[np.int32]:
    if column.kind is Kind.NUMERIC:  # a column without a single category is read as numbers
        is_missing = np.zeros(len(column), np.bool_) if column.is_missing is None else column.is_missing
        return np.where(is_missing, _MISSING, _UNSEEN).astype(np.int32)
    number = {label: k for k, label in enumerate(labels)}
    by_code = np.array([number.get(label, _UNSEEN) for label in _labels_of(column)], dtype=np.int32)
    codes: NDArray[np.int32] = by_code[column.values.astype(np.intp)]
    if column.is_missing is not None:
        codes = np.where(column.is_missing, np.int32(_MISSING), codes)
    return codes
