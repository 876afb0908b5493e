"""Dependence beyond covariates: what is controlled, how, and what chance gives beyond it.

cells and design (z → who may trade places, what is taken out) → factors and moments (exact, over permutations
within cells) → laws → measures that look beyond z.
"""
