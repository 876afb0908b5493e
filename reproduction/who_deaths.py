"""Breast cancer deaths: what goes with them most by r² and its adjustments, and one outlier's part in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import bychance as bc
from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.who import FILE, read_who, title_of, values_of

__all__ = ["ITEM"]

DEATHS = "Breast_cancer_number_of_female_deaths"
AID = "Aid_given"
CASES = "Breast_cancer_number_of_new_female_cases"
PAPER = {"r²": AID, "Ar²": AID, "Sr²": CASES, "Ar²(0.1)": CASES}
ORDERS = {"r²": "observed", "Ar²": "adjusted", "Sr²": "standardized", "Ar²(0.1)": "adjusted_at"}
ALL, OTHERS = "all countries", "without the United States"
SOURCE = "Figure 7"
TEXT = "Section 4.2"


def compute(run: Run) -> Outcome:
    """Find the top partner of the deaths by each score, with the United States and without."""
    path = run.data.file(FILE)
    table = read_who(path)
    countries = bc.read_table(path, categorical=["Country"])["Country"]
    values = values_of(table)
    where = [str(countries.labels[code]) for code in countries.values].index("United States of America")
    others = {name: np.delete(column, where) for name, column in values.items()}
    tops = {who: _tops(rows) for who, rows in ((ALL, values), (OTHERS, others))}
    records = [
        {"countries": who, "score": score, "top partner": top["x"], "n": top["n"], "r²": top["observed"]}
        for who, found in tops.items()
        for score, top in found.items()
    ]
    claims = [*_top_claims(tops[ALL]), *_outlier_claims(values, others, where)]
    shown = {"x": {name: values[name] for name in (AID, CASES)}, "deaths": values[DEATHS], "outlier": where}
    return Outcome({key: [record[key] for record in records] for key in records[0]}, claims, shown)


def _tops(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the best record of a ranking by each score."""
    options: dict[str, Any] = {"target": DEATHS, "measure": "r2", "null": "paper", "alpha": 0.1}
    return {score: next(bc.rank(values, by=by, **options).best(1)) for score, by in ORDERS.items()}


def _top_claims(tops: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    return [
        Claim(
            text=f"breast cancer deaths: the top partner by {score}",
            source=SOURCE,
            paper=title_of(PAPER[score]),
            ours=title_of(top["x"]),
            size=f"n = {top['n']}",
            kind="same",
        )
        for score, top in tops.items()
    ]


def _outlier_claims(values: Mapping[str, Any], others: Mapping[str, Any], where: int) -> list[Claim]:
    """Make the claims on the values of the United States, and on r² without them."""
    with_it, without = (bc.measure("r2", table[AID], table[DEATHS]) for table in (values, others))
    n = int(np.sum(~np.isnan(values[AID]) & ~np.isnan(values[DEATHS])))
    deaths, aid = float(values[DEATHS][where]), float(values[AID][where]) / 1000
    return [
        Claim(
            text="breast cancer deaths in the United States",
            source=TEXT,
            paper=43_000,
            ours=deaths,
            size="1 country",
            rounding=500,
        ),
        Claim(
            text="aid given by the United States, billion US$",
            source=TEXT,
            paper=20,
            ours=aid,
            size="1 country",
            rounding=0.5,
        ),
        Claim(
            text=f"r² of deaths and aid given is lower without the United States (with them {with_it:.3f})",
            source=TEXT,
            paper=with_it,
            ours=without,
            size=f"n = {n} and {n - 1}",
            kind="below",
        ),
    ]


def draw(outcome: Outcome) -> Figure:
    """Draw deaths against the two indicators that lead."""
    figure = Figure(figsize=(7.8, 3.6))
    deaths, outlier = outcome.shown["deaths"], outcome.shown["outlier"]
    labels = {AID: "aid given (million US$ a year)", CASES: "new cases of breast cancer a year"}
    for ax, (name, x) in zip(figure.subplots(1, 2, sharey=True), outcome.shown["x"].items(), strict=True):
        is_other = np.arange(len(x)) != outlier
        n = int(np.sum(~np.isnan(x) & ~np.isnan(deaths)))
        ax.scatter(x[is_other], deaths[is_other], s=14, color=COLORS[0], alpha=0.7, label="a country")
        ax.scatter(x[outlier], deaths[outlier], s=36, marker="D", color=COLORS[1], label="United States")
        led, led_without = (", ".join(_led(outcome, who, name)) or "no score" for who in (ALL, OTHERS))
        ax.set(xlabel=labels[name], title=f"first by {led} (n = {n})\n{OTHERS}: by {led_without}")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.yaxis.set_major_formatter("{x:,.0f}")
    figure.axes[0].set_ylabel("female deaths by breast cancer a year")
    figure.axes[1].legend(loc="lower right")
    return figure


def _led(outcome: Outcome, who: str, name: str) -> list[str]:
    """Return the scores by which this indicator comes first."""
    columns = (outcome.table[key] for key in ("countries", "score", "top partner"))
    return [score for countries, score, top in zip(*columns, strict=True) if (countries, top) == (who, name)]


ITEM = Item(
    "who_deaths",
    "Breast cancer deaths: the top partner by r² and its adjustments",
    compute,
    draw,
    needs=(FILE,),
)
