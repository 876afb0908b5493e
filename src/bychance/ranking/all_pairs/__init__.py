"""All pairs of the columns of two arrays, by r² or ρ²: no object per column, a screen, then float64.

The flow: sides (arrays → facts and lines of blocks of columns, lines.py) → screen (tiles of products, what
may pass a threshold: rounding.py, reach.py) → exact (those pairs, and those of columns that no screen can
judge, by the engine of ordinary tables) → best (places and q-values, rates.py) → run (Ranking or file).
backend.py and cuda.py have what NumPy and a GPU do differently.
"""

from __future__ import annotations

from bychance.ranking.all_pairs.api import rank_arrays

__all__ = ["rank_arrays"]
