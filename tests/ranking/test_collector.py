"""The best of a ranking, rows in memory and rows on disk have the same places, q-values and figures."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from tests.engine.ranking import BY, collector_of, measured, parts_of, plan_of, ranked
from tests.engine.settings import own, put


@pytest.fixture
def table(rng):
    """Draw numbers with and without gaps, labels, near-duplicates, ties, a constant and few rows."""
    base = rng.normal(size=(6, 90))
    columns = {f"n{k}": row for k, row in enumerate(base)}
    columns |= {f"d{k}": base[0] * (1 + k) + 1e-4 * rng.normal(size=90) for k in range(4)}
    columns |= {f"t{k}": np.repeat(np.arange(6.0), 15) for k in range(3)}
    columns |= {
        f"g{k}": np.where(rng.random(90) < 0.3, np.nan, base[k] + rng.normal(size=90)) for k in range(4)
    }
    columns["rare"] = np.where(np.arange(90) < 5, 1.0, np.nan)
    columns["one"] = np.ones(90)
    columns |= {f"l{k}": np.array(list("abcd"))[rng.integers(4, size=90)].tolist() for k in range(2)}
    return columns


def figures_of(ranking):
    return {(row["x"], row["y"]): row for row in ranking.best()}


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("null", ["moments", "paper"])
@pytest.mark.parametrize("top", [7, 1000])
@pytest.mark.filterwarnings("ignore:.*too few")
@pytest.mark.slow
def test_the_best_are_those_of_all(table, by, null, top):
    options = {"by": by, "null": null, "block_size": 30, "measure": "explained", "fdr": "by"}
    options["alpha"] = [0.05, 0.4]
    if null == "paper":
        options["measure"] = "r2"
    whole = ranked(table, **options)
    best = ranked(table, top=top, n_jobs=2, **options)
    known, found = figures_of(whole), figures_of(best)
    wanted = {(row["x"], row["y"]) for fold in (False, True) for row in whole.best(top, fold=fold)}

    assert set(found) == wanted
    assert [found[pair] for pair in found] == [known[pair] for pair in found]
    assert (best.n_tested, best.n_found, best.n_duplicates, best.n_pairs) == (
        whole.n_tested,
        whole.n_found,
        whole.n_duplicates,
        whole.n_pairs,
    )


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("alpha", [1e-3, 0.4, 1.0])
@pytest.mark.slow
def test_the_best_of_many_are_those_of_all(rng, by, alpha):
    """With far more pairs than are wanted, so that most are left out unseen."""
    values = rng.normal(size=(300, 40)) + rng.normal(size=(300, 1)) * np.linspace(0, 0.5, 40)
    options = {"measure": "r2", "null": "moments", "by": by, "alpha": alpha, "block_size": 200}
    known, found = (figures_of(ranked(values, top=top, **options)) for top in (None, 5))

    assert len(found) == 5
    assert all(row["rank"] <= 5 and row == known[pair] for pair, row in found.items())


def test_few_rows_are_measured_to_the_end(rng, monkeypatch):
    """Quantiles are found for pairs that can still make the top, and for few others."""
    n_found, quantile = [], own("quantile_of_nulls")
    put(monkeypatch, quantile_of_nulls=lambda laws, p: n_found.append(len(laws.mean)) or quantile(laws, p))
    ranked(rng.normal(size=(300, 200)), measure="r2", null="moments", top=5, block_size=2_000)

    assert sum(n_found) < 19_900 / 5


def sinks_of(plan, folder):
    folder.mkdir()
    parts = parts_of(folder / "pairs.csv", plan)
    return {
        "memory": collector_of(plan),
        "disk": collector_of(plan, top=12, parts=parts),
        "best": collector_of(plan, top=12),
    }


def shaken(rows, index):
    """Return the same rows, some of which look like the best of all, or like nothing."""
    figures = {name: rows.arrays()[name].copy() for name in ("p_value", "standardized", "adjusted_at")}
    figures["p_value"][index] = np.where(index % 2, 1e-300, 1.0)
    figures["adjusted_at"][index] = figures["standardized"][index] = np.where(index % 2, 1e9, -1e9)
    return replace(rows, **figures)


@pytest.mark.parametrize("by", ["adjusted_at", "p_value"])
@pytest.mark.parametrize("where", ["memory", pytest.param("disk", marks=pytest.mark.slow), "best"])
def test_rows_that_were_replaced_count_as_if_they_had_been_first(table, tmp_path, rng, by, where):
    plan = plan_of(table, by=by, null="moments", block_size=30)
    blocks = [measured(plan, number) for number in range(len(plan.tiles))]
    expected = sinks_of(plan, tmp_path / "expected")[where]
    sink = sinks_of(plan, tmp_path / "found")[where]
    open_rows = []
    for number in rng.permutation(len(blocks)):
        block, is_open = blocks[number], rng.random(len(blocks[number])) < 0.4
        index = np.flatnonzero(is_open)
        expected.add(number, block)
        opened = replace(shaken(block.rows, index), matched_p=np.where(is_open, 1e-9, np.nan))
        sink.add(number, replace(block, rows=opened))
        open_rows.append((plan.numbers(number)[index], block.rows.pick(index)))
    for numbers, rows in open_rows:
        sink.update(numbers, shaken(rows, np.arange(len(rows))))
        backwards = np.arange(len(rows))[::-1]
        sink.update(numbers[backwards], rows.pick(backwards))

    np.testing.assert_array_equal(sink.p_values, expected.p_values)
    found, wanted = sink.finish(), expected.finish()
    for name in ("place", "q_value", "n_tested", "n_found", "n_duplicates"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    for name in wanted.rows.arrays():
        if name not in ("measure", "engine", "note"):
            np.testing.assert_array_equal(getattr(found.rows, name), getattr(wanted.rows, name), err_msg=name)
    for name in ("measure", "engine", "note"):
        assert found.rows.text(name).tolist() == wanted.rows.text(name).tolist()


def test_the_p_values_of_all_pairs_are_at_hand_between_rounds(table):
    plan = plan_of(table, null="moments", block_size=30)
    sink = collector_of(plan, top=1)
    for number in range(len(plan.tiles)):
        sink.add(number, measured(plan, number, sink.cut))
    rows = ranked(table, null="moments", block_size=30)._rows
    is_test = ~((rows.null_std == 0) & (rows.p_value == 1))

    np.testing.assert_array_equal(sink.p_values, np.where(is_test, rows.p_value, np.nan))


def test_a_row_keeps_its_texts_where_others_replace_it(table):
    plan = plan_of(table, null="moments", block_size=1000)
    rows = measured(plan, 0).rows
    index = np.array([3, 1])
    mended = rows.replaced(index, rows.pick(np.array([7, 9])))

    for field in fields(rows):
        if field.name in ("measure", "engine", "note"):
            of_mended, of_rows = mended.text(field.name), rows.text(field.name)
            assert of_mended[[3, 1, 0]].tolist() == of_rows[[7, 9, 0]].tolist()


def test_a_function_that_always_fails_loses_no_block_without_it(rng):
    def broken(x, y):
        raise ValueError("always")

    data = {"a": rng.normal(size=50), "b": rng.normal(size=50), "c": list("uv") * 25}
    measures = {"numeric": "r2", "mixed": broken}
    for top in (1, None):
        best = ranked(data, measure=measures, top=top, block_size=1).top(1).to_pylist()[0]
        assert (best["x"], best["y"]) == ("a", "b")
