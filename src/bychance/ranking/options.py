"""Checked options of a ranking, with a measure for each two kinds of columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from bychance.covariates.covariates import Covariates
from bychance.errors import BychanceError
from bychance.estimate import MeasureLike
from bychance.gpu.device import check_device
from bychance.kinds import Kind, PairKind
from bychance.measures import Measure, registry
from bychance.messages import Option
from bychance.moments.row_sums import RowSums
from bychance.nulls.choose import MANY_ROWS, NULL_NAMES, NullSpec
from bychance.nulls.draws import has_kernels
from bychance.nulls.permutation import Auto, Permutation, auto_settings, tails_of
from bychance.nulls.sample import too_few_draws
from bychance.validation import Seed, number_within, one_of, root_seed, whole_number

__all__ = [
    "BY",
    "Job",
    "MeasureChoice",
    "OptionsBesideTarget",
    "RankOptions",
    "Streaming",
    "levels_of",
    "make_job",
    "names_of",
]

BY = ("observed", "adjusted", "standardized", "adjusted_at", "p_value")
FDR = ("bh", "by")

MeasureChoice = MeasureLike | Mapping[str, MeasureLike]

_N, _C = Kind.NUMERIC, Kind.CATEGORICAL
_PAIRS_OF = {
    PairKind.NUMERIC: ((_N, _N),),
    PairKind.CATEGORICAL: ((_C, _C),),
    PairKind.MIXED: ((_N, _C), (_C, _N)),
    PairKind.ANY: ((_N, _N), (_N, _C), (_C, _N), (_C, _C)),
}


class OptionsBesideTarget(TypedDict, total=False):
    """Options of `rank` that affect the results, without `target`. See `rank` for their meaning."""

    x: str | Iterable[str] | None
    y: str | Iterable[str] | None
    given: Any
    measure: MeasureChoice
    by: str
    alpha: float | Sequence[float]
    min_n: int
    null: NullSpec
    fdr: str
    fdr_level: float
    rng: Seed
    device: str
    numeric: str | Iterable[str]
    categorical: str | Iterable[str]
    drop: str | Iterable[str]
    missing: object
    stream: bool | Streaming | None


class RankOptions(OptionsBesideTarget, total=False):
    """Options of `rank` that affect the results, as opposed to how they are computed."""

    target: str | None


@dataclass(frozen=True)
class Streaming:
    """Settings for reading a table in batches, so that it need not fit in memory.

    Parameters
    ----------
    sample_rows : int
        Number of rows in the uniform sample of the table, from which comes what has no closed form.

    Examples
    --------
    >>> import bychance as bc
    >>> table = {"a": [1, 2, 3, 4] * 50, "b": [1, 3, 2, 4] * 50}
    >>> len(bc.rank(table, stream=bc.Streaming(sample_rows=100)))
    1
    """

    sample_rows: int = MANY_ROWS

    def __post_init__(self) -> None:
        whole_number(self.sample_rows, "sample_rows", 10)


@dataclass(frozen=True, eq=False)
class Job:
    """Checked options for the measurement of a block. `measures` maps the kinds of x and y to a measure."""

    measures: Mapping[tuple[Kind, Kind], Measure[Any]]
    null: NullSpec
    by: str
    alpha: float
    min_n: int
    fdr: str
    fdr_level: float
    root: int
    levels: tuple[float, ...]  # all values of alpha, of which the first orders pairs
    device: str  # as `gpu.device.check_device` gives it
    default_jobs: int = 1  # threads, if nobody says how many
    only_numbers: bool = False  # no measure takes categories, so that booleans count as 0 and 1
    covariates: Covariates | None = None
    used_devices: set[str] = field(default_factory=set)  # "cuda" once a GPU has done some of the work
    sums: RowSums | None = None  # of all rows, where the table holds a sample of them

    def __getstate__(self) -> dict[str, Any]:
        """Return the pickled state, without the GPU of this process."""
        return {**self.__dict__, "device": "cpu"}

    @property
    def sampling(self) -> Permutation:
        """Permutation settings for pairs whose null is sampled."""
        return self.null if isinstance(self.null, Permutation) else auto_settings(self.null)

    @property
    def tails(self) -> str:
        """Small p-values to refine by splitting: "open" (if they decide discoveries), "all" or "none"."""
        return tails_of(self.null)

    @property
    def is_drawn_on_gpu(self) -> bool:
        """True if a GPU may compute the permutations of some pairs."""
        return self.device != "cpu" and any(map(has_kernels, self.measures.values()))

    def describe(self) -> str:
        """Return the names of the measures as text."""
        return ", ".join(dict.fromkeys(measure.name for measure in self.measures.values()))


def make_job(options: RankOptions) -> Job:
    """Check all options and return the job. An error names the option, the rule and the value."""
    null = one_of(options["null"], "null", NULL_NAMES, Permutation)
    by = one_of(options["by"], "by", BY)
    levels = _alphas(options["alpha"])
    sampling = null.sampling if isinstance(null, Auto) else null
    if by == "adjusted_at" and isinstance(sampling, Permutation) and not sampling.follows_precision:
        _check_quantile_exists(sampling.most_draws, levels[0])
    device, stream = options["device"], options["stream"]
    if stream not in (None, True, False) and not isinstance(stream, Streaming):
        raise BychanceError(
            Option("stream") + f" must be true, false, None or bc.Streaming(), got {stream!r}.", "stream"
        )
    _check_name(options["target"])
    device = device if device == "cpu" else check_device(device, has_covariates=options["given"] is not None)
    measures = _measures(options["measure"])
    job = Job(
        measures=measures,
        null=null,
        by=by,
        alpha=levels[0],
        min_n=whole_number(options["min_n"], "min_n", 3),
        fdr=one_of(options["fdr"], "fdr", FDR),
        fdr_level=number_within(options["fdr_level"], "fdr_level", 1),
        root=root_seed(options["rng"]),
        levels=levels,
        device=device,
        only_numbers=set(measures) == {(_N, _N)},
    )
    few = max(4, min(8, (os.cpu_count() or 1) // 2))  # threads, which prepare data while a GPU computes
    return replace(job, default_jobs=few) if job.is_drawn_on_gpu else job


def _alphas(alpha: float | Sequence[float]) -> tuple[float, ...]:
    """Check alpha, one level or several, and return a tuple of levels, the first of which ranks the pairs."""
    is_list = isinstance(alpha, Iterable) and not isinstance(alpha, str)
    levels = levels_of(alpha if is_list else [alpha], "alpha")
    if not levels:
        raise BychanceError(Option("alpha") + " must have at least one value, got none.", "alpha")
    return levels


def _check_name(target: object) -> None:
    """Raise an error if the target is given as values instead of a column name."""
    if isinstance(target, Iterable) and not isinstance(target, str):
        raise BychanceError(
            Option("target")
            + f" must be the name of one column, got a {type(target).__name__}: add its values to the "
            "table as a column, and name that column.",
            "target",
        )


def _check_quantile_exists(n_resamples: int, alpha: float) -> None:
    """Raise an error if permutations are too few for the quantile at alpha that `adjusted_at` subtracts."""
    if doubt := too_few_draws(n_resamples, alpha):
        raise BychanceError(
            Option("alpha") + f" must be at least 1/(n_resamples + 1) to rank by adjusted_at; {doubt}."
        )


def levels_of(levels: Any, argument: str) -> tuple[float, ...]:
    """Check that levels are in (0, 1], and return the distinct ones in the order given."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise BychanceError(Option(argument) + f" must be a list of numbers, got {levels!r}.")
    return tuple(dict.fromkeys(number_within(level, argument, 1) for level in levels))


def _measures(choice: MeasureChoice) -> dict[tuple[Kind, Kind], Measure[Any]]:
    if not isinstance(choice, Mapping):
        one = registry.resolve("explained" if isinstance(choice, str) and choice == "auto" else choice)
        return dict.fromkeys(_PAIRS_OF[one.kinds], one)
    if not choice:
        raise BychanceError(Option("measure") + " must name a measure for at least one kind of pair, got {}.")
    names = {kind.value: kind for kind in (PairKind.NUMERIC, PairKind.MIXED, PairKind.CATEGORICAL)}
    chosen: dict[tuple[Kind, Kind], Measure[Any]] = {}
    for key, value in choice.items():
        one_of(key, "measure", names)
        one = registry.resolve("explained" if isinstance(value, str) and value == "auto" else value)
        if one.kinds not in (names[key], PairKind.ANY):
            raise BychanceError(
                Option("measure") + f" for {key} pairs must take {key} pairs, "
                f"got {one.name!r}, which takes {one.kinds.value} ones.",
                "measure",
            )
        chosen.update(dict.fromkeys(_PAIRS_OF[names[key]], one))
    return chosen


def names_of(columns: object) -> list[str]:
    """Return column names, given as None, one name or several, as strings."""
    if columns is None:
        return []
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return [str(columns)]
    return [str(name) for name in columns]
