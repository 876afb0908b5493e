"""Statistics of pairs and their draws: one by one, many pairs in one call, and stopped on the way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import bychance as bc
from bychance import _native
from bychance.kinds import PairKind, Role
from bychance.measures import registry
from tests.interrupting import interrupted, once_at_work

BUILT_IN = [registry.resolve(known.name) for known in bc.list_measures()]


def columns(measure, rng, n=40):
    numbers = rng.standard_cauchy(n), np.round(rng.normal(size=n))
    labels = tuple(rng.integers(k, size=n).astype(np.int32) for k in (3, 4))
    if measure.kinds is PairKind.NUMERIC:
        return numbers
    return (labels[0], numbers[0]) if measure.kinds is PairKind.MIXED else labels


@pytest.fixture(params=BUILT_IN, ids=lambda measure: measure.name)
def pair(request, rng):
    measure = request.param
    x, y = columns(measure, rng)
    return measure, x, y


def prepared(measure, x, y):
    return measure.prepare(x, Role.X), measure.prepare(y, Role.Y)


def test_draws_are_estimates_of_the_pairs_that_the_rows_say(pair):
    measure, x, y = pair
    a, b = prepared(measure, x, y)
    permutations = _native.Permutations.free((3, 4), len(x))
    expected = [measure.estimate(a, prepared(measure, x, y[row])[1]) for row in permutations.rows(5, 20)]

    np.testing.assert_allclose(measure.statistic(a, b).draw(permutations, 5, 20), expected, atol=1e-12)
    assert measure.statistic(a, b).value() == pytest.approx(measure.estimate(a, b), abs=1e-12)


def test_a_block_is_its_statistics_one_by_one(rng):
    statistics = [m.statistic(*prepared(m, *columns(m, rng, n=k + 20))) for k, m in enumerate(BUILT_IN)]
    permutations = [_native.Permutations.free((9, k), s.n) for k, s in enumerate(statistics)]
    block = _native.draw_block(statistics, permutations, 7, 30)

    assert block.shape == (len(BUILT_IN), 30)
    for row, statistic, own in zip(block, statistics, permutations, strict=True):
        assert row.tolist() == statistic.draw(own, 7, 30).tolist()


def test_listed_permutations_are_drawn_as_they_are(rng):
    x, y = rng.normal(size=(2, 12))
    statistic = _native.Statistic.lines(x, y, _native.Finish())
    rows = np.array([rng.permutation(12) for _ in range(9)], dtype=np.int32)
    listed = _native.Permutations.listed(rows)

    np.testing.assert_allclose(statistic.draw(listed, 2, 5), y[rows[2:7]] @ x)
    assert listed.rows(2, 5).tolist() == rows[2:7].tolist()


def test_a_statistic_keeps_what_it_is_made_of(rng):
    """Its arrays were temporaries."""
    x, y = rng.normal(size=(2, 1000))
    statistic = _native.Statistic.lines(x + 0, y + 0, _native.Finish(squared=True))
    others = [rng.normal(size=1000) for _ in range(50)]

    assert statistic.value() == pytest.approx((x @ y) ** 2)
    assert len(others) == 50


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        ({"squared": True, "scale": 0.5, "offset": 1.0}, 19.0),
        ({"divisor": 4.0}, -1.5),
        ({"low": -2.0}, -2.0),
        ({"high": -7.0}, -7.0),
        ({"squared": True, "high": 32.0, "root_factor": 0.5}, 4.0),
    ],
)
def test_a_sum_is_finished_by_square_scale_offset_clip_and_root(finish, expected):
    statistic = _native.Statistic.lines(np.array([1.0, 2.0]), np.array([2.0, -4.0]), _native.Finish(**finish))

    assert statistic.value() == expected


class Halved(bc.MIC):
    def resample(self, x, y, permutations, first, count):
        return super().resample(x, y, permutations, first, count) / 2


def test_a_class_that_resamples_by_itself_has_no_statistic(rng):
    x, y = prepared(Halved(), *rng.normal(size=(2, 20)))

    assert Halved().statistic(x, y) is None
    assert bc.MIC().statistic(x, y) is not None


def test_an_interrupt_ends_a_block_that_takes_long(rng):
    statistic = _native.Statistic.lines(*rng.normal(size=(2, 1000)), _native.Finish())
    permutations = _native.Permutations.free((1, 2), 1000)
    with interrupted() as used, pytest.raises(KeyboardInterrupt):
        _native.draw_block([statistic] * 20, [permutations] * 20, 0, 200_000)

    assert used() < 2


def test_another_thread_ends_a_draw_by_its_stop(rng):
    statistic = _native.Statistic.lines(*rng.normal(size=(2, 1000)), _native.Finish())
    stop = _native.Stop()
    once_at_work(stop.set)
    with pytest.raises(RuntimeError, match="another thread"):
        statistic.draw(_native.Permutations.free((1, 2), 1000), 0, 4_000_000, stop)


def shuffled_by_words(key, number, n):
    """Draw `number` of a key as Fisher and Yates would make it of NumPy's words."""
    words = np.random.Philox(key=np.array(key, dtype=np.uint64), counter=((number << 64) - 1) % 2**256)
    order, left = list(range(n)), n
    while left > 1:
        sizes = ((2**14, 3), (2**11, 4), (2**9, 5), (2**7, 6), (8, 8))
        count = next((count for end, count in sizes if left > end), left - 1)
        product = math.prod(range(left - count + 1, left + 1))
        word = int(words.random_raw())
        while word * product % 2**64 < 2**64 % product:
            word = int(words.random_raw())
        for place in range(left - 1, left - 1 - count, -1):
            other, word = divmod(word * (place + 1), 2**64)
            order[place], order[other] = order[other], order[place]
        left -= count
    return order


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 10, 128, 129, 513, 2_049, 17_000])
def test_draws_are_fisher_yates_shuffles_of_philox_words(n):
    rows = _native.Permutations.free((5, 2**63 + 9), n).rows(41, 3)

    assert rows.tolist() == [shuffled_by_words((5, 2**63 + 9), 41 + k, n) for k in range(3)]


def test_more_rows_than_32_bits_number_are_an_error():
    assert _native.Permutations.free((1, 2), 2**31 - 1).n == 2**31 - 1
    with pytest.raises(ValueError, match="below 2"):
        _native.Permutations.free((1, 2), 2**31)


def test_all_orders_of_four_are_equally_likely():
    rows = _native.Permutations.free((1, 2), 4).rows(0, 48_000)
    counts = np.unique(rows, axis=0, return_counts=True)[1]

    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("n", [1, 2, 3, 40, 131, 600])
def test_lines_are_drawn_with_the_numbered_permutations(n, rng):
    """Bit by bit those of the same permutations listed one by one."""
    x, y = rng.standard_normal((2, n))
    lines = _native.Statistic.lines(x, y, _native.Finish(squared=True))
    free = _native.Permutations.free((3, 4), n)
    listed = _native.Permutations.listed(free.rows(7, 50))

    assert lines.draw(free, 7, 50).tolist() == lines.draw(listed, 0, 50).tolist()
