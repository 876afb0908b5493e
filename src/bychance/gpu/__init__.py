"""Permutation draws and all-pairs screening on a GPU, through CuPy, which is imported only on demand."""
