"""The recorded calls on threads, on a cluster, on a GPU, and of runs that are interrupted and resumed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tools.recorded.arrays import array_file, array_ranking
from tools.recorded.beyond import ranking_beyond
from tools.recorded.data import Table, mixed_table, numeric_table
from tools.recorded.figures import AsIs, Call, Need, Promise
from tools.recorded.interface import (
    dask_cluster,
    emulated_gpu,
    given,
    permutation,
    ranked,
    ranked_to_file,
    streamed,
    streamed_to_file,
)
from tools.recorded.streams import SAMPLE_ROWS, parquet_parts
from tools.recorded.tables import covariate_table, stream_table
from tools.recorded.whole import frame_in_full, ranking_in_full, with_warnings

__all__ = ["run_calls"]

_FEW = {"null": permutation(19), "alpha": 0.1, "fdr_level": 0.9}  # draws, and no warning that they are few


def run_calls() -> Iterator[Call]:
    for label, (table, options) in _on_threads().items():
        promise: Promise = "bitwise" if options.get("measure") == "mic" else "1e-10"
        yield _call(f"threads/{label}", partial(_threads, table, options), promise=promise)
    for label, resumed in _resumed().items():
        yield _call(f"resumed/{label}", resumed)
    yield _call("dask/stream", _streamed_on_dask, needs="Dask")
    yield _call("dask/table", _table_on_dask, needs="Dask")
    for label, on_gpu in _on_gpu().items():
        yield _call(f"cuda/{label}", partial(_emulated, on_gpu), needs="a C++ compiler")


def _call(
    label: str, run: Callable[[], Mapping[str, Any]], *, promise: Promise = "1e-10", needs: Need = ""
) -> Call:
    return Call(label, promise, partial(with_warnings, run), needs)


def _on_threads() -> dict[str, tuple[Callable[[], Table], dict[str, Any]]]:
    beyond = given(["site", "age"])
    left_out = ("dose", "visits", "shift")
    return {
        "mixed": (mixed_table, {"block_size": 5, "target": "a"}),
        "permutation": (mixed_table, {"block_size": 5, "null": permutation(99), "by": "p_value"}),
        "mic": (numeric_table, {"measure": "mic", "target": "v8", "null": permutation("adaptive", cap=99)}),
        "dcor": (numeric_table, {"measure": "dcor", "null": permutation(99), "target": "v8"}),
        "given": (covariate_table, {"given": beyond, "drop": left_out, "block_size": 4}),
        "given, mic_e": (
            covariate_table,
            {"given": beyond, "drop": left_out, "measure": "mic_e", "null": permutation(99)},
        ),
    }


def _threads(table: Callable[[], Table], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a ranking on two threads, and if one thread gives the same bits."""
    one, two = (ranked(table(), n_jobs=n_jobs, **options) for n_jobs in (1, 2))
    return {**ranking_in_full(two), "is_that_of_one_thread": two.to_frame().equals(one.to_frame())}


def _resumed() -> dict[str, Callable[[], Mapping[str, Any]]]:
    blocks: dict[str, Any] = {
        "measure": _share_of_largest,
        "null": permutation(99),
        "block_size": 4,
        "top": 5,
    }
    beyond = {"given": given(["site", "age"]), "drop": ("dose", "visits", "shift")}
    linear = given(["age", "site"], control="linear")
    return {
        "per kind": partial(
            _resumed_blocks,
            mixed_table,
            {**blocks, "measure": {"numeric": _share_of_largest, "mixed": "eta2", "categorical": "mi"}},
            700,
        ),
        "given": partial(_resumed_blocks, covariate_table, {**blocks, **beyond, "block_size": 1}, 150),
        "sorted": partial(_resumed_blocks, numeric_table, {**blocks, "sort": True}, 1000),
        "stream": partial(_resumed_stream, {"measure": {"numeric": "r2", "mixed": "eta2"}, "top": 5}),
        "stream, given": partial(_resumed_stream, {"given": linear, "measure": "r2"}),
    }


def _resumed_blocks(
    table: Callable[[], Table], options: Mapping[str, Any], n_calls: int
) -> Mapping[str, Any]:
    """Return the file of a run that Ctrl-C interrupted after a number of calls of its measure."""

    def interrupted(path: Path) -> str:
        _calls_left.append(n_calls)
        try:
            ranked_to_file(table(), path, **options)
        except KeyboardInterrupt as stop:
            return str(stop)
        finally:
            _calls_left.clear()
        raise AssertionError("the first run was not interrupted")

    def run(path: Path, *, resume: bool) -> Any:
        return ranked_to_file(table(), path, resume=resume, **options)

    return _in_two_runs(interrupted, run)


def _resumed_stream(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the file of a stream one of whose later parts could not be read at first."""
    table = stream_table(110_000)  # enough rows that types are inferred without that part
    with tempfile.TemporaryDirectory() as folder:
        names = ("x", "y", "outliers", "group", "site", "age")
        parts = parquet_parts({name: table[name] for name in names}, Path(folder), n_parts=6, n_rows=25_000)
        damaged, whole = Path(parts[-2]), Path(parts[-2]).read_bytes()

        def interrupted(path: Path) -> str:
            # The footer, which has the columns and their types, stays whole.
            damaged.write_bytes(bytes(64) + whole[64:])
            try:
                streamed_to_file(parts, path, sample_rows=SAMPLE_ROWS, **options)
            except ValueError as error:
                return str(error).replace(folder, "FOLDER").partition(":")[0]
            finally:
                damaged.write_bytes(whole)
            raise AssertionError("the damaged part was read")

        def run(path: Path, *, resume: bool) -> Any:
            return streamed_to_file(parts, path, sample_rows=SAMPLE_ROWS, resume=resume, **options)

        return _in_two_runs(interrupted, run)


def _in_two_runs(interrupted: Callable[[Path], str], run: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the resumed run's file and best rows, and if they are those of a run without interruption."""
    with tempfile.TemporaryDirectory() as folder:
        path, other = Path(folder) / "pairs.parquet", Path(folder) / "at once.parquet"
        said = interrupted(path)
        left_behind = sorted(entry.name for entry in Path(folder).iterdir())
        best = run(path, resume=True)
        in_folder = sorted(entry.name for entry in Path(folder).iterdir())
        run(other, resume=False)
        written, at_once = pq.read_table(path), pq.read_table(other)
    return {
        **frame_in_full(written, best.by),
        "best": ranking_in_full(best),
        "is_that_of_one_run": written.equals(at_once),
        "said": AsIs([said, left_behind, in_folder]),
    }


_calls_left: list[int] = []


def _share_of_largest(x: Any, y: Any) -> float:
    """Return the share of the ten largest y with an x above the mean, or stop as by Ctrl-C."""
    if _calls_left:
        _calls_left[0] -= 1
        if _calls_left[0] < 0:
            raise KeyboardInterrupt
    return float(np.mean(x[np.argsort(-y, kind="stable")[:10]] > x.mean()))


def _streamed_on_dask() -> Mapping[str, Any]:
    """Return a stream whose parts are read by two workers."""
    with tempfile.TemporaryDirectory() as folder, dask_cluster():
        names = ("x", "y", "outliers", "group", "tick", "many")
        parts = parquet_parts({name: stream_table()[name] for name in names}, Path(folder))
        return ranking_in_full(streamed(parts, sample_rows=SAMPLE_ROWS))


def _table_on_dask() -> Mapping[str, Any]:
    """Return a ranking whose blocks are measured by two workers."""
    options: dict[str, Any] = {"null": permutation(99), "block_size": 4, "target": "a", "by": "adjusted"}
    with dask_cluster():
        there = ranked(mixed_table(), **options)
    return {
        **ranking_in_full(there),
        "is_that_of_one_process": there.to_frame().equals(ranked(mixed_table(), **options).to_frame()),
    }


def _on_gpu() -> dict[str, Callable[[], Mapping[str, Any]]]:
    pair = {"is_odd": True, "n": 60}
    calls: dict[str, Callable[[], Mapping[str, Any]]] = {
        f"{measure}": partial(_sampled_there, {"measure": measure, "tails": "none", **_FEW})
        for measure in ("mic", "tic_e", "dcor", "r2", "explained")
    }
    there = {"device": "cuda"}
    return calls | {
        "mic, auto": partial(_sampled_there, {"measure": "mic", "tails": "none"}),
        "given": partial(
            ranking_beyond, covariate_table, ("site",), {}, {**there, **_FEW, "measure": "explained"}
        ),
        "against": partial(array_ranking, pair, {**there, "top": 20}),
        "against, spearman": partial(array_ranking, pair, {**there, "measure": "spearman"}),
        "against, gaps": partial(array_ranking, {**pair, "has_gaps": True}, {**there, "top": 20}),
        "against, file": partial(array_file, pair, "pairs.parquet", {**there, "threshold": 0.05}),
    }


def _sampled_there(options: Mapping[str, Any]) -> Mapping[str, Any]:
    names = ("a", "b", "tied", "outliers", "date", "group")
    small = {name: mixed_table()[name][:24] for name in names}
    return ranking_in_full(ranked(small, device="cuda", **options))


def _emulated(on_gpu: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the figures of a call on the emulator, and if kernels were launched there."""
    with emulated_gpu() as emulator:
        before = emulator.n_launches
        found = on_gpu()
        return {**found, "is_launched": emulator.n_launches > before}
