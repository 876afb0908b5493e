"""ChanceSelector on sources that are read in batches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.errors import BychanceError


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    return pa.table({"noise": rng.normal(size=500), "x": x, "label": x + rng.normal(size=500) > 0})


def test_a_directory_is_selected_from_by_the_name_of_its_target(tmp_path, table):
    for k in range(5):
        pq.write_table(table.slice(100 * k, 100), tmp_path / f"{k}.parquet")
    streamed = bc.ChanceSelector(fdr_level=0.05).fit(tmp_path, "label")
    whole = bc.ChanceSelector(fdr_level=0.05).fit(table.drop_columns(["label"]), table["label"].to_numpy())
    assert streamed.get_feature_names_out().tolist() == ["x"]
    assert streamed.scores_ == pytest.approx(whole.scores_)
    assert streamed.transform(table.drop_columns(["label"])).column_names == ["x"]


def test_a_name_needs_a_source_that_has_it(table):
    with pytest.raises(BychanceError, match="`y` may name a column where X is a path"):
        bc.ChanceSelector().fit(table, "label")
