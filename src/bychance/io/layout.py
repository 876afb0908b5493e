"""Where the table stands in a file: which sheet, below which rows, under which names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from bychance.errors import BychanceError
from bychance.io.headers import Header, header_of, remark_on_data, renamed
from bychance.io.text_format import DETECTED, TextFormat
from bychance.messages import Option
from bychance.names import count_of

__all__ = ["Layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """What the caller says about a file; `names` are those of its columns where no row has them."""

    text_format: TextFormat = DETECTED
    names: Sequence[str] | None = None
    has_header: bool = True
    skip_rows: int = 0
    sheet: str | int | None = None

    @property
    def n_header(self) -> int:
        """How many rows hold names."""
        return int(self.names is None and self.has_header)

    @property
    def finds_names(self) -> bool:
        """Whether titles above the names are looked for: nobody said where the names are."""
        return bool(self.n_header) and not self.skip_rows

    def header(self, first: Sequence[str], values_of: Callable[[int], Collection[Any]]) -> Header:
        """Names for as many columns as the first row has; `values_of` gives some values of a column."""
        if self.names is not None:
            if len(self.names) != len(first):
                raise BychanceError(
                    f"`names` must name all {count_of(len(first), 'column')}, "
                    f"got {count_of(len(self.names), 'name')}."
                )
            names, notes = renamed(self.names)
            return Header(names, frozenset(), notes)
        if not self.has_header:
            return Header([f"column_{k + 1}" for k in range(len(first))], frozenset(), ())
        header = header_of(first)
        return Header(header.names, header.unnamed, (*remark_on_data(first, values_of), *header.notes))

    def check_for(self, origin: str, *, has_rows: bool, has_sheets: bool) -> None:
        """An error where an option is about files of another kind."""
        if not has_rows and self.names is not None:
            raise BychanceError(f"`names` is for files without a header; {origin} has one.")
        if not has_rows and (not self.has_header or self.skip_rows):
            argument = "skip_rows" if self.skip_rows else "header"
            raise BychanceError(
                Option(argument) + f" is for text files and sheets; {origin} is neither.", argument
            )
        if not has_sheets and self.sheet is not None:
            raise BychanceError(Option("sheet") + f" is for Excel files; {origin} has no sheets.", "sheet")
