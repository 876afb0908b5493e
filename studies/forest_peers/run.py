"""Fits of methods on random halves of tables, one JSON line each, without repeating finished ones."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from studies.forest_peers.methods import METHODS, Fit, NoFit
from studies.forest_peers.tables import CLASSES, NUMBERS, Table

__all__ = [
    "HALVES",
    "KEPT",
    "half_of",
    "read_lines",
    "run_all",
    "scores_of",
]

HALVES = 5
KEPT = Path(__file__).resolve().parent / "fits.jsonl"
# CatBoost takes hours on its 240 columns of categories and ten classes.
LEFT_OUT = frozenset({("mfeat-pixel", "CatBoost")})
TRAINING_ROWS, TEST_ROWS = 2_000, 4_000
_LEAST_SHARE = 1e-3


def half_of(name: str, y: NDArray[Any], number: int, is_classes: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draw the training rows and the test rows of a random half, with classes dealt evenly."""
    rng = np.random.Generator(np.random.Philox(key=np.array([crc32(name.encode()), number], dtype=np.uint64)))
    order = rng.permutation(len(y))
    if is_classes:
        codes = np.unique(y, return_inverse=True)[1]
        order = order[np.argsort(codes[order], kind="stable")]
    first, second = order[::2], order[1::2]
    return rng.permutation(first)[:TRAINING_ROWS], rng.permutation(second)[:TEST_ROWS]


def scores_of(
    y: NDArray[Any], answers: NDArray[np.float64], classes: NDArray[Any] | None
) -> dict[str, float]:
    """Compute AUC and log loss of shares of these classes, or R² and mean absolute error."""
    if classes is None:
        errors = y - answers
        return {
            "r2": 1 - float(np.sum(errors**2) / np.sum((y - y.mean()) ** 2)),
            "mae": float(np.mean(np.abs(errors)) / np.mean(np.abs(y - np.median(y)))),
        }
    from bychance.forest.curve import auc

    # Rows of a class that no training row has are right for nobody.
    is_known = np.isin(y, classes)
    codes, shares = np.searchsorted(classes, y[is_known]), answers[is_known]
    own = np.clip(shares[np.arange(len(codes)), codes], _LEAST_SHARE, 1 - _LEAST_SHARE)
    # Equal shares may differ in the last digits.
    return {
        "auc": auc(codes, shares.astype(np.float32).astype(np.float64)),
        "log_loss": float(-np.mean(np.log(own))),
    }


def run_one(
    table: Table, data: tuple[Any, NDArray[Any]], fit: Fit, number: int, is_classes: bool
) -> dict[str, float]:
    """Return the scores of one method on one half, and its seconds of processor time."""
    X, y = data
    training, test = half_of(table.name, y, number, is_classes)
    classes, target = None, y[training].astype(np.float64) if not is_classes else y[training]
    if is_classes:
        classes, target = np.unique(y[training], return_inverse=True)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = fit(
            X.iloc[training].reset_index(drop=True),
            target,
            X.iloc[test].reset_index(drop=True),
            number,
            is_classes,
        )
    seconds = time.process_time() - started
    found = scores_of(y[test] if is_classes else y[test].astype(np.float64), answers, classes)
    return {**{key: round(value, 6) for key, value in found.items()}, "s": round(seconds, 2)}


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read all lines of a file of results, or none if it does not exist."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run_all(path: Path, methods: Iterable[str], halves: Iterable[int], names: set[str], until: float) -> None:
    """Run what is missing: half by half, so that whatever is there when it stops is a whole comparison."""
    done = {(line["table"], line["method"], line["half"]) for line in read_lines(path)}
    for number in halves:
        for tables, is_classes in ((CLASSES, True), (NUMBERS, False)):
            for table in tables:
                missing = [
                    m
                    for m in methods
                    if (table.name, m, number) not in done and (table.name, m) not in LEFT_OUT
                ]
                if is_classes:
                    missing = [m for m in missing if not m.endswith("extra trees")]
                if not missing or (names and table.name not in names):
                    continue
                data = table.read()
                for method in missing:
                    if time.time() > until:
                        return
                    try:
                        found = run_one(table, data, METHODS[method], number, is_classes)
                    except NoFit:
                        continue
                    line = {"table": table.name, "method": method, "half": number, **found}
                    with path.open("a") as file:
                        file.write(json.dumps(line) + "\n")
