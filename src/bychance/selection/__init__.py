"""Feature selection for scikit-learn by chance-adjusted scores: X and y → which columns to keep.

`column_scores` turns X and y into a ranking as `bc.rank` makes it, and reads scores, p- and q-values by
column of X. `selector` has ChanceSelector, and `base` the class that it shares with ForestSelector.
"""

from __future__ import annotations

from bychance.errors import require

require("forest")

from bychance.selection.selector import ChanceSelector

__all__ = ["ChanceSelector"]
