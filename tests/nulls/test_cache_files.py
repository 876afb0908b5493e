"""Files of the store: a format anyone can read, only our own files, a cap that holds."""

from __future__ import annotations

import ast
import errno
import hashlib
import os
import time
from pathlib import Path

import numpy as np
import pytest

from bychance import sealed_files
from bychance.sealed_files import DamagedFileError, write_sealed
from tests.engine.nulls import NullFiles, modules_of_the_store
from tests.nulls.cache_cases import make_key, roots

KEY = make_key(x_tie_groups=(20, 40))


@pytest.fixture
def files(tmp_path):
    return NullFiles(tmp_path, max_bytes=10**9)


def stored(files: NullFiles, key=KEY, count: int = 50) -> Path:
    files.write(key.digest, roots(0, count), is_costly=False)
    return files.path(key.digest)


@pytest.mark.parametrize("is_costly", [True, False])
def test_what_is_read_is_what_was_written(files, is_costly):
    draws = np.array([0.0, -0.0, 1 / 3, np.nextafter(1, 2), 5e-324])
    files.write(KEY.digest, draws, is_costly=is_costly)

    assert files.read(KEY.digest).tobytes() == draws.tobytes()


def test_a_key_that_was_never_written_is_not_there(files):
    stored(files)

    assert files.read(make_key(seed=8).digest) is None


def test_an_altered_file_is_noticed(files):
    path = stored(files)
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(DamagedFileError):
        files.read(KEY.digest)


def test_a_file_can_be_read_by_its_description(files):
    """Oracle: the format as documented, parsed by hand."""
    content = stored(files).read_bytes()
    identity = f"draws of {KEY.digest}".encode() + b"\0"
    seal = hashlib.blake2b(identity, digest_size=32, person=b"bychance seal")
    seal.update(content[:-32])

    np.testing.assert_array_equal(np.frombuffer(content[:-32], dtype="<f8"), roots(0, 50))
    assert content[-32:] == seal.digest()


def test_a_whole_file_under_the_name_of_another_null_is_noticed(files):
    other = make_key(seed=8)
    stored(files, other)
    os.replace(stored(files), files.path(other.digest))

    with pytest.raises(DamagedFileError):
        files.read(other.digest)


@pytest.mark.parametrize("content", [b"", b"1234567", b"\xff" * 9])
def test_a_sealed_file_that_makes_no_sense_is_damaged_or_empty(files, content):
    write_sealed(stored(files), content, f"draws of {KEY.digest}")

    if content:
        with pytest.raises(DamagedFileError):
            files.read(KEY.digest)
    else:
        assert len(files.read(KEY.digest)) == 0


@pytest.mark.parametrize("module", [*modules_of_the_store(), sealed_files])
def test_the_store_has_no_way_to_pickle(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

    assert not imported & {"pickle", "marshal", "shelve", "joblib", "dill", "cloudpickle"}
    assert not called & {"load", "save"}  # np.load and np.save may pickle


def test_a_shorter_sample_never_replaces_a_longer_one(files):
    stored(files, count=50)
    stored(files, count=20)
    assert len(files.read(KEY.digest)) == 50

    stored(files, count=60)
    assert len(files.read(KEY.digest)) == 60


def test_a_file_that_cannot_be_finished_leaves_nothing_behind(files, monkeypatch):
    path = stored(files, count=20)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write(KEY.digest, roots(0, 50), is_costly=True)

    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    np.testing.assert_array_equal(files.read(KEY.digest), roots(0, 20))


def test_only_costly_blocks_wait_for_the_disk(files, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)

    files.write(KEY.digest, roots(0, 10), is_costly=False)
    assert synced == []
    files.write(KEY.digest, roots(0, 20), is_costly=True)
    assert len(synced) == 1


def test_files_are_spread_over_shards_by_their_first_two_digits(files):
    paths = [stored(files, make_key(seed=seed), count=1) for seed in range(300)]

    assert all(path.parent.name == path.name[:2] for path in paths)
    assert {path.parent.parent for path in paths} == {files.directory}
    assert len({path.parent for path in paths}) > 100


def age(path: Path, seconds: float) -> None:
    used = time.time() - seconds
    os.utime(path, (used, used))


def test_over_the_cap_the_nulls_unused_for_longest_go_first(tmp_path):
    keys = [make_key(seed=10 + seed) for seed in range(11)]
    size = stored(NullFiles(tmp_path / "one", max_bytes=10**9), keys[0]).stat().st_size
    files = NullFiles(tmp_path / "many", max_bytes=10 * size)
    for index, key in enumerate(keys[:10]):
        age(stored(files, key), 1000 - index)

    files.read(keys[0].digest)  # used again, so that keys[1] is now the oldest
    stored(files, keys[10])

    left = [index for index, key in enumerate(keys) if files.path(key.digest).exists()]
    assert left == [0, 3, 4, 5, 6, 7, 8, 9, 10]


def test_the_cap_holds_after_every_write(tmp_path):
    files = NullFiles(tmp_path, max_bytes=20_000)

    for seed in range(60):
        path = stored(files, make_key(seed=seed), count=100)
        assert path.exists()
        assert sum(file.stat().st_size for file in tmp_path.glob("*/*")) <= 20_000


def test_the_cap_counts_what_other_processes_wrote(tmp_path):
    first, second = (NullFiles(tmp_path, max_bytes=20_000) for _ in range(2))
    for seed in range(15):
        stored(first, make_key(seed=seed), count=100)

    for seed in range(15, 30):
        stored(second, make_key(seed=seed), count=100)

    assert sum(file.stat().st_size for file in tmp_path.glob("*/*")) <= 20_000


def test_a_sample_larger_than_the_cap_is_not_written(tmp_path):
    files = NullFiles(tmp_path, max_bytes=1_000)

    assert not stored(files, count=1_000).exists()
    assert stored(files, count=10).exists()


@pytest.fixture
def scans(monkeypatch):
    """Record every directory that is listed."""
    listed, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(str(path)), scandir(path))[1])
    return listed


def test_far_from_the_cap_one_shard_is_scanned_once(files, scans):
    paths = [stored(files, make_key(seed=seed)) for seed in range(50)]

    assert scans == [str(paths[0].parent)]


def test_near_the_cap_the_tree_is_scanned_once_in_many_writes(tmp_path, scans):
    files = NullFiles(tmp_path, max_bytes=50_000)
    size = stored(files, make_key(seed=10)).stat().st_size
    for seed in range(11, 10 + 50_000 // size):
        stored(files, make_key(seed=seed))
    assert scans.count(str(tmp_path)) == 1

    stored(files, make_key(seed=999))
    assert scans.count(str(tmp_path)) == 2


def test_growing_files_are_counted_once(tmp_path, scans):
    """A sample rewritten block by block takes the room of its last version only: the cap is never met."""
    files = NullFiles(tmp_path, max_bytes=20_000)
    other = stored(files, make_key(seed=8), count=10)
    for count in range(10, 1_500, 10):
        stored(files, count=count)

    assert other.exists()
    assert scans.count(str(tmp_path)) == 1


def test_a_sample_just_written_is_not_evicted_for_its_size(tmp_path):
    """Alone it fills 95 % of the cap, more than is left after an eviction."""
    files = NullFiles(tmp_path, max_bytes=20_000)
    other, large = stored(files, make_key(seed=8), count=200), stored(files, count=2_360)

    assert large.stat().st_size > 0.94 * 20_000
    assert not other.exists()


def test_temporary_files_of_dead_processes_are_removed_and_those_of_live_ones_left(files):
    path = stored(files)
    dead, live = (path.with_name(f".{path.name}.{digits}") for digits in ("0" * 8, "1" * 8))
    dead.touch()
    live.touch()
    age(dead, 7200)

    stored(NullFiles(files.directory, max_bytes=10_000), make_key(seed=8))

    assert not dead.exists()
    assert live.exists()


def test_clearing_removes_ours_and_nothing_else(files):
    path = stored(files)
    stored(files, make_key(seed=8))
    foreign = [files.directory / "notes.txt", path.parent / "notes.null", files.directory / "zz" / path.name]
    for file in foreign:
        file.parent.mkdir(exist_ok=True)
        file.touch()

    assert len(files.sizes()) == files.clear() == 2
    assert files.sizes() == []
    assert all(file.exists() for file in foreign)
    assert files.clear() == 0


def test_clearing_says_what_went_where_files_cannot_be_removed(files, monkeypatch):
    stored(files)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        assert files.clear() == 0
    assert files.clear() == 1


def test_files_that_cannot_be_evicted_do_not_stop_a_write(tmp_path, monkeypatch):
    files = NullFiles(tmp_path, max_bytes=2_000)
    monkeypatch.setattr(os, "unlink", refuse)
    paths = [stored(files, make_key(seed=seed)) for seed in range(5)]

    assert all(path.exists() for path in paths)


def refuse(*_):
    raise PermissionError(errno.EACCES, "Permission denied")


def test_a_directory_that_does_not_exist_is_an_empty_one(tmp_path):
    files = NullFiles(tmp_path / "nowhere", max_bytes=10**9)

    assert (files.sizes(), files.clear(), files.read(KEY.digest)) == ([], 0, None)
    assert not (tmp_path / "nowhere").exists()
