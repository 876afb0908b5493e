"""Sums of two lots of rows add up to those of both, however the rows are cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.errors import BychanceError
from tests.engine.settings import put
from tests.engine.streams import Batch, sums_of

SCALINGS = np.array([[1.0, 0.0, 0.5], [0.5, 0.25, 1.0]])
BENT = {"x": np.linspace(-0.5, 0.5, 30), "y": np.array([-0.25, 0.25, 0.75])}


def rows_of(seed, n):
    """Draw two numeric and three label columns, some of each missing."""
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=n), rng.integers(0, 3, n).astype(float)]
    is_missing = [rng.random(n) < 0.3 for _ in range(5)]
    words = [rng.choice(["a", "b", "c", "d"], n), rng.choice(["u", "v"], n), rng.choice(["a", "z"], n)]
    return numbers, is_missing, words


def batch_of(rows, part):
    """Return some of the rows, labels numbered as they come in them."""
    numbers, is_missing, words = rows
    codes, labels = [], []
    for k, column in enumerate(words):
        mask = is_missing[2 + k][part]
        own = tuple(dict.fromkeys(column[part][~mask].tolist()))
        codes.append(
            np.array(
                [-1 if gone else own.index(w) for w, gone in zip(column[part], mask, strict=True)], np.int32
            )
        )
        labels.append(own)
    n = len(range(*part.indices(len(numbers[0]))))
    parts = [np.ascontiguousarray(mask[part]) for mask in is_missing]
    return Batch(n, [np.ascontiguousarray(x[part]) for x in numbers], parts, codes, labels)


def sums_in(rows, *parts, **options):
    batches = (batch_of(rows, part) for part in parts)
    return sums_of((("x", "y"), ("a", "b", "c")), batches, scalings=SCALINGS, bends_of_values=BENT, **options)


def figures(sums):
    """Return all values of a RowSums, by labels instead of numbers."""
    found = {"n": sums.n_rows, "counts": sums.counts, "powers": sums.powers, "cross": sums.cross}
    found |= {"zeros": sums.zeros, "few": sums.few}
    for k, (group, dictionary) in enumerate(zip(sums.groups, sums.dictionaries, strict=True)):
        for number, label in enumerate(dictionary.labels):
            found[k, label] = group.sizes[number], group.sums[number], group.missing[number]
    for (a, b), table in sums.tables.items():
        for key, count in zip(*table.cells(), strict=True):
            names = sums.dictionaries[a].labels[key >> 32], sums.dictionaries[b].labels[key & 0xFFFFFFFF]
            found[a, b, names] = count
    return found


def assert_same(one, other):
    one, other = figures(one), figures(other)
    assert one.keys() == other.keys()
    for key, value in one.items():
        if key == "few":
            assert value == other[key]
        else:
            several = isinstance(value, tuple)
            for a, b in zip(value, other[key], strict=True) if several else [(value, other[key])]:
                assert np.allclose(a, b, rtol=1e-12, atol=1e-12), key


@given(st.integers(0, 2**32), st.lists(st.integers(0, 60), min_size=2, max_size=2))
def test_merging_is_associative_and_gives_the_whole(seed, cuts):
    rows, (low, high) = rows_of(seed, 60), sorted(cuts)
    a, b, c = (slice(0, low), slice(low, high), slice(high, 60))
    whole = sums_in(rows, slice(0, 60))
    assert_same(sums_in(rows, a).merge(sums_in(rows, b)).merge(sums_in(rows, c)), whole)
    assert_same(sums_in(rows, a).merge(sums_in(rows, b).merge(sums_in(rows, c))), whole)


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_merging_does_not_depend_on_who_comes_first(seed, cut):
    rows, parts = rows_of(seed, 60), (slice(0, cut), slice(cut, 60))
    one, other = (sums_in(rows, part) for part in parts)
    assert_same(one.merge(other), sums_in(rows, parts[1]).merge(sums_in(rows, parts[0])))


@given(st.integers(0, 2**32), st.integers(1, 60))
def test_batches_of_any_size_add_up_to_the_whole(seed, size):
    rows = rows_of(seed, 60)
    parts = [slice(start, start + size) for start in range(0, 60, size)]
    assert_same(sums_in(rows, *parts), sums_in(rows, slice(0, 60)))


def test_what_is_not_wanted_is_not_counted():
    sums = sums_in(rows_of(0, 60), slice(0, 60), wanted=("lines",))
    assert not sums.groups
    assert not sums.tables
    assert sums.cross.any()


def test_tables_of_very_many_labels_hold_only_cells_that_have_rows():
    rng = np.random.default_rng(0)
    n = 5000
    codes = [rng.permutation(n).astype(np.int32), rng.integers(0, n, n).astype(np.int32)]
    labels = [tuple(range(n)), tuple(range(n))]
    masks = [np.zeros(n, dtype=bool)] * 2
    sums = sums_of(((), ("a", "b")), [Batch(n, [], masks, codes, labels)])
    keys, counts = sums.tables[0, 1].cells()
    assert sums.tables[0, 1].table is None
    assert counts.sum() == n
    doubled = sums.merge(sums)
    assert np.array_equal(doubled.tables[0, 1].cells()[0], keys)
    assert np.array_equal(doubled.tables[0, 1].cells()[1], 2 * counts)


def test_the_digest_tells_other_sums_apart():
    rows = rows_of(0, 60)
    assert sums_in(rows, slice(0, 60)).digest() == sums_in(rows, slice(0, 60)).digest()
    assert sums_in(rows, slice(0, 60)).digest() != sums_in(rows, slice(0, 59)).digest()


def test_a_column_of_too_many_labels_is_refused_by_name(monkeypatch):
    put(monkeypatch, most_label_sums=6)
    with pytest.raises(BychanceError, match=r"'a' has more than 3 categories.*drop=\['a'\]"):
        sums_in(rows_of(0, 60), slice(0, 60))
