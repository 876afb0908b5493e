"""Implementation of rank() and rank_to_file(): plan, run of all blocks, Ranking.

`rank_to_file` takes more pairs than fit in memory. Its finished blocks are stored beside the output. Then
every pair's score and p-value give ranks and q-values, at most 16 bytes per pair at a time.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np

from bychance.errors import BychanceWarning
from bychance.io.read import read_source
from bychance.messages import Call, Option
from bychance.names import count_of
from bychance.nulls.choose import NullSpec
from bychance.parallel import Workers
from bychance.ranking.collector import Collected
from bychance.ranking.files import check_output, file_format, write_output
from bychance.ranking.load import READING, load, sums_beside
from bychance.ranking.options import MeasureChoice, OptionsBesideTarget, RankOptions, Streaming, make_job
from bychance.ranking.plan import Plan, make_plan
from bychance.ranking.ranking import Ranking
from bychance.ranking.resume import Parts, fingerprint
from bychance.ranking.run import measure_all
from bychance.streaming import Streamed
from bychance.streaming.resume import SavedSums
from bychance.validation import Seed, answers_expected_words, whole_number

__all__ = ["DEFAULTS", "all_options", "make_ranking", "plan_ranking", "rank", "rank_to_file"]


@answers_expected_words()
def rank(
    source: Any,
    target: str | None = None,
    *,
    x: str | Iterable[str] | None = None,
    y: str | Iterable[str] | None = None,
    given: Any = None,
    measure: MeasureChoice = "auto",
    by: str = "adjusted_at",
    alpha: float | Sequence[float] = 0.05,
    min_n: int = 10,
    null: NullSpec = "auto",
    fdr: str = "bh",
    fdr_level: float = 0.05,
    top: int | None = None,
    numeric: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    missing: object = None,
    stream: bool | Streaming | None = None,
    rng: Seed = 0,
    n_jobs: int | None = None,
    device: str = "cpu",
    progress: bool = False,
) -> Ranking:
    """Rank the pairs of columns of a table by how far their dependence exceeds chance.

    Each pair uses the rows in which both of its columns have a value.

    Parameters
    ----------
    source
        A pandas, polars or pyarrow table, a dict of arrays, a two-dimensional array, a path, or the
        result of `bc.read_table`. Larger than memory may be: a directory, glob or list of
        Parquet, Feather, Arrow or CSV files, a URL that fsspec knows, a pyarrow dataset, anything that
        streams record batches (a reader, a DuckDB relation, a lazy polars frame), a Dask DataFrame.
    target : str, optional
        Rank all other columns by what they say about this one.
    x, y : str or list of str, optional
        Pair these columns with those. Without target, x and y: all pairs.
    given : str, list of str or Given, optional
        Covariates: rank what x says about y beyond these columns, which form no pairs themselves. Rows in
        which any of them is missing are left out. `bc.Given` sets how to control them.
    measure : str, Measure, callable or dict
        "auto" is `explained`, the share of y's variation that x explains: numeric and categorical columns on
        one scale. A name, object or function is used for the columns it takes. A dict chooses by the kind of
        pair: {"numeric": "mic", "mixed": "eta2", "categorical": "mi"}.
    by : str
        The score to order by: "observed", "adjusted", "standardized", "adjusted_at" or "p_value".
    alpha : float or list of float
        The alpha of `adjusted_at`: small values favor pairs with many rows and few categories. The first of
        several orders the pairs. The others are kept for `Ranking.sweep`, which then needs no second run.
    min_n : int
        Pairs with fewer shared rows stay in the result, unmeasured, with a note.
    null
        As for `bc.adjust`. "moments" is instant on whole tables.
    fdr : {"bh", "by"}
        q-values by Benjamini and Hochberg, or Benjamini and Yekutieli.
    fdr_level : float
        The false discovery rate at which pairs count as discoveries. Sampling continues until every pair
        is decided at this level. q-values at other levels are estimates.
    top : int, optional
        Keep only the `top` best pairs in memory. Ranks and q-values still count all pairs.
    numeric, categorical, drop, missing
        As for `bc.read_table`: columns to read as numbers or as categories, columns to leave out, and marks
        of missing values.
    stream : bool or Streaming, optional
        True reads the source in batches, without ever holding all of it. `bc.Streaming` has settings. None
        does so if the table would take too much memory. The guide says what is exact then: "Large data".
    rng : int, SeedSequence, Generator or None
        Same seed, same answer, whatever n_jobs. None samples anew in every call.
    n_jobs : int, optional
        Number of threads, -1 for one per core. None means 1. `joblib.parallel_config` overrides it (for
        example, with Dask).
    device : {"cpu", "cuda", "auto"}
        Device that samples nulls: "cuda" is an NVIDIA GPU (extras `gpu-cuda12`, `gpu-cuda13`), "auto" takes
        one if there is one and the work is worth its start. `Ranking.device` says which was used.
    progress : bool
        Show a progress bar on stderr if the run takes more than two seconds.

    Returns
    -------
    Ranking

    Examples
    --------
    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> ranking = bc.rank(make_demo(), "yield")
    >>> ranking.top(3).column("x").to_pylist()
    ['rainfall', 'soil', 'sunshine']
    """
    options = cast(RankOptions, {name: value for name, value in locals().items() if name in DEFAULTS})
    plan = plan_ranking(source, Workers(n_jobs, progress), **options)
    top = None if top is None else whole_number(top, "top")
    return make_ranking(plan, measure_all(plan, top))


@answers_expected_words(also=RankOptions.__annotations__)
def rank_to_file(
    source: Any,
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    top: int = 20,
    sort: bool = False,
    resume: bool = False,
    raw_names: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
    **options: Unpack[OptionsBesideTarget],
) -> Ranking:
    """Rank the pairs of a table, write all of them to a file, and return the best.

    The file has one line per pair and the columns of `Ranking.to_frame`, without the limits. It appears only
    when it is complete. Until then finished blocks lie beside it, so that an interrupted run can resume.

    Parameters
    ----------
    source
        As for `rank`.
    path
        The file to write: .parquet, .csv or .json.
    target
        As for `rank`.
    top : int
        Number of best pairs to return, without near-duplicates.
    sort : bool
        Write the best pair first. Otherwise pairs come in canonical order: by x, then by y, as in the table.
    resume : bool
        Resume an interrupted run with the same input, options and version.
    raw_names : bool
        As for `Ranking.to_csv`.
    n_jobs, progress
        As for `rank`.
    **options
        The other options of `rank`.

    Returns
    -------
    Ranking
        The best pairs. Ranks and q-values count all pairs.

    Examples
    --------
    >>> import bychance as bc, tempfile, os
    >>> table = {"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     best = bc.rank_to_file(table, os.path.join(folder, "pairs.csv"), top=1)
    ...     print(len(best), best.n_pairs, os.listdir(folder))
    1 3 ['pairs.csv']
    """
    asked = cast(RankOptions, {"target": target, **options})
    output = Path(path)
    suffix = file_format(output)
    check_output(output, source)
    kept = sums_beside(output, resume=resume or isinstance(source, Streamed))
    plan = plan_ranking(source, Workers(n_jobs, progress), kept=kept, **asked)
    top = whole_number(top, "top")
    parts = Parts(output, fingerprint(plan), len(plan.tiles), resume=resume)
    try:
        best = measure_all(plan, top, parts)
        assert best.standing is not None
        write_output(plan, parts, best.standing, output, suffix, sort=sort, raw_names=raw_names)
    except KeyboardInterrupt:
        n_done = len(parts.finished())
        goes_on = "; resuming goes on from them" if n_done else ", so that there is nothing to resume"
        raise KeyboardInterrupt(f"{n_done:,} of {len(plan.tiles):,} blocks are done{goes_on}") from None
    finally:
        parts.remove_if_empty()
    parts.remove()
    kept.remove()
    return make_ranking(plan, best)


# Defaults of `rank`, whose signature is the one place that has them.
DEFAULTS: Mapping[str, Any] = {
    name: parameter.default
    for name, parameter in signature(rank).parameters.items()
    if name in RankOptions.__annotations__
}


def all_options(**given: Unpack[RankOptions]) -> RankOptions:
    """Return a dict with all options of `rank`: the given ones, and defaults for all others."""
    for name in given:
        if name not in DEFAULTS:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(DEFAULTS)}")
    return cast(RankOptions, {**DEFAULTS, **given})


def plan_ranking(
    source: Any,
    workers: Workers | None = None,
    *,
    kept: SavedSums | None = None,
    **options: Unpack[RankOptions],
) -> Plan:
    """Check the options of `rank`, read the table (a stream once), and plan the pairs to measure.

    Its finished sums are `kept` if a later run can resume from them.
    """
    asked, workers = all_options(**options), workers or Workers()
    job = make_job(asked)
    reading: dict[str, Any] = {name: value for name, value in asked.items() if name in READING}
    is_frame = isinstance(source, Mapping | np.ndarray) or type(source).__module__.startswith("pandas")
    if is_frame and not asked["stream"]:
        table = read_source(source, reading)
    else:
        loaded = load(source, job, asked, reading, workers, kept)
        table, job = loaded.table, replace(job, sums=loaded.sums)
    return make_plan(table, job, asked, workers)


def make_ranking(plan: Plan, kept: Collected) -> Ranking:
    """Build the ranking of a plan from collected results, and warn if permutations are too few."""
    ranking = Ranking(
        plan,
        kept.rows,
        kept.place,
        kept.q_value,
        n_pairs=plan.n_pairs,
        n_tested=kept.n_tested,
        n_found=kept.n_found,
        n_duplicates=kept.n_duplicates,
        _n_open=kept.n_open,
        _hull=kept.hull,
    )
    if kept.n_at_floor and not kept.n_found and not plan.job.sampling.is_adaptive:
        _warn_of_few_draws(kept, plan.job.fdr_level)
    return ranking


def _warn_of_few_draws(kept: Collected, fdr_level: float) -> None:
    """Warn if permutations are too few for any q-value to fall to `fdr_level`."""
    needed = int(np.ceil(kept.n_tested / kept.n_at_floor / fdr_level))
    if needed > kept.n_draws + 1:
        few = (
            f"{kept.n_draws:,} permutations are too few: no q-value can fall to {fdr_level:g} for "
            f"{count_of(kept.n_tested, 'test')}. Use about {needed:,}: "
        )
        warnings.warn(
            BychanceWarning(
                few + Option("null", Call(f"null=bc.Permutation({needed})", f"permutation:{needed}")) + "."
            ),
            stacklevel=5,
        )
