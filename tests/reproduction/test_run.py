"""Pieces: computed once, resumed after a stop, computed anew for other settings."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import reproduction.stored_results
from reproduction.data import Data, MissingDataError
from reproduction.run import Run
from reproduction.stored_results import make_piece
from tools.pages import ROOT


@pytest.fixture
def make_run(tmp_path):
    def make(**more):
        return Run(tmp_path / "pieces", Data(tmp_path), **more)

    return make


def draw(seed, n, fail_at=None):
    if n == fail_at:
        raise KeyboardInterrupt
    return {"values": np.random.default_rng([seed, n]).random(n), "names": ["a"] * n, "n": n}


def refuse(seed, **settings):
    raise AssertionError(f"computed again: {settings}")


def files_of(run):
    return sorted(path.name for path in run.pieces_directory.iterdir())


def test_a_piece_comes_back_as_it_was_computed(make_run):
    first = make_run().piece("draws", draw, n=5)
    again = make_run().piece("draws", refuse, n=5)

    assert again.keys() == first.keys() == {"values", "names", "n"}
    for key, value in first.items():
        np.testing.assert_array_equal(again[key], value)
        assert again[key].dtype == value.dtype


@pytest.mark.parametrize("change", ["settings", "seed", "version", "name"])
def test_whatever_a_piece_depends_on_makes_another(make_run, monkeypatch, change):
    make_run().piece("draws", draw, n=5)
    if change == "version":
        monkeypatch.setattr(reproduction.stored_results, "__version__", "9.9")
    run = make_run(seed=1 if change == "seed" else 0)

    with pytest.raises(AssertionError, match="computed again"):
        run.piece("other" if change == "name" else "draws", refuse, n=6 if change == "settings" else 5)


def test_a_stopped_run_goes_on_from_its_pieces(make_run):
    run = make_run()
    with pytest.raises(KeyboardInterrupt):
        run.pieces("draws", stop_at_three, [{"n": n} for n in range(1, 5)])

    assert len(files_of(run)) == 2
    run.pieces("draws", refuse, [{"n": 1}, {"n": 2}])
    made = run.pieces("draws", draw, [{"n": n} for n in range(1, 5)])
    assert [len(piece["values"]) for piece in made] == [1, 2, 3, 4]


def stop_at_three(seed, n):
    return draw(seed, n, fail_at=3)


def test_a_killed_process_leaves_whole_pieces(tmp_path):
    program = """
import sys, time
from pathlib import Path
from reproduction.data import Data
from reproduction.run import Run
def slow(seed, n):
    if n == 2:
        print("second", flush=True)
        time.sleep(60)
    return {"n": n}
Run(Path("pieces"), Data(Path("."))).pieces("slow", slow, [{"n": 1}, {"n": 2}])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"second\n"
    process.kill()
    process.wait()
    process.stdout.close()

    run = Run(tmp_path / "pieces", Data(tmp_path))
    assert len(files_of(run)) == 1
    assert run.pieces("slow", refuse, [{"n": 1}])[0]["n"] == 1


def test_a_damaged_piece_is_computed_anew(make_run):
    run = make_run()
    first = run.piece("draws", draw, n=50)
    (path,) = run.pieces_directory.iterdir()
    path.write_bytes(path.read_bytes()[:300])

    np.testing.assert_array_equal(run.piece("draws", draw, n=50)["values"], first["values"])
    run.piece("draws", refuse, n=50)


def test_a_piece_with_any_bit_flipped_comes_back_right(make_run):
    """One bit in the headers of zip says that a file is encrypted, another how it is packed."""
    run = make_run()
    first = run.piece("draws", draw, n=5)
    (path,) = run.pieces_directory.iterdir()
    content = path.read_bytes()
    for position in range(0, 8 * len(content), 13):  # every bit of a byte in turn
        altered = bytearray(content)
        altered[position // 8] ^= 1 << position % 8
        path.write_bytes(altered)
        again = make_piece(run.pieces_directory, "draws", draw, run.seed, {"n": 5})
        np.testing.assert_array_equal(again.arrays["values"], first["values"])


def test_several_processes_give_the_same_in_the_same_order(make_run, tmp_path):
    settings = [{"n": n} for n in (7, 3, 5, 1)]
    alone = make_run().pieces("draws", draw, settings)
    run = Run(tmp_path / "others", Data(tmp_path), jobs=2)
    together = run.pieces("draws", draw, settings)

    assert len(files_of(run)) == 4
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one["values"], other["values"])


def nap(seed, n):
    time.sleep(0.05)
    return {"n": n}


def test_the_time_of_a_piece_is_that_of_its_computation(make_run):
    make_run().piece("nap", nap, n=1)
    run = make_run()
    run.piece("nap", refuse, n=1)

    assert len(run.work) == 1
    assert 0.05 <= run.work[0] < 5


def test_what_cannot_be_stored_is_an_error(make_run):
    with pytest.raises(TypeError, match="'nothing' must hold numbers or strings"):
        make_run().piece("bad", nothing, n=1)


def nothing(seed, n):
    return {"nothing": [None, n]}


def test_a_quick_run_has_its_own_sizes(make_run):
    assert make_run().size(10_000, 100) == 10_000
    assert make_run(quick=True).size(10_000, 100) == 100


def test_a_missing_file_says_what_to_put_where(tmp_path):
    with pytest.raises(
        MissingDataError, match=r"WHO.csv is not in .*put it there, or .*--data or BYCHANCE_DATA"
    ):
        Data(tmp_path).file("WHO.csv")


def test_the_data_directory_is_the_argument_or_the_variable_or_beside_the_repository(monkeypatch, tmp_path):
    monkeypatch.setenv("BYCHANCE_DATA", str(tmp_path))
    assert Data.find().directory == tmp_path
    assert Data.find(tmp_path / "mine").directory == tmp_path / "mine"
    monkeypatch.delenv("BYCHANCE_DATA")
    assert str(Data.find().directory).endswith(os.path.join("shared", "data"))
