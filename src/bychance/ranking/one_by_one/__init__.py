"""Pairs that are prepared one by one: exact and matched laws, first samples, further draws, far tails."""
