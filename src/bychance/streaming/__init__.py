"""Tables larger than memory: sources that are read in batches → sums that add up, and a sample of rows.

The flow: sources (what callers name or hold) → parts → typed_batches (the rules of `read_table`, row by row) →
sums (line_sums, label_sums) and row_sample → read, which puts them in order; keep holds finished sums.
"""

from __future__ import annotations

from bychance.streaming.read import StreamOptions, Streamed, read_stream
from bychance.streaming.sources import StreamSource, open_source
from bychance.streaming.sums import Sums, Wanted

__all__ = ["StreamOptions", "StreamSource", "Streamed", "Sums", "Wanted", "open_source", "read_stream"]
