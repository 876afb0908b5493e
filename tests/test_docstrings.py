"""Docstrings of what users reach: every public object of `bychance`, its public methods and properties."""

from __future__ import annotations

import inspect

import pytest

import bychance as bc


def parts_of(name):
    """Return an exported object, and the members of a class that bychance itself defines."""
    found = getattr(bc, name)
    yield name, found
    if inspect.isclass(found):
        for owner in found.__mro__:
            if owner.__module__.startswith("bychance"):
                for member, value in vars(owner).items():
                    if not member.startswith("_") and is_documentable(value):
                        yield f"{name}.{member}", getattr(found, member, value)


def is_documentable(value):
    return inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)


@pytest.mark.parametrize("name", sorted(bc.__all__))
def test_what_users_reach_is_documented(name):
    bare = [
        part
        for part, value in parts_of(name)
        if (callable(value) or isinstance(value, property)) and not inspect.getdoc(value)
    ]

    assert not bare
