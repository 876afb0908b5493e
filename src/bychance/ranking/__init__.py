"""rank(): every pair of a table with its null, its adjustments, and its place.

The flow: job (checked options) → plan (columns, pairs, blocks) → execute (blocks through joblib), each block
through block → closed_form (all pairs at once) or per_pair → pair_rows; then sinks (places and q-values) →
result (Ranking) and display, or files (for more pairs than fit in memory).
"""

from __future__ import annotations

from bychance.ranking.files import rank_to_file
from bychance.ranking.result import Ranking
from bychance.ranking.run import rank
from bychance.ranking.sweep import Sweep

__all__ = ["Ranking", "Sweep", "rank", "rank_to_file"]
