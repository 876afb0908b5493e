"""The recorded calls of `rank`, `rank_to_file`, `Ranking.matrix`, `Ranking.sweep` and `ChanceSelector`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tools.recorded.data import WHO_DEATHS, classes_and_columns, mixed_table, numeric_table, who_table
from tools.recorded.figures import Call, Promise, rows_figures
from tools.recorded.interface import permutation, ranked, ranked_to_file, selector

__all__ = ["ranking_calls"]

_BY = ("observed", "adjusted", "standardized", "adjusted_at", "p_value")
_PER_KIND = {"numeric": "spearman", "mixed": "eta2", "categorical": "mi"}


def ranking_calls() -> Iterator[Call]:
    for label, options in _of_the_mixed_table().items():
        yield Call(f"rank/mixed/{label}", "1e-10", partial(_ranking, mixed_table, options))
    for label, options in _of_numbers().items():
        promise: Promise = "bitwise" if label.startswith("mic") else "1e-10"
        yield Call(f"rank/numbers/{label}", promise, partial(_ranking, numeric_table, options))
    for label, options in _of_who().items():
        promise = "bitwise" if label.startswith("mic") else "1e-10"
        yield Call(f"rank/who/{label}", promise, partial(_ranking, who_table, options), needs="the WHO table")
    yield from _files()
    yield from _views()
    for label, options in _selectors().items():
        yield Call(f"select/{label}", "1e-10", partial(_selection, options))


def _of_the_mixed_table() -> dict[str, dict[str, Any]]:
    calls: dict[str, dict[str, Any]] = {f"by={by}": {"by": by} for by in _BY}
    calls |= {f"moments by={by}": {"by": by, "null": "moments", "target": "a"} for by in _BY}
    calls |= {f"alpha={alpha}": {"alpha": alpha, "null": "moments"} for alpha in (0.4, 0.01, 1.0)}
    calls |= {f"target={name}": {"target": name} for name in ("b", "group", "coin")}
    calls |= {
        "x and y": {"x": ["a", "b", "letters"], "y": ["group", "tied"]},
        "min_n=5": {"min_n": 5, "null": "moments"},
        "min_n=125": {"min_n": 125, "null": "moments"},
        "fdr=by": {"fdr": "by"},
        "top=7": {"top": 7},
        "top=3 by=p_value": {"top": 3, "by": "p_value"},
        "per kind": {"measure": _PER_KIND},
        "gini": {"measure": "gini"},
        "eta2": {"measure": "eta2", "by": "p_value"},
        "permutation": {"null": permutation(99), "by": "adjusted"},
        "permutation n_jobs=2": {"null": permutation(99), "by": "adjusted", "n_jobs": 2},
        "n_jobs=2": {"n_jobs": 2},
        "block_size=5": {"block_size": 5, "null": "moments"},
        "sweep": {"sweep": [0.4, 0.1], "null": "moments"},
        "rng=7": {"rng": 7, "null": permutation(99)},
    }
    return calls


def _of_numbers() -> dict[str, dict[str, Any]]:
    nulls: dict[str, Any] = {"auto": "auto", "moments": "moments", "permutation": permutation(99)}
    calls = {
        f"{measure} {label}": {"measure": measure, "null": null}
        for measure in ("r2", "spearman")
        for label, null in nulls.items()
    }
    calls |= {
        measure: {"measure": measure, "null": "moments", "target": "v8"}
        for measure in ("kendall", "xi", "dcor", "hsic")
    }
    calls |= {
        f"{measure} permutation": {"measure": measure, "null": permutation(99), "target": "v8"}
        for measure in ("mic", "mic_e", "tic_e")
    }
    return calls | {
        "r2 paper": {"measure": "r2", "null": "paper"},
        "r2 normal": {"measure": "r2", "null": "normal"},
        "mic n_jobs=2": {"measure": "mic", "null": permutation(99), "target": "v8", "n_jobs": 2},
    }


def _of_who() -> dict[str, dict[str, Any]]:
    calls: dict[str, dict[str, Any]] = {
        f"{null} by={by}": {"measure": "r2", "null": null, "by": by, "target": WHO_DEATHS}
        for null in ("paper", "moments")
        for by in _BY
    }
    return calls | {
        "auto": {"target": WHO_DEATHS},
        "spearman moments": {"target": WHO_DEATHS, "measure": "spearman", "null": "moments"},
        "all pairs": {"measure": "r2", "null": "moments"},
        "all pairs top=50 fdr=by": {"measure": "r2", "null": "moments", "top": 50, "fdr": "by"},
        "all pairs alpha=0.4 min_n=50": {"measure": "r2", "null": "paper", "alpha": 0.4, "min_n": 50},
        "mic_e permutation": {"measure": "mic_e", "null": permutation(19), "target": WHO_DEATHS},
    }


def _files() -> Iterator[Call]:
    calls: dict[str, dict[str, Any]] = {
        "parquet": {"null": "moments"},
        "top=4 by=p_value": {"null": "moments", "top": 4, "by": "p_value", "block_size": 7},
        "permutation n_jobs=2": {"null": permutation(99), "n_jobs": 2},
    }
    for label, options in calls.items():
        yield Call(f"file/{label}", "1e-10", partial(_file, options, is_interrupted=False))
    resumed = {"measure": _share_of_largest, "null": permutation(99), "block_size": 6}
    yield Call("file/resumed", "1e-10", partial(_file, resumed, is_interrupted=True))


def _views() -> Iterator[Call]:
    calls: dict[str, dict[str, Any]] = {"moments": {"null": "moments"}, "kinds": {"measure": _PER_KIND}}
    for label, options in calls.items():
        yield Call(f"matrix/{label}", "1e-10", partial(_matrices, options))
        yield Call(f"sweep/{label}", "1e-10", partial(_sweep, options))
    yield Call("top/folded", "1e-10", _top)


def _selectors() -> dict[str, dict[str, Any]]:
    return {
        "threshold": {"threshold": 0.0},
        "k=2": {"k": 2},
        "fdr_level=0.05": {"fdr_level": 0.05},
        "by=standardized": {"by": "standardized", "threshold": 2.0, "null": "moments"},
        "by=p_value": {"by": "p_value", "k": 3, "null": permutation(199)},
        "per kind": {"measure": _PER_KIND, "k": 2},
    }


def _ranking(table: Any, options: dict[str, Any]) -> Mapping[str, Any]:
    return _ranking_figures(ranked(table(), **options))


def _ranking_figures(ranking: Any) -> dict[str, Any]:
    rows = ranking.to_frame().to_pylist()
    counts = {"n_pairs": ranking.n_pairs, "n_tested": ranking.n_tested, "n_duplicates": ranking.n_duplicates}
    return {**rows_figures(rows, ranking.by), **counts, "n_notes_of_table": len(ranking.notes)}


def _file(options: dict[str, Any], *, is_interrupted: bool) -> Mapping[str, Any]:
    """Return the file and the best rows, of one run or of two with an interruption between."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.parquet"
        if is_interrupted:
            _run_half(path, options)
        best = ranked_to_file(mixed_table(), path, resume=is_interrupted, **options)
        assert [entry.name for entry in Path(folder).iterdir()] == [path.name]
        written = rows_figures(pq.read_table(path).to_pylist(), best.by)
    returned = [row["rank"] for row in best.to_frame().to_pylist()]
    return {**written, "n_pairs": best.n_pairs, "n_tested": best.n_tested, "best": returned}


def _run_half(path: Path, options: dict[str, Any]) -> None:
    """Interrupt a run as by Ctrl-C after its measure was called some hundred times."""
    _calls_left.append(1500)
    try:
        ranked_to_file(mixed_table(), path, **options)
    except KeyboardInterrupt:
        return
    finally:
        _calls_left.clear()
    raise AssertionError("the first run was not interrupted")


_calls_left: list[int] = []


def _share_of_largest(x: Any, y: Any) -> float:
    """Return the share of the ten largest y with an x above the mean, or stop as by Ctrl-C."""
    if _calls_left:
        _calls_left[0] -= 1
        if _calls_left[0] < 0:
            raise KeyboardInterrupt
    return float(np.mean(x[np.argsort(-y, kind="stable")[:10]] > x.mean()))


def _matrices(options: dict[str, Any]) -> Mapping[str, Any]:
    ranking = ranked(mixed_table(), **options)
    figures = {}
    for column in ("rank", "n", "observed", "adjusted", "standardized", "adjusted_at", "p_value"):
        square = ranking.matrix(column).to_pydict()
        names = square.pop("column")
        figures[column] = np.array([values for _, values in sorted(square.items())], dtype=np.float64)
        figures["columns"] = names
    return figures


def _sweep(options: dict[str, Any]) -> Mapping[str, Any]:
    sweep = ranked(mixed_table(), **options).sweep([0.4, 0.1, 0.05], k=5)
    return {
        "alphas": sweep.alphas,
        "places": sweep.places,
        "in_top": sweep.in_top,
        "scores": sweep.scores,
        "is_stable": sweep.is_stable,
    }


def _top() -> Mapping[str, Any]:
    table = numeric_table()
    twin = {**table, "twin": table["v3"] * 2 + 1}
    ranking = ranked(twin, measure="r2", null="moments")
    return {
        **_ranking_figures(ranking),
        "folded": _names(ranking.top(8)),
        "unfolded": _names(ranking.top(8, fold=False)),
    }


def _names(frame: Any) -> str:
    return " ".join(sorted(f"{row['x']}|{row['y']}" for row in frame.to_pylist()))


def _selection(options: dict[str, Any]) -> Mapping[str, Any]:
    X, y = classes_and_columns()
    fitted = selector(**options).fit(X, y)
    return {
        "scores": fitted.scores_,
        "p_values": fitted.pvalues_,
        "q_values": fitted.qvalues_,
        "support": fitted.support_,
        "names": " ".join(fitted.get_feature_names_out()),
    }
