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
    """Make a Monte Carlo null with a fixed number of permutations."""
    return bc.Permutation(n_resamples=n_resamples, **settings)


def adaptive(**settings: Any) -> Any:
    """Make a Monte Carlo null that stops when it is precise."""
    return permutation("auto", **settings)


def given(columns: Any, **settings: Any) -> Any:
    return bc.Given(columns, **settings)


def adjusted(measure: Any, x: Any, y: Any, **options: Any) -> Any:
    return bc.adjust(measure, x, y, **options)


def ranked(source: Any, *, fdr: str = "bh", block_size: int | None = None, **options: Any) -> Any:
    """Call `bc.rank`. `fdr` is the method of the q-values."""
    with _blocks_of(block_size):
        return bc.rank(source, fdr=fdr, **_followed(options))


def ranked_to_file(source: Any, path: Any, *, block_size: int | None = None, **options: Any) -> Any:
    with _blocks_of(block_size):
        return bc.rank_to_file(source, path, **_followed(options))


def streamed(source: Any, *, sample_rows: int, **options: Any) -> Any:
    """Call `bc.rank` with a source that is read in batches, and a sample of `sample_rows`."""
    return bc.rank(source, stream=bc.Streaming(sample_rows), **_followed(options))


def streamed_to_file(source: Any, path: Any, *, sample_rows: int, **options: Any) -> Any:
    """Call `bc.rank_to_file` with a source that is read in batches."""
    return bc.rank_to_file(source, path, stream=bc.Streaming(sample_rows), **_followed(options))


def arrays_ranked(X: Any, Y: Any, *, names: Any = None, **options: Any) -> Any:
    """Rank all pairs of the columns of two arrays, which are frames if there are `names`."""
    if names is not None:
        X, Y = (pa.table(dict(zip(of, each.T, strict=True))) for of, each in zip(names, (X, Y), strict=True))
    return bc.rank_arrays(X, Y, **options)


def arrays_ranked_to_file(X: Any, Y: Any, path: Any, **options: Any) -> Any:
    """Write the pairs of two arrays with a p-value of at most `threshold` to a file."""
    return bc.rank_arrays(X, Y, path=path, **options)


def _followed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Translate options of `bc.rank`: `tails` belongs to the null, `sweep` has further values of alpha."""
    found = dict(options)
    tails, sweep = found.pop("tails", None), found.pop("sweep", ())
    if sweep:
        found["alpha"] = [found.get("alpha", 0.05), *sweep]
    if tails is not None and found.get("null", "auto") == "auto":
        found["null"] = bc.Auto(tails=tails)
    return found


def _blocks_of(size: int | None) -> AbstractContextManager[object]:
    """Set the number of pairs per block for the time of a `with`, if it is given."""
    where = "bychance.ranking.plan.block_size"
    return nullcontext() if size is None else patch(where, lambda *_: size)


def selector(*args: Any, **options: Any) -> Any:
    """Make a ChanceSelector with `null="auto"`. `fdr_level` is the largest q-value that it keeps."""
    return bc.ChanceSelector(*args, **{"null": "auto", **options})


def grow_paper_forest(X: Any, y: Any, **options: Any) -> Any:
    return bc.RandomForestClassifier.from_paper(**options).fit(X, y)


def trees_of(forest: Any) -> Sequence[Any]:
    """Return the trees of a forest, each with `n_nodes`, `n_leaves` and `depth`."""
    trees: Sequence[Any] = forest.estimators_
    return trees


@contextmanager
def dask_cluster() -> Iterator[None]:
    """Start two Dask workers, as threads of this process, for the time of a `with`."""
    import joblib
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):
        yield


def has_dask() -> bool:
    """Return True if Dask's distributed scheduler is installed."""
    return find_spec("distributed") is not None


@contextmanager
def emulated_gpu() -> Iterator[Any]:
    """Run `device="cuda"` on the emulator of the tests for the time of a `with`."""
    import pytest

    from tests.gpu.emulator.stand_in import sample_on, screen_on

    with pytest.MonkeyPatch.context() as patch:
        screen_on(_emulator(), patch)
        yield sample_on(_emulator(), patch)


def has_emulated_gpu() -> bool:
    """Return True if there is a compiler for the emulator's kernels."""
    from tests.gpu.emulator import Emulator

    return Emulator.compiler() is not None


@cache
def _emulator() -> Any:
    from tests.gpu.emulator import Emulator
    from tests.gpu.emulator.stand_in import FOLDER

    return Emulator(FOLDER)
