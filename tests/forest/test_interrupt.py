"""Ctrl-C while trees grow: a real signal to a real process."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# One tree takes many seconds: it tries all columns of many rows at every node, and nothing is to be found.
PROGRAM = r"""
import os, sys, time
import numpy as np
import bychance as bc
from bychance.forest import grow

kernel = grow._native.grow_trees
grow._native.grow_trees = lambda *inputs: os.write(1, b"growing\n") and kernel(*inputs)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(100_000, 50)), rng.integers(30, size=100_000)
options = dict(criterion="entropy", n_estimators=2, max_features=None, n_jobs=int(sys.argv[1]))
forest = bc.RandomForestClassifier(**options)
try:
    forest.fit(X, y)
except KeyboardInterrupt:
    print("stopped", flush=True)
    used = time.process_time()
    time.sleep(0.5)
    print(time.process_time() - used, flush=True)
"""


@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_an_interrupt_ends_a_tree_that_takes_long_and_its_threads(n_jobs):
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, n_jobs], stdout=subprocess.PIPE, text=True)
    for _ in range(int(n_jobs)):
        assert process.stdout.readline() == "growing\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    first = process.stdout.readline()
    waited = time.monotonic() - sent
    rest, _ = process.communicate(timeout=60)

    assert first == "stopped\n"
    assert waited < 2
    assert float(rest) < 0.25, "threads went on"
    assert process.returncode == 0
