"""Sampled nulls and whole tables on a GPU, through CuPy, which is imported only when a GPU is asked for."""
