"""Feature selection for scikit-learn by chance-adjusted scores: X and y → which columns to keep.

The flow: target (y → classes or numbers) → figures.py (X and the target → a ranking as `bc.rank` makes it →
scores, p- and q-values by column of X) → selector (ChanceSelector). ForestSelector shares
kept_columns with it.
"""

from __future__ import annotations

from bychance.errors import require

require("forest")

from bychance.selection.selector import ChanceSelector

__all__ = ["ChanceSelector"]
