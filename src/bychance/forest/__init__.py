"""Forests whose splits are adjusted for chance: settings, features, trees."""
