"""The paper's table of forests: AUC by Gini, SGini, AGini(0.05) and AGini at a tuned level on 19 sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bychance.forest.curve import ScoreTable
from bychance.plots import COLORS
from reproduction.claims import N_ERRORS, Claim
from reproduction.forest_drawing import gain_axis, set_axis
from reproduction.forest_tests import difference, gain_claims, percent, t_mark
from reproduction.forests import auc_tables, sets_at_hand, size_of, tuned_levels
from reproduction.item import Item, Outcome
from reproduction.known_auc import FORESTS, KNOWN
from reproduction.run import Run

__all__ = ["ITEM"]

SOURCE = "Table 2"
ADJUSTED = ("sgini", "agini", "tuned")
KIND_OF_MARK = {"+": "above", "-": "below", "=": "equal"}


def compute(run: Run) -> Outcome:
    """Compute AUCs with standard errors, paired t-tests against Gini, and Wilcoxon tests over the sets."""
    sets = sets_at_hand(run)
    levels = tuned_levels(run, sets.names)
    tables = {name: _table(run, name, levels[name]) for name in sets.names}
    records = [
        {
            **_record(name, forest, tables[name]),
            "level": {"agini": "0.05", "tuned": levels[name]}.get(forest, ""),
        }
        for name in KNOWN
        if name in tables
        for forest in FORESTS
    ]
    claims = [
        *(_auc_claim(record, size_of(run, [record["set"]])) for record in records),
        *(_mark_claim(record, size_of(run, [record["set"]])) for record in records if record["paper's mark"]),
        *_claims_over_sets(tables, records, size_of(run, sets.names)),
    ]
    columns = {key: [record[key] for record in records] for key in records[0]}
    return Outcome(columns, claims, left_out=sets.left_out)


def _table(run: Run, name: str, level: str) -> ScoreTable:
    """Return the forests of the paper's table on one set, by our names."""
    made = auc_tables(run, ("gini", "sgini", "0.05", level), [name])[name]
    return ScoreTable(tuple(FORESTS), made.values)


def _record(name: str, forest: str, table: ScoreTable) -> dict[str, Any]:
    known, k = KNOWN[name], list(FORESTS).index(forest)
    auc, error = percent(table, forest)
    over, over_error = difference(table, forest)
    return {
        "set": name,
        "forest": FORESTS[forest],
        "repetitions": len(table.values),
        "AUC": auc,
        "standard error": error,
        "over Gini": over,
        "standard error of that": over_error,
        "mark": t_mark(table, forest) if forest in ADJUSTED else "",
        "paper": known.paper[k],
        "paper's mark": known.marks[k - 1] if forest in ADJUSTED else "",
        "study": known.study[k],
        "standard error of the study": known.study_se,
    }


def _auc_claim(record: dict[str, Any], size: str) -> Claim:
    """Make the claim of an AUC, with the standard errors of the study, because the paper has none."""
    return Claim(
        text=f"AUC in percent, {record['set']}, {record['forest']}",
        source=SOURCE,
        paper=record["paper"],
        ours=record["AUC"],
        size=size,
        se=float(np.hypot(record["standard error"], record["standard error of the study"])),
        rounding=0.005,
    )


def _mark_claim(record: dict[str, Any], size: str) -> Claim:
    """Make the claim of the paper's mark on the difference: above 0, below 0, or neither."""
    mark = record["paper's mark"]
    shown = mark.replace("-", "−")
    return Claim(
        text=f"{record['set']}: {record['forest']} less Gini, which the paper marks ({shown})",
        source=SOURCE,
        paper=0,
        ours=record["over Gini"],
        size=size,
        se=record["standard error of that"],
        kind=KIND_OF_MARK[mark],
    )


def _claims_over_sets(tables: dict[str, ScoreTable], records: list[dict[str, Any]], size: str) -> list[Claim]:
    claims = [claim for forest in ADJUSTED for claim in gain_claims(tables, forest, FORESTS[forest], size)]
    for name in FORESTS.values():
        near = [_is_near_study(record) for record in records if record["forest"] == name]
        claims.append(
            Claim(
                text=f"{name}: sets within four standard errors of an independent study",
                source="independent check",
                paper=len(near),
                ours=sum(near),
                size=size,
            )
        )
    return claims


def _is_near_study(record: dict[str, Any]) -> bool:
    error = np.hypot(record["standard error"], record["standard error of the study"])
    return bool(abs(record["AUC"] - record["study"]) <= N_ERRORS * error + 0.005)


def draw(outcome: Outcome) -> Figure:
    """Draw the gain over Gini on each set, ours and the paper's, on a scale that is linear around 0."""
    table = outcome.table
    names = list(dict.fromkeys(table["set"]))
    figure = Figure(figsize=(7.2, 1.4 + 0.27 * len(names)))
    ax = figure.subplots()
    paper = {(s, f): auc for s, f, auc in zip(table["set"], table["forest"], table["paper"], strict=True)}
    handles = list[Any]()
    for k, (forest, marker) in enumerate(zip(ADJUSTED, "osD", strict=True)):
        shown = FORESTS[forest]
        at = [row for row, name in enumerate(table["forest"]) if name == shown]
        places = np.arange(len(names)) + 0.24 * (k - 1)
        over, error = (
            np.array([table[key][row] for row in at]) for key in ("over Gini", "standard error of that")
        )
        said = [paper[table["set"][row], shown] - paper[table["set"][row], "Gini"] for row in at]
        style: dict[str, Any] = {"linestyle": "", "marker": marker, "color": COLORS[k]}
        handles.append(ax.errorbar(over, places, xerr=2 * error, label=f"{shown}, ± 2 SE", **style))
        handles += ax.plot(said, places, mfc="none", label=f"{shown} in the paper", **style)
    gain_axis(ax, "x")
    set_axis(ax, names)
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


ITEM = Item("forest_table", "AUC of random forests with four splitting criteria", compute, draw)
