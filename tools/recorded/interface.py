"""The interface as the recorded calls see it: a renamed option is followed here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import pyarrow as pa

import bychance as bc

__all__ = [
    "adaptive",
    "adjusted",
    "arrays_ranked",
    "arrays_ranked_to_file",
    "dask_cluster",
    "emulated_gpu",
    "given",
    "grow_paper_forest",
    "has_dask",
    "has_emulated_gpu",
    "permutation",
    "ranked",
    "ranked_to_file",
    "selector",
    "streamed",
    "streamed_to_file",
    "trees_of",
]


def permutation(n_resamples: int | str, **settings: Any) -> Any:
    """A Monte Carlo null of so many permutations."""
    return bc.Permutation(n_resamples=n_resamples, **settings)


def adaptive(**settings: Any) -> Any:
    """A Monte Carlo null that stops when it is precise."""
    return permutation("auto", **settings)


def given(columns: Any, **settings: Any) -> Any:
    """Covariates and how they are controlled."""
    return bc.Given(columns, **settings)


def adjusted(measure: Any, x: Any, y: Any, **options: Any) -> Any:
    """`bc.adjust`."""
    return bc.adjust(measure, x, y, **options)


def ranked(source: Any, *, fdr: str = "bh", block_size: int | None = None, **options: Any) -> Any:
    """`bc.rank`; `fdr` is the method of the q-values."""
    with _blocks_of(block_size):
        return bc.rank(source, fdr=fdr, **_followed(options))


def ranked_to_file(source: Any, path: Any, *, block_size: int | None = None, **options: Any) -> Any:
    """`bc.rank_to_file`."""
    with _blocks_of(block_size):
        return bc.rank_to_file(source, path, **_followed(options))


def streamed(source: Any, *, sample_rows: int, **options: Any) -> Any:
    """`bc.rank` of a source that is read in batches, and a sample of `sample_rows`."""
    return bc.rank(source, stream=bc.Streaming(sample_rows), **_followed(options))


def streamed_to_file(source: Any, path: Any, *, sample_rows: int, **options: Any) -> Any:
    """`bc.rank_to_file` of a source that is read in batches."""
    return bc.rank_to_file(source, path, stream=bc.Streaming(sample_rows), **_followed(options))


def arrays_ranked(X: Any, Y: Any, *, names: Any = None, **options: Any) -> Any:
    """All pairs of the columns of two arrays; with `names` they are frames."""
    if names is not None:
        X, Y = (pa.table(dict(zip(of, each.T, strict=True))) for of, each in zip(names, (X, Y), strict=True))
    return bc.rank_arrays(X, Y, **options)


def arrays_ranked_to_file(X: Any, Y: Any, path: Any, **options: Any) -> Any:
    """The pairs of two arrays with a p-value of at most `threshold`, in a file."""
    return bc.rank_arrays(X, Y, path=path, **options)


def _followed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `bc.rank`: `tails` is a setting of the null, and `sweep` has further values of alpha."""
    found = dict(options)
    tails, sweep = found.pop("tails", None), found.pop("sweep", ())
    if sweep:
        found["alpha"] = [found.get("alpha", 0.05), *sweep]
    if tails is not None and found.get("null", "auto") == "auto":
        found["null"] = bc.Auto(tails=tails)
    return found


def _blocks_of(size: int | None) -> AbstractContextManager[object]:
    """Let blocks have so many pairs meanwhile, if a size is given."""
    where = "bychance.ranking.plan.block_size"
    return nullcontext() if size is None else patch(where, lambda *_: size)


def selector(*args: Any, **options: Any) -> Any:
    """A ChanceSelector with `null="auto"`; `fdr_level` is the largest q-value that it keeps."""
    return bc.ChanceSelector(*args, **{"null": "auto", **options})


def grow_paper_forest(X: Any, y: Any, **options: Any) -> Any:
    """The paper's forest, grown."""
    return bc.RandomForestClassifier.from_paper(**options).fit(X, y)


def trees_of(forest: Any) -> Sequence[Any]:
    """The trees of a forest, each with `n_nodes`, `n_leaves` and `depth`."""
    trees: Sequence[Any] = forest.estimators_
    return trees


@contextmanager
def dask_cluster() -> Iterator[None]:
    """Two Dask workers, as threads of this process, that measure and read meanwhile."""
    import joblib
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):
        yield


def has_dask() -> bool:
    """True if Dask's distributed scheduler is installed."""
    return find_spec("distributed") is not None


@contextmanager
def emulated_gpu() -> Iterator[Any]:
    """The emulator of the tests, on which `device="cuda"` runs meanwhile."""
    import pytest

    from tests.gpu.emulator.stand_in import sample_on, screen_on

    with pytest.MonkeyPatch.context() as patch:
        screen_on(_emulator(), patch)
        yield sample_on(_emulator(), patch)


def has_emulated_gpu() -> bool:
    """True if there is a compiler for the emulator's kernels."""
    from tests.gpu.emulator import Emulator

    return Emulator.compiler() is not None


@cache
def _emulator() -> Any:
    from tests.gpu.emulator import Emulator
    from tests.gpu.emulator.stand_in import FOLDER

    return Emulator(FOLDER)
