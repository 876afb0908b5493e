"""Standard errors in closed form: those of a jackknife that leaves out each row by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.influence import has_closed_error, share_estimate
from bychance.measures import registry
from bychance.pair import prepare_pair
from bychance.read_column import read_column

N = 40
CLOSED = [
    ("r2", "nn"), ("explained", "nn"), ("eta2", "ln"), ("explained", "ln"), ("eta2", "nl"),
    ("explained", "nl"), ("gini", "ll"), ("goodman_kruskal", "ll"), ("mi", "ll"), ("phi2", "ll"),
    ("explained", "ll"),
]  # fmt: skip


def make_pair(kinds, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.exponential(size=N)
    y = x + rng.normal(size=N)
    cut = [np.digitize(values, [0.3, 0.9, 2.5]).astype(np.int32) for values in (x, y)]
    cut[1][:2] = 4  # labels that few rows have, and one that has a single row
    cut[0][0] = 4
    return [values if kind == "n" else np.unique(codes, return_inverse=True)[1].astype(np.int32)
            for values, codes, kind in zip((x, y), cut, kinds, strict=True)]  # fmt: skip


def share(measure, x, y):
    """Compute the measure over its maximum, by the library's own estimate."""
    columns = [read_column([f"k{c}" for c in v] if v.dtype == np.int32 else v, "v") for v in (x, y)]
    pair = prepare_pair(measure, *columns)
    return pair.observed / measure.bound(pair.x, pair.y)


def jackknife(measure, x, y):
    """Compute the standard error of the share from leaving out each row, on the scale atanh √R.

    Of mutual information, which is steep there, cells without rows count too, by one more row. Numbers are
    compared on that scale itself. φ² is a share of its maximum for as many labels.
    """
    without = np.array([share(measure, np.delete(x, k), np.delete(y, k)) for k in range(N)])
    if measure.name == "phi2":
        without *= [min(len(set(np.delete(x, k))), len(set(np.delete(y, k)))) - 1 for k in range(N)]
        without /= min(len(set(x)), len(set(y))) - 1
    if x.dtype == y.dtype == np.float64 and measure.name != "spearman":
        return np.sqrt((N - 1) * np.var(np.arctanh(np.sqrt(without))))
    whole = share(measure, x, y)
    weights = np.ones(N)
    if measure.name == "mi":
        unseen = parts_of_rows(x, y)
        more = [share(measure, np.append(x, i), np.append(y, j)) for i, j in unseen]
        without = np.append(without, 2 * whole - np.array(more))
        weights = np.append(weights, list(unseen.values()))
    n, mean = weights.sum(), np.average(without, weights=weights)
    variance = np.average((without - mean) ** 2, weights=weights)
    return np.sqrt((n - 1) * variance / (4 * whole * (1 - whole) ** 2))


def parts_of_rows(x, y):
    """Share an eighth of a row among a category's empty cells, and take the smaller of both shares."""
    table = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(table, (x, y), 1)
    rows, columns, is_empty = table.sum(axis=1), table.sum(axis=0), table == 0
    return {
        (np.int32(i), np.int32(j)): min(
            columns[j] / columns[is_empty[i]].sum(), rows[i] / rows[is_empty[:, j]].sum()
        )
        / 8
        for i, j in np.argwhere(is_empty)
    }


@pytest.mark.parametrize(("name", "kinds"), CLOSED)
def test_errors_are_those_of_leaving_out_each_row(name, kinds):
    measure, (x, y) = registry.resolve(name), make_pair(kinds)
    spread = share_estimate(measure, x, y)

    assert spread.share == pytest.approx(share(measure, x, y))
    assert spread.error.size == pytest.approx(jackknife(measure, x, y))


@pytest.mark.parametrize("decimals", [9, 0])
def test_ranks_have_nearly_the_error_of_leaving_out_each_row(decimals):
    x, y = (values.round(decimals) for values in make_pair("nn"))
    measure = registry.resolve("spearman")

    assert share_estimate(measure, x, y).error.size == pytest.approx(jackknife(measure, x, y), rel=0.1)


def test_correlations_of_normal_columns_have_fishers_error():
    x, noise = np.random.default_rng(0).normal(size=(2, 20_000))

    assert share_estimate(registry.resolve("r2"), x, x + noise).error.size == pytest.approx(
        1 / np.sqrt(20_000), rel=0.05
    )


def test_perfect_and_absent_relations_have_an_error_all_the_same():
    codes = np.repeat([0, 1], 10).astype(np.int32)
    alternating = np.tile([0, 1], 10).astype(np.int32)

    assert share_estimate(registry.resolve("mi"), codes, codes).error.size == pytest.approx(1 / np.sqrt(20))
    assert share_estimate(registry.resolve("phi2"), codes, alternating).error.size == pytest.approx(
        1 / np.sqrt(20)
    )


@pytest.mark.parametrize("name", ["goodman_kruskal", "phi2", "mi"])
def test_columns_of_many_categories_need_no_whole_table(name):
    """Its 20 billion cells would not fit in memory."""
    codes = np.repeat(np.arange(200_000, dtype=np.int32), 2)
    spread = share_estimate(registry.resolve(name), codes, codes // 2)

    assert spread.share == pytest.approx(1)
    assert np.isfinite(spread.error.size)


@pytest.mark.parametrize("name", ["xi", "kendall", "dcor", "mic", "rand", "agreement"])
def test_other_measures_have_no_closed_form(name):
    assert not has_closed_error(registry.resolve(name), np.arange(5.0), np.arange(5.0))
    with pytest.raises(TypeError, match=name):
        share_estimate(registry.resolve(name), np.arange(5.0), np.arange(5.0))
