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
