"""Rows of statistics below the data are left out, and rows that only have such a name are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bychance.io import read_table
from bychance.kinds import Kind

A = np.random.default_rng(5).normal(500, 10, 80).round(2)
B = np.random.default_rng(6).normal(490, 10, 80).round(2)
ROWS = "".join(f"s{k},{a},{b}\n" for k, (a, b) in enumerate(zip(A, B, strict=True)))


def table_of(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return read_table(path)


def last_rows(table):
    return [str(note) for note in table.notes if "last row" in str(note)]


@pytest.mark.parametrize(
    ("below", "called"),
    [
        ("Mean,499.8,501.2\nSD,9.9,10.3\nCV%,2.0,2.1\n", "'Mean', 'SD', 'CV%'"),
        (
            "Average:,1,2\nStd. Dev.:,3,4\nMin,5,6\nMax,7,8\nN,80,80\n",
            "'Average:', 'Std. Dev.:', 'Min', 'Max', 'N'",
        ),
        ("Mittelwert,1,2\nStandardabweichung,3,4\n", "'Mittelwert', 'Standardabweichung'"),
        ("Moyenne,1,2\nÉcart-type,3,4\nMédiane,1,2\n", "'Moyenne', 'Écart-type', 'Médiane'"),
        ("Promedio,1,2\nMáximo,3,4\n", "'Promedio', 'Máximo'"),
        (
            "count,80,80\nmean,1,2\nstd,3,4\n25%,1,1\n50%,1,1\n75%,1,1\n",
            "'count', 'mean', 'std', '25%', '50%', '75%'",
        ),
        ("Total,1,2\nMean,1,2\nRSD,3,4\n", "'Total', 'Mean', 'RSD'"),
        (",,\nMean,1,2\nSEM,3,4\n", "'Mean', 'SEM'"),
    ],
)
def test_two_statistics_below_the_data_are_left_out_with_a_note(tmp_path, below, called):
    table = table_of(tmp_path, "id,x,y\n" + ROWS + below)

    assert len(table) == 80
    assert table["x"].values.tolist() == A.tolist()
    assert last_rows(table) == [
        f"The last rows read {called} and summarize the rows above; they were left out; "
        "header=False reads all rows as data."
    ]


@pytest.mark.parametrize(
    "last",
    ["Max,501.0,488.0", "N,500.3,491.2", "SE,512.1,", "Median,512.1,", f"Max,{A.max()},470.1", "Maxine,1,2"],
)
def test_a_name_alone_is_data(tmp_path, last):
    table = table_of(tmp_path, f"id,x,y\n{ROWS}{last}\n")

    assert len(table) == 81
    assert not last_rows(table)


def test_two_names_that_are_compass_points_or_states_are_data(tmp_path):
    rows = "".join(f"{name},{k},{k * k % 17}\n" for k, name in enumerate(["NE", "E", "S", "SW", "W", "NW"]))

    assert len(table_of(tmp_path, f"wind,x,y\n{rows}SE,3.5,8.25\nN,7.75,1.5\n")) == 8


def test_the_label_may_stand_below_numbers(tmp_path):
    rows = "".join(f"{a},{b},{'uv'[k % 2]}\n" for k, (a, b) in enumerate(zip(A, B, strict=True)))
    table = table_of(tmp_path, "x,y,g\n" + rows + "Mean,1,\nSD,2,\n")

    assert table["x"].kind is Kind.NUMERIC
    assert len(table) == 80


def test_a_column_of_statistics_stays(tmp_path):
    kinds = ["Mean", "SD", "Max"]
    rows = "".join(f"{kinds[k % 3]},{k},{k * k % 17}\n" for k in range(30))

    assert len(table_of(tmp_path, "what,x,y\n" + rows)) == 30
    assert len(table_of(tmp_path, "what,x,y\nMean,1,2\nSD,3,4\n")) == 2
    short = "Q1,1,2\nQ3,2,3\nKurtosis,3,4\nSkewness,4,5\nMean,1,2\nSD,3,4\n"
    assert len(table_of(tmp_path, "what,x,y\n" + short)) == 6


def test_statistics_below_an_excel_sheet_are_left_out_with_the_empty_row(tmp_path):
    rows = [[f"s{k}", a] for k, a in enumerate(A.tolist())]
    frame = pd.DataFrame([*rows, [None, None], ["Mean", 1.5], ["Stdev", 2.5]], columns=["id", "x"])
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    table = read_table(tmp_path / "t.xlsx")

    assert table["x"].values.tolist() == A.tolist()


def test_all_rows_are_data_without_a_header(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS + "Mean,1,2\nSD,3,4\n")

    assert len(read_table(tmp_path / "t.csv", header=False)) == 82
