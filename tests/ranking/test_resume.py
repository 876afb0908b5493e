"""Finished blocks: whatever became of them on disk, a resumed run gives the output of an undisturbed one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError, BychanceWarning
from tests.engine.ranking import fingerprint_of, ranked_to_file
from tests.engine.settings import own, put
from tests.ranking.conftest import make_table

OPTIONS = {"null": "moments", "block_size": 11}
BLOCKS = "block-*.arrow"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the output of an undisturbed run."""
    path = tmp_path_factory.mktemp("whole") / "pairs.csv"
    ranked_to_file(make_table(), path, **OPTIONS)
    return path.read_bytes()


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """Return the parts of a run that was stopped when all blocks were done."""
    folder = tmp_path_factory.mktemp("stopped")

    def stop(*_, **__):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        put(patch, write_output=stop)
        with pytest.raises(KeyboardInterrupt):
            ranked_to_file(make_table(), folder / "pairs.csv", **OPTIONS)
    return folder / ".pairs.csv.parts"


@pytest.fixture
def parts(stopped, tmp_path):
    return shutil.copytree(stopped, tmp_path / ".pairs.csv.parts")


@pytest.fixture
def measured(monkeypatch):
    """Record the numbers of the blocks that are measured."""
    numbers, run_tasks = [], own("run_blocks")
    put(
        monkeypatch,
        run_blocks=lambda tasks, **options: numbers.extend(tasks) or run_tasks(tasks, **options),
    )
    return numbers


def resume(folder, **changes):
    ranked_to_file(make_table(), folder / "pairs.csv", resume=True, **(OPTIONS | changes))
    assert os.listdir(folder) == ["pairs.csv"]
    return (folder / "pairs.csv").read_bytes()


def truncate(path, rng):
    path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)])


def flip_a_bit(path, rng):
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def lengthen(path, rng):
    path.write_bytes(path.read_bytes() + rng.randbytes(40))


def clear(path, rng):
    path.write_bytes(bytes(rng.choice([0, path.stat().st_size])))


def take_another(path, rng):
    other = rng.choice([block for block in path.parent.glob(BLOCKS) if block != path])
    path.write_bytes(other.read_bytes())


def make_directory(path, rng):
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def make_pipe(path, rng):
    path.unlink()
    os.mkfifo(path)


def make_link(path, rng):
    path.unlink()
    path.symlink_to(rng.choice(["/dev/zero", "nowhere"]))


DAMAGES = [truncate, flip_a_bit, lengthen, clear, take_another, make_directory, make_pipe, make_link]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_block_is_computed_anew(whole, parts, tmp_path, measured, damage, seed):
    if damage is make_pipe and not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    rng = random.Random(f"{damage.__name__} {seed}")
    block = rng.choice(sorted(parts.glob(BLOCKS)))
    damage(block, rng)
    with pytest.warns(BychanceWarning, match=r"^1 of the \d+ finished blocks of pairs.csv .*computed anew"):
        assert resume(tmp_path) == whole

    assert measured == [int(block.stem.removeprefix("block-"))]


def test_many_damaged_blocks_cost_one_warning(whole, parts, tmp_path, measured):
    blocks, rng = sorted(parts.glob(BLOCKS)), random.Random(0)
    for block in blocks[1:]:
        truncate(block, rng)
    with pytest.warns(BychanceWarning, match=f"^{len(blocks) - 1} of the {len(blocks)} ") as caught:
        assert resume(tmp_path) == whole

    assert len(caught) == 1
    assert measured == list(range(1, len(blocks)))


def test_blocks_of_another_run_are_not_used(whole, parts, tmp_path, measured):
    """Their own seal names the run if the mark of the directory is gone."""
    n_blocks = len(list(parts.glob(BLOCKS)))
    (parts / "fingerprint").unlink()
    with pytest.warns(BychanceWarning, match="damaged, or of another run"):
        assert resume(tmp_path, alpha=0.2) != whole

    assert measured == list(range(n_blocks))


@pytest.mark.parametrize("damage", [truncate, make_directory, make_pipe])
def test_whole_blocks_are_used_where_only_the_mark_is_damaged(whole, parts, tmp_path, measured, damage):
    damage(parts / "fingerprint", random.Random(0))

    assert resume(tmp_path) == whole
    assert measured == []


def test_a_run_killed_before_its_mark_was_written_is_resumed(whole, tmp_path):
    (tmp_path / ".pairs.csv.parts").mkdir()

    assert resume(tmp_path) == whole


def test_a_whole_mark_of_another_run_is_still_an_error(parts, tmp_path):
    with pytest.raises(BychanceError, match="another input, other options or another version"):
        resume(tmp_path, alpha=0.2)

    assert list(parts.glob(BLOCKS))


def test_what_else_lies_among_the_parts_does_no_harm(whole, parts, tmp_path, measured):
    for name in ("block-x.arrow", "block-999999.arrow", ".block-000001.arrow.0a1b2c3d", "notes.txt"):
        (parts / name).write_text("left over")
    (parts / "order.npy").unlink()
    (parts / "order.npy").mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resume(tmp_path) == whole

    assert measured == []


def test_a_block_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    happened, fsync, replace = [], os.fsync, os.replace

    def noted_fsync(descriptor):
        happened.append(("sync", os.fstat(descriptor).st_ino))
        fsync(descriptor)

    def noted_replace(source, target):
        happened.append((os.path.basename(target), os.stat(source).st_ino))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    ranked_to_file(make_table(), tmp_path / "pairs.csv", **OPTIONS)

    renamed = [k for k, (what, _) in enumerate(happened) if what != "sync"]
    assert {"pairs.csv", "fingerprint", "block-000000.arrow"} <= {happened[k][0] for k in renamed}
    assert all(happened[k - 1] == ("sync", happened[k][1]) for k in renamed)


def test_what_a_killed_run_wrote_of_the_output_is_removed(whole, tmp_path):
    program = f"""
import os, signal
import bychance as bc
from pytest import MonkeyPatch
from tests.engine.ranking import ranked_to_file
from tests.engine.settings import own, put
from tests.ranking.conftest import make_table
columns, written = own("columns_of_output"), []
def killed(*arguments):
    written.append(1)
    if len(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return columns(*arguments)
put(MonkeyPatch(), rows_per_write=8, columns_of_output=killed)
ranked_to_file(make_table(), {str(tmp_path / "pairs.csv")!r}, **{OPTIONS!r})
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == [".pairs.csv.parts"]
    assert list((tmp_path / ".pairs.csv.parts").glob(".pairs.csv.*")), "killed while it wrote the output"

    assert resume(tmp_path) == whole


def test_another_class_of_the_same_name_has_another_fingerprint():
    """A method may have changed between two runs."""

    def define(factor):
        class Mine(bc.MIC):
            weight = factor

            def estimate(self, x, y):
                return self.weight * super().estimate(x, y)

        return Mine()

    table = make_table()
    few = {name: table[name] for name in ("a", "b", "c", "skewed")}
    marks = [fingerprint_of(few, measure=define(factor)) for factor in (0.5, 0.25, 0.5)]

    assert marks[0] == marks[2] != marks[1]


def _share(x, y, *, power=1.0):
    return abs(float(np.corrcoef(x, y)[0, 1])) ** power


class _Powered:
    def __init__(self, power):
        self.power = power

    def __call__(self, x, y):
        return _share(x, y, power=self.power)

    def measure(self, x, y):
        return self(x, y)


def _holding(power):
    held = np.full(2_000, power)
    return lambda x, y: _share(x, y, power=held[1_000])


def _with_default(power):
    def measure(x, y, *, exponent=power):
        return _share(x, y, power=exponent)

    return measure


@pytest.mark.parametrize(
    "make",
    [
        lambda power: partial(_share, power=power),
        _Powered,
        lambda power: _Powered(power).measure,
        _holding,
        _with_default,
    ],
    ids=["partial", "object", "method", "array in a closure", "keyword default"],
)
def test_a_callable_that_holds_something_else_is_another_measure(make):
    marks = [fingerprint_of(make_table(), measure=make(power)) for power in (1.0, 3.0, 1.0)]

    assert marks[0] == marks[2] != marks[1]
