"""Objects that hold a table: as frames write them, and with other fields beside the records."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import bychance as bc

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5], "g": list("abab")})
ROWS = FRAME.to_dict("records")


def read(tmp_path, value, **how):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(value, **how))
    return bc.read_table(path)


@pytest.mark.parametrize("orient", ["index", "columns", "split", "table", "records"])
@pytest.mark.parametrize("indent", [None, 1])
def test_frames_are_read_however_they_were_written(tmp_path, orient, indent):
    table = read(tmp_path, json.loads(FRAME.to_json(orient=orient)), indent=indent)

    assert table["x"].values.tolist() == FRAME["x"].tolist()
    assert table["g"].labels == ("a", "b")
    assert set(table.names) <= {"x", "g", "index"}


@pytest.mark.parametrize("orient", ["index", "columns"])
def test_names_of_rows_are_a_column(tmp_path, orient):
    table = read(
        tmp_path, json.loads(FRAME.set_index(pd.Index(["ann", "bob", "cid", "dan"])).to_json(orient=orient))
    )

    assert table.names == ("index", "x", "g")
    assert table["index"].labels == ("ann", "bob", "cid", "dan")


@pytest.mark.parametrize(
    ("value", "path", "left"),
    [
        ({"meta": {"n": 4}, "data": ROWS}, "data", "; what stands beside them ('meta') was left out"),
        ({"data": ROWS}, "data", ""),
        (
            {"status": "ok", "response": {"items": ROWS}},
            "response.items",
            "; what stands beside them ('status')",
        ),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_records_beside_other_fields_are_rows_with_a_note(tmp_path, value, path, left, indent):
    table = read(tmp_path, value, indent=indent)

    assert len(table) == 4
    assert str(table.notes[0]).startswith(f"The rows are the records in '{path}'{left}")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"a": ROWS, "b": ROWS, "n": 2}, "holds several lists of records: 'a', 'b'; give one of them"),
        (
            {"one": {"x": 1, "y": 2}, "two": {"x": 3, "y": 1}},
            "nothing tells whether 'one', 'two' are rows or columns; give a list of records",
        ),
    ],
)
def test_what_may_be_two_tables_is_told(tmp_path, value, said):
    with pytest.raises(bc.BychanceError, match=said):
        read(tmp_path, value)


def test_an_object_that_is_no_table_is_told(tmp_path):
    with pytest.raises(bc.BychanceError, match="holds one object and no rows; give a list of records"):
        read(tmp_path, {"name": "settings", "limits": {"low": 1}}, indent=1)


def test_one_record_and_columns_with_lists_are_what_they_were(tmp_path):
    record = {"user": {"age": 31}, "home": {"zip": 2}}

    assert read(tmp_path, record).names == ("user.age", "home.zip")
    assert read(tmp_path, {"x": [1, 2], "tags": [{"a": 1}, {"a": 2}]}).names == ("x",)


@pytest.mark.parametrize(
    ("value", "n_notes"),
    [([{"page": 1, "pages": 1}, ROWS], 1), ([list(FRAME), *FRAME.to_numpy().tolist()], 0), ([ROWS], 1)],
    ids=["records beside what is said of them", "rows below their names", "a list in a list"],
)
def test_tables_of_web_services_are_read(tmp_path, value, n_notes):
    table = read(tmp_path, value)

    assert table["x"].values.tolist() == FRAME["x"].tolist()
    assert table["g"].labels == ("a", "b")
    assert len(table.notes) == n_notes
