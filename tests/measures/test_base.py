"""Classes of the user's own on top of a measure: what they change is what is sampled."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.columns import Memory
from bychance.kinds import Role
from bychance.measures import registry
from bychance.measures.base import is_built_in
from bychance.pair import prepare_pair
from bychance.read_column import read_column
from tests.engine.nulls import default_store
from tests.engine.ranking import ranked
from tests.engine.settings import put

R2 = type(registry.resolve("r2"))


class Halved(bc.MIC):
    """Half of MIC, stated by overriding what computes it and nothing else."""

    def estimate(self, x, y):
        return super().estimate(x, y) / 2

    def resample(self, x, y, permutations, first, count):
        return super().resample(x, y, permutations, first, count) / 2


class HalvedAndShared(Halved):
    def structures(self, x, y):
        return bc.MIC.structures(self, x, y)


class HalvedR2(R2):
    def estimate(self, x, y):
        return super().estimate(x, y) / 2

    def resample(self, x, y, permutations, first, count):
        return super().resample(x, y, permutations, first, count) / 2


class Doubling:
    def resample(self, x, y, permutations, first, count):
        return 2 * super().resample(x, y, permutations, first, count)


class Doubled(Doubling, bc.MIC):
    pass


@pytest.fixture
def pair(rng):
    return rng.normal(size=(2, 40))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BYCHANCE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("is_built_in_first", [True, False])
@pytest.mark.parametrize("mine", [Halved, HalvedAndShared])
def test_a_subclass_and_its_measure_do_not_share_a_null(pair, cache, mine, is_built_in_first):
    """In whatever order they come, and in the next process: half of the statistic has half of the null."""
    asked = [bc.MIC(), mine()][:: 1 if is_built_in_first else -1]
    means = {
        type(measure): bc.adjust(measure, *pair, null=bc.Permutation(199)).null.mean for measure in asked
    }

    assert means[mine] == pytest.approx(means[bc.MIC] / 2, rel=0.1)
    assert default_store().sizes() == [199 * 8 + 32]


def test_a_mixin_that_overrides_is_noticed(pair, cache):
    mean = bc.adjust("mic", *pair, null=bc.Permutation(199)).null.mean

    assert bc.adjust(Doubled(), *pair, null=bc.Permutation(199)).null.mean == pytest.approx(2 * mean, rel=0.1)


def test_a_class_defined_again_computes_its_null_anew(pair, cache):
    """In a notebook a cell is changed and run again."""

    def define(factor):
        class Mine(bc.MIC):
            def resample(self, x, y, permutations, first, count):
                return factor * super().resample(x, y, permutations, first, count)

            def structures(self, x, y):
                return super().structures(x, y)

        return Mine()

    means = [bc.adjust(define(factor), *pair, null=bc.Permutation(99)).null.mean for factor in (1, 3)]
    assert means[1] == pytest.approx(3 * means[0])


def test_a_subclass_that_states_ranks_alone_samples_them_once(rng):
    calls = []

    class Counted(HalvedAndShared):
        def resample(self, x, y, permutations, first, count):
            calls.append(count)
            return super().resample(x, y, permutations, first, count)

        def structures(self, x, y):
            return super().structures(x, y)

    bc.rank({name: rng.normal(size=30) for name in "abcd"}, measure=Counted(), null=bc.Permutation(99))
    assert sum(calls) == 99


@pytest.mark.parametrize("null", ["auto", "moments"])
def test_closed_forms_are_not_inherited_by_what_computes_otherwise(pair, null):
    if null == "moments":
        with pytest.raises(bc.BychanceError):
            bc.adjust(HalvedR2(), *pair, null=null)
        return
    mine, theirs = (bc.adjust(measure, *pair, null=null) for measure in (HalvedR2(), "r2"))
    assert mine.null.engine == "permutation"
    assert mine.null.mean == pytest.approx(theirs.null.mean / 2, rel=0.1)


def test_a_ranking_measures_by_the_subclass(rng):
    columns = {name: rng.normal(size=40) for name in "abc"}
    mine, theirs = (
        {(row["x"], row["y"]): row["observed"] for row in bc.rank(columns, measure=measure).best()}
        for measure in (HalvedR2(), "r2")
    )

    assert mine.keys() == theirs.keys()
    np.testing.assert_allclose([mine[k] for k in theirs], [v / 2 for v in theirs.values()])


def test_a_subclass_that_computes_the_same_keeps_what_is_known_of_it(pair):
    class Renamed(R2):
        name = "renamed"

    assert not is_built_in(Renamed)
    assert is_built_in(bc.MIC)
    assert bc.adjust(Renamed(), *pair, null="moments").null.mean == pytest.approx(
        bc.adjust("r2", *pair, null="moments").null.mean
    )


class Lagged(type(registry.resolve("kendall"))):
    """τ² of x with the next row of y: its two sides are prepared differently."""

    def prepare(self, values, role):
        return super().prepare(np.roll(values, -1) if role is Role.Y else values, role)


def test_a_subclass_that_prepares_by_the_role_is_ranked_as_it_is_adjusted(rng):
    table = dict(zip("abc", rng.normal(size=(3, 40)), strict=True))
    rows = ranked(table, measure=Lagged(), null=bc.Permutation(99), block_size=1).to_frame().to_pylist()

    assert len(rows) == 3
    for row in rows:
        assert row["observed"] == bc.measure(Lagged(), table[row["x"]], table[row["y"]])


@pytest.mark.parametrize("name", ["dcor", "hsic", "kendall", "xi", "mic", "mic_e", "tic_e"])
def test_a_measure_that_says_so_prepares_both_sides_alike(name, rng):
    measure, (x, y) = registry.resolve(name), rng.normal(size=(2, 40)).round(1)
    assert measure.is_same_on_both_sides
    sides = [[measure.prepare(x, first), measure.prepare(y, second)] for first in Role for second in Role]

    assert len({measure.estimate(*pair) for pair in sides}) == 1


def test_what_takes_much_memory_makes_room_early(rng, monkeypatch):
    """A matrix per column: with room for three, the first is made again after three others."""
    made, measure = [], registry.resolve("hsic")
    prepare = type(measure).prepare
    monkeypatch.setattr(type(measure), "prepare", lambda *a: made.append(len(a[1])) or prepare(*a))
    put(monkeypatch, room_of_memory=3 * measure.n_bytes(50))
    columns = [
        read_column(values, name) for name, values in zip("abcd", rng.normal(size=(4, 50)), strict=True)
    ]
    memory, rows = Memory(), np.arange(50) < 40
    for first, second in ("ab", "cd", "da"):
        prepare_pair(measure, *(columns["abcd".index(name)] for name in (first, second)), memory, rows=rows)

    assert len(made) == 5
