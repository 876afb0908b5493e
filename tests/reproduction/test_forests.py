"""AUCs in pieces: the same whatever the pieces, on the same folds for every forest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bychance.forest.curve import ScoreTable
from reproduction.data import Data
from reproduction.forest_table import ITEM as FOREST_TABLE
from reproduction.forest_tests import gain_claims, mean_difference, t_mark, wilcoxon_p
from reproduction.forests import LEVELS, auc_block, auc_tables, sets_at_hand, size_of, tuned_levels
from reproduction.known_auc import FORESTS
from reproduction.run import Run

SET = "tic-tac-toe"


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path / "pieces", Data(tmp_path), quick=True)


def block(data, **more):
    settings = {"seed": 0, "set_name": SET, "forest": "gini", "first": 0, "repeats": 2, "trees": 5}
    return auc_block(**{**settings, "missing": 0.0, "purpose": "forest", "data": data, **more})["auc"]


def test_pieces_of_any_size_give_the_same_repetitions(tmp_path):
    data = Data(tmp_path)
    whole = block(data, repeats=3)

    assert block(data, repeats=1) + block(data, first=1, repeats=2) == whole
    assert len(set(whole)) == 3


def test_another_purpose_seed_or_share_of_missing_cells_is_another_sample(tmp_path):
    data = Data(tmp_path)
    seen = [block(data), block(data, purpose="tuning"), block(data, seed=1), block(data, missing=0.3)]

    assert len({tuple(aucs) for aucs in seen}) == 4


def test_forests_by_different_names_differ(tmp_path):
    data = Data(tmp_path)

    assert block(data, forest="0.05") != block(data, forest="1.0")
    assert block(data, forest="0.05") != block(data, forest="gini")


def test_a_forest_named_twice_has_two_equal_columns(run):
    table = auc_tables(run, ("gini", "0.05", "0.05"), [SET], repeats=2)[SET]

    assert table.values.shape == (2, 3)
    np.testing.assert_array_equal(table.values[:, 1], table.values[:, 2])
    assert len(list(run.pieces_directory.iterdir())) == 2


def test_the_tuned_level_is_that_with_the_largest_auc(run):
    tables = auc_tables(run, LEVELS, [SET], repeats=1, purpose="tuning")

    assert tuned_levels(run, [SET]) == {SET: LEVELS[int(np.argmax(tables[SET].values))]}


def test_a_quick_run_without_data_has_the_set_that_is_made_by_rule(run):
    sets = sets_at_hand(run)

    assert sets.names == (SET,)
    assert "monks-problems-1.arff" in sets.left_out
    assert size_of(run, sets.names) == "100 trees, 4 repetitions"


def tables_of(*over):
    """Make sets on which the second forest is that much better, by two repetitions."""
    return {
        f"set {k}": ScoreTable(("gini", "sgini"), np.array([[0.5, 0.5 + d - 0.01], [0.5, 0.5 + d + 0.01]]))
        for k, d in enumerate(over)
    }


def test_the_mean_over_sets_has_the_error_of_its_parts():
    mean, error = mean_difference(tables_of(0.02, 0.04), "sgini")

    assert mean == pytest.approx(3)
    assert error == pytest.approx(np.hypot(1, 1) / 2)


def test_wilcoxon_is_scipys_on_the_means():
    over = [0.03, -0.01, 0.04, 0.05, 0.02]
    expected = stats.wilcoxon(over, alternative="greater", correction=True, method="approx").pvalue

    assert wilcoxon_p(tables_of(*over), "sgini") == pytest.approx(expected)


@pytest.mark.parametrize(("sign", "mark"), [(1, "+"), (-1, "-"), (0, "=")])
def test_a_mark_is_a_one_sided_paired_t_test(sign, mark):
    gini = np.linspace(0.7, 0.8, 10)
    noise = np.where(np.arange(10) % 2, 0.001, -0.001)
    table = ScoreTable(("gini", "sgini"), np.column_stack([gini, gini + 0.01 * sign + noise]))

    assert t_mark(table, "sgini") == mark


def test_equal_aucs_have_no_t_test_and_are_equal():
    assert t_mark(ScoreTable(("gini", "sgini"), np.full((3, 2), 0.5)), "sgini") == "="


def test_claims_of_a_gain_are_computed():
    good, bad = (gain_claims(tables_of(*over), "sgini", "SGini", "") for over in ([0.05] * 8, [-0.05] * 8))

    assert [claim.verdict for claim in good] == ["holds", "holds"]
    assert [claim.verdict for claim in bad] == ["does not hold", "does not hold"]


@pytest.mark.statistical
def test_the_quick_table_shows_what_is_large_in_the_paper(tmp_path, data_directory):
    """On monks2 all adjustments gain 5 to 16 points, far beyond the errors of four repetitions."""
    outcome = FOREST_TABLE.compute(Run(tmp_path / "pieces", Data(data_directory), quick=True))
    marks = {claim.text: claim.verdict for claim in outcome.claims if claim.text.startswith("monks2: ")}

    assert len(outcome.table["set"]) == 11 * len(FORESTS)
    assert outcome.left_out == ""
    assert len(marks) == 3
    assert set(marks.values()) == {"holds"}
