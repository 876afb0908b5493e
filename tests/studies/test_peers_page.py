"""studies/forest_peers: halves, scores, and the tables of fits that are made up and on file."""

from pathlib import Path

import numpy as np
import pytest

from studies.csv_files import read_rows
from studies.forest_peers.csv_rows import (
    AUC,
    FIRST,
    LOG_LOSS,
    OURS,
    TABLE_NAMES,
    Facts,
    Fits,
    by_table,
    summary,
    write_all,
)
from studies.forest_peers.run import KEPT, half_of, read_lines, scores_of
from studies.forest_peers.tables import CLASSES, LATER, NUMBERS, is_held_out, is_later

VALIDATION = Path(__file__).resolve().parents[2] / "docs/validation"
FACTS = {table.name: Facts(100, 5, 12, 2, False) for table in (*CLASSES, *NUMBERS)}


def fit(table, method, half, **scores):
    return {"table": table, "method": method, "half": half, **scores}


def test_halves_share_no_row_and_deal_classes_evenly():
    y = np.repeat([0, 1, 2], [60, 30, 11])
    training, test = half_of("a table", y, 3, True)

    assert not set(training) & set(test)
    assert len(training) + len(test) == len(y)
    assert np.abs(np.bincount(y[training]) - np.bincount(y[test])).max() <= 1


def test_rows_of_a_class_without_training_rows_are_left_out_of_the_scores():
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    found = scores_of(np.array(["a", "b", "c"]), shares, np.array(["a", "b"]))

    assert found["auc"] == 1
    assert found["log_loss"] == pytest.approx(-np.log([0.9, 0.8]).mean())


def test_gains_are_of_the_halves_that_both_have_and_positive_where_ours_is_better():
    fits = Fits(
        [
            fit("HIV", OURS, 0, auc=0.9, log_loss=0.3),
            fit("HIV", OURS, 1, auc=0.5, log_loss=0.9),
            fit("HIV", "CatBoost", 0, auc=0.8, log_loss=0.5),
        ]
    )

    assert fits.gain("HIV", OURS, "CatBoost", AUC) == pytest.approx(10)
    assert fits.gain("HIV", OURS, "CatBoost", LOG_LOSS) == pytest.approx(20)
    assert np.isnan(fits.gain("HIV", OURS, "ranger", AUC))


def test_no_set_of_the_paper_is_held_out_and_half_of_the_other_tables_and_all_later_ones_are():
    held_out = [table.name for table in CLASSES if is_held_out(table.name)]
    assert len(held_out) == (len(CLASSES) - 19 - len(LATER)) // 2 + len(LATER)
    assert {table.name for table in LATER} == {name for name in held_out if is_later(name)}
    assert "HIV" not in held_out
    assert len({table.name for table in CLASSES}) == len(CLASSES)


def test_every_table_has_a_row_and_groups_are_apart():
    held_out = next(table.name for table in CLASSES if is_held_out(table.name))
    fits = Fits(
        [
            fit("HIV", OURS, 0, auc=0.9, log_loss=0.3),
            fit("HIV", "CatBoost", 0, auc=0.8, log_loss=0.5),
            fit(held_out, OURS, 0, auc=0.7, log_loss=0.3),
            fit(held_out, "CatBoost", 0, auc=0.71, log_loss=0.3),
            fit(LATER[0].name, FIRST, 0, auc=0.75, log_loss=0.3),
            fit(LATER[0].name, OURS, 0, auc=0.7, log_loss=0.3),
            fit(LATER[0].name, "CatBoost", 0, auc=0.73, log_loss=0.3),
        ]
    )
    tables = [dict(zip(TABLE_NAMES, row, strict=True)) for row in by_table(fits, FACTS)]
    groups = {row[0]: row[3:] for row in summary(fits, FACTS) if row[1:3] == ["CatBoost", "AUC"]}

    assert [row["table"] for row in tables] == [table.name for table in (*CLASSES, *NUMBERS)]
    assert {row["table"] for row in tables if row["role"] == "new"} == {table.name for table in LATER}
    assert next(row["CatBoost"] for row in tables if row["table"] == "HIV") == "+10.00"
    assert groups["New, the first look"] == ["1", "+2.00", "+2.00", "1", "0", "0"]
    assert groups["New, the seventh look"] == ["1", "-3.00", "-3.00", "0", "0", "1"]
    assert groups["Classes, looked at eight times"] == ["1", "-1.00", "-1.00", "0", "0", "1"]
    assert groups["Classes, tables that had a say"] == ["1", "+10.00", "+10.00", "1", "0", "0"]


def test_the_tables_on_file_are_those_of_the_fits_on_file(tmp_path):
    on_file = {row["table"]: row for row in read_rows(VALIDATION / "forests_by_table.csv")}
    facts = {
        name: Facts(
            int(row["rows"]),
            int(row["columns"]),
            int(row["most_categories"] or 0),
            int(row["classes"] or 0),
            row["gaps"] == "yes",
        )
        for name, row in on_file.items()
    }
    write_all(tmp_path, Fits(read_lines(KEPT)), facts)

    for name in ("forests.csv", "forests_by_table.csv"):
        assert (tmp_path / name).read_text() == (VALIDATION / name).read_text()
