"""The average number of rows that an indicator shares with its top partner, by each score: a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import bychance as bc
from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.who import FILE, LEVELS, PairScores, pair_scores, partner_rows, read_who, values_of

__all__ = ["ITEM"]

# In the order of `PairScores.scores`.
PAPER = {"r²": (114.6, 115.1, 133.7, 116.2, 120.2, 121.1), "MIC": (103.1, 106.9, 131.8, 111.7, 117.4, 119.4)}
LABELS = ("raw", "adjusted", "standardized", *(f"α = {alpha}" for alpha in LEVELS))
SOURCE = "Table 1"
_COLUMNS_A_PIECE = 6
_N_OTHERS = 60


def compute(run: Run) -> Outcome:
    """Compute the table for r² and MIC, each figure with its standard error."""
    path = run.data.file(FILE)
    who = read_who(path)
    n_columns = len(who.columns)
    found = {"r²": _r2(run, path, who.n_rows), "MIC": _mic(run, path, n_columns)}
    sizes = {"r²": f"{n_columns} indicators, exact null", "MIC": _size(run, n_columns)}
    table: dict[str, list[Any]] = {
        "measure": [measure for measure in found for _ in LABELS],
        "score": [*LABELS] * len(found),
        "paper": [figure for measure in found for figure in PAPER[measure]],
        "average n": [mean for figures in found.values() for mean in figures.means],
        "standard error": [
            error for figures in found.values() for error in figures.others.std(axis=0, ddof=1)
        ],
    }
    claims = [
        Claim(
            text=f"average n of the top partner by {measure}, {score}",
            source=SOURCE,
            paper=paper,
            ours=mean,
            size=sizes[measure],
            se=error,
            rounding=0.05,
        )
        for measure, score, paper, mean, error in zip(*table.values(), strict=True)
    ]
    for measure, figures in found.items():
        claims += _order_claims(measure, figures, sizes[measure])
    return Outcome(table, claims)


@dataclass(frozen=True, slots=True, eq=False)
class _Averages:
    """The average n by each score, and as many other values that it could have had, a row each."""

    means: NDArray[np.float64]
    others: NDArray[np.float64]


def _order_claims(measure: str, figures: _Averages, size: str) -> list[Claim]:
    """Make the claims on rows: raw favors few, standardized many, a smaller α more than a larger one."""
    pairs = [(2, 0, "the standardized score's top partner has more rows than the raw one's")]
    pairs += [(k + 1, k, f"at {LABELS[k + 1]} it has more rows than at {LABELS[k]}") for k in (3, 4)]
    return [
        Claim(
            text=f"{measure}: {text}",
            source=SOURCE,
            paper=0,
            ours=figures.means[more] - figures.means[less],
            size=size,
            se=float(np.std(figures.others[:, more] - figures.others[:, less], ddof=1)),
            kind="above",
        )
        for more, less, text in pairs
    ]


def _r2(run: Run, path: Path, n_rows: int) -> _Averages:
    """Compute the averages for r², with the change by leaving out one country as the error."""
    rows_out = [-1, *range(0, n_rows, run.size(5, 40))]
    function = partial(r2_without, path=str(path))
    means = [piece["means"] for piece in run.pieces("who_r2", function, [{"row": k} for k in rows_out])]
    return _Averages(means[0], np.array(means[1:]))


def r2_without(*, seed: int, row: int, path: str) -> dict[str, Any]:
    """Compute the averages for r² without one row, or with all if it is −1."""
    table = read_who(Path(path))
    others = {name: np.delete(values, row) for name, values in values_of(table).items()}
    pairs = PairScores(**pair_scores(table if row < 0 else others, measure="r2", null="paper"))
    return {"means": _averages(pairs, pairs.scores, range(len(table.columns)))}


def _mic(run: Run, path: Path, n_columns: int) -> _Averages:
    """Compute the averages for MIC, with the error of the draws and, in a quick run, of few indicators."""
    asked = range(0, n_columns, run.size(1, 60))
    first = asked if run.quick else asked[:-1]  # of a pair: the last has no later one
    blocks = [list(first[k : k + _COLUMNS_A_PIECE]) for k in range(0, len(first), _COLUMNS_A_PIECE)]
    settings = [
        {"columns": block, "is_whole": not run.quick, "draws": run.size(run.permutations, 19)}
        for block in blocks
    ]
    pairs = PairScores.join(run.pieces("who_mic", partial(mic_block, path=str(path)), settings))
    rng = np.random.default_rng(run.seed)
    others = []
    for _ in range(_N_OTHERS):
        noisy = pairs.scores + pairs.errors * rng.normal(size=pairs.errors.shape)
        drawn = rng.choice(asked, len(asked)).tolist() if run.quick else asked
        others.append(_averages(pairs, noisy, drawn))
    return _Averages(_averages(pairs, pairs.scores, asked), np.array(others))


def _averages(pairs: PairScores, scores: NDArray[np.float64], asked: Sequence[int]) -> NDArray[np.float64]:
    return np.array([partner_rows(pairs, each, asked).mean() for each in scores])


def mic_block(*, seed: int, columns: list[int], is_whole: bool, draws: int, path: str) -> dict[str, Any]:
    """Compute scores by MIC of some indicators with all later ones or, for a few, with all others."""
    table = read_who(Path(path))
    names = table.names
    options: dict[str, Any] = {"measure": "mic", "null": bc.Permutation(draws), "rng": seed}
    others = {k: names[k + 1 :] if is_whole else (*names[:k], *names[k + 1 :]) for k in columns}
    parts = [pair_scores(table, x=names[k], y=list(y), **options) for k, y in others.items()]
    return asdict(PairScores.join(parts))


def _size(run: Run, n_columns: int) -> str:
    n_asked = len(range(0, n_columns, run.size(1, 60)))
    return f"{n_asked} indicators, {run.size(run.permutations, 19):,} permutations per pair"


def draw(outcome: Outcome) -> Figure:
    """Draw a panel per measure: average n by each score, beside the paper's figures."""
    figure = Figure(figsize=(7.2, 3.4))
    table = outcome.table
    for ax, measure in zip(figure.subplots(1, 2, sharey=True), PAPER, strict=True):
        at = [k for k, name in enumerate(table["measure"]) if name == measure]
        at = [at[k] for k in _SHOWN]
        n, error, paper = ([table[key][k] for k in at] for key in ("average n", "standard error", "paper"))
        places = np.arange(len(at))
        ours = {"linestyle": "", "marker": "o", "capsize": 3, "label": "ours, ± 2 standard errors"}
        ax.plot(paper, places, "D", markersize=7, mfc="none", color=COLORS[1], label="paper")
        ax.errorbar(n, places, xerr=2 * np.array(error), color=COLORS[0], **ours)
        ax.set(title=measure, xlabel="average n of the top partner (countries)")
        ax.margins(x=0.08, y=0.1)
        ax.set_yticks(places, [table["score"][k] for k in at])
    figure.axes[0].invert_yaxis()
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


# From the score that favors few rows to the one that favors many.
_SHOWN = (0, 1, 3, 4, 5, 2)

ITEM = Item("who_average_n", "Average sample size of the top WHO relationships", compute, draw, needs=(FILE,))
