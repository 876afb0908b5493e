"""MIC against minepy: agreement, speed, threads, and what the store saves.

minepy (GPL) is called as a black box and lives in the benchmark environment only. If it could not be
built, our own times are printed without a ratio.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import bychance as bc
from benchmarks.timing import WALL, Row, beside
from bychance import _native

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from minepy import MINE
except ImportError:
    MINE = None

Pair = tuple[np.ndarray, np.ndarray]


def rows() -> Iterator[Row]:
    lacks = "" if MINE is not None else "minepy"
    for n in (100, 200, 500, 1000):
        yield one_value(uniform, n, "at least 35×", lacks)
    for n in (100, 1000):
        yield one_value(ten_levels, n, "at least 5×", lacks)
    for n in (60, 200, 1000):
        yield permuted_values(n, lacks)
    yield threads()


def facts() -> Iterator[str]:
    """Measure agreement, whole nulls and the store, which are not ratios."""
    if MINE is None:
        yield "minepy is not here: no ratios and no agreement"
    else:
        yield agreement()
    yield from whole_null()
    yield second_process()
    yield large()


def peer_mic(x: np.ndarray, y: np.ndarray) -> float:
    mine = MINE(alpha=0.6, c=15, est="mic_approx")
    mine.compute_score(x, y)
    return float(mine.mic())


def our_mic(x: np.ndarray, y: np.ndarray) -> float:
    return _native.mic(_native.MicVariable(x), _native.MicVariable(y))


def one_value(sample: Callable[[np.random.Generator, int], Pair], n: int, target: str, lacks: str) -> Row:
    def start():
        rng = np.random.default_rng(0)
        pairs = [sample(rng, n) for _ in range(4)]
        return partial(_each, our_mic, pairs), partial(_each, peer_mic, pairs)

    what = f"one MIC from raw arrays, {sample.__name__.replace('_', ' ')}, n = {n:,}"
    number, peer_number = max(4, 20_000 // n), max(1, 2_000 // n)
    options = {"lacks": lacks, "number": number, "peer_number": peer_number, "units": (4, 4)}
    return beside(what, start, peer="minepy", target=target, **options)


def _each(function: Callable[[np.ndarray, np.ndarray], float], pairs: list[Pair]) -> None:
    for x, y in pairs:
        function(x, y)


def permuted_values(n: int, lacks: str) -> Row:
    """Draw our permutations, and as many of minepy's as take about as long."""
    count = max(20, 200_000 // n**2 * 20)
    few = max(4, count // 50)

    def start():
        x, y = np.random.default_rng(0).random((2, n))
        permutations = _native.Permutations.free((1, 2), n)
        others = [y[row] for row in permutations.rows(0, few)]
        statistic = _native.Statistic.mic(_native.MicVariable(x), _native.MicVariable(y))
        ours = partial(statistic.draw, permutations, 0, count)
        return ours, partial(_each, peer_mic, [(x, other) for other in others])

    what = f"one permutation, n = {n:,}"
    units = (count, few)
    return beside(
        what, start, null="permutation", peer="minepy", target="at least 45×", lacks=lacks, units=units
    )


def threads() -> Row:
    def start():
        line = _native.MicVariable(np.arange(200.0))
        statistic, permutations = _native.Statistic.mic(line, line), _native.Permutations.free((1, 0), 200)

        def run(n_threads: int) -> None:
            with ThreadPoolExecutor(n_threads) as pool:
                list(pool.map(lambda block: statistic.draw(permutations, 500 * block, 500), range(8)))

        return partial(run, 2), partial(run, 1)

    what = "4,000 permutations, n = 200, two threads"
    return beside(what, start, null="permutation", peer="one thread", target="at least 1.8×", clock=WALL)


def uniform(rng: np.random.Generator, n: int) -> Pair:
    return rng.random(n), rng.random(n)


def ten_levels(rng: np.random.Generator, n: int) -> Pair:
    return np.floor(10 * rng.random(n)), np.floor(10 * rng.random(n))


def binary(rng: np.random.Generator, n: int) -> Pair:
    return 1.0 * (rng.random(n) < 0.4), 1.0 * (rng.random(n) < 0.3)


def one_binary(rng: np.random.Generator, n: int) -> Pair:
    return 1.0 * (rng.random(n) < 0.4), rng.random(n)


def zero_inflated(rng: np.random.Generator, n: int) -> Pair:
    return tuple(np.where(rng.random((2, n)) < 0.5, 0, rng.random((2, n))))


def noisy_sine(rng: np.random.Generator, n: int) -> Pair:
    x = rng.random(n)
    return x, np.sin(9 * x) + 0.3 * rng.standard_normal(n)


def noisy_parabola(rng: np.random.Generator, n: int) -> Pair:
    x = rng.random(n)
    return x, (x - 0.5) ** 2 + 0.05 * rng.standard_normal(n)


def rounded_line(rng: np.random.Generator, n: int) -> Pair:
    x = rng.random(n)
    return np.round(x, 2), np.round(x + 0.2 * rng.standard_normal(n), 1)


SAMPLES = [uniform, ten_levels, binary, one_binary, zero_inflated, noisy_sine, noisy_parabola, rounded_line]


def agreement(n_samples: int = 2_400) -> str:
    rng, worst = np.random.default_rng(2011), 0.0
    for k in range(n_samples):
        largest = 2_000 if k % 12 == 0 else 400
        n = int(np.exp(rng.uniform(np.log(4), np.log(largest + 1))))
        x, y = (np.ascontiguousarray(v, dtype=float) for v in SAMPLES[k % len(SAMPLES)](rng, n))
        worst = max(worst, abs(peer_mic(x, y) - our_mic(x, y)))
    return f"largest difference from minepy over {n_samples:,} samples, n from 4 to 2,000: {worst:.1e}"


def whole_null(resamples: int = 10_000) -> Iterator[str]:
    started = time.perf_counter()
    for n in range(10, 202):
        line = _native.MicVariable(np.arange(float(n)))
        _native.Statistic.mic(line, line).draw(_native.Permutations.free((0, n), n), 0, resamples)
    yield f"null of every n from 10 to 201, 10,000 permutations each: {time.perf_counter() - started:.0f} s"


def second_process() -> str:
    """Draw a null here, and ask for it in another process."""
    code = (
        "import time, numpy as np, bychance as bc; x = np.arange(200.0); bc.measure('mic', x, x);"
        "t = time.perf_counter(); r = bc.adjust('mic', x, x, null=bc.Permutation(10_000));"
        "print(time.perf_counter() - t)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment: dict[str, Any] = {"env": {"BYCHANCE_CACHE": cache}, "text": True, "check": True}
        cold, warm = (
            float(subprocess.run([sys.executable, "-c", code], capture_output=True, **environment).stdout)
            for _ in range(2)
        )
    return f"10,000 draws at n = 200: {cold * 1e3:.0f} ms, then {warm * 1e3:.1f} ms in a second process"


def large() -> str:
    x, y = np.random.default_rng(3).random((2, 20_000))
    started = time.perf_counter()
    bc.measure("mic", x, y)
    return f"one MIC of 20,000 rows: {time.perf_counter() - started:.2f} s"
