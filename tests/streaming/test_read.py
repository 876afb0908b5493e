"""A streamed table is ranked as it would be in memory, however its rows come."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.estimate import CONSTANT
from bychance.messages import Code
from tests.engine.settings import put
from tests.engine.streams import TypeBreak
from tests.streaming.tables import tables_to_stream

TABLES = tables_to_stream()
EXACT = ["n", "observed", "adjusted", "standardized", "null_mean", "null_std"]
LAW = ["adjusted_at", "p_value"]


def reader_of(table, step):
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=step))


def figures(source, **options):
    frame = bc.rank(source, **{"null": bc.Auto(tails="none"), **options}).to_frame()
    records = frame.to_pylist()
    return {(record["x"], record["y"]): record for record in records}


def assert_equal(streamed, whole):
    """Compare observed values and moments to 1e-9, and p-values and quantiles if neither is sampled."""
    assert streamed.keys() == whole.keys()
    n_compared = 0
    for pair, expected in whole.items():
        found = streamed[pair]
        if "constant" in (expected["note"] or "") or expected["n"] < 20:
            continue
        is_law = "permutation" not in (found["engine"], expected["engine"]) and not found["note"]
        names = [*EXACT, *(LAW if is_law else [])]
        for name in names:
            assert found[name] == pytest.approx(expected[name], rel=1e-9, abs=1e-9), (pair, name)
        n_compared += is_law
    return n_compared


@pytest.mark.parametrize("step", [1, 61, 1000])
@pytest.mark.parametrize("name", TABLES)
def test_streaming_gives_the_figures_of_memory(name, step):
    table = TABLES[name]
    streamed = figures(reader_of(table, step), stream=bc.Streaming(200))
    assert_equal(streamed, figures(table, stream=False))


def test_most_pairs_of_the_tables_are_compared_with_their_laws():
    n_compared = sum(
        assert_equal(figures(reader_of(t, 100), stream=bc.Streaming(200)), figures(t))
        for t in TABLES.values()
    )
    assert n_compared > 90


MEASURES = ["gini", "goodman_kruskal", "mi", "phi2", "cramers_v", "rand", "agreement"]


@pytest.mark.parametrize("name", ["categorical", "categorical missing"])
@pytest.mark.parametrize("measure", MEASURES)
def test_measures_of_tables_come_from_all_rows(measure, name):
    table = TABLES[name]
    streamed = figures(reader_of(table, 50), stream=bc.Streaming(150), measure=measure)
    whole = figures(table, measure=measure)
    assert_equal(streamed, whole)
    assert all(record["n"] == whole[pair]["n"] for pair, record in streamed.items())


@pytest.mark.parametrize(
    "measure", ["spearman", "kendall", "mic", "dcor", lambda x, y: float(np.mean(x * y) ** 2)]
)
def test_other_measures_come_from_the_sample_and_say_so(measure):
    streamed = figures(reader_of(TABLES["numbers"], 50), stream=bc.Streaming(150), measure=measure)
    for record in streamed.values():
        assert record["n"] == 150
        assert "estimated from 150 of 700 rows" in record["note"]


def test_a_sampled_null_has_the_moments_of_all_rows_and_the_shape_of_the_sample():
    table = TABLES["heavy tails"]
    streamed = figures(reader_of(table, 50), stream=bc.Streaming(400))["x", "y"]
    whole = figures(table)["x", "y"]
    assert streamed["engine"] == whole["engine"] == "permutation"
    for name in EXACT:
        assert streamed[name] == pytest.approx(whole[name], rel=1e-9)


def test_what_fits_in_the_sample_is_ranked_as_in_memory():
    table = TABLES["mixed missing"]
    assert figures(reader_of(table, 50), stream=True) == figures(table)


def test_the_notes_say_how_many_rows_were_streamed():
    ranking = bc.rank(reader_of(TABLES["mixed"], 50), stream=bc.Streaming(200))
    (note,) = (note for note in ranking.notes if note.code is Code.STREAMED)
    assert (note.values["n_rows"], note.values["n_sample"]) == (700, 200)


def test_limits_are_narrower_than_those_of_the_sample_alone():
    table = TABLES["numbers"]
    streamed = figures(reader_of(table, 50), stream=bc.Streaming(175))["x", "y"]
    whole = figures(table)["x", "y"]
    width = streamed["adjusted_high"] - streamed["adjusted_low"]
    assert width == pytest.approx(whole["adjusted_high"] - whole["adjusted_low"], rel=0.35)


def test_a_later_value_of_another_type_is_an_error_that_names_its_row(monkeypatch):
    put(monkeypatch, head_rows=100)
    values = [f"{k % 50}%" for k in range(500)]
    values[345] = "oops"
    table = pa.table({"a": values, "b": np.arange(500.0) % 7})
    said = r"'a' changes its type: numbers before, 'oops' here; .*row 345 .*categorical=\['a'\]"
    with pytest.raises(BychanceError, match=said):
        bc.rank(reader_of(table, 20), stream=bc.Streaming(50))


def test_infinite_values_set_a_column_aside_as_in_memory(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    put(monkeypatch, head_rows=100)
    rng = np.random.default_rng(0)
    table = pa.table({name: rng.normal(size=2000) for name in "abc"})
    odd = table.column("b").to_numpy().copy()
    odd[1500] = np.inf
    pq.write_table(table.set_column(1, "b", pa.array(odd)), tmp_path / "t.parquet", row_group_size=100)
    ranking = bc.rank(tmp_path / "t.parquet", stream=bc.Streaming(200))
    assert len(ranking) == 1
    (note,) = (note for note in ranking.notes if note.is_set_aside)
    assert (note.column, note.code, note.values["number"]) == ("b", Code.NOT_FINITE, "inf")
    assert note.values["place"] == "at row 1,500 (counting from 0)"


def test_wishes_hold_in_every_batch():
    table = pa.table(
        {"code": np.arange(600) % 5, "x": np.random.default_rng(0).normal(size=600), "z": [-9.0] * 600}
    )
    options = {"categorical": ["code"], "drop": "z"}
    streamed = figures(reader_of(table, 40), stream=bc.Streaming(100), **options)
    assert_equal(streamed, figures(table, **options))


def test_missing_marks_hold_in_every_batch():
    rng = np.random.default_rng(0)
    x = np.where(rng.random(600) < 0.2, -9.0, rng.normal(size=600))
    table = pa.table({"x": x, "y": x**2 + rng.normal(size=600)})
    streamed = figures(reader_of(table, 40), stream=bc.Streaming(100), missing=-9)
    whole = figures(table, missing=-9)
    assert whole["x", "y"]["n"] < 600
    assert_equal(streamed, whole)


def test_restricted_permutations_are_refused():
    reader = reader_of(TABLES["numbers"], 50)
    with pytest.raises(BychanceError, match=r"`groups` and `block`.*stream=False"):
        bc.rank(reader, stream=bc.Streaming(100), null=bc.Permutation(99, block=5))


def test_a_rare_target_that_the_sample_misses_still_varies():
    rng = np.random.default_rng(0)
    churn = np.zeros(3000, dtype=bool)
    churn[[1234, 2222, 77]] = True
    table = pa.table({"churn": churn, "x": rng.normal(size=3000)})
    found = figures(reader_of(table, 100), stream=bc.Streaming(20), target="churn")
    assert_equal(found, figures(table, target="churn"))


@pytest.mark.parametrize("values", [[True, None], ["US", None], [1.0, None], [None, None]])
def test_a_target_that_does_not_vary_is_refused_as_in_memory(values):
    table = pa.table({"x": np.random.default_rng(0).normal(size=600), "same": values * 300})
    for source, options in ((table, {}), (reader_of(table, 100), {"stream": bc.Streaming(50)})):
        with pytest.raises(BychanceError, match="`target` must"):
            bc.rank(source, target="same", **options)


@pytest.mark.parametrize("source_of", [reader_of, lambda table, step: table])
@pytest.mark.parametrize("kind", ["flags", "text", "dates", "numbers", "categories", "spans"])
def test_a_column_that_begins_late_in_what_is_read_once_has_the_type_of_its_schema(
    monkeypatch, kind, source_of
):
    put(monkeypatch, head_rows=100)
    rng = np.random.default_rng(0)
    x = rng.normal(size=900)
    values = {
        "flags": x > 0,
        "text": np.where(x > 0, "high", "low"),
        "dates": (1e9 * x).astype("M8[s]"),
        "spans": (1e6 * x).astype("m8[s]"),
        "numbers": x + rng.normal(size=900),
        "categories": np.where(x > 0, "high", "low"),
    }[kind]
    late = pa.array(values, mask=np.arange(900) < 300)
    table = pa.table({"x": x, "late": late.dictionary_encode() if kind == "categories" else late})
    streamed = figures(source_of(table, 60), stream=bc.Streaming(120))

    assert_equal(streamed, figures(table))
    assert streamed[min(streamed)]["n"] == 600


def test_a_column_that_begins_late_can_be_wished_to_be_of_categories(monkeypatch):
    put(monkeypatch, head_rows=100)
    codes = pa.array(np.arange(900) % 3, mask=np.arange(900) < 300)
    table = pa.table({"x": np.random.default_rng(0).normal(size=900), "late": codes})
    streamed = figures(reader_of(table, 60), stream=bc.Streaming(120), categorical="late")

    assert_equal(streamed, figures(table, categorical="late"))


def test_a_column_that_begins_late_has_the_type_of_its_first_values(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    put(monkeypatch, head_rows=100)
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000)
    late = [None] * 2000 + [("high" if value > 0 else "low") for value in x[2000:]]
    table = pa.table({"x": x, "late": late})
    for part in range(10):
        pq.write_table(table.slice(300 * part, 300), tmp_path / f"{part}.parquet")
    streamed = figures(tmp_path, stream=bc.Streaming(400))
    assert_equal(streamed, figures(table))
    assert streamed["late", "x"]["n"] == 1000


RARE = [7, 234, 1500, 2600, 2999, *range(100, 107)]
VALUES = {
    "text": lambda k: "ab"[k % 2],
    "flags": lambda k: k % 3 == 0,
    "dates": lambda k: datetime.date(2000, 1, 1 + k),
    "numbers": lambda k: k**0.5,
    "numbers as text": lambda k: str(k * 1.5),
}


@pytest.mark.parametrize("is_file", [True, False])
@pytest.mark.parametrize("kind", VALUES)
def test_a_column_whose_values_the_sample_misses_keeps_its_type(tmp_path, kind, is_file):
    import pyarrow.parquet as pq

    rng, values = np.random.default_rng(0), [None] * 3000
    for k, row in enumerate(RARE):
        values[row] = VALUES[kind](k)
    table = pa.table({"x": rng.normal(size=3000), "rare": values, "g": rng.choice(["u", "v"], 3000)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=1000)
    source = tmp_path / "t.parquet" if is_file else reader_of(table, 500)
    streamed, whole = figures(source, stream=bc.Streaming(20)), figures(table)

    assert streamed.keys() == whole.keys()
    for pair, expected in whole.items():
        names = ("n", "observed")
        assert [streamed[pair][name] for name in names] == pytest.approx([expected[name] for name in names])
    assert any("rare" in pair and record["n"] == len(RARE) for pair, record in streamed.items())


@pytest.mark.parametrize("given", [None, bc.Given("z", control="linear")])
def test_what_the_sample_tells_of_a_pair_is_said_to_be_of_the_sample(given):
    """No value of `rare` but 0 is in it, and three of `few`."""
    rng = np.random.default_rng(0)
    x, z, few = rng.normal(size=(3, 700))
    few[few < 1.8] = np.nan
    rare = (np.arange(700) == 345) * 1.0
    reader = reader_of(pa.table({"x": x, "rare": rare, "few": few, "z": z}), 100)
    options = {"measure": {"numeric": "spearman"}, "stream": bc.Streaming(100), "given": given}
    found = bc.rank(reader, **options).to_frame().to_pylist()
    notes = {frozenset((record["x"], record["y"])): record["note"] for record in found}

    said = "given z, rare does not vary" if given else CONSTANT
    assert notes[frozenset(("x", "rare"))] == f"estimated from 100 of 700 rows; {said}"
    left = (
        "; 3 shared rows and 2 degrees of freedom of the covariates; at least 3 must be left" if given else ""
    )
    assert notes[frozenset(("x", "few"))] == f"estimated from 3 of 24 rows{left}"


def test_a_break_of_type_survives_its_way_from_a_worker():
    import pickle

    error = pickle.loads(pickle.dumps(TypeBreak.of("a", before="numbers", after="labels")))
    assert (error.code, error.column) == (Code.TYPE_CHANGES, "a")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("mixed missing", "x"),
        ("mixed missing", "few"),
        ("categorical missing", "b"),
        ("missing", "y"),
        ("flags", "c"),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sums_with_a_target_are_of_its_pairs_alone(tmp_path, name, target, n_jobs):
    import pyarrow.parquet as pq

    table = TABLES[name]
    for part in range(7):
        pq.write_table(table.slice(100 * part, 100), tmp_path / f"{part}.parquet")
    streamed = figures(tmp_path, stream=bc.Streaming(200), target=target, n_jobs=n_jobs)
    assert_equal(streamed, figures(table, target=target))


def test_columns_set_aside_in_memory_are_set_aside_in_streams(tmp_path):
    rows = [f"{k},{k + 1},{k * k % 11},{k % 7}," for k in range(300)]
    (tmp_path / "t.csv").write_text("\n".join([",id,x,y,", *rows]))
    ranking = bc.rank(tmp_path / "t.csv", stream=bc.Streaming(100), null="moments")

    assert [(pair["x"], pair["y"]) for pair in ranking] == [("x", "y")]
    codes = [Code.COUNTER_WITHOUT_NAME, Code.ROW_COUNTER, Code.EMPTY_WITHOUT_NAME]
    assert [note.code for note in ranking.notes if note.is_set_aside] == codes


def test_a_text_column_that_begins_late_has_its_type(tmp_path):
    rows = [f"{k},{k * k % 11},{'ab'[k % 2] if k > 150_000 else ''}" for k in range(200_000)]
    (tmp_path / "t.csv").write_text("\n".join(["k,x,late", *rows]))
    ranking = bc.rank(tmp_path / "t.csv", stream=bc.Streaming(200), null="moments", drop="k")

    assert {pair["n"] for pair in ranking if pair["measure"] == "explained"} == {49_999}
