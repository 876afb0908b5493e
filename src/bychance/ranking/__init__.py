"""Implementation of rank(): every pair of columns with its null distribution, adjusted values and rank.

The flow: options (checked) → plan (columns, pairs, blocks) → block (measured in parallel), each by
closed_forms or by_pair → rounds (further permutations) and tails (very small p-values) → collector (ranks,
q-values) → ranking (Ranking), at_least_true (bounds on true discoveries) and display. files ranks more pairs
than fit in memory.
"""

from __future__ import annotations

from bychance.ranking.all_pairs import rank_arrays
from bychance.ranking.api import rank
from bychance.ranking.at_least_true import AtLeastTrue
from bychance.ranking.display.sweep import Sweep
from bychance.ranking.files import rank_to_file
from bychance.ranking.options import Streaming
from bychance.ranking.ranking import Ranking

__all__ = ["AtLeastTrue", "Ranking", "Streaming", "Sweep", "rank", "rank_arrays", "rank_to_file"]
