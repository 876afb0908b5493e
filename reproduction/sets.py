"""The 19 sets of the paper's table of forests: from files, by rule, or on request from OpenML."""

from __future__ import annotations

from dataclasses import dataclass

import bychance as bc
from bychance.kinds import Kind
from bychance.names import first_line
from reproduction.data import Data, MissingDataError
from reproduction.public_sets import PUBLIC_SETS, read_public_set

__all__ = ["ON_OPENML", "Sets", "find_sets", "is_here", "load_set"]


@dataclass(frozen=True, slots=True)
class OnOpenml:
    """A set's name on OpenML, its class if that is not the default, and columns to leave out."""

    name: str
    version: int
    target: str = "default-target"
    drop: tuple[str, ...] = ()


# HIV, mito and c-to-u are not there.
ON_OPENML = {
    "Credit-g": OnOpenml("credit-g", 1),
    "australian": OnOpenml("Australian", 4),
    "promoters": OnOpenml("molecular-biology_promoters", 1, drop=("instance",)),
    "flags": OnOpenml("flags", 1, target="religion", drop=("name",)),
    "kr-vs-kp": OnOpenml("kr-vs-kp", 1),
    "led7": OnOpenml("led7", 1),
    "lymph": OnOpenml("lymph", 1),
    "mfeat-pixel": OnOpenml("mfeat-pixel", 1),
    "monks1": OnOpenml("monks-problems-1", 1),
    "monks2": OnOpenml("monks-problems-2", 1),
    "monks3": OnOpenml("monks-problems-3", 1),
    "solar-flare": OnOpenml("solar-flare", 1),
    "splice": OnOpenml("splice", 1, drop=("Instance_name",)),
    "steel": OnOpenml("steel-plates-fault", 1),
    "tae": OnOpenml("tae", 1),
    "tic-tac-toe": OnOpenml("tic-tac-toe", 1),
}


@dataclass(frozen=True, slots=True)
class Sets:
    """The sets that can be had, and in words what to do about the others."""

    names: tuple[str, ...]
    left_out: str = ""


def find_sets(names: list[str], data: Data) -> Sets:
    """Find the available sets, and fetch others if that is allowed."""
    absent = [name for name in names if not is_here(name, data)]
    if absent and not data.download:
        here = tuple(name for name in names if name not in absent)
        return Sets(here, str(data.missing(*(PUBLIC_SETS[name].file for name in absent))))
    reasons = {}
    for name in absent:
        try:
            load_set(name, data)
        except MissingDataError as error:
            reasons[name] = str(error)
    return Sets(tuple(name for name in names if name not in reasons), " ".join(reasons.values()))


def is_here(name: str, data: Data) -> bool:
    """Return True if a set needs no download."""
    known = PUBLIC_SETS[name]
    return known.make is not None or (data.directory / known.file).is_file()


def load_set(name: str, data: Data) -> bc.Table:
    """Load a set, its classes as the last column."""
    if is_here(name, data):
        return read_public_set(name, data.directory)
    if not data.download:
        raise data.missing(PUBLIC_SETS[name].file)
    return _fetched(name)


def _fetched(name: str) -> bc.Table:
    """Fetch the set from OpenML, if it is there and is the one that the paper describes."""
    known = PUBLIC_SETS[name]
    if name not in ON_OPENML:
        raise MissingDataError(f"{name} is not on OpenML: put {known.file} into the data directory.")
    there = ON_OPENML[name]
    shown = f"{there.name!r}, version {there.version}, of OpenML"
    from sklearn.datasets import fetch_openml

    try:
        fetched = fetch_openml(
            there.name, version=there.version, target_column=there.target, as_frame=True, parser="liac-arff"
        )
    except (OSError, ValueError) as error:
        raise MissingDataError(f"{shown} could not be fetched: {first_line(error)}.") from error
    X = fetched.data.drop(columns=[column for column in there.drop if column in fetched.data])
    classes = "class of the set"
    table = bc.read_table(X.assign(**{classes: fetched.target.astype(str)}), categorical=classes)
    found, expected = _shape(table), (known.n_rows, known.n_categorical, known.n_numeric, known.n_classes)
    if found != expected:
        of = "{} rows, {} categorical and {} numeric columns and {} classes".format
        raise MissingDataError(
            f"{shown} has {of(*found)}, the paper's {name} {of(*expected)}: put {known.file} into the data "
            "directory."
        )
    return table


def _shape(table: bc.Table) -> tuple[int, int, int, int]:
    """Count rows, categorical and numeric columns, and classes."""
    *columns, classes = table.columns
    n_categorical = sum(column.kind is Kind.CATEGORICAL for column in columns)
    return len(table), n_categorical, len(columns) - n_categorical, len(classes.labels)
