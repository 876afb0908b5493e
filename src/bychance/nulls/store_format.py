"""The format of a stored sample: (key, draws) → bytes, and back. No files but for reading a header.

A file is

    magic (8 bytes) · format version, header length (uint32 each) · header (JSON, padded with spaces)
    · draws (float64) · blake2b of all before it (32 bytes)

with numbers little-endian. Magic and trailing checksum stay where they are in every later format, so that a
file of another version can be told from a damaged one.
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.store_key import NullKey

__all__ = ["DamagedFileError", "decode", "encode", "read_header"]

_MAGIC = b"bcnull\r\n"  # a transfer that rewrites line ends is noticed at once
_VERSION = 1
_PREFIX = struct.Struct("<8sII")
_CHECKSUM_BYTES = 32
_ALIGNMENT = 64


class DamagedFileError(Exception):
    """A stored sample is not what was written."""


def encode(key: NullKey, draws: NDArray[np.float64]) -> bytes:
    """The content of the file that holds these draws.

    Examples
    --------
    >>> key = NullKey(measure="mic", n=60, seed=0, kernel_version=1)
    >>> decode(encode(key, np.array([0.25, 0.5])), key.digest)
    array([0.25, 0.5 ])
    """
    header = {
        "measure": key.measure,
        "settings": key.settings,
        "n": key.n,
        "is_tied": key.is_tied,
        "seed": key.seed,
        "kernel_version": key.kernel_version,
        "count": len(draws),
        "digest": key.digest,
    }
    text = json.dumps(header).encode()
    text = text.ljust(-(-(_PREFIX.size + len(text)) // _ALIGNMENT) * _ALIGNMENT - _PREFIX.size)
    body = _PREFIX.pack(_MAGIC, _VERSION, len(text)) + text + draws.astype("<f8", copy=False).tobytes()
    return body + _checksum(body)


def decode(content: bytes, digest: str) -> NDArray[np.float64] | None:
    """The draws of a whole file; None if it is whole but of another format."""
    body, checksum = memoryview(content)[:-_CHECKSUM_BYTES], content[-_CHECKSUM_BYTES:]
    if len(body) < _PREFIX.size or _checksum(body) != checksum:
        raise DamagedFileError("its checksum does not match")
    magic, version, n_header = _PREFIX.unpack_from(body)
    if magic != _MAGIC or version != _VERSION:
        return None
    header = json.loads(bytes(body[_PREFIX.size : _PREFIX.size + n_header]))
    if header["digest"] != digest:
        raise DamagedFileError("it holds another null than its name says")
    return np.frombuffer(body, dtype="<f8", offset=_PREFIX.size + n_header).astype(np.float64)


def read_header(path: Path | str) -> dict[str, Any] | None:
    """The header as it stands, unchecked; None where there is no file or no header of this format."""
    try:
        with open(path, "rb") as file:
            magic, version, n_header = _PREFIX.unpack(file.read(_PREFIX.size))
            header = json.loads(file.read(n_header)) if (magic, version) == (_MAGIC, _VERSION) else None
        return header if isinstance(header, dict) and isinstance(header.get("count"), int) else None
    except (FileNotFoundError, struct.error, ValueError):
        return None


def _checksum(body: bytes | memoryview) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM_BYTES, person=b"bychance-null").digest()
