"""Tables larger than memory, read in batches into sums over all rows and a sample of rows.

The flow: sources (paths, datasets, streams) → parts, text (by the dialect of the first file) →
typed_batches (the rules of `read_table`, batch by batch) → the sums of `bychance.moments` and row_sample →
read, which adds them in order. tiles splits wide tables. resume turns sums into bytes and writes them to a
file. closer_sums reads pairs with cancellation in their sums again.
"""

from __future__ import annotations

from bychance.streaming.read import Streamed, StreamOptions, read_stream
from bychance.streaming.sources import StreamSource, open_source

__all__ = ["StreamOptions", "StreamSource", "Streamed", "open_source", "read_stream"]
