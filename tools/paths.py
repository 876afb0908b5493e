"""Paths of eight real calls inside bychance: files and functions entered, depth, calls between files.

    python -m tools.paths

prints them as JSON. Each call is counted after a first one that has loaded what is loaded once.
Comprehensions, generators and lambdas are not counted as functions.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import bychance as bc

HOME = os.path.dirname(bc.__file__)


@dataclass(frozen=True, slots=True)
class PathCount:
    """Files and functions of the package that a call enters, the depth of its stack, and its file pairs.

    `links` counts the pairs of files of which a function in the first calls one in the second.
    """

    files: int
    functions: int
    depth: int
    links: int


def count(call: Callable[[], object]) -> PathCount:
    """Count the path of one call, after a first one that is not counted."""
    call()
    files: set[str] = set()
    functions: set[tuple[str, str]] = set()
    links: set[tuple[str, str]] = set()
    depth = deepest = 0

    def hook(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth, deepest
        code = frame.f_code
        if not code.co_filename.startswith(HOME) or code.co_name.startswith("<"):
            return
        if event == "call":
            files.add(code.co_filename)
            functions.add((code.co_filename, code.co_qualname))
            depth += 1
            deepest = max(deepest, depth)
            caller = _file_of_caller(frame)
            if caller is not None and caller != code.co_filename:
                links.add((caller, code.co_filename))
        elif event == "return":
            depth -= 1

    earlier = sys.getprofile()
    sys.setprofile(hook)
    try:
        call()
    finally:
        sys.setprofile(earlier)
    return PathCount(len(files), len(functions), deepest, len(links))


def _file_of_caller(frame: FrameType) -> str | None:
    """Return the file of the nearest caller inside the package, past frames of other packages."""
    caller = frame.f_back
    while caller is not None and not caller.f_code.co_filename.startswith(HOME):
        caller = caller.f_back
    return None if caller is None else caller.f_code.co_filename


def calls(directory: Path) -> dict[str, Callable[[], object]]:
    """Return the eight calls by name. Their files are written into the directory."""
    rng, n = np.random.default_rng(0), 300
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 9, n).astype(float),
            "c": rng.choice(list("uvwx"), n),
            "d": rng.choice(["p", "q"], n),
            "e": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "t": pd.date_range("2020", periods=n),
        }
    )
    frame["y"] = frame.a + rng.normal(size=n)
    undated = frame.drop(columns="t")
    csv, parquet = directory / "t.csv", directory / "t.parquet"
    frame.to_csv(csv, index=False)
    pq.write_table(pa.Table.from_pandas(undated), parquet)
    X, Y = rng.normal(size=(100, 12)), rng.normal(size=(100, 9))
    features = undated.drop(columns="y").astype({"c": "category", "d": "category"})
    a, y, classes = frame.a.to_numpy(), frame.y.to_numpy(), (frame.a > 0).to_numpy()
    return {
        "rank(mixed frame) printed": lambda: print(bc.rank(frame, target="y")),
        "rank(csv) printed": lambda: print(bc.rank(csv, target="y")),
        "rank(parquet, stream) printed": lambda: print(bc.rank(parquet, target="y", stream=True)),
        "rank(given) printed": lambda: print(bc.rank(undated, target="y", given=["a", "c"])),
        "rank_arrays(X, Y) printed": lambda: print(bc.rank_arrays(X, Y)),
        "adjust(mic)": lambda: bc.adjust("mic", a, y, null=bc.Permutation(199)),
        "adjust(r2)": lambda: bc.adjust("r2", a, y),
        "forest fit": lambda: bc.RandomForestClassifier(20, random_state=0).fit(features, classes),
    }


def main() -> None:
    """Print the paths of all calls as one JSON object."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as directory:
        os.environ["BYCHANCE_CACHE"] = (
            directory  # an empty store of nulls, so that every machine counts alike
        )
        with contextlib.redirect_stdout(io.StringIO()):
            counted = {name: asdict(count(call)) for name, call in calls(Path(directory)).items()}
    print(json.dumps(counted))


if __name__ == "__main__":
    main()
