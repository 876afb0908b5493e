"""Tails by splitting: against exact distributions and known tails, repeated bitwise, and without a tail."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest

import bychance as bc
from bychance import _native
from bychance.kinds import PairKind, Role
from bychance.measures import registry
from bychance.measures.registry import CallableMeasure
from bychance.pair import prepare_pair
from bychance.read_column import read_column
from studies.tails import Figures, points_of
from tests.engine.nulls import TailPair, split_block, split_tail, tail_of, tail_pair_at
from tests.interrupting import interrupted


def pair_of(measure, x, y, threshold, root=0, **settings):
    measure = registry.resolve(measure) if isinstance(measure, str) else measure
    a, b = measure.prepare(x, Role.X), measure.prepare(y, Role.Y)
    return tail_pair_at(measure, a, b, threshold, root, **settings)


def law_of(pair, pairings):
    rows = np.array(list(pairings), dtype=np.int32)
    return pair.measure.resample(pair.x, pair.y, _native.Permutations.listed(rows), 0, len(rows))


def check(pair, law):
    """Check log10 p within three standard errors, and exact properties, at the tail's powers of ten."""
    values = np.sort(law)
    for share in (0.3, 1e-2, 1e-3, 1 / len(values)):
        threshold = values[-max(round(share * len(values)), 1)] - 1e-9
        expected = math.log10(np.mean(values >= threshold))
        tail = split_tail(TailPair(pair.measure, pair.x, pair.y, threshold, pair.permutations))

        assert tail.is_reached
        assert abs(tail.log10_p - expected) < 3 * tail.se_log10 + 0.02, (share, expected, tail)


@pytest.mark.parametrize("measure", ["r2", "spearman"])
@pytest.mark.parametrize("y", [[0, 1, 2, 3, 5, 8, 13, 14], [1, 1, 1, 2, 2, 3, 4, 9]])
def test_lines_of_few_rows_have_the_tail_of_all_pairings(measure, y):
    """Both signs of the correlation, and down to the largest value of all."""
    x = np.array([0.0, 1, 3, 4, 6, 7, 9, 20])
    pair = pair_of(measure, x, np.array(y, dtype=float), 0.0)
    check(pair, law_of(pair, permutations(range(8))))


def test_a_binary_column_has_the_tail_of_all_subsets():
    """Ten of fifty rows are ones: every sum of ten values, by how many subsets have it."""
    rng = np.random.default_rng(5)
    y = np.round(10 * rng.lognormal(size=50)).astype(int)
    ways = np.zeros((11, y.sum() + 1))
    ways[0, 0] = 1
    for value in y:
        ways[1:, value:] += ways[:-1, : ways.shape[1] - value].copy()
    chance = ways[10] / ways[10].sum()
    x = np.repeat([1.0, 0.0], [10, 40])
    sums = np.arange(len(chance))
    r2 = ((sums - 10 * y.mean()) / (50 * y.std() * x.std())) ** 2
    for power in (-3, -5, -8):
        order = np.argsort(-r2)
        at = order[np.searchsorted(np.cumsum(chance[order]), 10.0**power)]
        expected = math.log10(chance[r2 >= r2[at] - 1e-12].sum())
        tail = split_tail(pair_of("r2", x, y.astype(float), r2[at] - 1e-12))

        assert abs(tail.log10_p - expected) < 3 * tail.se_log10


@pytest.mark.parametrize("measure", ["goodman_kruskal", "phi2", "cramers_v", "mi", "rand"])
def test_tables_have_the_tail_of_their_exact_law(measure):
    x, y = (np.repeat(np.arange(len(k), dtype=np.int32), k) for k in ([12, 7, 5], [10, 10, 4]))
    null = bc.adjust(measure, x.astype(str), np.roll(y, 7).astype(str), null="exact").null
    for observed in np.linspace(null.quantile(0.9), null.quantile(1.0), 4):
        tail = split_tail(pair_of(measure, x, y, observed - 1e-9))

        assert abs(tail.log10_p - math.log10(null.sf(observed))) < 4 * tail.se_log10 + 0.02


def columns(measure, rng, n):
    numbers = rng.lognormal(size=n), np.round(3 * rng.normal(size=n)) + 0.0
    labels = tuple(rng.integers(k, size=n).astype(np.int32) for k in (3, 4))
    if measure.kinds is PairKind.NUMERIC:
        return numbers
    return (numbers[0], labels[0]) if measure.kinds is PairKind.MIXED else labels


@pytest.mark.parametrize("name", [known.name for known in bc.list_measures()])
def test_every_measure_has_the_tail_of_its_draws(name, rng):
    """The sum of single swaps is the value of a draw."""
    measure = registry.resolve(name)
    x, y = columns(measure, rng, 30)
    pair = pair_of(measure, x, y, 0.0)
    draws = np.sort(measure.statistic(pair.x, pair.y).draw(_native.Permutations.free((7, 7), 30), 0, 20_000))
    threshold = draws[-100] - 1e-9
    tail = split_tail(pair_of(measure, x, y, threshold))

    assert abs(tail.log10_p - math.log10(np.mean(draws >= threshold))) < 4 * math.hypot(tail.se_log10, 0.043)


@pytest.mark.parametrize("name", ["explained", "eta2"])
@pytest.mark.parametrize("is_line_first", [True, False])
def test_groups_are_walked_on_either_side(name, is_line_first, rng):
    numbers, labels = rng.exponential(size=12), np.repeat(np.arange(3, dtype=np.int32), [2, 3, 7])
    x, y = (numbers, labels) if is_line_first else (labels, numbers)
    pair = pair_of(name, x, y, 0.0)
    draws = pair.measure.statistic(pair.x, pair.y).draw(_native.Permutations.free((7, 7), 12), 0, 100_000)
    threshold = np.sort(draws)[-100] - 1e-9
    tail = split_tail(pair_of(name, x, y, threshold))

    assert abs(tail.log10_p - math.log10(np.mean(draws >= threshold))) < 4 * math.hypot(tail.se_log10, 0.043)


def test_strata_trade_rows_among_themselves():
    x, y = np.array([1.0, 4, 2, 9, 5, 3, 7, 8, 1, 12]), np.array([2.0, 3, 8, 1, 9, 4, 4, 11, 6, 5])
    groups = np.array(list("abababbaba"))
    inside = [np.flatnonzero(groups == g) for g in "ab"]
    pairings = []
    for first, second in product(*(permutations(rows) for rows in inside)):
        pairing = np.empty(10, dtype=np.int32)
        pairing[inside[0]], pairing[inside[1]] = first, second
        pairings.append(pairing)
    pair = pair_of("r2", x, y, 0.0, groups=groups)
    check(pair, law_of(pair, pairings))


@pytest.mark.parametrize("measure", ["r2", "dcor"])
def test_outliers_stay_in_their_strata(measure, rng):
    """Rows far out are swapped more often than others, with rows of their own stratum."""
    x, y = rng.lognormal(sigma=2, size=(2, 40))
    groups = rng.integers(3, size=40).astype(str)
    pair = pair_of(measure, x, y, 0.0, groups=groups)
    draws = pair.measure.resample(pair.x, pair.y, pair.permutations[0], 10_000, 100_000)
    threshold = np.sort(draws)[-100] - 1e-9
    tail = split_tail(pair_of(measure, x, y, threshold, root=1, groups=groups))

    assert abs(tail.log10_p - math.log10(np.mean(draws >= threshold))) < 4 * math.hypot(tail.se_log10, 0.043)


@pytest.mark.parametrize("n", [14, 13])
def test_blocks_trade_places_whole(n):
    """With a shorter one at the end of thirteen rows."""
    x, y = np.random.default_rng(3).lognormal(size=(2, n))
    blocks = [list(range(k, min(k + 2, n))) for k in range(0, n, 2)]
    pair = pair_of("r2", x, y, 0.0, block=2)
    check(pair, law_of(pair, (np.concatenate(order) for order in permutations(blocks))))


@pytest.mark.slow
def test_known_tails_are_found(data_directory):
    path = data_directory.parent / "reference" / "tail_truth.json"
    if not path.is_file():
        pytest.skip("the file of known tails is not beside the shared tables")
    figures = Figures.of(list(points_of(path, root=0, every=2)))

    assert figures.near >= 0.95
    assert figures.covered >= 0.9
    assert figures.mean_error >= -0.05


def levels_of(pair, threshold):
    """Return the levels and logarithms of the tail of each run."""
    statistic = pair.measure.statistic(pair.x, pair.y)
    runs = [statistic.split(own, threshold, 128, math.log(1e-12)) for own in pair.permutations]
    return [(run.levels.tolist(), run.log_tail.tolist()) for run in runs]


def test_a_block_is_its_pairs_one_by_one_bit_by_bit(rng):
    pairs = [
        pair_of(measure, *columns(registry.resolve(measure), rng, 25), threshold)
        for measure, threshold in [("r2", 0.5), ("mic", 0.5), ("mi", 0.3), ("eta2", 0.5), ("dcor", 0.3)]
    ]
    twice = [split_block(pairs) for _ in range(2)]

    assert twice[0] == twice[1] == [split_tail(pair) for pair in pairs]


def test_another_root_runs_anew(rng):
    x, y = rng.normal(size=(2, 30))
    pairs = [pair_of("r2", x, y, 0.5, root) for root in (0, 1)]

    assert split_tail(pairs[0]).log10_p != split_tail(pairs[1]).log10_p
    assert len({log_tail[-1] for _, log_tail in levels_of(pairs[0], 0.5)}) == 4


@pytest.mark.slow
def test_calls_run_as_the_kernels_do(rng):
    """A function that is MIC climbs the very levels of MIC."""
    mic = CallableMeasure(
        lambda x, y: _native.mic(_native.MicVariable(x), _native.MicVariable(y)), name="mine"
    )
    x, y = rng.normal(size=(2, 20))
    mine, theirs = split_block([pair_of(measure, x, y, 0.75) for measure in (mic, "mic")])

    assert mine == theirs


def test_a_longer_run_goes_the_same_way_first(rng):
    """A stored tail of shared ranks can then be continued."""
    x, y = rng.normal(size=(2, 40))
    near, far = (levels_of(pair_of("spearman", x, y, 0.3), threshold) for threshold in (0.3, 0.5))
    for (short, _), (long, log_tail) in zip(near, far, strict=True):
        assert len(short) < len(long)
        assert short[:-1] == long[: len(short) - 1]
        assert np.all(np.diff(long) > 0)
        assert np.all(np.diff(log_tail) < 0)


def test_a_threshold_below_everything_has_p_one(rng):
    tail = split_tail(pair_of("r2", *rng.normal(size=(2, 20)), -1.0))

    assert (tail.p_value, tail.caveat) == ((1.0, "splitting", 0.0), "")


@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_what_no_pairing_reaches_has_at_most_the_chance_of_the_largest_value(n):
    line = np.arange(float(n))
    pair = pair_of("r2", line, line**2, math.inf)
    tail, law = split_tail(pair), law_of(pair, permutations(range(n)))
    expected = math.log10(np.mean(np.isclose(law, max(law))))

    assert not tail.is_reached
    assert tail.p_value.kind == "bound"
    assert abs(tail.log10_p - expected) <= 3 * tail.se_log10 + 0.02


def test_a_perfect_relation_of_many_rows_ends_early():
    line = np.arange(100.0)
    tail = split_tail(pair_of("r2", line, line, 1.0 - 1e-12))

    assert -14 < tail.log10_p < -11.9
    assert tail.p_value[:2] == (1e-12, "bound")


def test_a_constant_column_has_one_value():
    constant, line = np.zeros(8), np.arange(8.0)

    assert split_tail(pair_of("r2", constant, line, 0.0)).log10_p == 0
    assert not split_tail(pair_of("r2", constant, line, 0.5)).is_reached


def test_runs_that_differ_are_said_to(rng):
    """Two particles say little."""
    x, y = rng.standard_cauchy((2, 40))
    tail = split_tail(pair_of("r2", x, y, 0.4), n_particles=4)

    assert tail.se_log10 > 0.3
    assert "within a factor of" in tail.caveat


def named_pair(measure, x, y, names, observed):
    columns = (read_column(values, name) for values, name in zip((x, y), names, strict=True))
    pair = prepare_pair(registry.resolve(measure), *columns, root=3)
    pair.__dict__["observed"] = observed
    return pair


def test_shared_ranks_have_one_tail_whichever_pair_asks(rng):
    pairs = [named_pair("mic", *rng.normal(size=(2, 20)), names, 0.7) for names in ("ab", "cd")]
    tied = [named_pair("mic", *rng.integers(6, size=(2, 20)), names, 0.7) for names in ("ab", "cd")]
    tied[1] = named_pair("mic", *(column.values for column in tied[0].columns), "cd", 0.7)
    for one, other in (pairs, tied):
        first, second = (tail_of(pair, 0.1) for pair in (one, other))
        assert first == second


def test_the_names_of_a_pair_give_its_runs_in_either_order(rng):
    x, y = rng.normal(size=(2, 20))
    pairs = [named_pair("r2", x, y, names, 0.4) for names in ("ab", "ba", "ac")]
    tails = [tail_of(pair, 0.05) for pair in pairs]

    assert tails[0] == tails[1] != tails[2]


def test_an_interrupt_ends_a_block_that_takes_long(rng):
    pair = pair_of("mic", *rng.normal(size=(2, 300)), 1.0)
    with interrupted() as used, pytest.raises(KeyboardInterrupt):
        split_block([pair] * 20)

    assert used() < 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: _native.Splitting(_native.Permutations.listed(r.rows(0, 3)), 0.5, 8, -99), "listed"),
        (lambda r: _native.Splitting(r, 0.5, 1, -99), "at least 2"),
        (lambda r: _native.Splitting(r, 0.5, 8, -99).feed(np.zeros(7)), "per particle"),
        (lambda r: _native.Splitting(_native.Permutations.free((1, 2), 0), 0.5, 8, -99), "rows"),
    ],
)
def test_impossible_runs_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(_native.Permutations.free((1, 2), 6))
