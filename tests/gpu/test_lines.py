import numpy as np
import pytest

import bychance as bc
from bychance import _native
from bychance.gpu import lines


def some_lines():
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=31) for _ in range(4)]
    is_missing = [np.zeros(31, dtype=bool) for _ in range(4)]
    is_missing[1][:7] = True
    made, _ = _native.line_statistics(columns, is_missing, np.array([0, 1, 2]), np.array([1, 2, 3]), False)
    return made, [(5, 2**63 + k) for k in range(3)]


def drawn_on_cpu(statistics, keys, first, count):
    repairings = [_native.Repairings.free(key, s.n) for s, key in zip(statistics, keys, strict=True)]
    return _native.draw_block(statistics, repairings, first, count)


@pytest.mark.slow
def test_draws_are_the_cpus_bit_by_bit(emulator, monkeypatch):
    statistics, keys = some_lines()
    expected = drawn_on_cpu(statistics, keys, 3, 40)

    np.testing.assert_array_equal(lines.draw_lines(statistics, keys, 3, 40, on=emulator), expected)
    monkeypatch.setattr(lines, "_MOST_DRAWS", 80)
    np.testing.assert_array_equal(lines.draw_lines(statistics, keys, 3, 40, on=emulator), expected)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["r2", "spearman", "explained"])
def test_rank_draws_lines_on_a_gpu(emulated, measure):
    rng = np.random.default_rng(3)
    table = {name: rng.normal(size=31) for name in "abcd"}
    table["a"][4] = np.nan
    options = dict(measure=measure, null=bc.Permutation(19), alpha=0.1, fdr_level=0.9)
    ranking = bc.rank(table, device="cuda", **options)

    assert ranking.device == "cuda"
    assert ranking.to_frame().equals(bc.rank(table, **options).to_frame())


@pytest.mark.gpu
def test_a_real_gpu_draws_the_cpus_bits(a_real_gpu):
    statistics, keys = some_lines()

    np.testing.assert_array_equal(
        lines.draw_lines(statistics, keys, 3, 5_000), drawn_on_cpu(statistics, keys, 3, 5_000)
    )
