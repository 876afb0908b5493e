"""One root seed → one random stream per null, whatever the threads do.

A stream is named by the root and by what the null depends on, hashed to the two words of a Philox key;
draw number s of the stream is the same whatever was drawn before it.
"""

from __future__ import annotations

import hashlib

__all__ = ["stream_key"]


def stream_key(root: int, *parts: str) -> tuple[int, int]:
    """The Philox key of the stream named by these parts under this root."""
    name = b""
    for part in (str(root), *parts):
        encoded = part.encode("utf-8", "surrogatepass")
        name += len(encoded).to_bytes(8, "little") + encoded
    words = hashlib.blake2b(name, digest_size=16, person=b"bychance-stream").digest()
    return int.from_bytes(words[:8], "little"), int.from_bytes(words[8:], "little")
