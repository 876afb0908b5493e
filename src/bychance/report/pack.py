"""A dict with NumPy arrays in it → text that is safe anywhere in a page, and small.

The bytes: the length of a JSON header (4 bytes, little-endian), the header, then all arrays one after the
other, each from a multiple of 8. In the header {"$array": [type, offset, length, width]} stands for an array
(width 0 where it has one dimension). All of it is compressed and in base 64, so that nothing in the data can
end a script or begin one.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from typing import Any

import numpy as np

__all__ = ["compressed_text", "pack"]

_ALIGNMENT = 8


def pack(summary: dict[str, Any]) -> str:
    """The dict as text.

    >>> pack({"n": np.array([1, 2], dtype=np.int32)})[:8]
    'H4sIAAAA'
    """
    arrays: list[bytes] = []
    header = json.dumps(_outline(summary, arrays), allow_nan=False).encode("ascii")
    start = struct.pack("<I", len(header)) + header
    return compressed_text(_padded(start) + b"".join(arrays))


def compressed_text(data: bytes) -> str:
    """The bytes compressed, in base 64; the same bytes give the same text."""
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode("ascii")


def _outline(value: Any, arrays: list[bytes]) -> Any:
    """The value with arrays replaced by where they are; their bytes are added to the list."""
    if isinstance(value, dict):
        return {key: _outline(entry, arrays) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_outline(entry, arrays) for entry in value]
    if not isinstance(value, np.ndarray):
        return value
    offset = sum(map(len, arrays))
    arrays.append(_padded(value.astype(value.dtype.newbyteorder("<"), order="C").tobytes()))
    kind = f"{value.dtype.kind}{value.dtype.itemsize}"
    return {"$array": [kind, offset, value.size, value.shape[1] if value.ndim == 2 else 0]}


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)
