"""reproduce(): items in turn → figures, numbers, a table of verdicts and one of times, as files."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bychance import plots
from bychance.errors import unknown_name
from bychance.ranking.files import open_writer, replacing
from bychance.validation import root_seed, whole_number
from reproduction import ITEMS, load_item
from reproduction.data import Data, MissingDataError
from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.tables import markdown, verdict_record

__all__ = ["Reproduction", "reproduce"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Results of a run: a record per claim, the time per item, and items whose data is missing."""

    verdicts: list[dict[str, str]] = field(default_factory=list)
    timing: list[dict[str, Any]] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)


def reproduce(
    items: Iterable[str] | None = None,
    *,
    out: str | os.PathLike[str],
    data: str | os.PathLike[str] | None = None,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 0,
    permutations: int = 999,
    download: bool = False,
    progress: bool = False,
) -> Reproduction:
    """Compute the paper's examples, figures and tables, with a verdict for every claim.

    Each item writes NAME.png, NAME.svg and NAME.csv. Verdicts and times are written as CSV and Markdown
    after each item, beside those of items that were run into the same directory before. Finished pieces are
    kept in the directory "pieces" and not computed again.

    Parameters
    ----------
    items : iterable of str, optional
        Their names, by default all of `reproduction.ITEMS`, in the paper's order.
    out : path
        The directory for all that is written.
    data : path, optional
        The directory of the data files, by default the one of BYCHANCE_DATA. An item whose data is missing
        is left out, with a sentence on what to put where.
    quick : bool
        Reduced sizes, a minute or two in all.
    jobs : int
        Processes, -1 for one per core.
    seed : int
        Same seed, same numbers.
    permutations : int
        Permutations per pair of the WHO table by MIC. The paper has 10,000, which take ten times as long.
    download : bool
        Fetch missing data from OpenML, if it is there.
    progress : bool
        Show a bar on stderr when a step takes long.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     reproduce(["no_such_item"], out=directory)
    Traceback (most recent call last):
    bychance.errors.UnknownNameError: ...`items` must be one of ...; got 'no_such_item'.
    """
    chosen = _chosen(items)
    n_permutations = whole_number(permutations, "permutations", lowest=99)
    directory = Path(out)
    directory.mkdir(parents=True, exist_ok=True)
    where, root = Data.find(data, download=download), root_seed(seed)
    found = Reproduction()
    for item in chosen:
        run = Run(directory / "pieces", where, quick, root, jobs, progress, n_permutations)
        started = time.perf_counter()
        try:
            outcome = _compute(item, run)
        except MissingDataError as error:
            found.missing[item.name] = str(error)
            continue
        if outcome.left_out:
            found.missing[f"part of {item.name}"] = outcome.left_out
        _write_item(directory, item, outcome)
        found.verdicts.extend(verdict_record(item.name, claim) for claim in outcome.claims)
        found.timing.append(_times(item, run, time.perf_counter() - started))
        _write_table(directory, "verdicts", found.verdicts)
        _write_table(directory, "timing", found.timing)
    return found


def _chosen(items: Iterable[str] | None) -> Sequence[Item]:
    names = list(dict.fromkeys(ITEMS if items is None else items))
    for name in names:
        if name not in ITEMS:
            raise unknown_name("items", name, ITEMS)
    return [load_item(name) for name in names]


def _compute(item: Item, run: Run) -> Outcome:
    for name in item.needs:
        run.data.file(name)
    return item.compute(run)


def _write_item(directory: Path, item: Item, outcome: Outcome) -> None:
    with open_writer(directory / f"{item.name}.csv") as write:
        write(outcome.table)
    with plots.style():
        figure = item.draw(outcome)
        for suffix, metadata in (("png", {}), ("svg", {"Date": None})):
            with replacing(directory / f"{item.name}.{suffix}") as path:
                figure.savefig(path, format=suffix, metadata=metadata)


def _times(item: Item, run: Run, seconds: float) -> dict[str, Any]:
    return {
        "item": item.name,
        "pieces": len(run.work),
        "seconds of work": round(sum(run.work), 1),
        "seconds this time": round(seconds, 1),
    }


def _write_table(directory: Path, name: str, records: list[dict[str, Any]]) -> None:
    """Write the records of this run, and those of items that were run into the directory before."""
    kept = _with_earlier(directory / f"{name}.csv", records)
    # It is read again by the next run.
    with open_writer(directory / f"{name}.csv", raw_names=True) as write:
        write({key: [record[key] for record in kept] for key in kept[0]})
    with replacing(directory / f"{name}.md") as path:
        path.write_text(markdown(kept) + "\n", encoding="utf-8")


def _with_earlier(path: Path, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge records in the paper's order, without those of another version, whose columns differ."""
    new = {record["item"] for record in records}
    earlier = []
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            read = [record for record in csv.DictReader(file) if list(record) == list(records[0])]
        earlier = [{key: type(records[0][key])(cell) for key, cell in record.items()} for record in read]
    places = {name: place for place, name in enumerate(ITEMS)}
    kept = [*records, *(record for record in earlier if record["item"] not in new)]
    return sorted((record for record in kept if record["item"] in places), key=lambda r: places[r["item"]])
