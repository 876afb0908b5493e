"""Rows of statistics below the data are left out, and rows that only have such a name are not."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bychance.io import read_table

A = np.random.default_rng(5).normal(500, 10, 80).round(2)


def test_statistics_below_an_excel_sheet_are_left_out_with_the_empty_row(tmp_path):
    rows = [[f"s{k}", a] for k, a in enumerate(A.tolist())]
    frame = pd.DataFrame([*rows, [None, None], ["Mean", 1.5], ["Stdev", 2.5]], columns=["id", "x"])
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    table = read_table(tmp_path / "t.xlsx")

    assert table["x"].values.tolist() == A.tolist()
