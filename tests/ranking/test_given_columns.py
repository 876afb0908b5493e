"""rank() beyond covariates: which columns and rows are left, what is said, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bychance as bc
from bychance.messages import Code
from tests.engine.ranking import fingerprint_of, ranked


@pytest.fixture
def table(rng):
    n = 200
    site = rng.integers(0, 4, n)
    age = rng.standard_normal(n)
    cause = rng.standard_normal(n)
    return {
        "age": age,
        "site": np.array(list("vwxy"))[site],
        "confounded": age + site + rng.standard_normal(n),
        "cause": cause,
        "label": np.where(cause + rng.standard_normal(n) > 0, "high", "low"),
        "tag": np.where(rng.random(n) < 0.4, "in", "out"),
        "y": age + site + 0.5 * cause + rng.standard_normal(n),
    }


def rows_of(ranking):
    return {row["x"]: row for row in ranking.to_frame().to_pylist()}


def test_a_confounded_column_falls_behind_the_cause(table):
    plain, given = bc.rank(table, target="y"), bc.rank(table, target="y", given=["age", "site"])

    assert plain.to_frame().column("x")[0].as_py() == "confounded"
    assert given.to_frame().column("x")[0].as_py() == "cause"
    assert rows_of(given)["confounded"]["p_value"] > 0.01


def test_covariates_leave_the_pairs(table):
    with_target, all_pairs = bc.rank(table, target="y", given="age"), bc.rank(table, given=["age", "site"])
    names = set(all_pairs.to_frame().column("x").to_pylist() + all_pairs.to_frame().column("y").to_pylist())

    assert set(rows_of(with_target)) == {"site", "confounded", "cause", "label", "tag"}
    assert names == {"confounded", "cause", "label", "tag", "y"}


def test_the_headline_says_what_was_controlled(table):
    text = repr(bc.rank(table, target="y", given=["age", "site"]))

    assert "beyond age and site" in text.splitlines()[0]
    assert ", beyond age and site, " in text.splitlines()[1]
    assert " cells, ordered by" in text.splitlines()[1]


@pytest.mark.parametrize("measure", ["auto", "mi", "kendall", {"numeric": "dcor", "mixed": "eta2"}])
@pytest.mark.slow
def test_rows_are_those_of_single_pairs(table, measure):
    ranking = bc.rank(
        table, measure=measure, given="site", x=["confounded", "label"], y=["cause", "y", "tag"]
    )
    for row in ranking.to_frame().to_pylist():
        single = bc.adjust(row["measure"], table[row["x"]], table[row["y"]], given=table["site"])

        assert row["observed"] == pytest.approx(single.observed, rel=1e-9)
        assert row["null_mean"] == pytest.approx(single.null.mean, rel=0.1, abs=1e-9)
        assert row["n"] == single.n


def test_rows_without_a_covariate_are_dropped_once_and_counted(table):
    table["age"] = np.where(np.arange(200) < 9, np.nan, table["age"])
    ranking = bc.rank(table, target="y", given="age")

    assert set(ranking.to_frame().column("n").to_pylist()) == {191}
    (left_out,) = (note.values for note in ranking.notes if note.code is Code.COVARIATES_MISSING)
    assert left_out == {"n": 9, "covariates": ("age",)}


def test_groups_follow_the_rows_that_are_left(table):
    table["age"] = np.where(np.arange(200) < 9, np.nan, table["age"])
    null = bc.Permutation(99, groups=np.repeat(np.arange(20), 10))
    ranking = bc.rank(table, target="y", given="age", null=null)

    assert set(ranking.to_frame().column("n_resamples").to_pylist()) == {99}


def test_order_and_threads_do_not_matter(table):
    turned = dict(reversed(table.items()))
    first = rows_of(bc.rank(table, target="y", given=["age", "site"], measure="r2"))
    second = rows_of(ranked(turned, target="y", given=["age", "site"], measure="r2", n_jobs=2, block_size=1))

    for name, row in first.items():
        assert second[name]["p_value"] == pytest.approx(row["p_value"], rel=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "y", "given": "y"}, "`given` must not name a column of `target`, got 'y' in both"),
        ({"x": ["cause"], "given": ["age", "cause"]}, "`given` must not name a column of `x`, got 'cause'"),
        ({"y": "cause", "given": "cause"}, "`given` must not name a column of `y`"),
        ({"given": "agee"}, r"Did you mean 'age'\? `given` must be one of"),
        ({"given": []}, "`given` must name at least one column"),
        ({"given": "age", "null": "paper"}, "cannot be combined with `given`"),
    ],
)
def test_bad_names_are_refused(table, options, message):
    with pytest.raises(ValueError, match=message):
        bc.rank(table, **options)


def test_infinite_covariates_are_refused(table):
    table["age"] = np.where(np.arange(200) == 4, np.inf, table["age"])

    with pytest.raises(
        ValueError, match=r"`given` names a column that was set aside.*infinite values: inf at row 4"
    ):
        bc.rank(table, target="y", given="age")


def test_all_rows_may_not_lack_a_covariate(table):
    table["age"], table["old"] = (
        np.where(np.arange(200) % 2 == side, np.nan, table["age"]) for side in (0, 1)
    )

    with pytest.raises(ValueError, match="No row has age and old"):
        bc.rank(table, target="y", given=["age", "old"])


def test_files_resume_only_with_the_same_covariates(table, tmp_path):
    path = tmp_path / "pairs.csv"
    ranking = bc.rank_to_file(table, path, target="y", given="age")

    assert ranking.n_pairs == 5
    assert path.read_text().count("\n") == 6
    marks = {fingerprint_of(table, target="y", given=given) for given in ("age", bc.Given("age", "linear"))}
    assert len(marks) == 2


def test_a_ranking_without_data_keeps_what_was_controlled(table):
    ranking = pickle.loads(pickle.dumps(bc.rank(table, target="y", given="age").without_data()))

    assert "beyond age" in repr(ranking)
    assert len(ranking._plan.job.covariates.columns[0]) == 0


@pytest.mark.slow
def test_the_selector_looks_beyond_columns(table):
    import pandas as pd

    frame = pd.DataFrame(table)
    y = frame.pop("y")
    plain = bc.ChanceSelector(k=1).fit(frame, y)
    given = bc.ChanceSelector(k=1, given=["age", "site"]).fit(frame, y)

    assert plain.get_feature_names_out().tolist() == ["confounded"]
    assert given.get_feature_names_out().tolist() == ["cause"]
    assert np.isnan(given.scores_[:2]).all()
