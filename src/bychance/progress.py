"""One progress bar for library and command line: shown only once work has lasted two seconds."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["Progress"]

_PATIENCE_S = 2.0


class Progress:
    """A bar over `total` steps, silent unless enabled and the work is long.

    >>> with Progress("permutations", total=10, enabled=False) as bar:
    ...     bar.advance(10)
    """

    def __init__(self, description: str, *, total: int, enabled: bool) -> None:
        self._description, self._total, self._enabled = description, total, enabled
        self._done, self._started = 0, time.monotonic()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, steps: int) -> None:
        """Count steps as done."""
        self._done += steps
        if not self._enabled:
            return
        if self._bar is None and time.monotonic() - self._started > _PATIENCE_S:
            self._show()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._description, total=self._total)
        self._bar.start()
