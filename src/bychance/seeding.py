"""One root seed → one random stream per null, whatever the threads do.

A stream is named by the root and by what the null depends on, hashed to the two words of a Philox key;
draw number s of the stream is the same whatever was drawn before it.
"""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["Seed", "root_seed", "stream_key"]

Seed = int | np.random.SeedSequence | np.random.Generator | None


def root_seed(rng: Seed) -> int:
    """The root of all streams: an integer as it is, a sequence's entropy, or one draw of a generator.

    None takes fresh entropy, so that no two calls share a stream.

    >>> root_seed(7)
    7
    """
    if rng is None:
        rng = np.random.SeedSequence()
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        if rng < 0:
            raise ValueError(f"`rng` must not be negative, got {rng!r}.")
        return int(rng)
    if isinstance(rng, np.random.SeedSequence):
        return int.from_bytes(rng.generate_state(4, np.uint32).tobytes(), "little")
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    raise TypeError(f"`rng` must be an integer, a SeedSequence, a Generator or None, got {rng!r}.")


def stream_key(root: int, *parts: str) -> tuple[int, int]:
    """The Philox key of the stream named by these parts under this root."""
    name = b""
    for part in (str(root), *parts):
        encoded = part.encode("utf-8", "surrogatepass")
        name += len(encoded).to_bytes(8, "little") + encoded
    words = hashlib.blake2b(name, digest_size=16, person=b"bychance-stream").digest()
    return int.from_bytes(words[:8], "little"), int.from_bytes(words[8:], "little")
