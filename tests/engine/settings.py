"""Limits and steps of the inside that tests set or watch, by plain names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name

import pytest

__all__ = ["own", "put", "settings", "without"]

_RANKING, _ARRAYS, _MOMENTS = "bychance.ranking", "bychance.ranking.arrays", "bychance.moments"
_STREAMING, _NULLS = "bychance.streaming", "bychance.nulls"

# A plain name → every place that reads it.
_PLACES = {
    # streams
    "rows_sampled": ("bychance.ranking.options.Streaming.__init__.__defaults__",),  # a tuple of one number
    "head_rows": (f"{_STREAMING}.read.HEAD_ROWS",),
    "most_unpacked_gib": (f"{_STREAMING}.text.MAX_GIB",),
    "text_block_bytes": (f"{_STREAMING}.text._BLOCK_BYTES",),
    "tile_columns": (f"{_STREAMING}.sums._TILE_COLUMNS",),
    "most_label_sums": (f"{_MOMENTS}.row_sums._MOST_LABEL_SUMS",),
    "most_products": (f"{_MOMENTS}.sums_of_pairs._MOST_SUMS",),
    "read_part": (f"{_STREAMING}.sums.PartTask.run",),
    "sample_expecting": (f"{_STREAMING}.read.RowSample.expecting",),
    "counted_from": (f"{_STREAMING}.typed_batches.counted_from",),
    # covariates
    "most_neighboring_rows": ("bychance.covariates.residual_tests._MOST_ROWS",),
    # nulls
    "most_variance_operations": (f"{_NULLS}.statistics.MAX_VARIANCE_OPERATIONS",),
    "most_tied_groups": (f"{_NULLS}.kendall._MAX_GROUPS",),
    "seconds_worth_a_gpu": (f"{_NULLS}.draws._WORTH_S",),
    "store_of_draws": (f"{_NULLS}.draws.default_store",),
    "draw_ranks": (f"{_NULLS}.draws._draw",),
    "default_stores": (f"{_NULLS}.cache._DEFAULT_STORES",),
    "quantile_of_nulls": (f"{_NULLS}.distributions.NullDistributions.quantile",),
    # many pairs at once
    "chunk_bytes": (f"{_MOMENTS}.complete.CHUNK_BYTES", f"{_MOMENTS}.missing.CHUNK_BYTES"),
    "nanoseconds_of_ranked_row": (f"{_MOMENTS}.ranks._ROW_NANOSECONDS",),
    "most_table_operations": (f"{_MOMENTS}.groups.MAX_BULK_VARIANCE_OPERATIONS",),
    "sums_of_cancelling_pairs": (f"{_STREAMING}.sums._empty",),
    # all pairs of two arrays
    "cpu_backend": (f"{_ARRAYS}.api.Backend",),
    "screen_on_cpu": (f"{_ARRAYS}.products.Backend.screened",),
    "screen_on_gpu": (f"{_ARRAYS}.products.CudaBackend.screened",),
    "product_on_gpu": (f"{_ARRAYS}.products.CudaBackend.product",),
    "gpu_block_columns": (f"{_ARRAYS}.products.CudaBackend.block_columns",),
    "gpu_room": (f"{_ARRAYS}.products.CudaBackend.room",),
    "least_gpu_columns": (f"{_ARRAYS}.products._LEAST_COLUMNS",),
    "first_gpu_room": (f"{_ARRAYS}.products._FIRST_ROOM",),
    "cupy_of_screens": (f"{_ARRAYS}.products.cupy",),
    "gpu_of_screens": (f"{_ARRAYS}.products.gpu",),
    "pairs_worth_a_gpu": (f"{_ARRAYS}.api._WORTH_A_GPU",),
    "most_pairs_sampled": (f"{_ARRAYS}.api.MOST_SAMPLED", f"{_ARRAYS}.search.MOST_SAMPLED"),
    "many_candidates": (f"{_ARRAYS}.tiles._MANY",),
    "most_candidates": (f"{_ARRAYS}.tiles._MOST_CANDIDATES",),
    "unscreened_tile_bytes": (f"{_ARRAYS}.search._TILE_BYTES",),
    "most_unscreened_pairs": (f"{_ARRAYS}.search._MOST_PAIRS",),
    # rounds and tails
    "first_rows_of_rounds": (f"{_RANKING}.rounds._FIRST_ROWS",),
    "extend_rows": (f"{_RANKING}.rounds.measure_by_pair",),
    "most_rows_split": (f"{_RANKING}.tails._MOST_ROWS_SPLIT",),
    "split_runs": (f"{_RANKING}.tails.split_runs",),
    # a run
    "few_pairs": ("bychance.ranking.collector.FEW_PAIRS",),
    "run_blocks": ("bychance.ranking.plan.run_tasks",),
    "run_parts": (f"{_RANKING}.load.run_tasks",),
    "join_on_dask": ("bychance.parallel._tree",),
    "measure_all": ("bychance.ranking.api.measure_all",),
    "write_output": ("bychance.ranking.api.write_output",),
    "rows_per_write": ("bychance.ranking.files.ROWS_PER_WRITE",),
    "columns_of_arrays": (f"{_ARRAYS}.api.ranking_columns",),
    "columns_of_output": ("bychance.ranking.files.ranking_columns",),
    "write_block": (f"{_RANKING}.resume.Parts.write",),
    "replace_block": (f"{_RANKING}.resume.Parts.replace",),
    # what a plan is checked for
    "most_cells_compared": (f"{_RANKING}.diagnostics._MOST_CELLS",),
    "memory_of_process": (f"{_RANKING}.limits_of_work.memory_of_process",),
    "most_pairs": (f"{_RANKING}.limits_of_work._MOST_PAIRS",),
    "memory_of_container": (f"{_RANKING}.limits_of_work._CGROUP",),
    # columns, files, measures, forests, pages
    "room_of_memory": ("bychance.columns._ROOM",),
    "most_excel_rows": ("bychance.io.excel._MOST_ROWS",),
    "most_rows_multiplied": ("bychance.measures.hsic._MAX_PRODUCT_N",),
    "cells_predicted_at_once": ("bychance.forest.base._BLOCK_CELLS",),
    "most_page_pairs": ("bychance.report.summarize._MOST_PAIRS",),
    "listed_page_pairs": ("bychance.report.summarize._SHOWN_PAIRS",),
    # a GPU
    "least_gpu_bytes": ("bychance.gpu.device._LEAST_BYTES",),
    "most_gpu_draws": ("bychance.gpu.traces._MOST_DRAWS",),
    "gpu_pairings_bytes": ("bychance.gpu.traces._PAIRINGS_BYTES",),
    "gpu_trees_bytes": ("bychance.gpu.traces._TREES_BYTES",),
    "near_memory_of_mic": ("bychance.gpu.mic.MicPlan._memory_split",),
}


def put(patch: pytest.MonkeyPatch, **values: object) -> None:
    """Set what the names stand for until `patch` is undone."""
    for name, value in values.items():
        for place in _PLACES[name]:
            owner, _, attribute = place.rpartition(".")
            patch.setattr(resolve_name(owner), attribute, value)


def without(patch: pytest.MonkeyPatch, name: str) -> None:
    """Remove what the name stands for until `patch` is undone: whoever asks for it fails."""
    for place in _PLACES[name]:
        owner, _, attribute = place.rpartition(".")
        patch.delattr(resolve_name(owner), attribute)


def own(name: str):
    """Return what the name stands for now."""
    return resolve_name(_PLACES[name][0])


@contextmanager
def settings(**values: object) -> Iterator[None]:
    """Set what the names stand for inside the block."""
    with pytest.MonkeyPatch.context() as patch:
        put(patch, **values)
        yield
