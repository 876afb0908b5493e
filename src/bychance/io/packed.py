"""Packed files: .gz, .bz2, .xz, .zst, .lz4 and .zip → the bytes of the one file that is in them."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any

from bychance.errors import BychanceError, unknown_name
from bychance.io.unpacked import UnpackedLimit
from bychance.names import count_of, display_name, first_line

__all__ = ["PACKED", "member_of", "unpacked"]

PACKED = frozenset({".gz", ".bz2", ".xz", ".zst", ".lz4"})
_CHUNK = 1 << 24
_NAMES = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}


def unpacked(file: IO[bytes], suffix: str, limit: UnpackedLimit) -> bytes:
    """All that the bytes of a file stand for; those of a plain file as they are."""
    import pyarrow as pa

    try:
        if suffix not in PACKED:
            return file.read()
        if suffix == ".xz":
            with lzma.open(file) as stream:
                return _read(stream, limit)
        with pa.CompressedInputStream(pa.PythonFile(file, mode="r"), _NAMES[suffix]) as stream:
            return _read(stream, limit)
    except BychanceError:
        raise
    except (OSError, EOFError, lzma.LZMAError, pa.ArrowException, ValueError) as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        raise BychanceError(f"{limit.origin} could not be opened: {reason}.") from None


def member_of(
    file: IO[bytes], name: str | None, is_readable: Callable[[str], bool], limit: UnpackedLimit
) -> tuple[str, bytes]:
    """The name and the bytes of the file in an archive that is named, or is the only table there."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = {info.filename: info for info in archive.infolist() if not info.is_dir()}
            tables = [m for m in members if is_readable(m) and not m.startswith("__MACOSX/")]
            chosen = _chosen(tables, list(members), name, limit.origin)
            limit.check(members[chosen].file_size)
            with archive.open(chosen) as stream:
                return chosen, _read(stream, limit)
    except BychanceError:
        raise
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise BychanceError(f"{limit.origin} could not be opened: {first_line(error)}.") from None
    except Exception as error:  # errors of any kind come from a directory that is not what it should be
        reason = f"the archive is damaged ({first_line(error)})"
        raise BychanceError(f"{limit.origin} could not be opened: {reason}.") from None


def _chosen(tables: list[str], members: list[str], name: str | None, origin: str) -> str:
    if name is not None:
        if name not in members:
            raise unknown_name("file", name, members)
        return name
    if len(tables) != 1:
        listed = ", ".join(display_name(member, 40) for member in (tables or members)[:10])
        rule = f"name one, as in {origin}::{tables[0]}" if tables else "none is a table"
        raise BychanceError(
            f"{origin} has {count_of(len(tables) or len(members), 'file')}; {rule}: {listed}."
        )
    return tables[0]


def _read(stream: Any, limit: UnpackedLimit) -> bytes:
    whole = io.BytesIO()
    while chunk := stream.read(_CHUNK):
        whole.write(chunk)
        limit.check(whole.tell())
    return whole.getvalue()
