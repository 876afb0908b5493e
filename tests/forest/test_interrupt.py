"""Ctrl-C while trees grow: a real signal to a real process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# One tree takes many seconds: it tries all columns of many rows of noise at every node.
PROGRAM = r"""
import sys, time
import numpy as np
import bychance as bc
from bychance.forest import grow
from tests.interrupting import interrupted

kernel, growing, n_jobs = grow._native.grow_trees, [], int(sys.argv[1])
grow._native.grow_trees = lambda *inputs: growing.append(inputs) or kernel(*inputs)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(100_000, 50)), rng.integers(30, size=100_000)
options = dict(criterion="entropy", n_estimators=2, max_features=None, n_jobs=n_jobs)
forest = bc.RandomForestClassifier(**options)
with interrupted(lambda: len(growing) == n_jobs) as used:
    try:
        forest.fit(X, y)
    except KeyboardInterrupt:
        print("stopped", used())
        before = time.process_time()
        time.sleep(0.5)
        print(time.process_time() - before)
"""


@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_an_interrupt_ends_a_tree_that_takes_long_and_its_threads(n_jobs):
    command = [sys.executable, "-c", PROGRAM, n_jobs]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    (word, used), (after,) = map(str.split, done.stdout.splitlines())

    assert (done.returncode, done.stderr, word) == (0, "", "stopped")
    assert float(used) < 2
    assert float(after) < 0.25, "threads went on"
