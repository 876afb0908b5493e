"""A finished ranking in words: tables, verdicts, advice, limits and what changes with alpha."""
