"""The file of records: one line per call, after a line on the machine that wrote them."""

from __future__ import annotations

import json
import os
import platform
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tools.recorded.arrays import array_calls
from tools.recorded.beyond import beyond_calls
from tools.recorded.data import who_path
from tools.recorded.figures import Call, Need, figures_of
from tools.recorded.forests import forest_calls
from tools.recorded.interface import has_dask, has_emulated_gpu
from tools.recorded.pairs import pair_calls
from tools.recorded.rankings import ranking_calls
from tools.recorded.runs import run_calls
from tools.recorded.streams import stream_calls

__all__ = ["RESULTS", "Recorded", "all_calls", "machine", "read", "run", "small_calls", "write"]

RESULTS = Path(__file__).parents[2] / "tests" / "recorded" / "results.jsonl"

# Quick calls from every corner, and all of those that keep their results whole.
_SMALL = (
    "adjust/*/plain/moments",
    "adjust/*/labels/auto",
    "adjust/explained/*/auto",
    "adjust/*/few/exact",
    "adjust/*/labels_few/exact",
    "adjust/*/*/permutation",
    "adjust/r2/plain/*",
    "mic_grid/plain",
    "measure/mic_e",
    "rank/mixed/moments*",
    "rank/mixed/top*",
    "rank/numbers/*moments",
    "rank/who/paper by=adjusted_at",
    "file/resumed",
    "sweep/moments",
    "matrix/moments",
    "select/fdr_level=0.05",
    "forest/fair",
    "forest/paper agini",
    "tree/*gini",
    "importance_test/fair",
    *("given/*", "stream/*", "against/*", "threads/*", "resumed/*", "dask/*", "cuda/*"),
)

_IS_HERE: dict[Need, Callable[[], bool]] = {
    "": lambda: True,
    "the WHO table": lambda: who_path() is not None,
    "Dask": has_dask,
    "a C++ compiler": has_emulated_gpu,
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record of one call."""

    name: str
    promise: str
    figures: dict[str, Any]


def all_calls() -> list[Call]:
    """Yield every call, in the order of the file."""
    return [
        *(*pair_calls(), *ranking_calls(), *forest_calls()),
        *(*beyond_calls(), *stream_calls(), *array_calls(), *run_calls()),
    ]


def small_calls() -> list[Call]:
    """Yield the calls that the tests repeat."""
    return [call for call in all_calls() if any(fnmatch(call.name, pattern) for pattern in _SMALL)]


def run(call: Call) -> dict[str, Any] | None:
    """Return the figures of a call without cached runs, or None if this machine cannot run it."""
    if not _IS_HERE[call.needs]():
        return None
    cache = os.environ.get("BYCHANCE_CACHE")
    os.environ["BYCHANCE_CACHE"] = "off"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            figures: dict[str, Any] = json.loads(json.dumps(figures_of(call)))
    finally:
        if cache is None:
            del os.environ["BYCHANCE_CACHE"]
        else:
            os.environ["BYCHANCE_CACHE"] = cache
    return figures


def write(lines: Iterable[tuple[Call, dict[str, Any]]], path: Path = RESULTS) -> None:
    """Write a new file of these calls."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        print(_line({"machine": machine()}), file=file)
        for call, figures in lines:
            print(_line({"call": call.name, "promise": call.promise, "figures": figures}), file=file)


def read(path: Path = RESULTS) -> tuple[str, dict[str, Recorded]]:
    """Read the machine that wrote the file, and the record of each call."""
    first, *others = list(_lines(path))
    records = (Recorded(line["call"], line["promise"], line["figures"]) for line in others)
    return str(first["machine"]), {record.name: record for record in records}


def machine() -> str:
    """Describe processor and C library, because bits of logarithms may depend on them."""
    return " ".join([platform.system(), platform.machine(), *platform.libc_ver()])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
