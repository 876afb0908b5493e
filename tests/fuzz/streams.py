"""Part "streams": tables through every door, in parts whose types differ, against the same rows in memory."""

from __future__ import annotations

import contextlib
import math
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import fsspec
import numpy as np
import pyarrow as pa

import bychance as bc
from bychance.errors import BychanceError, BychanceWarning
from tests.engine.ranking import rows_of
from tests.engine.settings import settings
from tests.fuzz.outcome import Outcome
from tests.fuzz.stream_columns import InParts, draw_column
from tests.fuzz.stream_doors import NOT_THROUGH, OF_PARTS, OF_ROWS, ON_FILESYSTEM, TEXT

PART = "streams"
FIGURES = ("n", "observed", "adjusted", "null_mean", "null_std")
GIVEN_FIGURES = ("n", "observed")  # the spread of the null is of the sample
_OF_LABELS = ("mi", "phi2", "gini", "goodman_kruskal", "cramers_v")
_SAME = 1e-9


@dataclass(frozen=True)
class Case:
    """A table in parts, a door, and options of `rank`. The types come from the first `head` rows."""

    door: str
    columns: dict[str, InParts]
    options: dict[str, Any]
    head: int
    sample_rows: int
    how: str  # "rank", "to file", "resumed": to a file, by a second run once the first is stopped

    @property
    def text(self) -> str:
        kinds = {name: column.kind for name, column in self.columns.items()}
        sizes = [len(part) for part in next(iter(self.columns.values())).parts]
        return (
            f"{self.how} {kinds} in {sizes}, types of {self.head}, {self.sample_rows} sampled, {self.options}"
        )

    def source(self, folder: Path) -> object:
        folder.mkdir(exist_ok=True)
        if self.door in OF_ROWS:
            return OF_ROWS[self.door](self.whole, folder)
        rows = zip(*(column.parts for column in self.columns.values()), strict=True)
        return OF_PARTS[self.door](
            [pa.table(dict(zip(self.columns, part, strict=True))) for part in rows], folder
        )

    @property
    def whole(self) -> pa.Table:
        return pa.table({name: column.whole for name, column in self.columns.items()})


def run_case(seed: int, index: int) -> Outcome:
    """Run one table: streamed, read whole through its door, and, unless that is text, as it is."""
    case, outcome = draw_case(np.random.default_rng([seed, 4, index])), Outcome()
    kinds = {column.kind for column in case.columns.values()}
    outcome.count(PART, case.how, case.door, kinds)
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", {"BYCHANCE_CACHE": "off"}):
        found = list(_differences(case, Path(folder)))
    memory = fsspec.filesystem("memory")
    if memory.exists(ON_FILESYSTEM):
        memory.rm(ON_FILESYSTEM, recursive=True)
    if found:
        code = f"from tests.fuzz import streams; print(streams.run_case({seed}, {index}).differences)"
        outcome.differ(f"{PART} {seed}/{index} {case.door} {case.how}", f"# {case.text}\n{code}", found)
    return outcome


def draw_case(rng: np.random.Generator) -> Case:
    n, n_parts = int(rng.choice([60, 300, 900, 2_500])), int(rng.choice([1, 2, 3, 6]))
    cuts = [0, *sorted(rng.choice(np.arange(1, n), n_parts - 1, replace=False).tolist()), n]
    slices = [slice(*ends) for ends in pairwise(cuts)]
    z = rng.normal(size=n)
    door = str(rng.choice([*OF_PARTS, *OF_ROWS]))
    columns = {
        f"c{k}": draw_column(rng, z, slices, NOT_THROUGH.get(door, ())) for k in range(rng.integers(2, 6))
    }
    whole = pa.array(z)
    columns["z"] = InParts("floats", [whole.slice(own.start, own.stop - own.start) for own in slices], whole)
    names, options = list(columns), {}
    if rng.random() < 0.5:
        options["target"] = str(rng.choice(names))
    if rng.random() < 0.25:
        others = [name for name in names if name != options.get("target")]
        options["given"] = bc.Given(str(rng.choice(others)), control="linear")
        options["measure"] = {"numeric": "r2"}
    elif rng.random() < 0.4:
        options["measure"] = {"categorical": str(rng.choice(_OF_LABELS)), "numeric": "r2"}
    integers = [name for name, column in columns.items() if column.kind in ("integers", "hashes")]
    if integers and "given" not in options and rng.random() < 0.3:
        options["categorical"] = integers
    return Case(
        door=door,
        columns=columns,
        options=options,
        head=int(rng.choice([100_000, 100_000, 40, 150])),
        sample_rows=int(rng.choice([30, 120])),
        how=str(rng.choice(["rank", "rank", "to file", "resumed"])),
    )


def _differences(case: Case, folder: Path) -> Iterator[str]:
    found = {"streamed": _answer(lambda: _streamed(case, folder))}
    found["whole"] = _answer(lambda: _whole(case.source(folder / "whole"), case, stream=False))
    if case.door not in TEXT:
        found["in memory"] = _answer(lambda: _whole(case.whole, case))
    streamed = found.pop("streamed")
    if isinstance(streamed, str) and not streamed.startswith("BychanceError"):
        yield f"streamed: {streamed}"
    for how, expected in found.items():
        if isinstance(streamed, str) or isinstance(expected, str):
            if isinstance(streamed, str) != isinstance(expected, str):
                yield f"streamed: {_short(streamed)}; {how}: {_short(expected)}"
            continue
        yield from (f"{how}: {text}" for text in _compared(case, streamed, expected))


def _answer(ranked: Any) -> dict[tuple[str, str], dict[str, Any]] | str:
    try:
        return {(row["x"], row["y"]): row for row in rows_of(ranked())}
    except BychanceError as error:
        return f"BychanceError: {error}"
    except Exception as error:  # any exception is a fault
        return f"{type(error).__name__}: {error}"


def _short(answer: object) -> str:
    return answer if isinstance(answer, str) else "an answer"


def _streamed(case: Case, folder: Path) -> Any:
    options = {**case.options, "stream": bc.Streaming(case.sample_rows)}
    options |= {"null": bc.Auto(tails="none"), "rng": 0}
    output = folder / "output"
    output.mkdir()
    with settings(head_rows=case.head), warnings.catch_warnings():
        warnings.simplefilter("ignore", BychanceWarning)
        source = case.source(folder / "rows")
        if case.how == "rank":
            return bc.rank(source, **options)
        if case.how == "resumed":
            _stop(source, output / "pairs.csv", options)
            source = case.source(folder / "rows") if case.door == "reader" else source
        ranking = bc.rank_to_file(source, output / "pairs.csv", top=1000, resume=True, **options)
    left = [path.name for path in output.iterdir()]
    assert left == ["pairs.csv"], left
    return ranking


def _stop(source: object, output: Path, options: dict[str, Any]) -> None:
    """Leave a run to a file once its rows are summed."""
    with (
        settings(measure_all=mock.Mock(side_effect=KeyboardInterrupt)),
        contextlib.suppress(KeyboardInterrupt),
    ):
        bc.rank_to_file(source, output, **options)


def _whole(source: object, case: Case, **options: Any) -> Any:
    return bc.rank(source, null=bc.Auto(tails="none"), rng=0, **case.options, **options)


def _compared(case: Case, streamed: dict[Any, Any], expected: dict[Any, Any]) -> Iterator[str]:
    # Memory takes a column without a value for numbers, a stream that is read once for what its type says.
    empty = {name for name, column in case.columns.items() if column.whole.null_count == len(column.whole)}
    streamed, expected = (
        {pair: row for pair, row in rows.items() if not empty & set(pair)} for rows in (streamed, expected)
    )
    if streamed.keys() != expected.keys():
        yield f"other pairs: {sorted(streamed.keys() ^ expected.keys())[:3]}"
        return
    is_given = "given" in case.options
    for pair, row in expected.items():
        own = streamed[pair]
        if "estimated from" in own["note"]:
            # Sums of a distant column cancel if a source is read once, and a root has no exact moments.
            is_sampled = is_given or own["measure"] == "cramers_v"
            if not is_sampled and "far off" not in (case.columns[name].kind for name in pair):
                yield f"{pair}: {own['note']!r}, of {own['measure']}"
            continue
        names = GIVEN_FIGURES if is_given else FIGURES
        if row["n"] < 20 or "constant" in row["note"]:  # tables of few rows are enumerated in memory
            names = ("n",)
        for name in names:
            if not _is_near(own[name], row[name]):
                yield f"{pair}: {name} is {own[name]} streamed, {row[name]} ({row['engine']}, n {row['n']})"
                break


def _is_near(a: float | None, b: float | None) -> bool:
    if a is None or b is None or math.isnan(a) or math.isnan(b):
        return all(each is None or math.isnan(each) for each in (a, b))
    return abs(a - b) <= _SAME * (1 + abs(b))
