"""P-values as far as decisions need them: bounds that settle a pair, otherwise splitting."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

import bychance as bc
from bychance.datasets import make_demo
from bychance.errors import BychanceError
from bychance.messages import Code
from tests.engine.nulls import LEAST_SPLIT_P
from tests.engine.settings import put
from tests.ranking.test_rounds import by_names, heavy_table, mic_table


@pytest.fixture
def no_tail(monkeypatch):
    """Fail the test if splitting is called."""
    put(monkeypatch, split_runs=lambda pairs: pytest.fail("a tail"))


def census(rng, n=2_000):
    """Draw twelve columns of a census beside an income that five of them explain."""
    age, hours = rng.integers(18, 90, n), rng.normal(38, 12, n)
    education, married = rng.integers(0, 3, n), rng.random(n) < 0.5
    noise = {f"noise {k}": rng.choice(list("abcd"), n) for k in range(7)}
    income = np.exp(rng.normal(size=n) + 0.4 * education + 0.02 * hours + 0.3 * married) * 10_000
    return {
        "age": age,
        "hours": hours,
        "education": np.array(["school", "college", "graduate"])[education],
        "married": married,
        "class": np.where(income > 30_000, "high", "low"),
        **noise,
        "income": income,
    }


def test_discoveries_that_bounds_settle_are_not_split(rng, no_tail):
    """Nobody reads the digits of p = 9e-19, and they took 99% of the time."""
    table = census(rng)
    ranking = bc.rank(table, target="income")
    kinds = dict(zip(ranking["x"].to_pylist(), ranking["p_kind"].to_pylist(), strict=True))

    assert ranking.n_found >= 4
    assert kinds["hours"] == kinds["education"] == kinds["class"] == "bound"
    assert ranking.n_found == bc.rank(table, target="income", null=bc.Auto(tails="none")).n_found


def test_bounds_are_the_ends_of_what_is_known(rng):
    common = rng.normal(size=300)
    table = {name: common + 0.3 * rng.normal(size=300) for name in ("a", "b")}
    table |= {name: np.exp(common + 0.5 * rng.normal(size=300)) for name in ("long", "tail")}
    table["lone"] = rng.normal(size=300)
    rows = {frozenset((row["x"], row["y"])): row for row in bc.rank(table, measure="r2")}
    matched, sampled, noise = (
        rows[frozenset(pair)] for pair in (("a", "b"), ("long", "tail"), ("a", "lone"))
    )
    ends = bc.adjust("r2", table["a"], table["b"]).null.holds_to

    assert (matched["p_kind"], matched["p_value"], matched["p_se"]) == ("bound", ends, None)
    assert matched["engine"] == "beta (exact moments)"
    assert (sampled["p_kind"], sampled["p_value"]) == ("bound", 1 / (sampled["n_resamples"] + 1))
    assert noise["p_kind"] == "matched"
    assert bc.rank(table, measure="r2", null="moments")[0]["p_kind"] == "matched"


def test_bounds_that_tie_are_ordered_by_the_standardized_score(rng):
    values = rng.normal(size=(6, 200))
    values[1:] = values[0] + np.arange(1, 6)[:, None] / 8 * values[1:]
    table = {f"c{k}": column for k, column in enumerate(values)}
    ranking = bc.rank(table, target="c0", measure="r2", by="p_value")

    assert set(ranking["p_value"].to_pylist()) == {1e-8}
    assert ranking["x"].to_pylist() == ["c1", "c2", "c3", "c4", "c5"]


def test_bounds_are_printed_behind_a_mark_and_written_as_numbers(tmp_path):
    ranking = bc.rank(make_demo(), target="yield")
    ranking.to_csv(tmp_path / "pairs.csv")
    first = (tmp_path / "pairs.csv").read_text().splitlines()[1]

    assert "<1e-08" in repr(ranking)
    assert "<1e-08" in bc.adjust(
        "r2", *(make_demo()[name] for name in ("rainfall", "yield"))
    ).summary().replace("p < ", "<")
    assert ",1e-8," in first
    assert '"bound"' in first
    assert ranking.notes == ()


def test_planted_relations_of_a_sparse_table_are_found(rng):
    """9,999 draws leave no p-value below 1e-4, which is no discovery among 4,950 pairs. Splitting goes on."""
    table = heavy_table(rng, 100, 100, 0)
    table["c01"] = table["c00"] + 0.5 * table["c01"]
    ranking = bc.rank(table, measure="r2")
    best = next(row for row in ranking if {row["x"], row["y"]} == {"c00", "c01"})

    assert best["q_value"] < 0.01
    assert best["p_value"] < 1e-5
    assert sum(row["q_value"] < 0.05 for row in ranking) <= 3


def skewed_table(rng, n_columns=60, n=700):
    """Draw skewed columns whose matched distribution is valid down to p = 1e-3 or 1e-4."""
    table = {f"c{k:02}": column for k, column in enumerate(rng.exponential(size=(n_columns, n)))}
    table["c01"] = table["c01"] + 0.5 * table["c00"]
    return table


def test_a_matched_bound_above_the_threshold_is_split(rng):
    """One relation among 1,770 pairs takes p ≤ 3e-5, and its law holds down to 1e-3."""
    table = skewed_table(rng)
    ranking, unsplit = bc.rank(table, measure="r2"), bc.rank(table, measure="r2", null=bc.Auto(tails="none"))

    assert {ranking[0]["x"], ranking[0]["y"]} == {"c00", "c01"}
    assert ranking[0]["p_value"] == LEAST_SPLIT_P
    assert ranking[0]["q_value"] < 1e-8
    assert ranking.n_found == 1
    assert unsplit.n_found == 0
    assert unsplit[0]["p_value"] >= 1e-4


def test_tails_can_be_left_alone(rng):
    table = heavy_table(rng, 12)
    kinds = {
        tails: np.bincount(
            bc.rank(table, measure="r2", null=bc.Auto(tails=tails), fdr_level=1e-3)._rows.p_kind, minlength=6
        )[4]
        for tails in ("none", "open", "all")
    }

    assert kinds["none"] == 0 < kinds["open"] < kinds["all"]
    with pytest.raises(BychanceError, match="tails"):
        bc.Auto(tails="some")


def test_what_the_budget_leaves_open_is_said(rng, monkeypatch):
    """Splitting stops after a number of rows, the smallest p-values first."""
    table = heavy_table(rng, 30, 60, 4)
    options = {"measure": "r2", "fdr_level": 1e-4}
    whole = bc.rank(table, **options)
    put(monkeypatch, most_rows_split=60)
    some = bc.rank(table, **options)
    n_split = [list(ranking["p_kind"].to_pylist()).count("splitting") for ranking in (whole, some)]

    assert n_split[0] > 1 >= n_split[1]
    assert whole.notes == ()
    assert some.notes[0].code is Code.PAIRS_OPEN
    assert some.n_found <= whole.n_found
    assert some.refine(len(some)).notes == ()


def test_a_stream_says_which_decisions_its_bounds_leave_open(rng, tmp_path):
    """There are not all rows to exchange."""
    pq.write_table(pa.table(skewed_table(rng, n=1_200)), tmp_path / "rows.parquet")
    ranking = bc.rank(tmp_path / "rows.parquet", measure="r2", stream=bc.Streaming(300))

    assert [note.values["n"] for note in ranking.notes if note.code is Code.PAIRS_OPEN] == [1]
    assert ranking[0]["p_kind"] == "bound"


def test_decisions_below_the_end_of_splitting_are_said_to_be_open(rng):
    x = rng.normal(size=200)
    ranking = bc.rank({"x": x, "y": x + 0.1 * rng.normal(size=200)}, measure="r2", fdr_level=1e-15)

    assert (ranking.n_found, ranking[0]["p_value"]) == (0, LEAST_SPLIT_P)
    assert (ranking.notes[0].code, ranking.notes[0].values["n"]) == (Code.PAIRS_OPEN, 1)


def test_runs_of_slow_measures_are_tasks_of_their_own_and_change_no_bit(rng):
    table, null = mic_table(rng, 3, 20), bc.Auto(tails="all", cap=99)
    one, two = (bc.rank(table, measure="mic", null=null, n_jobs=n_jobs) for n_jobs in (1, 2))

    assert set(one.to_frame().column("p_kind").to_pylist()) == {"splitting"}
    assert by_names(one) == by_names(two)
    assert one._rows.p_se.tobytes() == two._rows.p_se.tobytes()


def test_sampled_pairs_are_split_only_where_draws_cannot_decide(rng, no_tail):
    """With many discoveries ten exceedances among 999 are far below the threshold: no tail is needed."""
    null = bc.Permutation("adaptive", cap=999)

    assert bc.rank(mic_table(rng), measure="mic", null=null).n_found > 10
    table = {f"c{k}": rng.normal(size=20).round(1) for k in range(5)}
    table["copy"] = np.round(table["c0"] + rng.normal(0, 0.3, 20), 1)
    with pytest.raises(pytest.fail.Exception, match="a tail"):
        bc.rank(table, measure="mic", null=null, fdr_level=0.01)


def test_discoveries_of_every_pair_are_not_split_beyond_covariates(rng, no_tail):
    """If all pairs are discoveries, each p-value decides at 0.05, however small the largest is."""
    spread = np.repeat([1.0, 1.0, 3.0, 9.0], 30)
    common, noise = rng.normal(size=120), rng.normal(size=(5, 120))
    table = {f"c{k}": (common + 0.4 * own) * spread for k, own in enumerate(noise)}
    table["site"] = np.repeat(list("abcd"), 30)
    ranking = bc.rank(table, measure="r2", given="site")

    assert ranking.n_found == len(ranking)
    assert set(ranking["p_kind"].to_pylist()) == {"bound"}
    with pytest.raises(pytest.fail.Exception, match="a tail"):
        bc.rank(table, measure="r2", given="site", fdr_level=1e-8)


def test_first_rows_are_refined_to_what_all_tails_give(rng):
    table = census(rng, 150)
    ranking, every = (
        bc.rank(table, target="income"),
        bc.rank(table, target="income", null=bc.Auto(tails="all")),
    )
    refined = ranking.refine(3, n_jobs=2)
    expected = {row["x"]: row["p_value"] for row in every}

    assert [row["p_value"] for row in refined[:3]] == [expected[row["x"]] for row in refined[:3]]
    assert "bound" in [row["p_kind"] for row in ranking[:3]]
    assert [row["p_kind"] for row in refined[3:]] == [row["p_kind"] for row in ranking[3:]]
    assert all(new["q_value"] <= old["q_value"] for new, old in zip(refined, ranking, strict=True))
    whole = ranking.refine(len(ranking))
    assert by_names(whole) == by_names(every)
    assert whole.n_found == every.n_found


def test_refined_rows_are_ordered_by_their_p_values(rng):
    x = rng.normal(size=300)
    table = {"x": x}
    for k, r2 in enumerate((0.118, 0.122, 0.126, 0.13)):
        line, noise = stats.zscore(x), rng.normal(size=300)
        noise = stats.zscore(noise - line * (noise @ line) / 300 - noise.mean())
        table[f"c{k}"] = np.sqrt(r2) * line + np.sqrt(1 - r2) * noise
    for top in (None, 3):
        refined = bc.rank(table, target="x", measure="r2", by="p_value", top=top).refine(4)
        p_values = refined["p_value"].to_pylist()

        assert p_values == sorted(p_values)
        assert len(set(p_values)) == len(p_values)
        assert max(p_values) < 1e-8
        assert refined["rank"].to_pylist() == [1, 2, 3, 4][:top]


def test_rankings_without_rows_cannot_be_refined(tmp_path):
    path = tmp_path / "demo.parquet"
    pq.write_table(pa.table({name: make_demo()[name] for name in ("rainfall", "sunshine", "yield")}), path)
    ranking = bc.rank(make_demo(), target="yield")
    with pytest.raises(BychanceError, match="`refine` needs the rows"):
        ranking.without_data().refine()
    with pytest.raises(BychanceError, match="`refine` needs the rows"):
        bc.rank(path, target="yield", stream=bc.Streaming(100)).refine()
    assert bc.rank(make_demo(), target="yield", null="moments").refine()[0]["p_kind"] == "matched"
