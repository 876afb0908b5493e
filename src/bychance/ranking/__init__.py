"""Implementation of rank(): every pair of columns with its null distribution, adjusted values and rank.

The flow: options (checked) → plan (columns, pairs, blocks) → run, which measures each block in parallel (by
closed forms or by_pair), then draws further permutations (rounds) and very small p-values (tails) → collector
(ranks, q-values) → ranking (Ranking), at_least_true (bounds on true discoveries) and display. files writes
results, also of more pairs than fit in memory (resume).
"""

from __future__ import annotations

from bychance.ranking.api import rank, rank_to_file
from bychance.ranking.arrays.api import rank_arrays
from bychance.ranking.at_least_true import AtLeastTrue
from bychance.ranking.display.sweep import Sweep
from bychance.ranking.options import Streaming
from bychance.ranking.ranking import Ranking

__all__ = ["AtLeastTrue", "Ranking", "Streaming", "Sweep", "rank", "rank_arrays", "rank_to_file"]
