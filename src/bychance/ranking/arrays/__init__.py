"""Ranking of all column pairs of two arrays by r² or ρ²: float32 screen, then float64 for candidates.

`columns.py` reads the arrays, and `lines.py` standardizes their columns in blocks. `products.py` multiplies
blocks on the CPU or a GPU, with a proven bound on the error. `tiles.py` goes through all products for pairs
that may pass a threshold, with the proofs in `bounds.py`. `search.py` measures these pairs, and pairs of
columns that are not screened, as blocks of an ordinary table. `api.py` makes the ranking or the file.
"""
