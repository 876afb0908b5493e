"""Lower bounds on how many of the selected pairs are related: what is selected, kept, said and refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError
from tests.engine.guarantee import Hull, p_values_of_tests


@pytest.fixture(scope="module")
def related():
    """Rank all pairs of thirty columns, of which ten follow a hidden one."""
    rng = np.random.default_rng(3)
    hidden = rng.normal(size=80)
    columns = {f"x{k}": rng.normal(size=80) + (0.7 * hidden if k < 10 else 0) for k in range(30)}
    return bc.rank(columns, measure="r2", null="moments")


def bound_of(ranking, mask):
    p = p_values_of_tests(ranking._rows)[ranking._best()]
    return Hull.of(p).threshold(0.05, is_robust=False).discoveries(p[mask])


def test_selections_are_rows_masks_names_first_rows_and_values(related):
    frame = related.to_pandas()
    masks = {
        "names": ((frame.x == "x2") | (frame.y == "x2"), "x2"),
        "more names": (frame.x.isin(["x2", "x7"]) | frame.y.isin(["x2", "x7"]), ["x2", "x7"]),
        "rows": (frame.index.isin([4, 0, 25]), [4, 0, 25, 4]),
        "mask": (frame.q_value < 0.2, frame.q_value < 0.2),
        "first": (frame["rank"] <= 30, 30),
        "value": (frame.adjusted > 0.05, 0.05),
        "none": (frame.n < 0, []),
    }
    for mask, selection in masks.values():
        found = related.at_least_true(selection)

        assert found.n_selected == mask.sum()
        assert found.at_least == bound_of(related, mask.to_numpy() if hasattr(mask, "to_numpy") else mask)
    assert related.at_least_true(30).at_least >= 10
    assert related.at_least_true(30).share == related.at_least_true(30).at_least / 30
    assert np.isnan(related.at_least_true([]).share)


def test_all_pairs_are_what_every_row_selects(related):
    found = related.at_least_true()

    assert found.at_least == related.at_least_true(len(related)).at_least > 10
    assert found.n_selected == related.n_tested


@pytest.mark.parametrize("method", ["simes", "robust"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_of_kept_rows_all_pairs_count(related, tmp_path, level, method):
    table = related._plan.table
    columns = {name: table[name].values for name in table.names}
    kept = bc.rank(columns, measure="r2", null="moments", top=20)
    filed = bc.rank_to_file(columns, tmp_path / "pairs.csv", measure="r2", null="moments", top=20)

    for ranking in (kept, filed):
        assert len(ranking) == 20
        for selection in (None, 5, 20, "x1"):
            whole = selection if selection != "x1" else np.flatnonzero(is_named(ranking, "x1"))
            expected = related.at_least_true(whole, level, method).at_least
            assert ranking.at_least_true(selection, level, method).at_least == expected


def is_named(ranking, name):
    return [name in (record["x"], record["y"]) for record in ranking.best()]


def test_bounds_grow_with_the_selection_and_fall_with_the_level(related):
    by_size = [related.at_least_true(k).at_least for k in range(0, 60, 5)]
    by_level = [related.at_least_true(level=level).at_least for level in (0.5, 0.9, 0.99, 0.9999)]

    assert by_size == sorted(by_size)
    assert by_level == sorted(by_level, reverse=True)
    assert by_level[0] > by_level[-1]
    assert related.at_least_true(method="robust").at_least <= related.at_least_true().at_least


def test_the_sentence_has_the_figures(related, harvest):
    n = related.at_least_true(20).at_least

    assert str(related.at_least_true(20)) == (
        f"At least {n} of the 20 pairs you selected are related (95% confidence, for any selection you make)."
    )
    assert related.at_least_true([434], 0.99).sentence == (
        "None of the 1 pair you selected is surely related (99% confidence, for any selection you make)."
    )
    assert harvest.at_least_true(1, 0.999).sentence.startswith(
        "At least 1 of the 1 column you selected is related to yield (99.9% confidence"
    )
    assert str(harvest.at_least_true()) == (
        "At least 3 of the 11 columns are related to yield (95% confidence)."
    )


def test_untested_pairs_are_selected_and_never_counted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    ranking = bc.rank({"x": x, "y": x + 0.1 * rng.normal(size=60), "flat": np.ones(60)}, null="moments")

    assert (ranking.at_least_true(3).n_selected, ranking.at_least_true(3).at_least) == (3, 1)


def test_refined_and_emptied_rankings_keep_their_bounds(related):
    emptied = pickle.loads(pickle.dumps(related.without_data()))

    assert str(emptied.at_least_true(20)) == str(related.at_least_true(20))
    bounded = bc.rank({"a": range(40), "b": [k + 9 * (-1) ** k for k in range(40)]}, measure="r2")
    assert bounded[0]["p_kind"] == "bound"
    assert [r.at_least_true(1).at_least for r in (bounded, bounded.refine(1))] == [1, 1]
    assert bounded.at_least_true(1, 1 - 1e-7).at_least == 0
    assert bounded.refine(1).at_least_true(1, 1 - 1e-7).at_least == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"selection": [0, 435]}, "row numbers from 0 to 434, got 0 to 435"),
        ({"selection": [-1]}, "row numbers from 0"),
        ({"selection": [True]}, r"one boolean per row \(435\), got 1"),
        ({"selection": -3}, "must be an integer of at least 0"),
        ({"selection": 20.0}, "must be below 1 to select by `adjusted`, got 20.0"),
        ({"selection": True}, "must be row numbers, one boolean per row"),
        ({"selection": [0.5, 0.7]}, "must be row numbers, one boolean per row"),
        ({"selection": "x33"}, "Did you mean 'x3'"),
        ({"level": 1}, "`level` must be below 1"),
        ({"level": 1 - 1e-15}, "`level` must be below 1"),
        ({"level": 0}, r"`level` must lie in \(0, 1\]"),
        ({"method": "bonferroni"}, "`method` must be one of joint, robust, simes"),
        ({"method": "joint"}, "this ranking has none"),
    ],
)
def test_what_is_no_selection_is_refused(related, arguments, says):
    with pytest.raises(BychanceError, match=says):
        related.at_least_true(**arguments)


def test_arrays_without_the_p_values_of_all_pairs_refuse():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 20)), rng.normal(size=(60, 20))
    few, every = bc.rank_arrays(x, y, top=5), bc.rank_arrays(x, y)

    with pytest.raises(
        BychanceError, match="the p-value of all 400 pairs, and a ranking of two arrays keeps"
    ):
        few.at_least_true(3)
    assert "confidence)" not in few.verdict()
    assert every.at_least_true().n_selected == 400
