"""Joint permutations of a target: their p-values, the level of their bounds, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError
from tests.engine.guarantee import N_PERMUTATIONS, JointTests, joint_tests, p_values_of_tests


def correlated(rng, n_columns, n_related, n=100, effect=0.6):
    """Draw columns that share half of their variation, of which some follow y."""
    y, shared = rng.normal(size=n), rng.normal(size=n)
    columns = {f"x{k}": shared + rng.normal(size=n) for k in range(n_columns)}
    for k in range(n_related):
        columns[f"x{k}"] = columns[f"x{k}"] + effect * y
    return columns | {"y": y}


def mixed(rng, n=120):
    table = {f"x{k}": rng.normal(size=n) for k in range(4)}
    table |= {f"g{k}": rng.choice(list("abc"), size=n).astype(object) for k in range(4)}
    table["x1"][:20], table["g1"][50:60] = np.nan, None
    return table | {"y": np.where(rng.random(n) < 0.1, np.nan, table["x0"] + rng.normal(size=n))}


@pytest.mark.parametrize("target", ["y", "g0"])
def test_the_first_p_values_are_those_of_the_ranking(target):
    ranking = bc.rank(mixed(np.random.default_rng(0)), target=target, null="moments")
    found = joint_tests(ranking._plan).p_values[ranking._rows.x]

    assert found.shape == (8, N_PERMUTATIONS + 1)
    assert found[:, 0] == pytest.approx(p_values_of_tests(ranking._rows), rel=1e-9)
    assert np.abs((found[:, 1:] <= 0.05).mean(axis=1) - 0.05).max() < 0.03


def test_a_permutation_is_the_same_for_all_columns():
    rng = np.random.default_rng(1)
    x = rng.normal(size=90)
    table = {"x": x, "twice": 2 * x + 1, "y": rng.normal(size=90)}
    p = joint_tests(bc.rank(table, target="y", null="moments")._plan).p_values

    assert p[0] == pytest.approx(p[1], rel=1e-6)
    assert len(np.unique(p[0])) > N_PERMUTATIONS / 2


def test_groups_restrict_the_permutations():
    groups = np.repeat([0, 1, 2], 30)
    rng = np.random.default_rng(2)
    table = {"x": groups + 0.1 * rng.normal(size=90), "y": groups + 0.1 * rng.normal(size=90)}
    null = bc.Permutation(99, groups=groups)
    p = joint_tests(bc.rank(table, target="y", null=null)._plan).p_values

    assert p[0].max() < 1e-10


def test_the_threshold_is_the_quantile_of_the_least_share():
    rng = np.random.default_rng(0)
    p = rng.random((5, N_PERMUTATIONS + 1))
    p[:, 0] = [0.4, 0.9, 0.8, 0.7, 0.6]
    least = np.sort((np.sort(p, axis=0) / np.arange(1, 6)[:, None]).min(axis=0))
    threshold = JointTests(p).threshold(0.05)

    assert threshold.alpha == pytest.approx(least[50])
    assert (least < threshold.alpha).sum() == 50
    assert threshold.discoveries(p[:, 0]) == 0


def test_columns_surely_related_no_longer_count_for_the_quantile():
    p = np.random.default_rng(0).random((5, N_PERMUTATIONS + 1))
    p[:, 0] = [0.9, 0.8, 0.7, 1e-9, np.nan]
    rest = JointTests(p[:3]).threshold(0.05)

    assert JointTests(p).threshold(0.05) == rest
    assert rest.discoveries(p[:, 0]) == 1


def test_bounds_on_correlated_columns_are_larger_and_hold():
    rng = np.random.default_rng(5)
    joint, simes = [], []
    for _ in range(12):
        ranking = bc.rank(correlated(rng, 40, 20), target="y", null="moments")
        joint.append(ranking.at_least_true(method="joint").at_least)
        simes.append(ranking.at_least_true().at_least)

    assert np.mean(joint) > np.mean(simes) > 5
    assert max(joint) <= 20


def test_the_same_seed_gives_the_same_bound():
    table = correlated(np.random.default_rng(7), 30, 10)
    first, second = (bc.rank(table, target="y", null="moments", rng=3) for _ in range(2))

    assert joint_tests(first._plan).p_values.tobytes() == joint_tests(second._plan).p_values.tobytes()


def test_what_cannot_be_permuted_is_refused():
    table = mixed(np.random.default_rng(0))
    numbers = {name: np.nan_to_num(table[name]) for name in ("x0", "x2", "y")}
    streamed = bc.rank(numbers, target="y", stream=bc.Streaming(50))
    refused = {
        "was streamed": streamed,
        "without its data": bc.rank(numbers, target="y").without_data(),
        "leave out `given`": bc.rank(table, target="y", given="x2", null="moments"),
        "xi has none": bc.rank(numbers, target="y", measure="xi"),
    }
    for says, ranking in refused.items():
        with pytest.raises(BychanceError, match=says):
            ranking.at_least_true(method="joint")
    with pytest.raises(BychanceError, match=r"`level` must be at most 0\.999"):
        bc.rank(numbers, target="y").at_least_true(level=0.9999, method="joint")
