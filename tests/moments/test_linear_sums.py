"""Streams beyond covariates: partial correlations of all rows, or of the sample if sums lose digits."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.messages import Code
from tests.engine.settings import own, put

N = 3000


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)

    def some(values, share):
        return pa.array(values, mask=rng.random(N) < share)

    age, dose, site = rng.normal(size=N), rng.exponential(size=N), rng.choice(list("abcd"), N)
    x = age + dose + (site == "a") + rng.normal(size=N)
    y = age - dose + 2.0 * (site == "a") + 0.1 * x + rng.normal(size=N)
    return pa.table(
        {
            "x": some(x, 0.1),
            "y": some(1e6 + y, 0.1),
            "u": some(rng.normal(size=N), 0.3),
            "age": some(age, 0.05),
            "dose": dose,
            "site": some(site, 0.03),
            "odd": rng.choice(list("pq"), N),
        }
    )


def streamed(table, step=170, sample_rows=1000, **options):
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=step))
    options = {"null": bc.Auto(tails="none"), **options}
    return bc.rank(reader, stream=bc.Streaming(sample_rows), **options)


def by_pair(ranking):
    return {(record["x"], record["y"]): record for record in ranking}


@pytest.mark.parametrize("given", [["age"], ["age", "dose"], ["site"], ["dose", "site", "age"]])
@pytest.mark.parametrize("step", [1, 170, N])
def test_partial_correlations_are_those_of_memory(table, given, step):
    if step == 1:
        table = table.slice(0, 300)
    options = {"measure": "r2", "null": "normal", "given": bc.Given(given, control="linear")}
    found = by_pair(streamed(table, step, table.num_rows // 4, **options))
    expected = by_pair(bc.rank(table, **{"null": bc.Auto(tails="none"), **options}))
    assert found.keys() == expected.keys()
    for pair, record in expected.items():
        for name in ("n", "sign", "observed", "adjusted", "p_value", "null_mean", "null_std"):
            assert found[pair][name] == pytest.approx(record[name], rel=1e-9, abs=1e-12), (pair, name)


def test_parts_add_up_whatever_order_their_labels_come_in(table, tmp_path):
    for part in range(4):
        pq.write_table(table.slice(part * 750, 750).sort_by("site"), tmp_path / f"{part}.parquet")
    first = table.slice(0, 10).filter(pc.field("site") == "d")
    pq.write_table(first, tmp_path / "-.parquet")
    options = {"measure": "r2", "null": "normal", "given": bc.Given(["site", "age"], control="linear")}
    whole = pq.read_table(tmp_path)
    found = by_pair(bc.rank(tmp_path, stream=bc.Streaming(500), n_jobs=2, **options))
    for pair, record in by_pair(bc.rank(whole, **options)).items():
        assert found[pair]["observed"] == pytest.approx(record["observed"], rel=1e-9)
        assert found[pair]["p_value"] == pytest.approx(record["p_value"], rel=1e-7)


def test_sums_beyond_covariates_are_kept_between_runs(table, tmp_path, monkeypatch):
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in range(3):
        pq.write_table(table.slice(part * 1000, 1000), folder / f"{part}.parquet")
    options = {"stream": bc.Streaming(500), "measure": "r2"}
    options["given"] = bc.Given(["site", "age"], control="linear")
    run, n_runs = own("read_part"), []

    def interrupted(self, tick):
        n_runs.append(self.number)
        if len(n_runs) == 3:
            raise KeyboardInterrupt
        return run(self, tick)

    put(monkeypatch, read_part=interrupted)
    with pytest.raises(KeyboardInterrupt):
        bc.rank_to_file(folder, tmp_path / "pairs.csv", **options)
    found = by_pair(bc.rank_to_file(folder, tmp_path / "pairs.csv", resume=True, **options))
    assert n_runs == [0, 1, 2, 2]
    for pair, record in by_pair(bc.rank(folder, **options)).items():
        assert found[pair]["observed"] == pytest.approx(record["observed"], rel=1e-12)


def test_matched_laws_have_the_mean_of_all_rows_and_the_spread_of_the_sample(table):
    options = {"measure": "r2", "given": bc.Given(["age", "dose"], control="linear")}
    ranking = streamed(table, **options)
    found, expected = by_pair(ranking), by_pair(bc.rank(table, **{"null": bc.Auto(tails="none"), **options}))
    for pair, record in expected.items():
        assert found[pair]["engine"] == record["engine"]
        for name in ("n", "observed", "adjusted", "null_mean"):
            assert found[pair][name] == pytest.approx(record[name], rel=1e-9, abs=1e-12)
        assert found[pair]["null_std"] == pytest.approx(record["null_std"], rel=0.02)
    assert (ranking.notes[0].code, ranking.notes[0].values["given"]) == (Code.STREAMED, True)


def test_covariates_make_no_pairs_and_rows_without_them_are_left_out(table):
    ranking = streamed(table, measure="r2", given=bc.Given("age", control="linear"))
    n_missing = table.column("age").null_count
    assert not any("age" in (record["x"], record["y"]) for record in ranking)
    (left_out,) = (note.values for note in ranking.notes if note.code is Code.COVARIATES_MISSING)
    assert left_out == {"n": n_missing, "covariates": ("age",)}
    assert (ranking.notes[0].code, ranking.notes[0].values["n_rows"]) == (Code.STREAMED, N - n_missing)


@pytest.mark.parametrize("n_given", [80, 400])
def test_the_sample_has_as_many_rows_as_asked_for_where_few_have_the_covariate(tmp_path, n_given):
    rng = np.random.default_rng(2)
    rare = pa.array(rng.normal(size=N), mask=rng.permutation(N) >= n_given)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": rng.normal(size=N), "y": rng.normal(size=N), "rare": rare}), path)
    ranking = bc.rank(path, given="rare", stream=bc.Streaming(100), null=bc.Auto(tails="none"))
    assert [record["n"] for record in ranking] == [min(n_given, 100)]


@pytest.mark.parametrize(
    "options",
    [
        {"given": "age"},
        {"given": bc.Given("age", control="linear"), "measure": "spearman"},
        {"given": bc.Given("age", control="strata"), "target": "odd"},
    ],
)
def test_what_sums_do_not_hold_is_estimated_from_the_sample(table, options):
    for record in streamed(table, **options):
        assert record["n"] <= 1000
        assert f"estimated from {record['n']:,} of" in record["note"]


def test_a_column_that_covariates_nearly_determine_is_estimated_from_the_sample(table):
    near = table.column("dose").to_numpy() + 1e-4 * np.random.default_rng(0).normal(size=N)
    wide = table.select(["y", "u", "dose"]).append_column("near", pa.array(near))
    options = {"measure": "r2", "given": bc.Given("dose", control="linear")}
    found = by_pair(streamed(wide, **options))
    assert "estimated from" not in found["y", "u"]["note"]
    assert "estimated from" in found["y", "near"]["note"]


def test_given_that_no_row_has_is_an_error(table):
    nothing = pa.array([None] * N, pa.float64())
    wide = table.select(["x", "y"]).append_column("nothing", nothing)
    with pytest.raises(BychanceError, match="No row has nothing"):
        streamed(wide, given="nothing")


def test_an_unknown_covariate_is_an_error_that_names_it(table):
    with pytest.raises(BychanceError, match=r"`given`.*'dosis'"):
        streamed(table, measure="r2", given=bc.Given("dosis", control="linear"))


def test_too_many_labels_for_products_are_an_error_that_says_what_to_do(table, monkeypatch):
    put(monkeypatch, most_products=100)
    with pytest.raises(BychanceError, match=r"`given` with `control='linear'`.*sample"):
        streamed(table, measure="r2", given=bc.Given("site", control="linear"))
