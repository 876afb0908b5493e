"""Rankings in words: tables, verdicts, advice on single pairs, and ranks at several alphas."""
