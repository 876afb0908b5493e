"""All rows of `make bench` by group, and the facts that follow them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import core, forest, given, many_pairs, memory, mic, report, sampled, streams, tables
from benchmarks.timing import Row


def groups() -> Iterator[tuple[str, list[Row]]]:
    """Yield each title with its rows, which make their data when they start."""
    yield "one pair", list(core.rows())
    yield "MIC", list(mic.rows())
    yield "whole tables", list(tables.rows())
    yield "many pairs", list(many_pairs.rows())
    yield "sampled tables", list(sampled.rows())
    yield "beyond covariates", list(given.rows())
    yield "streams", list(streams.rows())
    yield "forests", list(forest.rows())
    yield "peak memory of a fresh process", list(memory.rows())


def facts() -> Iterator[str]:
    """Yield sentences on facts that are not ratios to a peer."""
    for title, module in (("MIC", mic), ("whole tables", tables), ("forests", forest), ("pages", report)):
        yield f"\n{title}"
        yield from module.facts()
