"""State of a run of the fuzz on disk: an interrupted run resumes with the next block of cases."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import bychance
from tests.fuzz.outcome import Outcome

_SEPARATOR = "|"


@dataclass
class State:
    """Progress: numbers of units and of calls of random cases, and the differences found."""

    units: int = 0
    random_calls: int = 0
    outcome: Outcome = field(default_factory=Outcome)


def fingerprint(**settings: object) -> str:
    """Hash settings and code, because differences found with other code do not count."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for package in (Path(bychance.__file__).parent, Path(__file__).parent):
        for path in sorted([*package.rglob("*.py"), *package.rglob("*.so")]):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def load(path: Path, key: str) -> State:
    """Load the state of an interrupted run with the same key, or make a new one."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return State()
    if held.get("key") != key or held.get("is_complete"):
        return State()
    tried = Counter({tuple(k.split(_SEPARATOR)): v for k, v in held["tried"].items()})
    outcome = Outcome(calls=held["calls"], tried=tried, differences=held["differences"])
    return State(held["units"], held["random_calls"], outcome)


def save(path: Path, key: str, state: State, *, is_complete: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    held = {
        "key": key,
        "is_complete": is_complete,
        "units": state.units,
        "random_calls": state.random_calls,
        "calls": state.outcome.calls,
        "tried": {_SEPARATOR.join(k): v for k, v in state.outcome.tried.items()},
        "differences": state.outcome.differences,
    }
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(held), encoding="utf-8")
    os.replace(partial, path)
