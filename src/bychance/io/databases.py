"""SQLite and DuckDB: one table of a database file → named columns. DuckDB is read where it is installed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from bychance.errors import BychanceError, unknown_name
from bychance.io.frames import Source
from bychance.io.headers import renamed
from bychance.io.unpacked import UnpackedLimit
from bychance.names import display_name, first_line

__all__ = ["DATABASES", "from_database"]

DATABASES = frozenset({".db", ".db3", ".sqlite", ".sqlite3", ".duckdb", ".ddb"})
_SQLITE = b"SQLite format 3\x00"
_CELL_BYTES = 32  # a Python object and what points to it
_BATCH = 10_000


def from_database(path: Path, table: str | None, limit: UnpackedLimit) -> Source:
    """The columns of the named table, or of the only one."""
    with path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    return _from_sqlite(path, table, limit) if is_sqlite else _from_duckdb(path, table, limit)


def _from_sqlite(path: Path, table: str | None, limit: UnpackedLimit) -> Source:
    listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return _from_connection(connection, listing, table, limit)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # names of columns raise the second one
        raise BychanceError(f"{limit.origin} could not be read as SQLite: {first_line(error)}.") from None


def _from_duckdb(path: Path, table: str | None, limit: UnpackedLimit) -> Source:
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        raise BychanceError(
            f"{limit.origin} is no SQLite file; reading one of DuckDB needs duckdb: pip install duckdb."
        ) from None
    listing = "SELECT table_name FROM information_schema.tables"
    try:
        with closing(duckdb.connect(str(path), read_only=True)) as connection:
            return _from_connection(connection, listing, table, limit)
    except duckdb.Error as error:
        raise BychanceError(f"{limit.origin} could not be read as DuckDB: {first_line(error)}.") from None


def _from_connection(connection: Any, listing: str, table: str | None, limit: UnpackedLimit) -> Source:
    known = [name for (name,) in connection.execute(listing).fetchall()]
    cursor = connection.execute(f"SELECT * FROM {_quoted(_chosen(known, table, limit.origin))}")
    names, notes = renamed([description[0] for description in cursor.description])
    rows: list[tuple[Any, ...]] = []
    while batch := cursor.fetchmany(_BATCH):
        rows += batch
        limit.check(len(rows) * len(names) * _CELL_BYTES)
    if not rows:
        raise BychanceError(f"{limit.origin} has no rows.")
    columns: dict[str, object] = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return Source(columns, limit.origin, notes=notes)


def _chosen(names: list[str], table: str | None, origin: str) -> str:
    if not names:
        raise BychanceError(f"{origin} has no tables.")
    if table is not None:
        if table not in names:
            raise unknown_name("table", table, names)
        return table
    if len(names) > 1:
        listed = ", ".join(display_name(name, 40) for name in sorted(names)[:10])
        raise BychanceError(
            f"{origin} has {len(names)} tables; name one, as in {origin}::{names[0]}: {listed}."
        )
    return names[0]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
