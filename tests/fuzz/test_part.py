"""The seeded part of `make fuzz` that `make test` runs, a minute of it."""

from __future__ import annotations

import pytest

from tests.fuzz import few_atoms, rare_flags, small, streams, two_arrays, within
from tests.fuzz.outcome import Outcome

SEED = 14
SMALL_CASES, TABLE_CASES, STREAM_CASES, GIVEN_CASES, ARRAY_CASES = 50, 20, 60, 40, 120

pytestmark = pytest.mark.fuzz


def in_short(outcome: Outcome) -> str:
    return f"{len(outcome.differences)} of {outcome.calls} differ\n\n" + "\n\n".join(outcome.differences[:5])


@pytest.mark.parametrize("block", range(6))
def test_small_samples_have_the_law_of_all_their_permutations(block):
    outcome = Outcome()
    for index in range(block * SMALL_CASES, (block + 1) * SMALL_CASES):
        outcome.add(small.run_case(SEED, index))

    assert outcome.calls > 1_000
    assert not outcome.differences, in_short(outcome)


@pytest.mark.parametrize("block", range(4))
def test_large_tables_with_few_atoms_have_their_exact_law(block):
    outcome = Outcome()
    for index in range(block * TABLE_CASES, (block + 1) * TABLE_CASES):
        outcome.add(few_atoms.run_case(SEED, index))

    assert outcome.calls > 500
    assert not outcome.differences, in_short(outcome)


def test_streams_give_the_figures_of_memory_whatever_the_door():
    outcome = Outcome()
    for index in range(STREAM_CASES):
        outcome.add(streams.run_case(SEED, index))

    assert outcome.calls == STREAM_CASES
    assert not outcome.differences, in_short(outcome)


def test_pairs_beyond_strata_have_the_law_of_all_permutations_within_them():
    outcome = Outcome()
    for index in range(GIVEN_CASES):
        outcome.add(within.run_case(SEED, index))

    assert outcome.calls > 1_000
    assert not outcome.differences, in_short(outcome)


def test_two_arrays_give_the_figures_of_one_table():
    outcome = Outcome()
    for index in range(ARRAY_CASES):
        outcome.add(two_arrays.run_case(SEED, index))

    assert outcome.calls == ARRAY_CASES
    assert not outcome.differences, in_short(outcome)


@pytest.mark.parametrize("n", rare_flags.ROWS)
def test_rare_flags_are_no_discoveries(n):
    outcome = rare_flags.run_case(SEED, 0, n)

    assert outcome.calls > 450
    assert not outcome.differences, in_short(outcome)
