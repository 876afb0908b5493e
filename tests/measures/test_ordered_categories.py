"""Ordered categories: their levels stand for numbers wherever a measure needs an order."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.messages import Code

LEVELS = ["none", "a little", "some", "much", "most", "all", "never seen"]
ALPHABETIC = sorted(LEVELS)


@pytest.fixture
def numbers():
    rng = np.random.default_rng(3)
    u = rng.normal(size=240)
    return np.digitize(u + rng.normal(size=240), [-1.5, -0.8, 0, 0.8, 1.5]), u


def _first(ranking):
    return nw.from_native(ranking.to_frame(), eager_only=True).rows(named=True)[0]


def _ordered(codes, levels=LEVELS):
    return pd.Categorical.from_codes(codes, levels, ordered=True)


def _polars(codes, u):
    return pl.DataFrame({"dose": pl.Series(np.array(LEVELS)[codes], dtype=pl.Enum(LEVELS)), "u": u})


def _pandas(codes, u):
    return pd.DataFrame({"dose": _ordered(codes), "u": u})


def _arrow(codes, u):
    return pa.Table.from_pandas(_pandas(codes, u), preserve_index=False)


FRAMES = [_pandas, _polars, _arrow]


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "mic"])
def test_measures_of_numbers_take_the_numbers_of_levels(numbers, measure):
    codes, u = numbers
    by_levels, by_numbers = bc.adjust(measure, _ordered(codes), u), bc.adjust(measure, codes, u)
    assert by_levels.observed == by_numbers.observed
    assert (by_levels.p_value, by_levels.sign) == (by_numbers.p_value, by_numbers.sign)


@pytest.mark.parametrize("measure", ["spearman", "explained"])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("stream", [None, True])
def test_every_way_to_rank_uses_the_order(numbers, measure, frame, stream, tmp_path):
    single = bc.adjust(measure, _ordered(numbers[0]), numbers[1])
    assert single.sign == 1
    path = tmp_path / "table.parquet"
    table = frame(*numbers)
    pq.write_table(table.to_arrow() if frame is _polars else pa.table(table), path, row_group_size=60)
    for source in (table, path):
        row = _first(bc.rank(source, "u", measure=measure, stream=stream))
        assert (row["x"], row["sign"]) == ("dose", 1)
        assert row["observed"] == pytest.approx(single.observed, rel=1e-12)
        assert row["p_value"] == pytest.approx(single.p_value, rel=1e-9)


def test_arrays_take_ordered_categories_as_numbers(numbers):
    codes, u = numbers
    by_levels, by_numbers = bc.rank_arrays(_pandas(codes, u)), bc.rank_arrays(np.column_stack([codes, u]))
    assert _first(by_levels)["observed"] == _first(by_numbers)["observed"]


def test_the_order_is_that_of_the_levels_and_not_of_their_names(numbers):
    codes, u = numbers
    falling = _ordered(codes, LEVELS[::-1])
    assert bc.adjust("explained", falling, u).sign == 1
    renamed = pd.Categorical(np.array(LEVELS)[codes], ALPHABETIC, ordered=True)
    ranks = np.array([ALPHABETIC.index(level) for level in LEVELS])[codes]
    assert bc.adjust("spearman", renamed, u).observed == bc.adjust("spearman", ranks, u).observed


def test_missing_values_and_unused_levels_change_nothing_else(numbers):
    codes, u = numbers
    gone = np.where(np.arange(len(codes)) % 7 == 0, -1, codes)
    kept = gone >= 0
    for x in (
        _ordered(gone),
        pa.array(_ordered(gone)),
        pl.Series(_polars(codes, u)["dose"]).set(pl.Series(~kept), None),
    ):
        got = bc.adjust("spearman", x, u)
        assert (got.n, got.observed) == (kept.sum(), bc.adjust("spearman", codes[kept], u[kept]).observed)


def test_explained_of_ordered_and_other_categories_is_the_same_but_for_the_sign(numbers):
    codes, u = numbers
    plain, ordered = (bc.adjust("explained", x, u) for x in (_ordered(codes).as_unordered(), _ordered(codes)))
    assert (plain.observed, plain.p_value, plain.sign) == (ordered.observed, ordered.p_value, None)
    assert bc.adjust("explained", _ordered(codes), np.where(u > 0, "a", "b")).sign is None


@pytest.mark.parametrize("target", ["u", "side"])
def test_shape_bends_over_more_than_six_levels(numbers, target):
    _, u = numbers
    codes = np.digitize(u, np.linspace(-2, 2, 9))
    table = {"u": u, "side": np.where(u + np.sin(np.arange(240)) > 0, "a", "b")}
    ordered = _ordered(codes, list("abcdefghij"))
    got = bc.adjust("shape", ordered, table[target])
    assert got.observed == bc.adjust("shape", codes.astype(float), table[target]).observed
    assert got.null.mean == bc.adjust("shape", codes.astype(float), table[target]).null.mean
    row = bc.rank(pd.DataFrame({**table, "dose": ordered}), target, measure="shape").to_frame().set_index("x")
    assert row.loc["dose", "observed"] == pytest.approx(got.observed)


def test_without_an_order_measures_of_numbers_refuse_as_before(numbers):
    codes, u = numbers
    with pytest.raises(ValueError, match="must be numeric"):
        bc.adjust("spearman", _ordered(codes).as_unordered(), u)


def test_levels_that_differ_between_batches_are_refused(tmp_path):
    parts = []
    for k, levels in enumerate((["low", "mid", "high"], ["mid", "low", "high"])):
        dose = pd.Categorical(levels * 40_000, levels, ordered=True)  # more rows than types are inferred from
        frame = pd.DataFrame({"dose": dose, "u": np.arange(120_000.0)})
        parts.append(tmp_path / f"{k}.parquet")
        frame.to_parquet(parts[-1])
    with pytest.raises(bc.BychanceError, match="dose"):
        bc.rank(parts, "u", measure="spearman", stream=True)


@pytest.mark.parametrize(
    ("answers", "ends"),
    [
        (["Agree", "Strongly agree", "neutral", "Disagree"], ("Disagree", "Strongly agree")),
        (["sometimes", "never", "always"], ("never", "always")),
        (["red", "green", "blue"], None),
        (["agree", "disagree"], None),
    ],
)
def test_texts_that_look_like_a_scale_get_a_note(answers, ends):
    table = bc.read_table({"answer": answers * 20})
    notes = [note for note in table.notes if note.code == Code.LEVELS_OF_SCALE]
    assert [(note.values["low"], note.values["high"]) for note in notes] == ([] if ends is None else [ends])
    ordered = pd.DataFrame({"answer": pd.Categorical(answers * 20, ordered=True)})
    assert not bc.read_table(ordered).notes
