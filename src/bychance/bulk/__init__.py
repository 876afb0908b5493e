"""Many pairs at once: columns → sums over the rows each pair shares → what a measure and its null need.

One file per combination of kinds: lines (numeric, by matrix products), ranks (numeric, re-ranked on shared
rows), tables (categorical), mixed. Every one of them answers with the records of records.py.
"""
