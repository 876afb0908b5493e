"""Dependence of two columns given covariates, tested by permuting rows within cells of similar covariates.

Modules, in order: `cells` and `design` turn covariates into cells of rows and a basis to residualize on.
`factors` and `moments` compute exact moments over permutations within cells. The measures given covariates
and their null distributions use both.
"""
