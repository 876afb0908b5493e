"""The differential fuzz: random calls against laws that are computed here, exactly and independently.

    make fuzz                        # 100,000 calls; an interrupted run resumes with the next case
    python -m tests.fuzz --help

Part "small" compares every measure on at most 7 rows with the law over all n! permutations; part "few atoms"
compares tables of up to a million rows, whose null has a handful of values, with exact sums over all tables;
part "rare flags" ranks whole tables of independent rare flags; part "streams" compares tables that come in
parts, through every door, with the same rows in memory. compare.py states what a difference is.
"""
