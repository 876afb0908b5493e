"""Blocks whose measure and null have a closed form: all pairs at once, by products of whole sides."""
