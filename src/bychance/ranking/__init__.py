"""Implementation of rank(): every pair of columns with its null distribution, adjusted values and rank.

The flow: job (checked options) → planning (columns, pairs, blocks) → execute (blocks through joblib), each
block → closed_forms and by_pair (laws of single pairs, samples) → rounds and tails → kept (rows, places,
q-values, files) → result (Ranking), at_least_true (bounds of selections) and shown (displays, verdicts);
files for more pairs than fit in memory.
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
