"""Options and a source → a plan: which columns, which pairs, in which blocks, and whether they fit."""
