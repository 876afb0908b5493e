"""A run of the paper's items: its sizes, seed, data and cores, and what of it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bychance.progress import Progress
from reproduction.data import Data
from reproduction.stored_results import Arrays, Piece, PieceFunction, is_stored, make_piece

__all__ = ["Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """Input of an item's compute.

    Work that takes more than seconds is cut into pieces, which are stored as they are finished, so that a run
    which was stopped goes on, and a finished one is not paid for twice.
    """

    pieces_directory: Path
    data: Data
    quick: bool = False
    seed: int = 0
    jobs: int = 1
    progress: bool = False
    permutations: int = 999
    """Of each pair of the WHO table by MIC, but in a quick run; the paper has 10,000."""
    work: list[float] = field(default_factory=list)
    """The seconds that each piece used so far took when it was computed, now or earlier."""

    def size(self, full: int, quick: int) -> int:
        """Return the paper's size, or the one of a quick run."""
        return quick if self.quick else full

    def piece(self, name: str, function: PieceFunction, **settings: Any) -> Arrays:
        """Return the result of function(seed=…, **settings), from the store if it is there.

        The function is one of a module, so that other processes find it. It gets the run's seed. If pieces
        must not share random numbers, it mixes settings in. Settings are values of JSON.
        """
        return self.pieces(name, function, [settings])[0]

    def pieces(
        self, name: str, function: PieceFunction, settings: Sequence[Mapping[str, Any]]
    ) -> list[Arrays]:
        """Compute one piece for each of the settings, in their order, on all cores of the run."""
        self.pieces_directory.mkdir(parents=True, exist_ok=True)
        made = []
        with Progress(name, total=len(settings), enabled=self.progress) as bar:
            for piece in self._make(name, function, settings):
                made.append(piece)
                bar.advance(1)
        self.work.extend(piece.seconds for piece in made)
        return [piece.arrays for piece in made]

    def _make(
        self, name: str, function: PieceFunction, settings: Sequence[Mapping[str, Any]]
    ) -> Iterator[Piece]:
        from joblib import Parallel, delayed

        missing = sum(not is_stored(self.pieces_directory, name, self.seed, each) for each in settings)
        parallel = Parallel(
            n_jobs=self.jobs if missing > 1 else 1,
            batch_size=1,
            pre_dispatch="2*n_jobs",
            return_as="generator",
        )
        tasks = (
            delayed(make_piece)(self.pieces_directory, name, function, self.seed, dict(each))
            for each in settings
        )
        made: Iterator[Piece] = parallel(tasks)
        return made
