"""Ranking of all column pairs of two arrays by r² or ρ²: float32 screen, then float64 for candidates.

`sides.py` and `lines.py` make standardized columns in blocks. `screen.py` finds the products that may pass a
threshold, with the proofs in `rounding.py` and `reach.py`. `search.py` measures these pairs, and pairs of
columns that are not screened, as blocks of an ordinary table (`plans.py`). `api.py` makes the ranking or the
file. `backend.py` and `cuda.py` have what NumPy and a GPU do differently.
"""

from __future__ import annotations

from bychance.ranking.all_pairs.api import rank_arrays

__all__ = ["rank_arrays"]
