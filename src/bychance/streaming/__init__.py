"""Tables larger than memory, read in batches into sums over all rows and a sample of rows.

The flow: sources (paths, datasets, streams) → parts, text (by the dialect of the first file) →
typed_batches (the rules of `read_table`, batch by batch) → sums (with those of `bychance.moments`) and
row_sample → read, which adds them in order. resume turns sums into bytes and writes them to a file.
"""

from __future__ import annotations

from bychance.streaming.parts import StreamSource
from bychance.streaming.read import Streamed, read_stream
from bychance.streaming.sources import open_source
from bychance.streaming.sums import StreamOptions

__all__ = ["StreamOptions", "StreamSource", "Streamed", "open_source", "read_stream"]
