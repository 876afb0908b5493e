"""Files that are written completely or not at all, and protected by a checksum.

A sealed file is its content and 32 bytes of blake2b. The checksum also covers what the file stands for (its
`identity`), so that an intact file in the place of another is rejected like a truncated one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

from bychance.errors import BychanceError
from bychance.names import display_name, first_line

__all__ = [
    "SEAL_BYTES",
    "DamagedFileError",
    "cannot_be_written",
    "open_regular",
    "read_sealed",
    "remove_unfinished",
    "replacing_whole",
    "write_sealed",
]

SEAL_BYTES = 32  # bytes of the BLAKE2b checksum: 256 bits
_ID_DIGITS = 8  # hexadecimal digits of the random part of a temporary file's name (taste)

Bytes = bytes | memoryview


class DamagedFileError(Exception):
    """Error for a file whose content is not what was written."""


def write_sealed(path: Path, content: Bytes, identity: str, *, sync: bool = True) -> None:
    """Write the content and its checksum to a file that only this user may read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_sealed(Path(directory, "one"), b"two", "block 1")
    ...     with open_regular(Path(directory, "one")) as file:
    ...         read_sealed(file, "block 1")
    b'two'
    """
    with replacing_whole(path, mode=0o600, sync=sync) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.write(_seal(content, identity))


def read_sealed(file: IO[bytes], identity: str) -> bytes:
    """Read a file written by `write_sealed`, or raise DamagedFileError if its checksum is wrong."""
    content = file.read()
    body, seal = content[:-SEAL_BYTES], content[-SEAL_BYTES:]
    if len(seal) < SEAL_BYTES or _seal(body, identity) != seal:
        raise DamagedFileError("its checksum does not match")
    return body


def open_regular(path: Path | str) -> IO[bytes]:
    """Open a regular file for reading, or raise DamagedFileError for a pipe or a device."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise DamagedFileError("it is not a regular file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def cannot_be_written(path: Path, error: OSError) -> BychanceError:
    """Return the error for an output that the operating system refuses."""
    return BychanceError(
        f"{display_name(str(path))} cannot be written: {error.strerror or first_line(error)}."
    )


@contextlib.contextmanager
def replacing_whole(
    path: Path, *, directory: Path | None = None, mode: int = 0o666, sync: bool = True
) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` at the end, and is removed after an error.

    The temporary file lies beside the path, or in another directory of the same disk. With `sync` its content
    is on the disk before it is renamed. Without it, a power cut may leave a damaged file, which only a
    checksum detects.
    """
    temporary = (directory or path.parent) / f".{path.name}.{uuid4().hex[:_ID_DIGITS]}"
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield temporary
        if sync:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def remove_unfinished(path: Path) -> None:
    """Remove temporary files of this path that a killed process left behind."""
    is_temporary = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{{_ID_DIGITS}}}").fullmatch
    with contextlib.suppress(OSError):
        for name in filter(is_temporary, os.listdir(path.parent)):
            os.unlink(path.parent / name)


def _seal(content: Bytes, identity: str) -> bytes:
    seal = hashlib.blake2b(identity.encode(), digest_size=SEAL_BYTES, person=b"bychance seal")
    seal.update(b"\0")
    seal.update(content)
    return seal.digest()
