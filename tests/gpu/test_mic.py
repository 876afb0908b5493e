from itertools import product

import numpy as np
import pytest

from bychance import _native
from bychance.gpu import mic
from bychance.gpu.device import DeviceError
from bychance.gpu.mic import MicPlan, tolerance
from bychance.parallel import Stopped, wanted_until
from tests.engine.settings import put
from tests.gpu.emulator.stand_in import on_emulator

rng = np.random.default_rng(1)
KINDS = ("mic", "mic_e", "tic_e")


def variables(n, kind, exponent=0.6, clumps=15.0):
    columns = [
        np.arange(n),
        rng.integers(0, 10, n),
        rng.integers(0, 2, n),
        np.maximum(rng.normal(size=n), 0),
        np.floor(rng.exponential(3, n)),
    ]
    return [_native.MicVariable(np.sort(c).astype(float), exponent, clumps, kind) for c in columns]


def some_pairs(n, kind, **settings):
    v = variables(n, kind, **settings)
    return [(v[0], v[0]), (v[0], v[1]), (v[1], v[0]), (v[1], v[4]), (v[3], v[2]), (v[3], v[4])]


def keys_of(pairs):
    return [(17 * k + 3, 2**63 + k) for k in range(len(pairs))]


def drawn_on_cpu(pairs, first, count):
    return np.array(
        [
            _native.Statistic.mic(x, y).draw(_native.Permutations.free(key, x.n), first, count)
            for (x, y), key in zip(pairs, keys_of(pairs), strict=True)
        ]
    )


def draw_mic(*arguments, on, **options):
    return on_emulator(on, mic.draw_mic, *arguments, **options)


def differences(on, n, kind, first, count, exponent=0.6, clumps=15.0):
    pairs = some_pairs(n, kind, exponent=exponent, clumps=clumps)
    found = draw_mic(pairs, keys_of(pairs), first, count, name=kind, exponent=exponent, clumps=clumps, on=on)
    return np.abs(found - drawn_on_cpu(pairs, first, count)).max()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "kind"), [(4, "mic"), (12, "mic_e"), (33, "mic_e"), (33, "tic_e"), (61, "mic")]
)
def test_the_kernel_draws_what_the_cpu_draws(emulator, n, kind):
    assert differences(emulator, n, kind, 5, 4) < tolerance(kind, 10)


@pytest.mark.slow
def test_superclumps_and_several_passes_over_the_levels_are_the_cpus(emulator):
    assert differences(emulator, 40, "mic", 0, 2, clumps=1.5) < 2e-7
    assert differences(emulator, 70, "mic", 0, 1, exponent=0.85) < 2e-7


@pytest.mark.slow
@pytest.mark.parametrize(
    "near", [(True, 0), (False, 48)], ids=["masks and levels", "levels of long searches"]
)
def test_what_lies_in_global_memory_changes_no_draw(emulator, monkeypatch, near):
    put(monkeypatch, near_memory_of_mic=property(lambda self: near))

    assert MicPlan.of("mic", 16, 0.6, 15.0, emulator.shared_bytes).room(128).n_far_bytes > 0
    assert differences(emulator, 110, "mic", 0, 1) < 2e-7


@pytest.mark.slow
def test_draws_do_not_depend_on_what_else_is_drawn(emulator):
    pairs = some_pairs(24, "mic") + some_pairs(12, "mic")
    keys = keys_of(pairs)
    options = dict(name="mic", exponent=0.6, clumps=15.0, on=emulator)
    together = draw_mic(pairs, keys, 3, 5, **options)

    np.testing.assert_array_equal(draw_mic(pairs[7:9], keys[7:9], 5, 2, **options), together[7:9, 2:4])


@pytest.mark.slow
def test_little_memory_gives_the_same_draws_in_parts(emulator, monkeypatch):
    pairs = some_pairs(12, "mic")
    options = dict(name="mic", exponent=0.6, clumps=15.0, on=emulator)
    whole = draw_mic(pairs, keys_of(pairs), 0, 7, **options)
    put(monkeypatch, least_gpu_bytes=1)
    monkeypatch.setattr(emulator, "memory", 4 * 3 * 2 * 16)

    np.testing.assert_array_equal(draw_mic(pairs, keys_of(pairs), 0, 7, **options), whole)


@pytest.mark.slow
def test_draws_that_nobody_waits_for_end_between_two_launches(emulator, monkeypatch):
    pairs = some_pairs(12, "mic")
    put(monkeypatch, least_gpu_bytes=1)
    monkeypatch.setattr(emulator, "memory", 4 * 3 * 2 * 16)
    before, stop, get = emulator.n_launches, _native.Stop(), emulator.get

    def get_and_stop(array, out):
        get(array, out)
        stop.set()

    monkeypatch.setattr(emulator, "get", get_and_stop)
    with pytest.raises(Stopped), wanted_until(stop):
        draw_mic(pairs, keys_of(pairs), 0, 7, name="mic", exponent=0.6, clumps=15.0, on=emulator)
    assert emulator.n_launches == before + 2  # shuffles and search of the first slice


def test_what_does_not_fit_is_refused(emulator, monkeypatch):
    monkeypatch.setattr(emulator, "shared_bytes", 1024, raising=False)
    pairs = some_pairs(60, "mic")
    with pytest.raises(DeviceError, match="cannot hold MIC of 11 cells in 1,024 bytes"):
        draw_mic(pairs, keys_of(pairs), 0, 1, name="mic", exponent=0.6, clumps=15.0, on=emulator)


@pytest.mark.gpu
@pytest.mark.parametrize(("n", "kind"), [*product([12, 60, 200], KINDS), (500, "mic"), (1000, "mic")])
def test_a_gpu_draws_what_the_cpu_draws(a_real_gpu, n, kind):
    assert differences(a_real_gpu, n, kind, 5, 200) < tolerance(kind, 10 if n < 200 else 40)


@pytest.mark.gpu
def test_a_gpu_repeats_itself_bit_by_bit(a_real_gpu):
    pairs = some_pairs(60, "mic")
    options = dict(name="mic", exponent=0.6, clumps=15.0, on=a_real_gpu)

    first, second = (draw_mic(pairs, keys_of(pairs), 0, 5_000, **options) for _ in range(2))
    np.testing.assert_array_equal(first, second)
