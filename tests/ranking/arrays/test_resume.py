"""A file of two arrays whose run was killed: resumed, it is what an undisturbed run writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError, BychanceWarning
from tests.engine.screens import half_precision
from tests.engine.settings import own, put
from tests.ranking.arrays.test_plans import skewed_arrays

PROGRAM = """
import os, signal
import bychance as bc
from pytest import MonkeyPatch
from tests.engine.screens import half_precision
from tests.engine.settings import own, put
from tests.ranking.arrays.test_resume import arrays, OPTIONS
calls, {name} = [], own("{name}")
def killed(*arguments, **options):
    calls.append(1)
    if len(calls) == {call}:
        os.kill(os.getpid(), signal.SIGKILL)
    return {name}(*arguments, **options)
put(MonkeyPatch(), cpu_backend=lambda: half_precision(7))
put(MonkeyPatch(), {name}=killed)
bc.rank_arrays(*arrays(), path={path!r}, **OPTIONS)
"""
OPTIONS = {"threshold": 0.02}


def arrays():
    """Draw long tails and normal columns, of which some are related."""
    x, y = skewed_arrays(3, n_related=4)
    rng = np.random.default_rng(0)
    return np.hstack([x, rng.normal(size=(120, 20))]), np.hstack(
        [y, rng.normal(size=(120, 20)), x[:, :1] ** 2]
    )


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    put(monkeypatch, cpu_backend=lambda: half_precision(7))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Write the file of an undisturbed run."""
    path = tmp_path_factory.mktemp("whole") / "p.csv"
    with pytest.MonkeyPatch.context() as patch:
        put(patch, cpu_backend=lambda: half_precision(7))
        bc.rank_arrays(*arrays(), path=path, **OPTIONS)
    return path.read_bytes()


def resume(folder, **changes):
    bc.rank_arrays(*arrays(), path=folder / "p.csv", resume=True, **(OPTIONS | changes))
    assert os.listdir(folder) == ["p.csv"]
    return (folder / "p.csv").read_bytes()


def kill(path, name, call):
    program = PROGRAM.format(name=name, call=call, path=str(path))
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert os.listdir(path.parent) == [f".{path.name}.parts"]
    return sorted(part.name for part in (path.parent / f".{path.name}.parts").glob("*.arrow"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "call"),
    [("screen_on_cpu", 25), ("write_block", 1), ("extend_rows", 3), ("columns_of_arrays", 1)],
)
def test_a_killed_run_goes_on(whole, tmp_path, monkeypatch, name, call):
    """Killed in the screen, among blocks of pairs, between rounds of permutations, and while it writes."""
    found = kill(tmp_path / "p.csv", name, call)
    screened, calls = own("screen_on_cpu"), []
    put(monkeypatch, screen_on_cpu=lambda *given, **options: calls.append(1) or screened(*given, **options))

    assert resume(tmp_path) == whole
    if name == "screen_on_cpu":
        assert found
        assert len(calls) < 56
    else:
        assert "screened-pairs.arrow" in found
        assert not calls


@pytest.mark.slow
def test_other_arrays_are_another_run(tmp_path):
    kill(tmp_path / "p.csv", "write_block", 1)
    x, y = arrays()
    x[[3, 5]] = x[[5, 3]]

    with pytest.raises(BychanceError, match="another input, other options or another version"):
        bc.rank_arrays(x, y, path=tmp_path / "p.csv", resume=True, **OPTIONS)
    with pytest.raises(BychanceError, match="another input, other options or another version"):
        resume(tmp_path, threshold=0.03)
    bc.rank_arrays(x, y, path=tmp_path / "p.csv", **OPTIONS)
    assert os.listdir(tmp_path) == ["p.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("length", [0, 40])
def test_damaged_parts_are_made_anew(whole, tmp_path, length):
    kill(tmp_path / "p.csv", "extend_rows", 3)
    for part in (tmp_path / ".p.csv.parts").glob("*.arrow"):
        part.write_bytes(part.read_bytes()[:length])
    with pytest.warns(BychanceWarning, match="computed anew"):
        assert resume(tmp_path) == whole


def test_only_a_file_resumes():
    with pytest.raises(BychanceError, match="`resume` must come with `path`"):
        bc.rank_arrays(*arrays(), top=3, resume=True)
