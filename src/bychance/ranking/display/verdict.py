"""Verdict of a ranking: number of related pairs, the strongest, its strength, and the chance level.

A second one says how many are related at least, if ten pairs or more are tested.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance.array_types import IntArray
from bychance.columns import Column, coded, shared_rows
from bychance.kinds import Kind
from bychance.messages import Code, Dialect
from bychance.names import count_of, in_words, short_name
from bychance.ranking.display.pair_words import (
    BOTH_WAYS,
    NAME,
    arrow_of,
    counted,
    in_few_words,
    n_pairs_of,
    pair_name,
    reasons_untested,
    to_target,
)
from bychance.ranking.display.second_look import LINEAR, seen_beside_line, shares_of
from bychance.ranking.limits import row_that_carries
from bychance.ranking.missing import missing_with_target
from bychance.ranking.results import pair_keys
from bychance.wording import FOLLOW, LESS, percent, says_how_much, stated_probability

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["verdict_of"]

_NAMES = 3
_BY_A_LINE, _OR_CATEGORIES = " by a straight line", " or by categories"
_ANOTHER_SHAPE = f"{_BY_A_LINE}, and another shape more"
_FIRST_ROWS = 1_000  # looked at first: most columns differ there
_REPEATED = 0.5  # share of rows beyond the first of their value: with fewer, values may agree by chance
_BY_CHANCE = math.log(1e-6)  # log probability that columns determine each other by chance (taste)
_FEW_TESTS = 10  # below which the guarantee says hardly more than the q-values (taste)


def verdict_of(ranking: Ranking, dialect: Dialect = Dialect.PYTHON) -> str:
    """Return the sentences that open a display or report: related pairs, the best pair, and cautions.

    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> verdict_of(bc.rank(make_demo(), target="yield"))
    '3 of 11 columns are related to yield; rainfall most: it explains 21%...At least 3 of...'
    """
    cautions = [found.caution for found in ranking._plan.diagnoses if _is_related(ranking, found.columns)]
    said = [
        *(_sentence(ranking), _guaranteed(ranking), _missing(ranking), _mixed(ranking)),
        *_sentinels(ranking, dialect),
        _still_following(ranking),
    ]
    return " ".join(filter(None, [*said, *cautions, ranking._caution]))


def _guaranteed(ranking: Ranking) -> str:
    """Return a sentence with the guaranteed number of related pairs, or "" if few or nothing is found."""
    is_told = (
        n_pairs_of(ranking)[1] >= _FEW_TESTS and ranking.n_found and ranking._guarantees.hull is not None
    )
    method = "robust" if ranking._plan.job.fdr == "by" else "simes"
    return ranking.at_least_true(method=method).sentence if is_told else ""


def _missing(ranking: Ranking) -> str:
    """Return a sentence on columns with more missing values for some values of the target, or ""."""
    found = missing_with_target(ranking)
    if not found:
        return ""
    alike = [missing for missing in found if missing.when == found[0].when]
    names = [name for missing in alike for name in missing.names]
    n_more = sum(len(missing.names) for missing in found) - len(names)
    verb, last = "is" if len(names) == 1 else "are", alike[-1]
    p = stated_probability(last.p_value, last.p_kind)
    p = f"{LESS} {p.removeprefix(LESS)}" if p.startswith(LESS) else f"= {p}"
    more = f"; {count_of(n_more, 'other column')} more by its values" if n_more else ""
    return f"{_listed(names)} {verb} missing more often {found[0].when} (p {p}){more}."


def _still_following(ranking: Ranking) -> str:
    """Return a caution on the number of pairs that still depend on the covariates, or ""."""
    rows, covariates = ranking._rows, ranking._plan.job.covariates
    if covariates is None:
        return ""
    count = int((rows.still_follow & ranking._looks.is_found if ranking.n_found else rows.still_follow).sum())
    verb = "follows" if count == 1 else "follow"
    follow = f"{count_of(count, 'pair')} {verb} {in_words(covariates.names)} {FOLLOW}"
    return f"Caution: {follow}, so that the answer may be too large." if count else ""


def _mixed(ranking: Ranking) -> str:
    """Return a sentence on columns ranked as categories though they hold numbers or dates, or ""."""
    names = [note.column for note in ranking.notes if note.is_mixed and note.column is not None]
    if not names:
        return ""
    are_several = len(names) > 1
    have, count, see = (("has", "counts", "its note"), ("have", "count", "their notes"))[are_several]
    return f"{_listed(names)} {have} numbers or dates beside words and {count} as categories: see {see}."


def _sentinels(ranking: Ranking, dialect: Dialect) -> list[str]:
    """Return sentences on values such as -999 in the target and in the columns of the first pair."""
    remarks = [(note.column, told) for note in ranking.notes for told in note.remarks]
    found = {name: told for name, told in remarks if told.code is Code.SENTINEL}
    if not found:
        return []
    first = _first_related(ranking) or next(ranking.best(1), {})
    return [
        f"{told.values['number']:g} in {count_of(told.values['n'], 'row')} of {short_name(name, NAME)} "
        f"is read as a number; if it means missing: {told.options[0].render(dialect)}."
        for name, told in found.items()
        if name is not None and name in (ranking._plan.target, first.get("x"), first.get("y"))
    ]


def _is_related(ranking: Ranking, names: Collection[str]) -> bool:
    """Return True if any two of the columns `names` are a related pair."""
    rows, positions = ranking._rows, [ranking._plan.table.position(name) for name in names]
    is_found, looks = ranking._looks.is_found, ranking._looks
    x, y = np.append(rows.x[is_found], looks.x), np.append(rows.y[is_found], looks.y)
    return bool((np.isin(x, positions) & np.isin(y, positions)).any())


def _sentence(ranking: Ranking) -> str:
    if not ranking.n_tested:
        return _untested(ranking)
    leaks = _leaks(ranking)
    told = _told_leaks(ranking, leaks)
    sentence = _related(ranking, leaks) if _n_related(ranking) else _unrelated(ranking)
    return sentence if told in sentence else f"{sentence} {told}"


def _n_by_line(ranking: Ranking) -> int:
    """Count the discoveries of the ranking's measure, at half the level if ranks or curves find more."""
    return int(ranking._looks.is_found.sum()) if len(ranking._looks) else ranking.n_found


def _n_related(ranking: Ranking) -> int:
    """Count the related column pairs, found by the measure or by ranks and curves, each once."""
    looks, rows = ranking._looks, ranking._rows
    found = pair_keys(rows.x[looks.is_found], rows.y[looks.is_found])
    n_found = _n_by_line(ranking)
    if len(ranking) == ranking.n_pairs:
        n_found = len(np.unique(found))
    return n_found + int((~np.isin(pair_keys(looks.x, looks.y), found)).sum())


def _untested(ranking: Ranking) -> str:
    reasons = reasons_untested(ranking)
    against = to_target(ranking, "against")
    if n_pairs_of(ranking)[0] == 1:
        name, reason = pair_name(ranking, next(ranking.best(1))), next(iter(reasons), "")
        return f"{name} could not be tested{against}{reason and f': {reason}'}."
    told = in_few_words(reasons)
    return (
        f"None of {counted(ranking, n_pairs_of(ranking)[0])} could be tested{against}{told and f': {told}'}."
    )


def _related(ranking: Ranking, leaks: list[_Leak]) -> str:
    """Return a sentence on the number of related pairs, the best of them, and copies of the target."""
    first, copies, looks = _first_related(ranking), _copies(ranking), ranking._looks
    n_related, n_tested = _n_related(ranking), n_pairs_of(ranking)[1]
    if n_tested == 1:
        record = first if first is not None else next(ranking.best(1))
        related = f"related{to_target(ranking)}"
        told = f" {_by_look(ranking)[1]}" if len(looks) else f": {_strength(ranking, record)}"
        if copies and not len(looks):
            related = f"nearly a copy of {short_name(str(ranking._plan.target), NAME)}"
        return f"{pair_name(ranking, record)} {_is(ranking)} {related}{told}."
    verb = "is" if n_related == 1 else "are"
    # No second look is taken beyond covariates, so the sentence says what was looked for.
    by_what = "" if ranking._plan.job.covariates is None else _by_what(ranking)
    count = f"{n_related:,} of {counted(ranking, n_tested)} {verb} related{to_target(ranking)}{by_what}"
    if not _n_by_line(ranking):
        named = ", namely" if n_related == 1 else ", by ranks or shape alone; first"
        return f"{count}{named} {' '.join(_by_look(ranking))}."
    if first is None:
        by = ranking.by.replace("_", " ")
        return f"{count}, none of them among the best {len(ranking):,} by {by}."
    looked = _looked(ranking)
    if leaks:
        count = f"{count}; {_told_leaks(ranking, leaks)}"
        first = _first_related(ranking, {leak.name for leak in leaks})
        if first is None:
            return f"{count}{looked}."
        return (
            f"{count} Of the others {pair_name(ranking, first)} first: {_strength(ranking, first)}{looked}."
        )
    told = _told_copies(ranking, copies)
    if len(copies) == n_related - len(looks):
        return f"{count}: {told}{looked}."
    name = f"; {pair_name(ranking, first)} {_most(ranking, first)}"
    if n_related == 1:
        name = f", namely {pair_name(ranking, first)}"
    return f"{count}{name}: {_strength(ranking, first)}{looked}.{told and f' {told}.'}"


def _most(ranking: Ranking, first: dict[str, Any]) -> str:
    """Return "most" if the first pair is known to be the strongest, else "first"."""
    is_found, is_duplicate = ranking._looks.is_found, ranking._rows.is_duplicate
    strongest = ranking._rows.adjusted[is_found & ~is_duplicate].max(initial=-math.inf)
    return "most" if is_found.sum() == _n_by_line(ranking) and first["adjusted"] >= strongest else "first"


def _copies(ranking: Ranking) -> list[str]:
    """Return the columns that are near-duplicates of the target, best first."""
    if ranking._plan.target is None:
        return []
    order = ranking._best()
    columns = ranking._rows.x[order[ranking._looks.is_found[order] & ranking._rows.is_duplicate[order]]]
    return [ranking._plan.table.names[k] for k in columns]


def _told_leaks(ranking: Ranking, leaks: list[_Leak]) -> str:
    """Return sentences on columns that determine the target, or that the target determines."""
    target = short_name(str(ranking._plan.target), NAME)
    codes = [leak.name for leak in leaks if leak.is_determined]
    others = [leak.name for leak in leaks if not leak.is_determined]
    has, determine = "has" if len(codes) == 1 else "have", "determines" if len(others) == 1 else "determine"
    a_code = "a code of it" if len(codes) == 1 else "codes of it"
    told = [f"{_listed(codes)} {has} one value per {target}: {a_code}?"] if codes else []
    told += [f"{_listed(others)} {determine} {target}: known before it?"] if others else []
    return " ".join(told)


def _told_copies(ranking: Ranking, copies: list[str]) -> str:
    if not copies:
        return ""
    what = "is nearly a copy" if len(copies) == 1 else "are nearly copies"
    return f"{_listed(copies)} {what} of {short_name(str(ranking._plan.target), NAME)}"


def _listed(names: list[str]) -> str:
    """Return the first three names as text, with the number of further ones ("a, b, c and 2 more")."""
    shown, n_more = [short_name(name, NAME) for name in names[:_NAMES]], len(names) - _NAMES
    return in_words((*shown, f"{n_more:,} more") if n_more > 0 else tuple(shown))


def _unrelated(ranking: Ranking) -> str:
    """Return a sentence that no pair exceeds chance, with the best pair's value and the chance level."""
    beyond = "beyond chance" if ranking._plan.job.covariates is None else "and beyond chance"
    related = f"related{to_target(ranking)}{_by_what(ranking)} {beyond}"
    first = next(ranking.best(1, fold=True), None) or next(ranking.best(1), None)
    n_tested = n_pairs_of(ranking)[1]
    none = f"None of {counted(ranking, n_tested)} is {related}"
    if first is None or first["observed"] is None or first["null_mean"] is None:
        return f"{none}."
    name = pair_name(ranking, first)
    if n_tested == 1:
        opening = f"{name} {_is(ranking)} not {related}"
        return f"{opening}: {_beside_chance(ranking, first, _subject(ranking, first)[0])}."
    return f"{none}; the first, {name}, {_beside_chance(ranking, first)}."


def _by_what(ranking: Ranking) -> str:
    """Return a phrase such as " by a straight line" if the measure is linear, or ""."""
    rows, columns = ranking._rows, ranking._plan.table.columns
    is_linear = any(rows.texts[k] in LINEAR for k in np.unique(rows.measure))
    kinds = [columns[k].kind for k in np.unique(rows.x)]
    if not is_linear or Kind.NUMERIC not in kinds:
        return ""
    return _BY_A_LINE + (_OR_CATEGORIES if Kind.CATEGORICAL in kinds else "")


def _looked(ranking: Ranking) -> str:
    """Return a clause on the first pair that only ranks or curves find, and the number of further ones."""
    if not len(ranking._looks):
        return ""
    n_more = len(ranking._looks) - 1
    more = f"; {n_more:,} more by ranks or shape" if n_more else ""
    return f"; {' '.join(_by_look(ranking))}{more}"


def _by_look(ranking: Ranking) -> tuple[str, str]:
    """Return the name of the first pair that only ranks or curves find, and a text on its relation."""
    looks, names = ranking._looks, ranking._plan.table.names
    pair = int(looks.x[0]), int(looks.y[0])
    (shares,) = shares_of(ranking, [pair])
    x, y = (names[k] for k in pair)
    seen, has_target = shares.seen(is_shape=bool(looks.is_shape[0])), ranking._plan.target is not None
    told = seen.clause(short_name(x, NAME), short_name(y, NAME), has_target=has_target)
    return pair_name(ranking, {"x": x, "y": y}), told


def _first_related(ranking: Ranking, without: Collection[str] = ()) -> dict[str, Any] | None:
    """Return the record of the best related pair, a near-duplicate only if all are, or None."""
    order = ranking._best()
    related = order[ranking._looks.is_found[order]]
    if without:
        positions = [ranking._plan.table.position(name) for name in without]
        related = related[~np.isin(ranking._rows.x[related], positions)]
    originals = related[~ranking._rows.is_duplicate[related]]
    first = originals[:1] if len(originals) else related[:1]
    return next(iter(ranking._records(first)), None)


def _is(ranking: Ranking) -> str:
    return "is" if ranking._plan.target is not None else "are"


def _subject(ranking: Ranking, record: dict[str, Any]) -> tuple[str, str]:
    """Return subject and object of "explains" as text, such as "x" and " of y"."""
    if _is_turned(ranking, record):
        return short_name(record["y"], NAME), f" of {short_name(record['x'], NAME)}"
    if ranking._plan.target is not None:
        return "it", ""
    if arrow_of(ranking, record) == BOTH_WAYS and record["measure"] != "eta2":
        return "each", " of the other"
    return short_name(record["x"], NAME), f" of {short_name(record['y'], NAME)}"


def _is_turned(ranking: Ranking, record: dict[str, Any]) -> bool:
    """Return True if y is the categorical column that explains the numeric x."""
    x, y = (ranking._plan.table[record[side]].kind for side in ("x", "y"))
    return record["measure"] == "eta2" and x is Kind.NUMERIC and y is Kind.CATEGORICAL


def _strength(ranking: Ranking, record: dict[str, Any]) -> str:
    """Return a clause on how much the pair explains, with its shape and any influential row."""
    (subject, other), (seen,) = _subject(ranking, record), seen_beside_line(ranking, [record])
    row = row_that_carries(ranking, record)
    shape = "" if seen is None else _ANOTHER_SHAPE
    if seen is not None and seen.is_less:
        shape = f", by extreme values: ranks explain {percent(seen.seen)}"
    return says_how_much(
        record["measure"],
        observed=record["observed"],
        chance=record["null_mean"],
        adjusted=record["adjusted"],
        limits=(record["adjusted_low"], record["adjusted_high"]),
        subject=subject,
        of=other,
        shape=shape,
        rests="" if row is None else f", but that rests on one row ({row + 1:,})",
    )


def _beside_chance(ranking: Ranking, first: dict[str, Any], subject: str = "") -> str:
    """Return a clause that compares the pair's observed value with the chance level."""
    observed, chance = first["observed"], first["null_mean"]
    is_share = 0 <= observed <= 1 and first["measure"] in ("explained", "r2", "eta2", "goodman_kruskal")
    if is_share and not _is_turned(ranking, first):
        return f"{subject} explains {percent(observed)} where chance gives {percent(chance)}".lstrip()
    measured = f"{first['measure']} is" if subject else f"has {first['measure']}"
    shown = ["—" if math.isnan(value) else f"{value:.3f}" for value in (observed, chance)]
    return f"{measured} {shown[0]} where chance gives {shown[1]}"


# ---- columns that determine the target


@dataclass(frozen=True, slots=True)
class _Leak:
    """Column that determines the target, is determined by it, or both."""

    name: str
    determines: bool
    is_determined: bool


def _leaks(ranking: Ranking) -> list[_Leak]:
    """Return columns, other than copies, that determine the target (or vice versa) beyond chance.

    >>> import bychance as bc
    >>> species = ["a", "b", "c"] * 20
    >>> table = {"species": species, "code": [ord(s) * 7 % 5 for s in species], "x": range(60)}
    >>> _leaks(bc.rank(table, "species"))
    [_Leak(name='code', determines=True, is_determined=True)]
    """
    plan, rows = ranking._plan, ranking._rows
    if plan.target is None or not plan.table.n_rows:
        return []
    if any(found.note.says(Code.ROWS_IN_GROUPS) and found.is_constant_within for found in plan.diagnoses):
        return []  # columns of the groups determine each other
    y = plan.table[plan.target]
    others = np.setdiff1d(plan.pairs.x, rows.x[rows.is_duplicate])
    found = ((plan.table.names[k], _determination(plan.table.columns[k], y)) for k in others)
    return [_Leak(name, *ways) for name, ways in found if any(ways)]


def _determination(x: Column, y: Column) -> tuple[bool, bool]:
    """Return two flags: x determines y, and y determines x."""
    rows = shared_rows(x, y)
    sides = [column.values if rows is None else column.values[rows] for column in (x, y)]
    for part in (slice(_FIRST_ROWS), slice(None)):
        codes = [coded(values[part]).astype(np.int64) for values in sides]
        if not len(codes[0]):
            return False, False
        n_cells = len(np.unique(codes[0] * (codes[1].max() + 1) + codes[1]))
        if n_cells > max(code.max() for code in codes) + 1:
            return False, False
    ways = n_cells == codes[0].max() + 1, n_cells == codes[1].max() + 1
    return ways[0] and _is_determined(codes[0], codes[1]), ways[1] and _is_determined(codes[1], codes[0])


def _is_determined(key: IntArray, values: IntArray) -> bool:
    """Return True if rows with equal `key` have equal `values` too often for chance."""
    n_repeated = len(key) - int(key.max()) - 1
    shares = np.bincount(values) / len(values)
    return n_repeated >= _REPEATED * len(key) and n_repeated * math.log(shares @ shares) < _BY_CHANCE
