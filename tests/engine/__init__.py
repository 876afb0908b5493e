"""The one door through which tests reach the inside of the library, sorted by what is computed.

statistics (figures of many pairs at once), nulls (laws, draws, tails, the store of draws), given (beyond
covariates), streams (sums over batches), screens (all pairs of two arrays), ranking (plan, blocks, rows,
display) and settings (limits and steps of the inside that a test sets or watches). A change of the inside
that moves or renames what tests use is followed here, and in no test; `tests/test_engine.py` holds it.
"""
