"""The fuzz itself: it finds what is wrong, and an interrupted run ends like an uninterrupted one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import bychance as bc
from tests.engine.settings import put
from tests.fuzz import few_atoms, run, small, streams, two_arrays, within
from tests.fuzz.compare import Asked, differences
from tests.fuzz.permutations import answer
from tests.fuzz.stream_doors import OF_PARTS, OF_ROWS
from tests.fuzz.variable import Variable


@pytest.fixture
def short_units(monkeypatch):
    monkeypatch.setattr(run, "CASES", {small: 2})


SETTINGS = run.Settings(seed=5, calls=250, tables=0)


def test_an_interrupted_run_goes_on_with_the_next_case(short_units, tmp_path):
    whole = run.run(SETTINGS, jobs=1, path=None, report=lambda state: None)
    path = tmp_path / "state.json"

    def interrupt(state):
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run.run(SETTINGS, jobs=1, path=path, report=interrupt)
    units = []
    resumed = run.run(SETTINGS, jobs=1, path=path, report=lambda state: units.append(state.units))

    assert units[0] == 3
    assert (resumed.calls, resumed.tried) == (whole.calls, whole.tried)


def test_a_finished_run_or_one_of_another_seed_starts_anew(short_units, tmp_path):
    path, units = tmp_path / "state.json", []
    run.run(SETTINGS, jobs=1, path=path, report=lambda state: None)
    for settings in (SETTINGS, run.Settings(seed=6, calls=1, tables=0)):
        run.run(settings, jobs=1, path=path, report=lambda state: units.append(state.units))

    assert units.count(1) == 2


@pytest.mark.parametrize("null", ["exact", bc.Permutation(999)])
def test_an_observed_atom_that_is_dropped_is_found(null, monkeypatch):
    x, y = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    expected = answer("gini", *(Variable.of(v, is_numeric=False) for v in (x, y)))
    asked = Asked("gini", "exact" if null == "exact" else "permutation", is_binary=True)
    right = bc.adjust("gini", x, y, null=null)
    assert differences(right, expected, asked) == []
    wrong = right.null.sf(right.observed + 1e-6)
    monkeypatch.setattr(type(right), "p_value", wrong)

    assert any(line.startswith("p ") for line in differences(right, expected, asked))


def test_a_callable_of_tables_is_compared_too():
    outcome = small.run_case(14, 0)

    assert {measure for _, _, measure, _ in outcome.tried} >= {"together", "explained"}


def test_integers_that_wrap_in_a_stream_are_found(monkeypatch):
    put(
        monkeypatch,
        counted_from=lambda values, origin: (values.astype(np.uint64) - np.uint64(origin % 2**64)).view(
            np.int64
        ),
    )

    assert any(streams.run_case(9, index).differences for index in range(20))


def test_every_door_of_a_stream_is_tried():
    doors = {streams.draw_case(np.random.default_rng(k)).door for k in range(200)}

    assert doors == {*OF_PARTS, *OF_ROWS}


def test_permutations_across_strata_are_found(monkeypatch):
    monkeypatch.setattr(within, "_orders", lambda strata: np.array(list(permutations(range(len(strata))))))

    assert any(within.run_case(9, index).differences for index in range(5))


def test_pairs_of_two_arrays_without_the_p_values_of_a_table_are_found(monkeypatch):
    rank = two_arrays.ranked_arrays
    monkeypatch.setattr(
        two_arrays, "ranked_arrays", lambda *arrays, **how: rank(*arrays, **how | {"null": "moments"})
    )

    assert any(two_arrays.run_case(9, index).differences for index in range(20))


def test_every_kind_of_call_is_part_of_every_unit():
    outcome = run.Unit(14, 0).run()

    assert {part for part, *_ in outcome.tried} == {part.PART for part in run.CASES}


def test_every_family_of_tables_is_drawn():
    families = {few_atoms.draw_case(np.random.default_rng(k)).family for k in range(60)}

    assert families == {"rare flag", "balanced", "rare twice", "3 × 3", "r × 2"}
