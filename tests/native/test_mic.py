"""The MIC kernel: against the oracle, against itself on other paths, and against known values."""

from __future__ import annotations

import hashlib
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bychance import _native as native
from tests.oracle import mic as oracle

KINDS = ["mic", "mic_e", "tic_e"]
# SHA-256 of the values of all samples, for which the instruction set does not matter.
DIGESTS = {"mic": "4c58b4d67dad3b92", "mic_e": "516fddbee1f6d46d", "tic_e": "a9d5e7293527135a"}


def uniform(rng, n):
    return rng.random(n), rng.random(n)


def noisy_sine(rng, n):
    x = rng.random(n)
    return x, np.sin(9 * x) + 0.3 * rng.normal(size=n)


def ten_levels(rng, n):
    return np.floor(10 * rng.random(n)), np.floor(10 * rng.random(n))


def one_binary(rng, n):
    return (rng.random(n) > 0.4) * 1.0, rng.random(n)


def both_binary(rng, n):
    return (rng.random(n) > 0.4) * 1.0, (rng.random(n) > 0.7) * 1.0


def zero_inflated(rng, n):
    x, y = rng.random((2, n))
    return np.where(rng.random(n) < 0.5, 0.0, x), np.where(rng.random(n) < 0.5, 0.0, y)


def steps(rng, n):
    x = np.floor(7 * rng.random(n))
    return x, x**2 + rng.normal(size=n)


def rounded(rng, n):
    x = np.round(rng.random(n), 2)
    return x, np.round(x * x + 0.2 * rng.random(n), 2)


def one_constant(rng, n):
    return np.full(n, 3.5), rng.random(n)


SAMPLES = [
    uniform,
    noisy_sine,
    ten_levels,
    one_binary,
    both_binary,
    zero_inflated,
    steps,
    rounded,
    one_constant,
]


def prepared(x, y, kind="mic", **settings):
    return native.MicVariable(x, kind=kind, **settings), native.MicVariable(y, kind=kind, **settings)


def value(x, y, kind="mic", **settings):
    return native.mic(*prepared(np.asarray(x, float), np.asarray(y, float), kind, **settings))


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 9, 17, 32, 33, pytest.param(60, marks=pytest.mark.slow)])
def test_kernel_equals_the_oracle(sample, n):
    """All three statistics equal the plain-Python version at every small n."""
    rng = np.random.default_rng([n, SAMPLES.index(sample)])
    for _ in range(8 if n < 10 else 2):
        x, y = sample(rng, n)
        for kind in KINDS:
            expected = getattr(oracle, kind)(x.tolist(), y.tolist())
            assert value(x, y, kind) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.slow
def test_kernel_equals_the_oracle_where_clumps_are_merged(sample):
    """At this size most row counts need superclumps."""
    x, y = sample(np.random.default_rng(7), 130)
    for kind in KINDS:
        expected = getattr(oracle, kind)(x.tolist(), y.tolist())
        assert value(x, y, kind) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("exponent", "clumps"), [(0.45, 15), (0.75, 2), (1.0, 1), (0.6, 0.3)])
def test_settings_reach_the_search(exponent, clumps):
    """Other budgets and clump factors agree with the oracle as well."""
    rng = np.random.default_rng(3)
    for sample in (uniform, zero_inflated, ten_levels):
        x, y = sample(rng, 24)
        for kind in KINDS:
            expected = getattr(oracle, kind)(x.tolist(), y.tolist(), exponent, clumps)
            comp = value(x, y, kind, exponent=exponent, clumps=clumps)
            assert comp == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.slow
def test_characteristic_matrix_equals_the_oracle(sample):
    """Every cell within the budget agrees, and no other cell is filled."""
    x, y = sample(np.random.default_rng(11), 70)
    for kind, cells in (("mic", oracle.characteristic), ("mic_e", oracle.equicharacteristic)):
        comp = native.mic_grid(*prepared(x, y, kind))[1]
        ref = np.full_like(comp, np.nan)
        for (rows, columns), cell in cells(x.tolist(), y.tolist()).items():
            ref[rows - 2, columns - 2] = cell
        np.testing.assert_allclose(comp, ref, atol=1e-12, rtol=0)


def test_edge_cases_have_the_values_of_the_page():
    """Constants give 0, and n = 1, 2, 3, 5 of a line give 0, 1, 0.918, 0.971."""
    assert value(np.zeros(40), np.arange(40)) == 0
    assert value([1.0], [2.0]) == 0
    assert value([0, 1], [0, 1]) == 1
    assert value([0, 1, 2], [0, 1, 2]) == pytest.approx(0.9182958340544896, abs=1e-12)
    assert value(range(5), range(5)) == pytest.approx(0.9709505944546686, abs=1e-12)


@pytest.mark.parametrize("n", [4, 10, 60, 200, 256, 257, 1000, 1024, 5000])
def test_perfect_relation_of_even_size_is_exactly_one(n):
    """Rounded tables leave no 0.9999… behind."""
    if n % 2 == 0:
        assert value(np.arange(n), np.arange(n) ** 3) == 1.0
    assert value(np.arange(n), np.arange(n)) <= 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_order_of_the_two_variables_does_not_matter(sample, kind):
    """(x, y) and (y, x) are bitwise the same."""
    for n in (7, 60, 300):
        x, y = sample(np.random.default_rng(n), n)
        assert value(x, y, kind) == value(y, x, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_order_of_the_rows_does_not_matter(sample, kind):
    """Shuffling the observations together changes no bit, ties or not."""
    rng = np.random.default_rng(5)
    x, y = sample(rng, 90)
    shuffle = rng.permutation(90)
    assert value(x, y, kind) == value(x[shuffle], y[shuffle], kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_permutations_equal_single_calls(sample, kind):
    """Each permuted value is bitwise that of the permuted arrays on their own."""
    rng = np.random.default_rng(9)
    for n in (3, 20, 75, 260):
        x, y = sample(rng, n)
        permutations = np.array([rng.permutation(n) for _ in range(12)], dtype=np.int32)
        comp = drawn(*prepared(x, y, kind), permutations)
        assert comp.tolist() == [value(x, y[p], kind) for p in permutations]


@pytest.mark.parametrize(("kind", "digest"), DIGESTS.items())
def test_instruction_sets_change_no_bit(kind, digest):
    """The values are those of a build with AVX2. `make sanitize` repeats this without."""
    sizes = (2, 5, 31, 64, 150, 500, 1500)
    pairs = (sample(np.random.default_rng(n), n) for sample in SAMPLES for n in sizes)
    values = np.array([value(x, y, kind) for x, y in pairs])
    assert hashlib.sha256(values.tobytes()).hexdigest()[:16] == digest


@pytest.mark.parametrize("kind", ["mic", "mic_e"])
@pytest.mark.parametrize("n", [60, 100, 200, 700])
def test_bounds_never_change_a_value(n, kind):
    """The value, found with partitions skipped by their bound, is bitwise the full matrix's largest."""
    rng = np.random.default_rng(n)
    for sample in (uniform, noisy_sine, rounded, zero_inflated):
        for _ in range(6):
            x, y = prepared(*sample(rng, n), kind)
            assert native.mic(x, y) == np.nanmax(native.mic_grid(x, y)[1])


def test_threads_do_not_change_values():
    """Prepared variables are shared by threads, and values stay bitwise the same."""
    rng = np.random.default_rng(13)
    variables = [native.MicVariable(rng.random(120)) for _ in range(12)]
    pairs = [(a, b) for a in variables for b in variables]
    with ThreadPoolExecutor(4) as pool:
        comp = list(pool.map(lambda pair: native.mic(*pair), pairs))
    assert comp == [native.mic(*pair) for pair in pairs]


def test_sizes_in_any_order_do_not_change_values():
    """A workspace that has seen other sizes and settings leaves no trace."""
    rng = np.random.default_rng(17)
    samples = [(kind, *uniform(rng, n)) for n in (400, 5, 90, 1, 700) for kind in KINDS]
    first = [value(x, y, kind) for kind, x, y in samples]
    assert [value(x, y, kind) for kind, x, y in reversed(samples)] == first[::-1]


@pytest.mark.parametrize("kind", ["mic", "mic_e"])
@pytest.mark.parametrize("sample", SAMPLES[:-1])
@pytest.mark.parametrize("n", [2, 5, 40, 77, 300, 1200])
def test_grid_explains_its_value(sample, n, kind):
    """Counts follow from the cuts, and their information over log min is the value."""
    x, y = sample(np.random.default_rng(n), n)
    a, b = prepared(x, y, kind)
    value, characteristic, _, x_cuts, y_cuts, expected = native.mic_grid(a, b)
    assert value == native.mic(a, b) == np.nanmax(characteristic)
    x_bin, y_bin = bin_of(a.order, x_cuts), bin_of(b.order, y_cuts)
    counts = np.zeros_like(expected)
    np.add.at(counts, (y_bin, x_bin), 1)
    assert counts.tolist() == expected.tolist()
    assert normalized_information(counts) == pytest.approx(value, abs=1e-12)
    for values, variable, cuts in ((x, a, x_cuts), (y, b, y_cuts)):
        ordered = values[variable.order]
        assert (ordered[cuts - 1] < ordered[cuts]).all()


def test_grid_of_a_constant_is_one_cell():
    """Nothing wins, so nothing is cut."""
    value, _, _, x_cuts, y_cuts, counts = native.mic_grid(*prepared(np.zeros(20), np.arange(20.0)))
    assert value == 0
    assert counts.tolist() == [[20]]
    assert x_cuts.size == y_cuts.size == 0


@pytest.mark.parametrize(("n", "mean"), [(20, 0.358), (60, 0.258), (80, 0.245)])
def test_null_mean_is_that_of_the_paper(n, mean):
    """E[MIC0] of 20,000 permutations lies within 0.003 of the published figure."""
    rng = np.random.default_rng(n)
    permutations = rng.permuted(np.tile(np.arange(n, dtype=np.int32), (20_000, 1)), axis=1)
    line = native.MicVariable(np.arange(n, dtype=float))
    assert drawn(line, line, permutations).mean() == pytest.approx(mean, abs=0.003)


def test_large_samples_run_in_bounded_memory():
    """N = 20,000 works, and the estimate of its cost differs from that of n = 1,000,000."""
    rng = np.random.default_rng(0)
    x = rng.random(20_000)
    assert 0.9 < value(x, x + 0.01 * rng.random(20_000)) <= 1
    (few, _, small), (many, _, huge) = native.mic_cost(20_000), native.mic_cost(1_000_000)
    assert small < 1e8 < 1e9 < huge
    assert many > 100 * few


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"exponent": 0.0}, "exponent"),
        ({"exponent": 1.5}, "exponent"),
        ({"clumps": 0.0}, "clumps"),
        ({"clumps": math.nan}, "clumps"),
        ({"kind": "mine"}, "mic_e"),
    ],
)
def test_bad_settings_are_named(settings, message):
    """A setting out of range is an error that names it."""
    with pytest.raises(ValueError, match=message):
        native.MicVariable(np.arange(5.0), **settings)


def test_variables_of_different_shape_are_refused():
    """Lengths and settings of the two variables must be equal."""
    five, six = native.MicVariable(np.arange(5.0)), native.MicVariable(np.arange(6.0))
    with pytest.raises(ValueError, match="length"):
        native.mic(five, six)
    with pytest.raises(ValueError, match="settings"):
        native.mic(five, native.MicVariable(np.arange(5.0), exponent=0.5))
    with pytest.raises(ValueError, match="length"):
        drawn(five, six, np.zeros((2, 5), dtype=np.int32))
    with pytest.raises(ValueError, match="one column per row"):
        drawn(five, five, np.zeros((2, 4), dtype=np.int32))


def drawn(x, y, permutations):
    return native.Statistic.mic(x, y).draw(native.Permutations.listed(permutations), 0, len(permutations))


def bin_of(order, cuts):
    bins = np.empty(order.size, dtype=int)
    bins[order] = np.searchsorted(cuts, np.arange(order.size), side="right")
    return bins


def normalized_information(counts):
    joint = counts / counts.sum()
    expected = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    terms = joint[joint > 0] * np.log(joint[joint > 0] / expected[joint > 0])
    smallest = min(counts.shape)
    return terms.sum() / math.log(smallest) if smallest > 1 else 0.0
