"""The file of recorded rows, beside which later runs are printed."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.timing import Figure

RECORD = Path(__file__).with_name("recorded.json")


def read() -> dict[str, dict[str, Any]]:
    """Return the recorded rows by name."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def entry(figure: Figure, values: list[float], machine: str) -> dict[str, Any]:
    """Return what is kept of a row."""
    seconds = {"ours_s": figure.ours_s, "peer_s": figure.peer_s}
    known = {name: _short(value) for name, value in seconds.items() if value == value}
    runs = [_short(value) for value in values]
    return {"value": _short(figure.value), "unit": figure.unit, **known, "runs": runs, "machine": machine}


def write(rows: Mapping[str, dict[str, Any]]) -> None:
    """Write these rows, and keep others that are on file."""
    merged = dict(sorted({**read(), **rows}.items()))
    RECORD.write_text(json.dumps(merged, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def machine() -> str:
    """Return the machine in words, and if other work keeps it busy."""
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    words = f"{cores} cores, {_processor()}, Python {platform.python_version()}"
    return f"{words}, shared with other work" if load > 0.5 * cores else words


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if "model name" in line), platform.machine()
    )


def _short(value: float) -> float:
    return float(f"{value:.4g}")
