"""The recorded calls of `measure`, `adjust` and `mic_grid`: every measure, null and kind of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import bychance as bc
from tools.recorded.data import LABELS, MIXED, NUMERIC, pair
from tools.recorded.figures import Call, Promise, estimate_figures
from tools.recorded.interface import adaptive, permutation

__all__ = ["pair_calls"]

OF_NUMBERS = ("r2", "spearman", "kendall", "xi", "dcor", "hsic", "mic", "mic_e", "tic_e")
OF_LABELS = ("gini", "goodman_kruskal", "mi", "phi2", "cramers_v", "rand", "agreement")
OF_ALL = ("explained", "eta2")
_BITWISE = ("mic", "mic_e", "tic_e")
_NAMED_NULLS = ("moments", "exact", "normal", "multinomial")
_GROUPS = np.arange(60) % 3


def pair_calls() -> Iterator[Call]:
    for measure, kinds in _takes().items():
        for kind in kinds:
            yield _adjust(measure, kind, "auto", _cheaper(measure, kind))
        yield from _under_named_nulls(measure)
        yield from _sampled(measure)
        yield Call(f"measure/{measure}", _promise(measure), partial(_measures, measure, kinds))
    yield from _under_the_papers_null()
    yield from _with_other_bounds()
    yield from _restricted()
    for kind in ("plain", "tied", "missing", "many"):
        yield Call(f"mic_grid/{kind}", "bitwise", partial(_grid, kind))


def _takes() -> dict[str, tuple[str, ...]]:
    """Return the kinds of data that each measure is recorded on."""
    labels = tuple(kind for kind in LABELS if kind != "raters")
    takes = dict.fromkeys(OF_NUMBERS, NUMERIC) | dict.fromkeys(OF_LABELS, labels)
    return takes | {
        "agreement": ("raters", "labels_constant", "labels_missing"),
        "explained": (*NUMERIC, *labels, *MIXED),
        "eta2": tuple(kind for kind in MIXED),
    }


def _under_named_nulls(measure: str) -> Iterator[Call]:
    for null in _NAMED_NULLS:
        kind = _usual(measure)
        if null == "exact":
            kind = {"plain": "few", "labels": "labels_few", "groups": "groups_few"}.get(kind, kind)
        yield _adjust(measure, kind, null, null)
    if measure not in _BITWISE:
        gaps = {"plain": "missing", "labels": "labels_missing", "groups": "groups_missing"}
        yield _adjust(measure, gaps.get(_usual(measure), "labels_missing"), "moments", "moments")


def _sampled(measure: str) -> Iterator[Call]:
    kind = {"plain": "tied"}.get(_usual(measure), _usual(measure))
    yield _adjust(measure, kind, "permutation", permutation(199))


def _under_the_papers_null() -> Iterator[Call]:
    for measure, kind in (
        *(("r2", kind) for kind in ("plain", "missing", "few", "many")),
        *(("gini", kind) for kind in ("labels", "labels_missing", "labels_many")),
        ("mic", "few"),
        ("mic", "plain"),
        ("explained", "plain"),
        ("explained", "groups"),
        ("explained", "classes"),
        ("spearman", "plain"),
        ("phi2", "labels"),
    ):
        yield _adjust(measure, kind, "paper", "paper")


def _with_other_bounds() -> Iterator[Call]:
    for measure, bound in (
        *(("mi", name) for name in ("arithmetic", "geometric", "max", "target")),
        *((name, "attainable") for name in ("r2", "spearman", "kendall", "agreement")),
        ("explained", 0.8),
    ):
        kind = "labels" if measure == "mi" else _usual(measure)
        name = f"adjust/{measure}/{kind}/bound={bound}"
        yield Call(name, "1e-10", partial(_estimate, measure, kind, "auto", bound=bound))


def _restricted() -> Iterator[Call]:
    nulls = {
        "groups": permutation(199, groups=_GROUPS),
        "block": permutation(199, block=7),
        "adaptive": adaptive(rtol=0.2),
    }
    for label, null in nulls.items():
        for measure in ("r2", "xi", "mic_e"):
            yield _adjust(measure, "plain", label, null)
    for seed in (1, 20160505):
        run = partial(_estimate, "dcor", "plain", permutation(99), rng=seed)
        yield Call(f"adjust/dcor/plain/rng={seed}", "1e-10", run)
    own = partial(_estimate, _largest_step, "plain", permutation(199))
    yield Call("adjust/own/plain/permutation", "1e-10", own)


def _adjust(measure: str, kind: str, label: str, null: Any) -> Call:
    return Call(
        f"adjust/{measure}/{kind}/{label}", _promise(measure), partial(_estimate, measure, kind, null)
    )


def _cheaper(measure: str, kind: str) -> Any:
    """Replace `auto` for MIC on many rows, because its 9,999 permutations take minutes."""
    return permutation(99) if measure in _BITWISE and kind == "many" else "auto"


def _promise(measure: str) -> Promise:
    return "bitwise" if measure in _BITWISE else "1e-10"


def _usual(measure: str) -> str:
    if measure in OF_NUMBERS:
        return "plain"
    return {"agreement": "raters", "eta2": "groups", "explained": "groups"}.get(measure, "labels")


def _estimate(measure: Any, kind: str, null: Any, **options: Any) -> Mapping[str, Any]:
    return estimate_figures(bc.adjust(measure, *pair(kind), null=null, **options))


def _measures(measure: str, kinds: tuple[str, ...]) -> Mapping[str, Any]:
    return {kind: bc.measure(measure, *pair(kind)) for kind in kinds}


def _grid(kind: str) -> Mapping[str, Any]:
    grid = bc.mic_grid(*pair(kind))
    return {
        "value": grid.value,
        "x_cuts": grid.x_cuts,
        "y_cuts": grid.y_cuts,
        "counts": grid.counts,
        "characteristic": grid.characteristic,
        "equipartitioned": grid.equipartitioned,
        "n": grid.n,
    }


def _largest_step(x: Any, y: Any) -> float:
    """Compute a measure of a user's own."""
    return 1.0 / (1.0 + float(np.abs(np.diff(y[np.argsort(x, kind="stable")])).max()))
