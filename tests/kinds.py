"""The five kinds of tests as markers, so that `pytest -m oracle` runs the tests of that kind.

A test has the kind of what it uses, directly or through helpers of its module: `tests.oracle` makes it an
oracle test, full enumeration a cross-engine test, a peer such as scipy.stats an outside reference, Hypothesis
a law. Files that are of one kind throughout are listed here. Statistical tests are marked in their files.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType

KINDS = {
    "oracle": ("tests.oracle",),
    "cross_engine": ("tests.oracle.enumeration",),
    "reference": (
        *("scipy.stats", "sklearn.ensemble", "sklearn.feature_selection", "sklearn.linear_model"),
        *("sklearn.metrics", "sklearn.tree"),
    ),
}
FILES = {
    "covariates/test_tails.py": "cross_engine",
    "covariates/test_vectors.py": "reference",
    "gpu/test_traces.py": "cross_engine",
    "gpu/test_mic.py": "cross_engine",
    "gpu/test_rank_on_gpu.py": "cross_engine",
    "nulls/test_splitting.py": "cross_engine",
    "nulls/test_vectors.py": "reference",
    "gpu/test_all_pairs.py": "cross_engine",
    "ranking/arrays/test_api.py": "cross_engine",
    "moments/test_tables.py": "cross_engine",
    "moments/test_within_cells.py": "cross_engine",
    "moments/test_groups.py": "cross_engine",
    "moments/test_pearson.py": "cross_engine",
    "moments/test_ranks.py": "cross_engine",
    "test_paper_numbers.py": "reference",
}


@cache
def kinds_of(test: FunctionType, file: str) -> frozenset[str]:
    """Return the kinds of a test function in a file, given its path below tests/."""
    kinds = {FILES[file]} if file in FILES else set()
    if getattr(test, "is_hypothesis_test", False):
        kinds.add("law")
        test = test.hypothesis.inner_test
    return frozenset(kinds.union(*map(_kinds_of_module, _modules_used(test, set()))))


@cache
def _kinds_of_module(module: str) -> frozenset[str]:
    """Return the kind of a test that uses a module, by its longest prefix: enumeration is not an oracle."""
    fitting = [
        (len(prefix), kind)
        for kind, prefixes in KINDS.items()
        for prefix in prefixes
        if module == prefix or module.startswith(f"{prefix}.")
    ]
    return frozenset(kind for length, kind in fitting if (length, kind) == max(fitting))


def _modules_used(function: FunctionType, seen: set[FunctionType]) -> Iterator[str]:
    """Return the modules whose names a function uses, also through other functions of its module."""
    seen.add(function)
    for name in _names_in(function.__code__):
        yield name  # an import inside the function has the module's name
        used = function.__globals__.get(name)
        if isinstance(used, ModuleType):
            yield used.__name__
            yield from (f"{used.__name__}.{inner}" for inner in _names_in(function.__code__))
        elif isinstance(used, FunctionType) and used.__globals__ is function.__globals__:
            if used not in seen:
                yield from _modules_used(used, seen)
        else:
            yield str(getattr(used, "__module__", ""))


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
