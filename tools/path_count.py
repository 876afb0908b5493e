"""How far a call travels inside bychance: files entered, functions entered, depth of the stack.

    python -m tools.path_count

Comprehensions, generators and lambdas are not counted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

import bychance as bc

__all__ = ["PathCount", "calls", "count"]

_HOME = os.path.dirname(bc.__file__)


@dataclass(frozen=True, slots=True)
class PathCount:
    """How many files and functions of the package a call enters, and how deep its stack gets."""

    files: int
    functions: int
    depth: int

    def __str__(self) -> str:
        return f"{self.files} files, {self.functions} functions, depth {self.depth}"


def count(call: Callable[[], object]) -> PathCount:
    """The path of one call, after a first one that has loaded what is loaded once."""
    call()
    files: set[str] = set()
    functions: set[tuple[str, str]] = set()
    depth = deepest = 0

    def hook(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth, deepest
        code = frame.f_code
        if not code.co_filename.startswith(_HOME) or code.co_name.startswith("<"):
            return
        if event == "call":
            files.add(code.co_filename)
            functions.add((code.co_filename, code.co_qualname))
            depth += 1
            deepest = max(deepest, depth)
        elif event == "return":
            depth -= 1

    earlier = sys.getprofile()
    sys.setprofile(hook)
    try:
        call()
    finally:
        sys.setprofile(earlier)
    return PathCount(len(files), len(functions), deepest)


def calls() -> dict[str, Callable[[], object]]:
    """The calls whose paths are watched, by name."""
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=50), "b": rng.normal(size=50)}
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    return {
        "rank": lambda: bc.rank(table, measure="r2"),
        "adjust": lambda: bc.adjust("mic", table["a"], table["b"]),
        "forest": lambda: bc.RandomForestClassifier(20, random_state=0).fit(X, y),
    }


if __name__ == "__main__":
    for name, call in calls().items():
        print(f"{name}: {count(call)}")
