"""Levels of p-values under independence: two grids set the rules, a third judges.

    python -m studies.levels fit
    python -m studies.levels seen
    python -m studies.levels judge --out docs/validation

They share no kind of data and no seed. The second judged first, until rules were tightened after a look.
"""
