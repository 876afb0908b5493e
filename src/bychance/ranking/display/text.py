"""Rankings as text and as HTML: verdict, best pairs, and remarks on omitted columns and near-duplicates.

`summarize` gives the plain record that both are made of; a terminal's table is made of it too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance.array_types import FloatArray, IndexArray
from bychance.messages import MOST_NAMES, Dialect, note_lines
from bychance.names import LISTED, count_of, in_words, short_name
from bychance.pairs import Ways
from bychance.ranking.display.pair_words import (
    BOTH_WAYS,
    ONE_WAY,
    arrow_of,
    column_name,
    in_few_words,
    pair_name,
    reasons_untested,
)
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults
from bychance.wording import LESS, caution_on_pair, probability, stated_probability

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = [
    "MONTE_CARLO",
    "PAIR_NAME",
    "SHOWN_ROWS",
    "TARGET_NAME",
    "Heading",
    "Summary",
    "advice_on",
    "aligned",
    "directions_of",
    "html_of",
    "legend_line",
    "meanings",
    "summarize",
    "text_of",
]

SHOWN_ROWS = 10  # pairs of the short table (taste)
PAIR_NAME, TARGET_NAME = 24, 40  # characters of a name in the table, beside another one and alone (taste)
MONTE_CARLO = "MC"
"""The mark of a Monte Carlo standard error, which is about the sampled null and not about the data."""

# The headings that a reader cannot guess, the most important first.
_IN_SHORT = {
    "adjusted": "the number to report (0 chance, 1 maximum)",
    "q": "false discovery rate",
    f"x {ONE_WAY} y": "what x says about y",
    LESS: "a bound",
    MONTE_CARLO: "Monte Carlo error",
}
_FOLDED = "(folded)"
_HINT = (
    "Next: .to_frame() for all rows, .top(k), .sweep() for how the order moves with alpha, .to_parquet(path)."
)


@dataclass(frozen=True, slots=True)
class Heading:
    """Column of the short table: its heading, type, and name in the frame."""

    text: str
    is_number: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """Ranking in words: verdict, headline, best pairs as text, and remarks.

    `records` hold the same pairs as plain values, `legend` what each heading and mark means.
    """

    verdict: str
    headline: str
    headings: tuple[Heading, ...]
    cells: tuple[tuple[str, ...], ...]
    legend: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    records: tuple[dict[str, Any], ...]

    def lines(self) -> Iterator[tuple[tuple[str, ...], dict[str, Any] | None]]:
        """Yield each table row as text cells, with its record, or None for folded near-duplicates."""
        rank = 0
        for cells, record in zip(self.cells, self.records, strict=True):
            first, last, rank = rank + 1, record["rank"] - 1, record["rank"]
            if first <= last:
                ranks = f"{first:,}" if first == last else f"{first:,}–{last:,}"
                yield (ranks, _FOLDED, *[""] * (len(self.headings) - 2)), None
            yield cells, record


def text_of(ranking: Ranking) -> str:
    """Format the ranking as plain text for a terminal."""
    summary = summarize(ranking)
    table = aligned(summary.headings, [cells for cells, _ in summary.lines()])
    opening = [summary.verdict, summary.headline]
    told = [*summary.remarks, *_notes(ranking), legend_line(summary.legend), _HINT]
    return "\n".join([*opening, "", *table, "", *told])


def html_of(ranking: Ranking) -> str:
    """Format the ranking as HTML for a notebook: a table isolated from the page's styles.

    Pages that are parsed whole open the root by themselves, notebooks by the script. Where neither happens,
    the same table stands outside: its styles are its own. Names are escaped. Behind each observed value a
    bar shows its size, and the darker part of it what chance gives.
    """
    summary = summarize(ranking)
    head = "".join(f"<th {_cell_style(h)}>{escape(h.text)}</th>" for h in summary.headings)
    rows = "".join(_html_row(summary, cells, record) for cells, record in summary.lines())
    told, legend = (
        "".join(f"<p {_REMARK}>{escape(line)}</p>" for line in lines)
        for lines in (
            (*summary.remarks, *_notes(ranking), _HINT),
            (f"{heading}: {meaning}" for heading, meaning in summary.legend),
        )
    )
    shown = (
        f"<div {_OUTSIDE}><p {_HEADLINE}>{escape(summary.verdict)}</p>"
        f"<p {_REMARK}>{escape(summary.headline)}</p>"
        f"<table {_TABLE}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{told}"
        f"<details><summary {_REMARK}>What the columns mean</summary>{legend}</details></div>"
    )
    return f'<div><template shadowrootmode="open">{shown}</template>{shown}{_OPEN_ROOT}</div>'


def summarize(
    ranking: Ranking,
    k: int = SHOWN_ROWS,
    name_width: int | None = None,
    dialect: Dialect = Dialect.PYTHON,
) -> Summary:
    """Return a `Summary` of the k best pairs without near-duplicates, with remarks on omitted ones.

    >>> import bychance as bc
    >>> table = {"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": [2, 1] * 10}
    >>> summarize(bc.rank(table, measure="r2", null="paper"), 1).headline
    '3 pairs of 3 columns by r2, ordered by adjusted_at at alpha = 0.05; 3 tested, 3 with q < 0.05'
    """
    # Where there are near-duplicates alone, they are not folded: the table would be empty.
    best = ranking._best(fold=True, once=True)
    if ranking._is_tested[best].any():  # what could not be tested has a line below the table
        best = best[ranking._is_tested[best]]
    best = (best if len(best) else ranking._best())[:k]
    records, rows = tuple(ranking._records(best)), ranking._rows
    if name_width is None:
        name_width = PAIR_NAME if ranking._plan.target is None else TARGET_NAME
    columns = dict(_columns(ranking, best, records, name_width))
    advice = zip(rows.x[best], rows.y[best], advice_on(ranking, rows, ranking._q_value, best), strict=True)
    remarks = [f"{pair_name(ranking, x, y, PAIR_NAME)}: {told}" for x, y, told in advice if told]
    return Summary(
        verdict=ranking._verdict(dialect),
        headline=_headline(ranking),
        headings=tuple(columns),
        cells=tuple(zip(*columns.values(), strict=True)),
        legend=tuple(_legend(ranking, columns)),
        remarks=(*remarks, *_remarks(ranking)),
        records=records,
    )


def advice_on(ranking: Ranking, rows: PairResults, q_value: FloatArray, index: IndexArray) -> list[str]:
    """Return a remark on each row of `index`: cautions, and shares that ranks or curves explain, or ""."""
    cautions = map(caution_on_pair, rows.observed[index], rows.null_mean[index], rows.adjusted[index])
    seen = ranking._second_look.beside_line(rows, q_value, index)
    return ["; ".join(str(each) for each in both if each) for both in zip(cautions, seen, strict=True)]


def _legend(ranking: Ranking, columns: dict[Heading, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield each heading, mark and arrow that the table shows, with its meaning."""
    known = meanings(ranking)
    yield from ((heading.text, known[heading.name]) for heading in columns if heading.name)
    for mark, start in ((MONTE_CARLO, f" ({MONTE_CARLO} "), (LESS, f"\n{LESS}")):
        if any(start in f"\n{cell}" for cells in columns.values() for cell in cells):
            yield mark, known[mark]
    yield from directions_of(ranking._plan)


def meanings(ranking: Ranking) -> dict[str, str]:
    """Return the meaning of each result column by its public name."""
    job = ranking._plan.job
    order = ": the order of this list" if job.by == "adjusted_at" else ""
    chosen = (
        " where the pair was chosen beforehand: too high for the best of many" if ranking.n_pairs > 1 else ""
    )
    given, too = "", ""
    if job.covariates is not None:
        given, too = f" given {in_words(job.covariates.names)}", ", beside what is given"
    return {
        "n": f"rows that both columns have{too}",
        "sign": "+ rises with the other, − falls",
        "observed": _what(job),
        "null_mean": f"the mean of that if the columns were independent{given}",
        "adjusted": "the same on a scale where 0 is chance and 1 the maximum: the number to report",
        "limits": "where the adjusted value of the whole population lies, with 95% confidence" + chosen,
        "standardized": "distance from chance in standard deviations",
        "adjusted_at": f"observed less what chance exceeds with probability {job.alpha:g}{order}",
        "p_value": f"probability of at least this much if the columns were independent{given}",
        "q_value": "expected share of false discoveries among pairs with a q this small",
        LESS: "a bound: p is smaller than this",
        MONTE_CARLO: "Monte Carlo standard error: another seed changes the value by about this much",
    }


def _what(job: Job) -> str:
    """Return text on the ranking's measure: its name and meaning, or the names if there are several."""
    measures = {measure.name: measure.summary for measure in job.measures.values()}
    if len(measures) > 1:
        return f"the measure ({', '.join(measures)}) as it is"
    return next(f"{name}: {summary}" for name, summary in measures.items())


def legend_line(legend: Sequence[tuple[str, str]], width: int | None = None) -> str:
    """Return short meanings of the headings, as many as fit one line of `width` characters.

    >>> legend_line([("n", "rows"), ("adjusted", "the same on a scale"), ("q", "the expected share")], 60)
    'adjusted: the number to report (0 chance, 1 maximum)'
    """
    headings = {heading for heading, _ in legend}
    parts = [f"{heading}: {short}" for heading, short in _IN_SHORT.items() if heading in headings]
    while width is not None and len("; ".join(parts)) > width:
        parts.pop()
    return "; ".join(parts)


def directions_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the arrows ("→", "↔") between the names of this ranking's pairs, with their meanings."""
    if plan.target is not None:
        return
    if (plan.pairs.ways == Ways.BOTH).any():
        yield f"x {ONE_WAY} y", "how much x says about y; y → x is another number, in another row"
    if (plan.pairs.ways == Ways.ONCE).any():
        yield f"x {BOTH_WAYS} y", "the same in both directions, listed once"


def _headline(ranking: Ranking) -> str:
    plan, job = ranking._plan, ranking._plan.job
    n_columns = len(np.union1d(plan.pairs.x, plan.pairs.y))
    if plan.target is None:
        what = f"{count_of(ranking.n_pairs, 'pair')} of {count_of(n_columns, 'column')}"
    else:
        what = f"{count_of(ranking.n_pairs, 'column')} against {short_name(plan.target, 80)}"
    how = job.describe() + ("" if job.covariates is None else f", {job.covariates.in_words()}")
    order = f"ordered by {job.by}" + (f" at alpha = {job.alpha:g}" if job.by == "adjusted_at" else "")
    found = f"{ranking.n_tested:,} tested, {ranking.n_found:,} with q < {ranking.fdr_level:g}"
    if len(ranking) < ranking.n_pairs:
        found += f"; the best {len(ranking):,} kept"
    return f"{what} by {how}, {order}; {found}"


def _columns(
    ranking: Ranking, index: IndexArray, records: Sequence[dict[str, Any]], name_width: int
) -> Iterator[tuple[Heading, list[str]]]:
    """Yield each column of the short table: its heading, and its cells as text, one per record."""
    plan, job = ranking._plan, ranking._plan.job
    yield Heading("rank"), [f"{record['rank']:,}" for record in records]
    yield Heading("x", is_number=False), [short_name(record["x"], name_width) for record in records]
    if plan.target is None:
        pairs = zip(ranking._rows.x[index], ranking._rows.y[index], strict=True)
        arrows = [arrow_of(ranking, x, y) for x, y in pairs]
        names = [short_name(record["y"], name_width) for record in records]
        yield Heading("y", is_number=False), list(map("{} {}".format, arrows, names))
    if len({measure.name for measure in job.measures.values()}) > 1:
        yield Heading("measure", is_number=False), [short_name(r["measure"], 16) for r in records]
    yield Heading("n", name="n"), [f"{record['n']:,}" for record in records]
    if any(record["sign"] is not None for record in records):
        yield Heading("±", name="sign"), [_SIGNS[record["sign"]] for record in records]
    largest = max((abs(record["observed"] or 0.0) for record in records), default=0.0)
    numbers = {"observed": "observed", "null_mean": "by chance", "adjusted": "adjusted"}
    if job.by == "standardized":
        numbers["standardized"] = "standardized"
    for name, heading in {**numbers, "adjusted_at": f"at {job.alpha:g}"}.items():
        errors = [record.get(f"{name}_se") for record in records]
        yield (
            Heading(heading, name=name),
            numbers_as_text([r[name] for r in records], errors, largest=largest),
        )
        if name == "adjusted" and any(r["adjusted_low"] is not None for r in records):
            ends = (numbers_as_text([r[f"adjusted_{end}"] for r in records]) for end in ("low", "high"))
            limits = [low if low == "—" else f"{low} to {high}" for low, high in zip(*ends, strict=True)]
            yield Heading("95% limits", name="limits"), limits
    yield Heading("p", name="p_value"), [stated_probability(r["p_value"], r["p_kind"]) for r in records]
    yield Heading("q", name="q_value"), [probability(r["q_value"]) for r in records]


_SIGNS = {1: "+", -1: "−", 0: "0", None: ""}


def numbers_as_text(
    values: Sequence[float | None], errors: Sequence[float | None] = (), largest: float = 0.0
) -> list[str]:
    """Format a column of numbers with decimals that suit the largest, and append their Monte Carlo errors.

    `largest` is that of the columns beside it, so that all have one format.

    >>> numbers_as_text([0.51234, -0.02, None]), numbers_as_text([0.5, 0.25], [0.0001, 0.01])
    (['0.512', '-0.020', '—'], ['0.500', '0.250 (MC 0.010)'])
    """
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max([*known, largest])
    digits = ".1f" if largest >= 100 else ".3f" if largest >= 0.01 or largest == 0 else ".1e"
    shown = ["—" if value is None else f"{value:{digits}}" for value in values]
    for k, error in enumerate(errors):
        if error and float(f"{error:{digits}}"):
            shown[k] += f" ({MONTE_CARLO} {error:{digits}})"
    return shown


def _notes(ranking: Ranking) -> list[str]:
    return [f"Note: {line}" for line in note_lines(ranking.notes, MOST_NAMES)]


def _remarks(ranking: Ranking) -> Iterator[str]:
    rows, name = ranking._rows, partial(column_name, ranking, width=PAIR_NAME)
    if n_copies := ranking.n_duplicates:
        folded = " folded" if n_copies < len(ranking) else ""
        copies = np.flatnonzero(rows.is_duplicate)
        best = copies[np.argsort(ranking._place[copies])][:LISTED]
        listed = _in_brackets([f"{name(rows.x[k])} ~ {name(rows.y[k])}" for k in best], n_copies)
        yield f"Near-duplicates{folded}: {count_of(n_copies, 'pair')}{listed}"
    if n_said := int((ranking._is_reversed_repeat & ~rows.is_duplicate).sum()):
        verb = "is" if n_said == 1 else "are"
        yield f"{count_of(n_said, 'pair')} {verb} the same in both directions: x {BOTH_WAYS} y"
    if n_untested := ranking.n_pairs - ranking.n_tested:
        has_target, reasons = ranking._plan.target is not None, in_few_words(reasons_untested(ranking))
        untested = rows.x[~ranking._is_tested & has_target][:LISTED]
        listed = _in_brackets(list(map(name, untested)), n_untested)
        count = count_of(n_untested, "column" if has_target else "pair")
        verb = "was" if n_untested == 1 else "were"
        yield f"{count} {verb} not tested{listed}{reasons and f': {reasons}'}"


def _in_brackets(shown: list[str], number: int) -> str:
    """Return the names `shown` in brackets, with … if there are more than these, or "" without names."""
    more = ", …" if number > len(shown) else ""
    return f" ({', '.join(shown)}{more})" if shown else ""


def aligned(headings: Sequence[Heading], cells: Sequence[Sequence[str]]) -> list[str]:
    """Format the table as lines, with names left-aligned and numbers right-aligned."""
    rows = [[heading.text for heading in headings], *cells]
    widths = [max(len(row[k]) for row in rows) for k in range(len(headings))]
    lines = []
    for row in rows:
        sized = [
            cell.rjust(width) if heading.is_number else cell.ljust(width)
            for heading, cell, width in zip(headings, row, widths, strict=True)
        ]
        lines.append("  ".join(sized).rstrip())
    return lines


# Colors are shades of gray and half-transparent ones, which read on light and dark pages alike.
_OUTSIDE = 'style="overflow-x:auto"'
_OPEN_ROOT = (
    "<script>(host => { const inside = host?.querySelector(':scope > template'); "
    "if (inside && !host.shadowRoot) host.attachShadow({mode: 'open'}).append(inside.content); "
    "})(document.currentScript?.parentElement)</script>"
)
_TABLE = 'style="border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0.4em 0"'
_HEADLINE = 'style="font-weight:600;margin:0 0 0.3em"'
_REMARK = 'style="opacity:0.75;font-size:90%;margin:0.15em 0"'
_BAR = "rgba(66,133,180,0.30)"
_CHANCE = "rgba(127,127,127,0.45)"


def _cell_style(heading: Heading, background: str = "") -> str:
    align = "right" if heading.is_number else "left"
    border = "border-bottom:1px solid rgba(127,127,127,0.25)"
    return f'style="text-align:{align};padding:0.15em 0.6em;white-space:nowrap;{border}{background}"'


def _html_row(summary: Summary, cells: Sequence[str], record: dict[str, Any] | None) -> str:
    shown = []
    for heading, cell in zip(summary.headings, cells, strict=True):
        background = _bar(summary, record) if record and heading.name == "observed" else ""
        shown.append(f"<td {_cell_style(heading, background)}>{escape(cell)}</td>")
    return f"<tr>{''.join(shown)}</tr>"


def _bar(summary: Summary, record: dict[str, Any]) -> str:
    """Return a CSS gradient that draws the observed value as a bar, gray up to the chance level."""
    longest = max((record["observed"] or 0 for record in summary.records), default=0)
    observed, chance = record["observed"], record["null_mean"]
    if longest <= 0 or observed is None or chance is None:
        return ""
    end = min(max(observed / longest, 0), 1) * 100
    middle = min(max(chance / longest, 0) * 100, end)
    stops = f"{_CHANCE} {middle:.0f}%,{_BAR} {middle:.0f}%,{_BAR} {end:.0f}%,transparent {end:.0f}%"
    return f";background:linear-gradient(to right,{stops})"
