"""Random columns in parts whose types may differ, and what all of their rows are."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

WORDS = np.array(["lo", "mid", "hi", "top"])
_MISSING = (0, 0, 0.1, 0.6)  # shares of rows


@dataclass(frozen=True)
class InParts:
    """A column of a kind: one array per part, and one of all rows."""

    kind: str
    parts: list[pa.Array]
    whole: pa.Array


@dataclass(frozen=True)
class Draw:
    """Material of a column: standard normal numbers, missing rows, and starts of parts."""

    rng: np.random.Generator
    numbers: np.ndarray
    is_missing: np.ndarray
    slices: Sequence[slice]

    def array(self, values, arrow_type=None) -> pa.Array:
        return pa.array(values, arrow_type, mask=self.is_missing)

    def alike(self, values, arrow_type=None) -> tuple[list[pa.Array], pa.Array]:
        """Return all parts with one type."""
        whole = self.array(values, arrow_type)
        return [whole.slice(own.start, own.stop - own.start) for own in self.slices], whole

    def cast(self, values, types, arrow_type=None) -> tuple[list[pa.Array], pa.Array]:
        """Return each part cast to one of the types."""
        parts, whole = self.alike(values, arrow_type)
        return [part.cast(types[self.rng.integers(len(types))]) for part in parts], whole

    def each(self, *made: Callable[[slice], np.ndarray]) -> tuple[list[pa.Array], pa.Array]:
        """Return each part made by one of the functions, and all rows as floats."""
        parts = [made[self.rng.integers(len(made))](own) for own in self.slices]
        arrays = [
            pa.array(part, mask=self.is_missing[own]) for part, own in zip(parts, self.slices, strict=True)
        ]
        return arrays, self.array(np.concatenate([part.astype(np.float64) for part in parts]))


def draw_column(
    rng: np.random.Generator, shared: np.ndarray, slices: Sequence[slice], without: Sequence[str]
) -> InParts:
    """Draw a column of a random kind (but for some), related to the shared numbers or not."""
    numbers = shared * rng.choice([0, 0.3, 1]) + rng.normal(size=len(shared))
    is_missing = rng.random(len(shared)) < rng.choice(_MISSING)
    kind = str(rng.choice([name for name in KINDS if name not in without]))
    return InParts(kind, *KINDS[kind](Draw(rng, numbers, is_missing, slices)))


def _words(draw: Draw) -> np.ndarray:
    return WORDS[np.clip(np.floor(draw.numbers + 2), 0, 3).astype(int)]


def _ticks(draw: Draw) -> np.ndarray:
    return (draw.numbers * 1e6).astype(np.int64)


def _hashes(draw: Draw) -> np.ndarray:
    return draw.rng.integers(-(2**63), 2**63 - 1, len(draw.numbers), endpoint=True)


def _unsigned(draw: Draw) -> np.ndarray:
    return draw.rng.integers(0, 2**64 - 1, len(draw.numbers), dtype=np.uint64, endpoint=True)


def _signed_and_unsigned(draw: Draw) -> tuple[list[pa.Array], pa.Array]:
    signed, unsigned = _hashes(draw), _unsigned(draw)
    return draw.each(lambda own: signed[own], lambda own: unsigned[own])


def _floats_of_two_sizes(draw: Draw) -> tuple[list[pa.Array], pa.Array]:
    numbers = 1e6 + draw.numbers
    return draw.each(lambda own: numbers[own], lambda own: numbers[own].astype(np.float32))


def _whole_and_fractions(draw: Draw) -> tuple[list[pa.Array], pa.Array]:
    numbers = draw.numbers * draw.rng.choice([10.0, 2.0**60])
    return draw.each(lambda own: numbers[own], lambda own: numbers[own].astype(np.int64))


def _text_and_categories(draw: Draw) -> tuple[list[pa.Array], pa.Array]:
    parts, whole = draw.alike(_words(draw))
    return [part.dictionary_encode() if draw.rng.random() < 0.5 else part for part in parts], whole


def _categories(draw: Draw) -> tuple[list[pa.Array], pa.Array]:
    parts, whole = draw.alike(_words(draw))
    types = [pa.dictionary(index, pa.string()) for index in (pa.int8(), pa.int32())]
    return [
        part.dictionary_encode().cast(draw.rng.choice(types)) for part in parts
    ], whole.dictionary_encode()


def _empty_parts(draw: Draw, values: np.ndarray) -> tuple[list[pa.Array], pa.Array]:
    is_empty = draw.rng.random(len(draw.slices)) < 0.5
    is_empty[draw.rng.integers(len(is_empty))] = False
    is_missing = draw.is_missing.copy()
    for own, all_of_it in zip(draw.slices, is_empty, strict=True):
        is_missing[own] |= all_of_it
    whole = pa.array(values, mask=is_missing)
    cut = [whole.slice(own.start, own.stop - own.start) for own in draw.slices]
    return [pa.nulls(len(part)) if part.null_count == len(part) else part for part in cut], whole


def _far_off(draw: Draw) -> np.ndarray:
    is_far = draw.rng.random(len(draw.numbers)) < 0.02
    return 1e9 + np.where(is_far, 1e13, draw.numbers)


_INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64()]
_COUNTS = [pa.uint8(), pa.uint32(), pa.uint64(), pa.int16(), pa.int64()]

KINDS: dict[str, Callable[[Draw], tuple[list[pa.Array], pa.Array]]] = {
    "floats": lambda draw: draw.alike(draw.numbers),
    "short floats": lambda draw: draw.alike(draw.numbers.astype(np.float32)),
    "float32 and float64": _floats_of_two_sizes,
    "whole and fractions": _whole_and_fractions,
    "integers": lambda draw: draw.cast(np.clip(20 * draw.numbers, -127, 127).astype(np.int64), _INTEGERS),
    "counts": lambda draw: draw.cast(np.clip(99 + 20 * draw.numbers, 0, 255).astype(np.int64), _COUNTS),
    "hashes": lambda draw: draw.alike(_hashes(draw)),
    "unsigned hashes": lambda draw: draw.alike(_unsigned(draw)),
    "signed and unsigned": _signed_and_unsigned,
    "decimals": lambda draw: draw.cast(
        draw.numbers.round(2), [pa.decimal128(9, 2), pa.decimal128(12, 4), pa.float64()]
    ),
    "heavy tail": lambda draw: draw.alike(np.exp(3 * draw.numbers)),
    "far off": lambda draw: draw.alike(_far_off(draw)),
    "one number": lambda draw: draw.alike(np.full(len(draw.numbers), 3.0)),
    "flags": lambda draw: draw.alike(draw.numbers > draw.rng.choice([0, 1, 2.2])),
    "text": lambda draw: draw.cast(_words(draw), [pa.string(), pa.large_string()]),
    "many words": lambda draw: draw.alike([f"m{k % 12}" for k in (10 * draw.numbers).astype(int)]),
    "one word": lambda draw: draw.alike(["US"] * len(draw.numbers)),
    "categories": _categories,
    "text and categories": _text_and_categories,
    "bytes": lambda draw: draw.alike([word.encode() for word in _words(draw)]),
    "days": lambda draw: draw.alike(np.datetime64("2000-01-01") + (300 * draw.numbers).astype(int)),
    "times of four units": lambda draw: draw.cast(
        _ticks(draw).astype("M8[s]"), [pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")]
    ),
    "zoned": lambda draw: draw.alike(_ticks(draw), pa.timestamp("us", "UTC")),
    "spans": lambda draw: draw.cast(
        _ticks(draw).astype("m8[ms]"), [pa.duration(unit) for unit in ("ms", "us", "ns")]
    ),
    "times of day": lambda draw: draw.alike([datetime.time(k % 24) for k in (9 * draw.numbers).astype(int)]),
    "numbers in some parts": lambda draw: _empty_parts(draw, draw.numbers),
    "text in some parts": lambda draw: _empty_parts(draw, _words(draw)),
    "nothing": lambda draw: (
        [pa.nulls(own.stop - own.start) for own in draw.slices],
        pa.nulls(len(draw.numbers)),
    ),
}
