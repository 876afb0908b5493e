"""studies/forest_peers: halves, scores, and what the page says of fits that are made up."""

import numpy as np
import pytest

from studies.forest_peers.methods import METHODS
from studies.forest_peers.page import AUC, FIRST, LOG_LOSS, OURS, Facts, Fits, page
from studies.forest_peers.run import HALVES, LEFT_OUT, half_of, scores_of
from studies.forest_peers.tables import CLASSES, LATER, NUMBERS, is_held_out, is_later

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


def test_the_page_has_a_row_for_every_table_and_keeps_the_groups_apart():
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
    text = page(fits, FACTS, "CatBoost 9")

    for table in (*CLASSES, *NUMBERS):
        name = f"**{table.name}**" if is_held_out(table.name) else table.name
        name += " *new*" if is_later(table.name) else ""
        assert text.count(f"\n| {name} | {table.target} |") == 1
    first, others = text.split("New, the seventh look")
    third, others = others.split("Looked at eight times")[:2]
    fourth, others = others.split("Tables that had a say")[:2]
    assert "| CatBoost | 1 | +2.00 | +2.00 | 1 / 0 / 0 |" in first
    assert "| CatBoost | 1 | -3.00 | -3.00 | 0 / 0 / 1 |" in third
    assert "| CatBoost | 1 | -1.00 | -1.00 | 0 / 0 / 1 |" in fourth
    assert "| CatBoost | 1 | +10.00 | +10.00 | 1 / 0 / 0 |" in others


def test_the_page_names_what_was_not_run_on_all_halves():
    scores = {"auc": 0.9, "log_loss": 0.3, "r2": 0.5, "mae": 0.5}
    lines = [
        fit(table.name, method, half, **scores)
        for table in (*CLASSES, *NUMBERS)
        for method in METHODS
        for half in range(HALVES)
        if (table.name, method, half) != ("HIV", "CatBoost", 3) and (table.name, method) != ("tae", "ranger")
    ]
    lines = [line for line in lines if (line["table"], line["method"]) not in LEFT_OUT]
    with_gaps = {**FACTS, "tae": Facts(100, 5, 12, 2, True)}

    assert "of every table, but CatBoost on HIV (4). " in page(Fits(lines), with_gaps, "")
    assert "of every table, but ranger on tae (0), CatBoost on HIV (4). " in page(Fits(lines), FACTS, "")
