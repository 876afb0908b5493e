"""Tails by splitting against known ones: a table of every point of a reference file, and the figures of all.

    python -m studies.tails ../shared/reference/tail_truth.json --roots 4

The file holds pairs of columns with values whose chance over all permutations is known, exactly or from very
long runs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bychance.kinds import Role
from bychance.measures import registry
from bychance.nulls.permutation import Permutation
from bychance.nulls.splitting import Tail, TailPair, split_keys, split_tail

LARGEST, LARGEST_FAR, FAR = 0.45, 0.6, -9.0


@dataclass(frozen=True)
class Point:
    """A value of a pair whose tail is known, and what splitting says of it."""

    case: str
    log10_p: float
    tail: Tail
    seconds: float

    @property
    def error(self) -> float:
        """Error of log10 p: below 0 if p is too small."""
        return self.tail.log10_p - self.log10_p

    @property
    def is_near(self) -> bool:
        """True if the error is small enough, or stated to be large."""
        largest = LARGEST if self.log10_p > FAR else LARGEST_FAR
        is_flagged = self.case.startswith("dcor") and self.tail.caveat != ""
        return abs(self.error) <= largest or is_flagged

    @property
    def is_covered(self) -> bool:
        """True if the error is within three stated standard errors."""
        return abs(self.error) <= 3 * self.tail.se_log10


def points_of(path: Path, root: int, *, every: int = 1) -> Iterator[Point]:
    """Read all or every second point of the file, without pairs of binary columns (exact null)."""
    for case in json.loads(path.read_text())["cases"]:
        if "two binaries" in case["name"]:
            continue
        measure = registry.resolve(case["measure"])
        x, y = (measure.prepare(column(case[name]), role) for name, role in (("x", Role.X), ("y", Role.Y)))
        for point in case["points"][::every]:
            threshold = point["value"] * (1 - 1e-10)
            permutations = [Permutation().permutations(key, x.n) for key in split_keys(root, case["name"])]
            started = time.process_time()
            tail = split_tail(TailPair(measure, x, y, threshold, permutations))
            yield Point(case["name"], point["log10_p"], tail, time.process_time() - started)


def column(values: list[Any]) -> Any:
    """Return labels as codes, numbers as they are."""
    if isinstance(values[0], str):
        return np.unique(values, return_inverse=True)[1].astype(np.int32)
    return np.array(values, dtype=np.float64)


@dataclass(frozen=True)
class Figures:
    """Summary of many points: the shares that are near and covered, and the mean error of log10 p."""

    near: float
    covered: float
    mean_error: float

    @classmethod
    def of(cls, points: list[Point]) -> Figures:
        """Compute the figures of these points."""
        return cls(
            float(np.mean([point.is_near for point in points])),
            float(np.mean([point.is_covered for point in points])),
            float(np.mean([point.error for point in points])),
        )

    def __str__(self) -> str:
        return (
            f"near {self.near:.3f}, within three standard errors {self.covered:.3f}, "
            f"mean error {self.mean_error:+.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m studies.tails", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--roots", type=int, default=1, help="how many seeds")
    arguments = parser.parse_args()
    points = []
    print("| pair | true log10 p | found | SE | error | s |\n|---|---|---|---|---|---|")
    for root in range(arguments.roots):
        for point in points_of(arguments.file, root):
            points.append(point)
            tail = point.tail
            print(
                f"| {point.case} | {point.log10_p:.2f} | {tail.log10_p:.2f} | {tail.se_log10:.2f} | "
                f"{point.error:+.2f} | {point.seconds:.2f} |"
            )
    print(f"\n{len(points)} points: {Figures.of(points)}, {sum(point.seconds for point in points):.0f} s.")


if __name__ == "__main__":
    main()
