"""The recorded calls beyond covariates: every control, effect and kind of pair, with and without gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from tools.recorded.data import Table
from tools.recorded.figures import Call, Promise
from tools.recorded.interface import adjusted, given, permutation, ranked
from tools.recorded.tables import COVARIATES, covariate_table, steep_table
from tools.recorded.whole import estimate_in_full, ranking_in_full, with_warnings

__all__ = ["beyond_calls", "ranking_beyond"]

_SMOOTH, _LINEAR, _STRATA = ({"control": control} for control in ("smooth", "linear", "strata"))
_PER_KIND = {"numeric": "spearman", "mixed": "eta2", "categorical": "mi"}


def beyond_calls() -> Iterator[Call]:
    for label, (table, covariates, settings, options) in _rankings().items():
        promise: Promise = "bitwise" if options.get("measure") in ("mic", "tic_e") else "1e-10"
        run = partial(ranking_beyond, table, covariates, settings, options)
        yield Call(f"given/rank/{label}", promise, partial(with_warnings, run))
    for label, (table, names, covariates, settings, options) in _pairs().items():
        run = partial(_estimate, table, names, covariates, settings, options)
        yield Call(f"given/adjust/{label}", "1e-10", partial(with_warnings, run))


_Source = Callable[[], Table]
_Ranking = tuple[_Source, tuple[str, ...], dict[str, Any], dict[str, Any]]


def _rankings() -> dict[str, _Ranking]:
    """Return table, covariates, settings and options of `rank` by label, with pairs of every kind."""
    wanted: dict[str, tuple[dict[str, Any], dict[str, tuple[str, ...]]]] = {
        "smooth": (
            _SMOOTH,
            {
                "label": ("site",),
                "number": ("age",),
                "numbers": ("age", "dose"),
                "count": ("visits",),
                "labels and number": ("site", "shift", "age"),
            },
        ),
        "linear": (_LINEAR, {"label": ("site",), "numbers": ("age", "dose"), "both": ("site", "age")}),
        "strata": (_STRATA, {"numbers": ("age", "dose"), "both": ("site", "age")}),
        "smooth separate": (
            _SMOOTH | {"effect": "separate"},
            {"label": ("site",), "both": ("site", "age")},
        ),
        "strata separate": (_STRATA | {"effect": "separate"}, {"number": ("age",), "both": ("site", "age")}),
    }
    calls: dict[str, _Ranking] = {
        f"{control}, {label}": (covariate_table, covariates, settings, {})
        for control, (settings, by_label) in wanted.items()
        for label, covariates in by_label.items()
    }
    calls |= {
        f"per kind, {control}": (
            covariate_table,
            ("site", "age"),
            {"control": control},
            {"measure": _PER_KIND},
        )
        for control in ("smooth", "linear", "strata")
    }
    calls |= {
        f"{measure}, {label}": (
            covariate_table,
            covariates,
            _SMOOTH,
            {"measure": measure, "target": "a", "null": permutation(99), "by": "p_value"},
        )
        for measure, label, covariates in (
            ("kendall", "label", ("site",)),
            ("xi", "number", ("age",)),
            ("dcor", "label", ("site",)),
            ("mic", "number", ("age",)),
            ("tic_e", "label", ("site",)),
        )
    }
    others: dict[str, tuple[tuple[str, ...], dict[str, Any], dict[str, Any]]] = {
        "goodman_kruskal, label": (("site",), _SMOOTH, {"measure": "goodman_kruskal"}),
        "r2, moments, both": (("site", "age"), _SMOOTH, {"measure": "r2", "null": "moments", "top": 2}),
        "r2, normal, linear": (("age", "shift"), _LINEAR, {"measure": "r2", "null": "normal"}),
        "permutation, both": (("site", "age"), _SMOOTH, {"null": permutation(99), "by": "adjusted"}),
        "groups, number": (
            ("age",),
            _SMOOTH,
            {"null": permutation(99, groups=np.arange(240) % 4), "target": "a"},
        ),
        "target": (("site", "age"), _SMOOTH, {"target": "letters", "tails": "all"}),
        "covariate as target": (("site",), _SMOOTH, {"target": "site"}),
    }
    calls |= {label: (covariate_table, *call) for label, call in others.items()}
    complete, small = (partial(covariate_table, n, has_gaps=False) for n in (240, 16))
    return calls | {
        "complete, smooth": (complete, ("site", "age"), _SMOOTH, {}),
        "complete, linear": (complete, ("age", "dose"), _LINEAR, {}),
        "exact, label": (small, ("site",), _SMOOTH, {"null": "exact"}),
        "steep, smooth": (steep_table, ("dose",), _SMOOTH, {}),
        "steep, strata": (steep_table, ("dose",), _STRATA, {}),
        "cells of two rows": (steep_table, ("row",), _SMOOTH, {}),
        "no variation": (steep_table, ("same",), _SMOOTH, {}),
    }


_Pair = tuple[_Source, tuple[str, str], tuple[str, ...], dict[str, Any], dict[str, Any]]


def _pairs() -> dict[str, _Pair]:
    """Return table, columns, covariates, settings and options of `adjust` by label."""
    kinds = {"numbers": ("b", "a"), "mixed": ("letters", "b"), "labels": ("group", "letters")}
    calls: dict[str, _Pair] = {
        f"{control}, {kind}": (covariate_table, names, ("site", "age"), {"control": control}, {})
        for control in ("smooth", "linear", "strata")
        for kind, names in kinds.items()
    }
    separate = _SMOOTH | {"effect": "separate"}
    calls |= {
        f"smooth separate, {kind}": (covariate_table, names, ("site",), separate, {})
        for kind, names in kinds.items()
    }
    small = partial(covariate_table, 16, has_gaps=False)
    normal = {"null": "normal", "measure": "r2"}
    return calls | {
        "counts": (covariate_table, ("letters", "a"), ("visits",), _SMOOTH, {}),
        "exact": (small, ("group", "letters"), ("site",), _SMOOTH, {"null": "exact"}),
        "exact, too many": (covariate_table, ("group", "a"), ("site",), _SMOOTH, {"null": "exact"}),
        "linear, normal": (covariate_table, ("a", "b"), ("age", "dose"), _LINEAR, normal),
        "mi": (covariate_table, ("group", "letters"), ("site", "age"), _SMOOTH, {"measure": "mi"}),
        "spearman": (covariate_table, ("outliers", "b"), ("dose",), _SMOOTH, {"measure": "spearman"}),
        "determined": (covariate_table, ("age", "b"), ("age", "site"), _SMOOTH, {}),
    }


def ranking_beyond(
    table: _Source, covariates: tuple[str, ...], settings: dict[str, Any], options: dict[str, Any]
) -> Mapping[str, Any]:
    """Return a ranking beyond these covariates, without the table's other ones."""
    kept = {name: v for name, v in table().items() if name in covariates or name not in COVARIATES}
    return ranking_in_full(ranked(kept, given=given(list(covariates), **settings), **options))


def _estimate(
    table: _Source,
    names: tuple[str, str],
    covariates: tuple[str, ...],
    settings: dict[str, Any],
    options: dict[str, Any],
) -> Mapping[str, Any]:
    columns = table()
    x, y = (columns[name] for name in names)
    control = given({name: columns[name] for name in covariates}, **settings)
    wanted = {"measure": "explained", **options}
    return estimate_in_full(adjusted(wanted.pop("measure"), x, y, given=control, **wanted))
