"""Random streams: one per null, derived from one root seed, the same for any number of threads.

A stream is named by the root seed and by all that its null depends on, hashed to the two words of a Philox
key. Draw number s of the stream is the same whatever was drawn before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from struct import Struct

__all__ = ["stream_key", "stream_keys"]

_TWO_WORDS = Struct("<QQ")


def stream_key(root: int, *parts: str) -> tuple[int, int]:
    """Return the Philox key of a random stream from its root seed and the parts of its name."""
    return stream_keys(root, *parts[:-1])(parts[-1])


@lru_cache(maxsize=1 << 12)  # a column has many pairs
def stream_keys(root: int, *parts: str) -> Callable[[str], tuple[int, int]]:
    """Return a function from the last part of a random stream's name to its Philox key.

    >>> stream_keys(7, "tree")("12") == stream_key(7, "tree", "12")
    True
    """
    name = b"".join(map(_named, (str(root), *parts)))
    start = hashlib.blake2b(name, digest_size=16, person=b"bychance-stream")

    def key_of(last: str) -> tuple[int, int]:
        whole = start.copy()
        whole.update(_named(last))
        first, second = _TWO_WORDS.unpack(whole.digest())
        return first, second

    return key_of


def _named(part: str) -> bytes:
    encoded = part.encode("utf-8", "surrogatepass")
    return len(encoded).to_bytes(8, "little") + encoded
