"""How often p-values are small where the variables are independent: one grid sets the rules, another judges.

    python -m tools.levels fit
    python -m tools.levels judge --out docs/levels.md

The two grids share no kind of data and no seed.
"""
