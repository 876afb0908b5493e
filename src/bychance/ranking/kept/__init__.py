"""Rows of finished blocks → the best of them, places and q-values, and files."""
