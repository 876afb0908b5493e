"""Instructions for repeating a ranking, shown in its report: settings, versions, and Python code."""

from __future__ import annotations

import os
import platform
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np

from bychance.covariates.covariates import Covariates
from bychance.errors import BychanceError
from bychance.io.files import is_readable
from bychance.kinds import Kind
from bychance.measures import Measure, registry
from bychance.messages import Dialect
from bychance.names import count_of
from bychance.nulls import Auto, Permutation
from bychance.ranking import Ranking
from bychance.ranking.plan import Plan

__all__ = ["python_code", "settings_of", "versions"]

_PACKAGES = ("bychance", "numpy", "scipy", "plotly")
_MAGIC = frozenset("*?[")  # characters of a pattern for several files
_KINDS = {"numeric": (Kind.NUMERIC, Kind.NUMERIC), "mixed": (Kind.NUMERIC, Kind.CATEGORICAL),
          "categorical": (Kind.CATEGORICAL, Kind.CATEGORICAL)}  # fmt: skip


def settings_of(ranking: Ranking, dialect: Dialect) -> list[tuple[str, str]]:
    """Return the options of the ranking and their values, as texts."""
    plan, job = ranking._plan, ranking._plan.job
    measure, null = _measure(job.measures).replace("'", ""), _null(job.null).replace("'", "")
    if dialect is Dialect.COMMAND_LINE:
        measure = job.describe()
        null = f"permutation:{job.null.n_resamples}" if isinstance(job.null, Permutation) else null
    pairing = "all pairs" if plan.pairs.is_all else f"{len(plan.pairs.x):,} × {len(plan.pairs.y):,} columns"
    return [
        ("table", f"{plan.table.origin}: {_size(plan)}"),
        ("pairs", pairing if plan.target is None else f"every column against {plan.target}"),
        *(() if job.covariates is None else (("given", job.covariates.in_words()),)),
        ("measure", measure),
        ("null", null),
        ("ordered by", job.by + (f" at alpha = {job.alpha:g}" if job.by == "adjusted_at" else "")),
        ("fewest shared rows", str(job.min_n)),
        ("q-values", {"bh": "Benjamini–Hochberg", "by": "Benjamini–Yekutieli"}[job.fdr]),
        ("seed", str(job.root)),
    ]  # fmt: skip


def _size(plan: Plan) -> str:
    """Format the numbers of rows and columns as text, without the rows if the ranking kept no values."""
    n_rows = plan.table.n_rows if plan.job.sums is None else plan.job.sums.n_rows
    rows = [count_of(n_rows, "row")] if n_rows else []
    return ", ".join([*rows, count_of(len(plan.table.columns), "column")])


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python and of the packages that wrote the report."""
    return [("Python", platform.python_version()), *((name, version(name)) for name in _PACKAGES)]


def python_code(ranking: Ranking, path: str | os.PathLike[str]) -> str:
    """Return Python code that repeats the ranking. A table in memory is called `table`.

    The code leaves out the options that a file was read with.
    """
    plan, job = ranking._plan, ranking._plan.job
    options: dict[str, str] = {}
    if plan.target is not None:
        options["target"] = repr(plan.target)
    elif not plan.pairs.is_all:
        for side, positions in (("x", plan.pairs.x), ("y", plan.pairs.y)):
            options[side] = repr([plan.table.names[k] for k in np.unique(positions)])
    if job.covariates is not None:
        options["given"] = _given(job.covariates)
    named = ("by", "alpha", "min_n", "fdr", "fdr_level")
    options |= {"measure": _measure(job.measures), "null": _null(job.null)}
    options |= {name: repr(getattr(job, name)) for name in named} | {"rng": repr(job.root)}
    if job.sums is not None:
        options["stream"] = f"bc.Streaming(sample_rows={max(plan.table.n_rows, 10)})"
    arguments = "".join(f"    {name}={value},\n" for name, value in options.items())
    origin = plan.table.origin
    how = "  # with the options that it was read with"
    source = f"table = bc.read_table({origin!r}){how}\n" if is_readable(origin) else f"# table: {origin}\n"
    if job.sums is not None or _MAGIC & set(origin):
        source = f"table = {origin!r}{how}\n"
    return (
        f"import bychance as bc\n\n{source}ranking = bc.rank(\n    table,\n{arguments})\n"
        f"ranking.report({os.fspath(path)!r})"
    )


def _measure(measures: Any) -> str:
    """Return the measures as Python code: one name or object, or a dict by kind of pair."""
    by_kind = {name: _code_of(measures[kinds]) for name, kinds in _KINDS.items() if kinds in measures}
    if len(set(by_kind.values())) == 1:
        return next(iter(by_kind.values()))
    return "{" + ", ".join(f"{name!r}: {code}" for name, code in by_kind.items()) + "}"


def _code_of(measure: Measure[Any]) -> str:
    try:
        is_plain = registry.resolve(measure.name).settings == measure.settings
    except BychanceError:
        return measure.name
    return repr(measure.name) if is_plain else f"bc.{measure!r}"


def _given(covariates: Covariates) -> str:
    names = list(covariates.names)
    if (covariates.control, covariates.effect) == ("smooth", "common"):
        return repr(names)
    return f"bc.Given({names!r}, control={covariates.control!r}, effect={covariates.effect!r})"


def _null(null: object) -> str:
    if isinstance(null, Permutation) and null.groups is not None:
        null = replace(null, groups=...)  # a value per row, which is data
    is_name = isinstance(null, str) and not isinstance(null, Auto)
    return repr(null) if is_name else f"bc.{null!r}".replace("Ellipsis", "…")
