"""Other files in a folder are not read, targets of links are, and nothing is read twice."""

from __future__ import annotations

import os

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bychance as bc
from tests.engine.streams import in_folder, matching, open_source

ROWS = pa.table({"x": np.arange(20.0), "y": np.arange(20.0) ** 2})
NO_DATA = [
    ".ipynb_checkpoints/0.parquet",
    "_temporary/0/0.parquet",
    "spring/.Trash/0.parquet",
    "_old.parquet",
]


def written(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(ROWS, folder / name)
    return folder


def names_in(listed, folder):
    return [os.path.relpath(path, folder) for path in listed.paths]


def texts(notes):
    return [note.text for note in notes]


def rows_and_notes(source):
    opened = open_source(source)
    return opened.table(["x"]).num_rows, texts(opened.notes)


SAID = "4 files under a name that begins with . or _ left out: .ipynb_checkpoints/0.parquet, …"


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "events", "0.parquet", "spring/1.parquet", *NO_DATA)


def test_hidden_files_and_folders_are_no_data(folder):
    assert rows_and_notes(folder) == (40, [SAID])
    assert rows_and_notes(f"file://{folder}") == (40, [SAID])
    assert rows_and_notes(str(folder / "**" / "*.parquet"))[0] == 40
    assert rows_and_notes(str(folder / "*" / "*.parquet"))[0] == 20
    for stream in (True, False):
        assert SAID in texts(bc.rank(folder, stream=stream and bc.Streaming(10)).notes)


def test_hidden_files_of_a_filesystem_are_no_data(folder):
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/", recursive=True)
    memory.pipe("/events/readme.md", b"no table")
    try:
        assert rows_and_notes("memory://events") == (40, [SAID])
        assert rows_and_notes("memory://events/**/*.parquet")[0] == 40
        assert rows_and_notes("memory://events/_temporary/*/*.parquet") == (20, [])
    finally:
        memory.rm("/events", recursive=True)


def test_what_the_caller_names_is_read(folder):
    assert rows_and_notes(folder / "_temporary") == (20, [])
    assert rows_and_notes(str(folder / ".ipynb_checkpoints" / "*.parquet")) == (20, [])
    assert names_in(matching(str(folder / "_*.parquet")), folder) == ["_old.parquet"]


def test_linked_folders_are_read(tmp_path):
    elsewhere = written(tmp_path / "disk", "0.parquet", "more/1.parquet")
    folder = written(tmp_path / "events", "year=2023/0.parquet")
    (folder / "year=2024").symlink_to(elsewhere)
    expected = ["year=2023/0.parquet", "year=2024/0.parquet", "year=2024/more/1.parquet"]

    assert names_in(in_folder(str(folder)), folder) == expected
    assert open_source(folder).table(["x", "year"])["year"].to_pylist() == [2023] * 20 + [2024] * 40


def test_nothing_is_read_twice_through_a_link(tmp_path):
    folder = written(tmp_path / "events", "day/0.parquet", "day/1.parquet")
    (folder / "above").symlink_to(folder)
    (folder / "a_latest").symlink_to(folder / "day")
    (folder / "day" / "0_latest.parquet").symlink_to(folder / "day" / "1.parquet")
    listed = in_folder(str(folder))

    assert names_in(listed, folder) == ["day/0.parquet", "day/1.parquet"]
    assert texts(listed.notes) == ["1 file left out as a link to one that is read: day/0_latest.parquet"]
    assert names_in(matching(str(folder / "day" / "*")), folder) == ["day/0.parquet", "day/1.parquet"]


def test_a_visible_link_to_a_hidden_folder_is_read(tmp_path):
    folder = written(tmp_path / "volume", "..2024_05_01/0.parquet")
    (folder / "..data").symlink_to(folder / "..2024_05_01")
    (folder / "data").symlink_to(folder / "..data")

    assert names_in(in_folder(str(folder)), folder) == ["data/0.parquet"]
