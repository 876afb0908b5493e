"""Pairs of columns, their order, and their numbers of shared rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bychance.pairs as pairs_module
from bychance import _native
from bychance.columns import Column
from bychance.errors import BychanceError, UnknownNameError
from bychance.io import read_table
from bychance.kinds import Kind
from bychance.messages import OPEN, Code, Note, Option
from bychance.pairs import Tile, Ways, choose_pairs, n_shared


def table_of(n_columns):
    return read_table({f"c{k}": [k, k + 1] for k in range(n_columns)})


EVERYTHING = Tile(slice(None), slice(None))


def listed(pairs, tile=EVERYTHING):
    x, y = pairs.within(tile)
    return list(zip(x.tolist(), y.tolist(), strict=True))


def mixed_table(is_labels):
    columns = {f"c{k}": ["u", "v"] if labels else [1, 2] for k, labels in enumerate(is_labels)}
    return read_table(columns)


BOTH_WAYS = {
    (x, y): Ways.BOTH for x in (Kind.NUMERIC, Kind.CATEGORICAL) for y in (Kind.NUMERIC, Kind.CATEGORICAL)
}


@given(st.integers(2, 12))
def test_without_names_every_pair_comes_once(n_columns):
    assert listed(choose_pairs(table_of(n_columns))) == list(combinations(range(n_columns), 2))


@given(st.integers(2, 12))
def test_directed_pairs_come_in_both_directions(n_columns):
    pairs = choose_pairs(table_of(n_columns), ways=BOTH_WAYS)

    assert listed(pairs) == list(permutations(range(n_columns), 2))


@given(st.integers(2, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))))
def test_a_target_is_the_y_of_every_other_column(case):
    n_columns, target = case
    pairs = choose_pairs(table_of(n_columns), target=f"c{target}")

    assert listed(pairs) == [(k, target) for k in range(n_columns) if k != target]


@given(st.data())
def test_x_and_y_are_crossed_and_no_two_columns_come_twice(data):
    choices = st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True)
    x, y = data.draw(choices), data.draw(choices)
    expected = [(i, j) for i, j in product(x, y) if i < j or (i > j and not (i in y and j in x))]
    table, names = table_of(6), {"x": [f"c{k}" for k in x], "y": [f"c{k}" for k in y]}
    if not expected:
        with pytest.raises(BychanceError, match="at least two different columns"):
            choose_pairs(table, **names)
    else:
        pairs = choose_pairs(table, **names)
        assert listed(pairs) == expected
        assert len(pairs) == len(expected)
        assert len(choose_pairs(table, **names, ways=BOTH_WAYS)) == sum(i != j for i, j in product(x, y))


def test_x_alone_is_crossed_with_the_others():
    assert listed(choose_pairs(table_of(3), x="c1")) == [(1, 0), (1, 2)]
    assert listed(choose_pairs(table_of(3), y=["c1", "c2"])) == [(0, 1), (0, 2)]


ways_by_kind = st.fixed_dictionaries(
    {
        kinds: st.sampled_from(list(Ways))
        for kinds in [
            (Kind.NUMERIC, Kind.NUMERIC),
            (Kind.NUMERIC, Kind.CATEGORICAL),
            (Kind.CATEGORICAL, Kind.CATEGORICAL),
        ]
    }
)


@given(st.lists(st.booleans(), min_size=2, max_size=9), ways_by_kind)
def test_kinds_say_how_often_a_pair_comes(is_labels, ways):
    pairs = choose_pairs(mixed_table(is_labels), ways=ways)

    def way_of(i, j):
        kinds = sorted([is_labels[i], is_labels[j]])
        return ways[tuple(Kind.CATEGORICAL if labels else Kind.NUMERIC for labels in kinds)]

    expected = [
        (i, j)
        for i, j in permutations(range(len(is_labels)), 2)
        if way_of(i, j) is Ways.BOTH or (way_of(i, j) is Ways.ONCE and i < j)
    ]
    assert listed(pairs) == expected
    assert len(pairs) == len(expected)
    assert pairs.counts(pairs.x, pairs.y).tolist() == [
        sum(i == k for i, _ in expected) for k in range(len(is_labels))
    ]


@given(st.lists(st.booleans(), min_size=2, max_size=9), ways_by_kind, st.integers(1, 30), st.booleans())
def test_tiles_hold_every_pair_once(is_labels, ways, size, has_target):
    pairs = choose_pairs(mixed_table(is_labels), target="c0" if has_target else None, ways=ways)
    tiles = [listed(pairs, tile) for tile in pairs.tiles(size)]

    numbers = [pairs.numbers(tile).tolist() for tile in pairs.tiles(size)]
    numbered = {
        k: pair for some, tile in zip(numbers, tiles, strict=True) for k, pair in zip(some, tile, strict=True)
    }
    assert [numbered[k] for k in range(len(pairs))] == listed(pairs)
    assert all(0 < len(tile) <= size for tile in tiles)
    assert len(pairs) == sum(map(len, tiles))


@pytest.mark.slow
def test_millions_of_pairs_are_not_listed():
    pairs = choose_pairs(table_of(5000))

    assert len(pairs) == 12_497_500
    assert listed(pairs, list(pairs.tiles(1 << 16))[-1])[-1] == (4998, 4999)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "c9"}, "`target` must be one of c0, c1, c2; got 'c9'"),
        ({"x": ["c0", "z"]}, "`x` must be one of"),
        ({"y": "z"}, "`y` must be one of"),
        ({"x": ["c0", "c0"]}, "`x` must name each column once, got 'c0' twice"),
        ({"x": []}, "`x` must name at least one column"),
        ({"target": "c0", "x": "c1"}, "`target` must stand alone"),
        ({"x": ["c0", "c1", "c2"]}, "at least two different columns"),
    ],
)
def test_names_are_checked(options, message):
    with pytest.raises(BychanceError, match=message):
        choose_pairs(table_of(3), **options)


def test_one_column_has_no_pairs():
    with pytest.raises(BychanceError, match="Pairs need two columns, got 1"):
        choose_pairs(table_of(1))


def test_other_sheets_are_named_where_a_cover_has_one_column():
    sheets = Note.on_table(Code.OTHER_SHEETS, n=2, sheets=("Staff",), option=Option("sheet", OPEN))

    with pytest.raises(BychanceError, match=r"got 1 \(c0\)\. Only the first of 2 sheets .* 'Staff'\.$"):
        choose_pairs(replace(table_of(1), notes=(sheets,)))


def test_columns_set_aside_are_named_where_too_few_are_left():
    table = read_table({"a": [f"{k}.5 or so, no. {k}" for k in range(40)], "b": [1, 2] * 20})

    with pytest.raises(BychanceError, match=r"got 1 \(b\)\. 'a' was set aside: an identifier: 40 of 40 val"):
        choose_pairs(table)


def test_a_column_set_aside_is_no_target():
    table = read_table({"who": [f"P{k}" for k in range(40)], "x": [1, 2] * 20, "y": [2, 1] * 20})

    with pytest.raises(BychanceError, match="set aside: an identifier") as caught:
        choose_pairs(table, target="who")
    assert not isinstance(caught.value, UnknownNameError)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_shared_rows_are_those_that_both_columns_have(library, rng):
    values = rng.random((30, 4))
    values[rng.random((30, 4)) < 0.4] = np.nan
    values[:, 3] = 1.0
    columns = {f"c{k}": values[:, k] for k in range(4)}
    table = read_table(library({name: pa.array(v, from_pandas=True) for name, v in columns.items()}))

    has_value = ~np.isnan(values)
    expected = [[int((has_value[:, i] & has_value[:, j]).sum()) for j in range(4)] for i in range(4)]
    assert n_shared(table.columns).tolist() == expected
    assert n_shared(table.columns[:1], table.columns[2:]).tolist() == [expected[0][2:]]


@pytest.mark.parametrize("row_pairs", [1, 20, 200])
def test_columns_counted_some_rows_at_a_time_share_what_they_share_at_once(rng, monkeypatch, row_pairs):
    values = np.where(rng.random((130, 7)) < 0.3, np.nan, 1.0)
    values[:, 2] = 1.0
    columns = read_table(values).columns
    has_value = (~np.isnan(values)).astype(int)
    monkeypatch.setattr("bychance.pairs.ROW_PAIRS_PER_CALL", row_pairs)

    assert (n_shared(columns) == has_value.T @ has_value).all()
    assert (n_shared(columns[:3], columns[2:]) == (has_value.T @ has_value)[:3, 2:]).all()


def test_complete_columns_need_no_count(rng, monkeypatch):
    complete = read_table(rng.random((20, 3))).columns
    with_gap = read_table({"a": [1.0, None] * 10}).columns
    monkeypatch.delattr("bychance.pairs._counted")

    assert (n_shared(complete) == 20).all()
    assert n_shared(complete, with_gap).tolist() == [[10]] * 3


def test_one_call_counts_well_under_a_tenth_of_a_second(rng, monkeypatch):
    """Ctrl-C waits for it."""
    sizes, count = [], _native.add_shared_counts

    def counted(masks, others, counts):
        sizes.append(len(masks) ** 2 * len(masks[0]))
        count(masks, others, counts)

    monkeypatch.setattr(_native, "add_shared_counts", counted)
    is_missing = rng.random(50_000) < 0.5
    columns = [Column(f"c{k}", Kind.NUMERIC, np.zeros(50_000), is_missing) for k in range(600)]
    counts = n_shared(columns)

    assert (counts == 50_000 - is_missing.sum()).all()
    assert len(sizes) > 1
    assert max(sizes) <= pairs_module.ROW_PAIRS_PER_CALL


def test_nothing_shares_nothing():
    assert n_shared([]).shape == (0, 0)


def test_who_has_as_many_pairs_as_the_manifest_says(data_directory):
    table = read_table(data_directory / "WHO.csv", drop=["Country", "CountryID", "Continent"])
    pairs = choose_pairs(table)
    counts = n_shared(table.columns)
    names = ["Breast_cancer_number_of_female_deaths", "Aid_given", "Maternal_mortality"]
    deaths, aid, mortality = (table.position(name) for name in names)

    assert len(pairs) == 62_835
    assert (counts[pairs.within(EVERYTHING)] >= 10).sum() == 61_594
    assert counts[deaths, aid] == 22
    assert counts[mortality, table.position("Oil_consumption_per_person")] == 63
