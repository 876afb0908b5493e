"""Nulls of r², of a number and categories, and of distances: the CPU's draws bit by bit."""

import numpy as np
import pytest

import bychance as bc
from bychance import _native
from bychance.gpu import traces
from bychance.kinds import Role
from bychance.measures import registry
from tests.engine.settings import put
from tests.gpu.emulator.stand_in import on_emulator


def some_lines():
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=31) for _ in range(4)]
    is_missing = [np.zeros(31, dtype=bool) for _ in range(4)]
    is_missing[1][:7] = True
    made, _ = _native.line_statistics(columns, is_missing, np.array([0, 1, 2]), np.array([1, 2, 3]), False)
    return made


def statistic(name, x, y):
    measure = registry.resolve(name)
    return measure.statistic(measure.prepare(x, Role.X), measure.prepare(y, Role.Y))


def some_groups():
    """Draw numbers against categories and the other way round, with two sizes of rows and groups."""
    rng = np.random.default_rng(4)
    made = []
    for n, n_groups in ((31, 3), (24, 7)):
        codes = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n - n_groups)]).astype(
            np.int32
        )
        numbers = rng.normal(size=n)
        made += [statistic("explained", codes, numbers), statistic("explained", numbers, codes)]
    return made


def some_cells():
    """Draw few categories and many, of rows with few of the columns, by either weight of a cell."""
    rng = np.random.default_rng(6)
    made = []
    for n, shape in ((31, (3, 2)), (24, (8, 9))):
        x, y = (np.append(np.arange(k), rng.integers(0, k, n - k)).astype(np.int32) for k in shape)
        made += [statistic("explained", x, y), statistic("phi2", x, y), statistic("explained", y, x)]
    return made


def some_distances():
    """Draw values without ties, with ties, and with an outlier that drowns digits."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 31))
    far = np.append(y[1:], 1e9)
    pairs = [(x, y), (np.round(x), np.round(y[:31])), (x[:24], far[:24]), (x, far)]
    return [statistic("dcor", a, b) for a, b in pairs]


def keys_of(statistics):
    return [(5, 2**63 + k) for k in range(len(statistics))]


def drawn_on_cpu(statistics, first, count):
    named = zip(statistics, keys_of(statistics), strict=True)
    return _native.draw_block(
        statistics, [_native.Permutations.free(key, s.n) for s, key in named], first, count
    )


CASES = {"lines": some_lines, "groups": some_groups, "cells": some_cells, "distances": some_distances}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_draws_are_the_cpus_bit_by_bit(emulator, monkeypatch, name):
    statistics = CASES[name]()
    expected = drawn_on_cpu(statistics, 3, 40)

    assert {_native.kernel_of(each) for each in statistics} == {name}
    np.testing.assert_array_equal(
        on_emulator(emulator, traces.draw_traces, statistics, keys_of(statistics), 3, 40), expected
    )
    # Parts of a pair's draws.
    put(monkeypatch, most_gpu_draws=25, gpu_pairings_bytes=2 * 31 * 25, least_gpu_bytes=1, gpu_trees_bytes=1)
    np.testing.assert_array_equal(
        on_emulator(emulator, traces.draw_traces, statistics, keys_of(statistics), 3, 40), expected
    )


@pytest.mark.slow
def test_kinds_of_statistics_are_drawn_together(emulator):
    statistics = [*some_distances()[:1], *some_groups()[:2], *some_cells()[:2], *some_lines()[:1]]

    np.testing.assert_array_equal(
        on_emulator(emulator, traces.draw_traces, statistics, keys_of(statistics), 0, 33),
        drawn_on_cpu(statistics, 0, 33),
    )


@pytest.mark.slow
def test_many_rows_and_many_groups_need_not_fit_together(emulator, monkeypatch):
    statistics = [*some_groups(), *some_groups()]
    most = max(traces._shared_bytes(32, each.n, _native.scratch_bytes(each)) for each in statistics)
    monkeypatch.setattr(emulator, "shared_bytes", most)

    assert traces._shared_bytes(32, 31, 8 * 7) > most
    np.testing.assert_array_equal(
        on_emulator(emulator, traces.draw_traces, statistics, keys_of(statistics), 3, 33),
        drawn_on_cpu(statistics, 3, 33),
    )


@pytest.mark.slow
def test_rows_too_long_for_shared_memory_are_shuffled_where_they_lie(emulator, monkeypatch):
    statistics = some_distances()
    monkeypatch.setattr(emulator, "shared_bytes", 1_000)

    assert not on_emulator(emulator, traces.has_room, some_lines()[0])
    assert on_emulator(emulator, traces.has_room, statistics[0])
    np.testing.assert_array_equal(
        on_emulator(emulator, traces.draw_traces, statistics, keys_of(statistics), 3, 33),
        drawn_on_cpu(statistics, 3, 33),
    )


def make_table(n=31):
    rng = np.random.default_rng(3)
    table = {name: rng.normal(size=n) for name in "abcd"}
    table["a"][4] = np.nan
    return table


FEW = dict(null=bc.Permutation(19), alpha=0.1, fdr_level=0.9)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["r2", "spearman", "explained", "dcor"])
def test_rank_draws_numbers_on_a_gpu(emulated, measure):
    ranking = bc.rank(make_table(), device="cuda", measure=measure, **FEW)

    assert ranking.device == "cuda"
    assert ranking.to_frame().equals(bc.rank(make_table(), measure=measure, **FEW).to_frame())


@pytest.mark.slow
def test_rank_draws_numbers_against_categories_on_a_gpu(emulated):
    table = {
        **make_table(),
        "kind": np.array(list("uvw") * 10 + ["u"]),
        "other": np.array(list("pq" * 15 + "p")),
    }
    options = dict(measure="explained", target="kind", **FEW)
    before = emulated.n_launches
    ranking = bc.rank(table, device="cuda", **options)

    assert ranking.device == "cuda"
    assert emulated.n_launches > before
    assert ranking.to_frame().equals(bc.rank(table, **options).to_frame())


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["r2", "explained", "dcor"])
def test_adjust_draws_on_a_gpu(emulated, measure):
    x, y = np.random.default_rng(0).normal(size=(2, 24))
    x = x if measure != "explained" else np.array(list("abcd") * 6)
    expected = bc.adjust(measure, x, y, null=bc.Permutation(19))
    found = bc.adjust(measure, x, y, null=bc.Permutation(19), device="cuda")

    assert (found.device, expected.device) == ("cuda", "cpu")
    np.testing.assert_array_equal(found.null.draws, expected.null.draws)


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_a_real_gpu_draws_the_cpus_bits(a_real_gpu, name):
    statistics = CASES[name]()

    np.testing.assert_array_equal(
        traces.draw_traces(statistics, keys_of(statistics), 3, 5_000), drawn_on_cpu(statistics, 3, 5_000)
    )


@pytest.mark.gpu
@pytest.mark.parametrize("n", [3_000, 5_000])
def test_a_real_gpu_draws_distances_of_long_columns(a_real_gpu, n):
    x, y = np.round(np.random.default_rng(0).normal(size=(2, n)), 2)
    statistics = [statistic("dcor", x, y)]

    np.testing.assert_array_equal(
        traces.draw_traces(statistics, keys_of(statistics), 0, 100), drawn_on_cpu(statistics, 0, 100)
    )


@pytest.mark.gpu
@pytest.mark.parametrize("measure", ["explained", "dcor"])
@pytest.mark.parametrize("null", [bc.Permutation(1_999), "auto"], ids=["draws", "auto"])
def test_a_real_gpu_gives_the_cpus_ranking(a_real_gpu, measure, null):
    rng = np.random.default_rng(0)
    table = {f"c{k}": np.round(rng.standard_t(1.5, size=90), 1) for k in range(10)}
    table["c1"][3] = np.nan
    table["kind"] = np.array(list("uvwwwwwwww") * 9)
    options = dict(measure=measure, null=null)
    ranking = bc.rank(table, device="cuda", **options)

    assert ranking.device == "cuda"
    assert ranking.to_frame().equals(bc.rank(table, **options).to_frame())
