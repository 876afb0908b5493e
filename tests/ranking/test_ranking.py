"""A ranking as a sequence of records and as frames, options of the reader, and public names."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bychance as bc

COLUMNS = {
    "a": [1, 2, 3, 4] * 5,
    "b": [1, 3, 2, 4] * 5,
    "c": [2, 1, 2, 1, 5] * 4,
    "d": [f"${k % 6},000" for k in range(20)],
}


@pytest.fixture
def ranking():
    return bc.rank(pl.DataFrame(COLUMNS), measure="r2")


def test_a_ranking_is_a_sequence_of_records(ranking):
    records = list(ranking)

    assert len(records) == len(ranking) == 6
    assert [record["rank"] for record in records] == [1, 2, 3, 4, 5, 6]
    assert ranking[0] == records[0]
    assert ranking[-1] == records[-1]
    assert ranking[1:3] == records[1:3]
    assert ranking[:0] == []
    with pytest.raises(IndexError):
        ranking[6]


def test_a_column_is_found_by_name(ranking):
    assert isinstance(ranking["x"], pl.Series)
    assert ranking["observed"].to_list() == [record["observed"] for record in ranking]


def test_the_head_is_the_first_rows_of_the_frame(ranking):
    assert ranking.head(2).equals(ranking.to_frame().head(2))
    assert len(ranking.head()) == 6


def test_pandas_gets_a_ranking_of_any_library(ranking):
    frame = ranking.to_pandas()

    assert isinstance(frame, pd.DataFrame)
    assert frame["x"].tolist() == ranking.to_frame()["x"].to_list()


def test_rank_says_itself_how_the_table_is_read():
    options = dict(drop="a", categorical="b", numeric=["c"], missing=["$0,000"])
    told = bc.rank(COLUMNS, **options)
    read = bc.rank(bc.read_table(COLUMNS, **options))

    assert list(told) == list(read)
    assert {record["x"] for record in told} == {"b", "c", "d"}
    assert {record["n"] for record in told} == {20, 16}


def test_files_are_written_with_the_same_options(tmp_path):
    best = bc.rank_to_file(COLUMNS, tmp_path / "pairs.csv", drop=["a", "b"], null="moments")

    assert best.n_pairs == 1


def test_only_public_names_are_offered():
    assert dir(bc) == sorted(bc.__all__)
    assert all(hasattr(bc, name) for name in dir(bc))


@pytest.mark.parametrize("read", [pa.table, pl.DataFrame, pl.from_arrow])
def test_other_libraries_read_a_ranking_as_an_arrow_stream(read):
    ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10})
    expected = ranking.to_frame()
    found = read(ranking)

    assert pa.table(found).column_names == expected.column_names
    assert pa.table(found).to_pylist() == expected.to_pylist()
