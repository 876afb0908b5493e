"""Encoding of a dict with NumPy arrays as compact text, safe anywhere in an HTML page.

The bytes are the length of a JSON header (4 bytes, little-endian), the header, and all arrays one after the
other, each at a multiple of 8 bytes. In the header, {"$array": [type, offset, length, width]} stands for an
array, with width 0 if it has one dimension. The bytes are compressed and in base 64, so that nothing in the
data can end a script or begin one.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from typing import Any

import numpy as np

__all__ = ["compressed_text", "pack"]

_ALIGNMENT = 8  # bytes, the size of the largest type, as typed arrays of JavaScript require


def pack(summary: dict[str, Any]) -> str:
    """Encode the dict and its arrays as compressed base64 text.

    >>> pack({"n": np.array([1, 2], dtype=np.int32)})[:8]
    'H4sIAAAA'
    """
    arrays: list[bytes] = []
    header = json.dumps(_outline(summary, arrays), allow_nan=False).encode("ascii")
    start = struct.pack("<I", len(header)) + header
    return compressed_text(_padded(start) + b"".join(arrays))


def compressed_text(data: bytes) -> str:
    """Compress bytes to base64 text. Equal bytes give equal text."""
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode("ascii")


def _outline(value: Any, arrays: list[bytes]) -> Any:
    """Replace each array in nested dicts and lists by a reference, and append its bytes to `arrays`."""
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
