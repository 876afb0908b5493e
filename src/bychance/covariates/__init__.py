"""Dependence given covariates: measures of residuals, with nulls over permutations within cells.

cells and design (covariates → cells, and a basis to residualize on) → factors and moments (exact, over
permutations within cells) → distributions → measures given covariates.
"""
