"""Dependence of two columns given covariates, tested by permuting rows within cells of similar covariates.

A cell is a group of rows with the same categories and similar numbers in the covariates. `cells` and `design`
turn covariates into cells and a basis to residualize on. `moments` computes exact null moments over
permutations within cells. `common_effect` and `separate_effects` have the measures given covariates.
"""
