"""Sealed files: the data that was written, or an error, and nothing left half done."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.sealed_files import (
    SEAL_BYTES,
    DamagedFileError,
    open_regular,
    read_sealed,
    replacing_whole,
    write_sealed,
)


def read(path: Path, identity: str = "one") -> bytes:
    with open_regular(path) as file:
        return read_sealed(file, identity)


@pytest.fixture
def path(tmp_path):
    write_sealed(tmp_path / "file", b"some content", "one")
    return tmp_path / "file"


@given(st.binary(max_size=100), st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
def test_what_is_read_is_what_was_written(tmp_path_factory, content, identity):
    path = tmp_path_factory.mktemp("sealed") / "file"
    write_sealed(path, content, identity)

    assert read(path, identity) == content


def test_a_flipped_bit_is_noticed_wherever_it_is(path):
    content = path.read_bytes()
    for position in range(8 * len(content)):
        altered = bytearray(content)
        altered[position // 8] ^= 1 << position % 8
        path.write_bytes(altered)
        with pytest.raises(DamagedFileError, match="checksum"):
            read(path)


def test_a_file_of_another_length_is_noticed(path):
    content = path.read_bytes()
    for altered in [content[:k] for k in range(len(content))] + [content + b"\0", b"\0" + content]:
        path.write_bytes(altered)
        with pytest.raises(DamagedFileError, match="checksum"):
            read(path)


def test_a_whole_file_in_the_place_of_another_is_noticed(path):
    with pytest.raises(DamagedFileError, match="checksum"):
        read(path, "another")


def test_identity_and_content_do_not_run_together(tmp_path):
    write_sealed(tmp_path / "file", b"bc", "a")

    with pytest.raises(DamagedFileError):
        read(tmp_path / "file", "ab")
    assert (tmp_path / "file").stat().st_size == 2 + SEAL_BYTES


def test_nothing_but_a_regular_file_is_opened(tmp_path):
    """Opening a pipe that nobody writes to would otherwise wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    n_open = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for name in ("pipe", "endless", "."):
        with pytest.raises(DamagedFileError, match="not a regular file"):
            open_regular(tmp_path / name)

    assert not n_open or len(os.listdir("/proc/self/fd")) == n_open


def test_only_its_owner_may_read_or_write_a_sealed_file(path):
    assert path.stat().st_mode & 0o077 == 0


def test_other_files_have_the_usual_permissions(tmp_path):
    with replacing_whole(tmp_path / "file") as temporary:
        temporary.write_text("text")
    (tmp_path / "usual").touch()

    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_file_that_cannot_be_finished_leaves_the_older_one(path, monkeypatch, step):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space"):
        write_sealed(path, b"new", "one")

    assert os.listdir(path.parent) == ["file"]
    assert read(path) == b"some content"
