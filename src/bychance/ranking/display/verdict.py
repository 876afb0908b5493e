"""Verdict of a ranking: number of related pairs, the strongest, its strength, and the chance level.

A second one says how many are related at least, if ten pairs or more are tested.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from bychance.array_types import Int32Array
from bychance.columns import Column, coded, crossed, shared_rows
from bychance.messages import Code, Dialect
from bychance.names import count_of, in_words, listed, short_name
from bychance.ranking.display.pair_words import (
    BOTH_WAYS,
    NAME,
    arrow_of,
    column_name,
    counted,
    in_few_words,
    pair_name,
    reasons_untested,
    to_target,
)
from bychance.ranking.display.second_look import LINEAR
from bychance.ranking.limits import row_that_carries
from bychance.ranking.missing import missing_with_target
from bychance.wording import FOLLOW, p_equals, percent, says_how_much

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["verdict_of"]

_BY_A_LINE, _OR_CATEGORIES = " by a straight line", " or by categories"
_ANOTHER_SHAPE = f"{_BY_A_LINE}, and another shape more"
_FIRST_ROWS = 1_000  # rows in which most columns show that they determine nothing (taste)
_REPEATED = 0.5  # least share of rows that repeat a value, for a column that determines another (taste)
_BY_CHANCE = math.log(1e-6)  # log probability that columns determine each other by chance (taste)
_FEW_TESTS = 10  # tests below which the guarantee says hardly more than the q-values (taste)


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
    """Return a sentence on the least number of related pairs, or "" if few were tested or none found."""
    is_told = ranking._n_column_pairs[1] >= _FEW_TESTS and ranking.n_found
    if not is_told or ranking._guarantees.hull is None:
        return ""
    return ranking.at_least_true(method="robust" if ranking._plan.job.fdr == "by" else "simes").sentence


def _missing(ranking: Ranking) -> str:
    """Return a sentence on columns that are missing more often for some values of the target, or ""."""
    found = missing_with_target(ranking._plan)
    if found is None:
        return ""
    more = f", and {count_of(found.n_more, 'other column')} if it has other values" if found.n_more else ""
    when = f"if {_target(ranking)} is {short_name(found.value, NAME)}"
    verb, p = "is" if len(found.names) == 1 else "are", p_equals(found.p_value, found.p_kind)
    return f"{listed(found.names, NAME)} {verb} missing more often {when} ({p}){more}."


def _still_following(ranking: Ranking) -> str:
    """Return a caution on the number of pairs that still depend on their covariates, or ""."""
    rows, covariates = ranking._rows, ranking._plan.job.covariates
    if covariates is None:
        return ""
    is_told = ranking._second_look.is_found if ranking.n_found else True
    count = int((rows.still_follow & is_told).sum())
    if not count:
        return ""
    verb = "follows" if count == 1 else "follow"
    follow = f"{count_of(count, 'pair')} {verb} {in_words(covariates.names)} {FOLLOW}"
    return f"Caution: {follow}, so that the answer may be too large."


def _mixed(ranking: Ranking) -> str:
    """Return a sentence on columns ranked as categories though they hold numbers or dates, or ""."""
    names = [note.column for note in ranking.notes if note.is_mixed and note.column is not None]
    if not names:
        return ""
    are_several = len(names) > 1
    have, count, see = (("has", "counts", "its note"), ("have", "count", "their notes"))[are_several]
    return f"{listed(names, NAME)} {have} numbers or dates beside words and {count} as categories: see {see}."


def _sentinels(ranking: Ranking, dialect: Dialect) -> list[str]:
    """Return sentences on values such as -999, perhaps missing, in the target and the first pair."""
    remarks = [(note.column, told) for note in ranking.notes for told in note.remarks]
    found = {name: told for name, told in remarks if told.code is Code.SENTINEL}
    if not found:
        return []
    first, names = _first_related(ranking), ranking._plan.table.names
    row = ranking._best()[0] if first is None else first
    shown = ranking._plan.target, names[ranking._rows.x[row]], names[ranking._rows.y[row]]
    return [
        f"{told.values['number']:g} in {count_of(told.values['n'], 'row')} of {short_name(name, NAME)} "
        f"is read as a number; if it means missing: {told.options[0].render(dialect)}."
        for name, told in found.items()
        if name is not None and name in shown
    ]


def _is_related(ranking: Ranking, names: Collection[str]) -> bool:
    """Return True if any two of the columns `names` are a related pair."""
    rows, look = ranking._rows, ranking._second_look
    is_named = np.array([name in names for name in ranking._plan.table.names])
    x, y = np.append(rows.x[look.is_found], look.x), np.append(rows.y[look.is_found], look.y)
    return bool((is_named[x] & is_named[y]).any())


def _sentence(ranking: Ranking) -> str:
    if not ranking.n_tested:
        return _untested(ranking)
    codes, keys = _leaks(ranking)
    told = _leak_sentences(ranking, codes, keys)
    if ranking._second_look.n_related:
        sentence = _related(ranking, [*codes, *keys], told)
    else:
        sentence = _unrelated(ranking)
    return sentence if told in sentence else f"{sentence} {told}"


def _untested(ranking: Ranking) -> str:
    n_pairs, against = ranking._n_column_pairs[0], to_target(ranking, "against")
    reasons = reasons_untested(ranking)
    if n_pairs == 1:
        reason = next(iter(reasons), "")
        return f"{_name(ranking, 0)} could not be tested{against}{reason and f': {reason}'}."
    told = in_few_words(reasons)
    return f"None of {counted(ranking, n_pairs)} could be tested{against}{told and f': {told}'}."


def _related(ranking: Ranking, leaks: list[int], told_leaks: str) -> str:
    """Return a sentence on the number of related pairs, the best of them, and copies of the target."""
    first, copies, look = _first_related(ranking), _copies(ranking), ranking._second_look
    n_related, n_tested = look.n_related, ranking._n_column_pairs[1]
    if n_tested == 1:
        row = ranking._best()[0] if first is None else first
        related = f"related{to_target(ranking)}"
        told = f" {_first_further_pair(ranking)[1]}" if len(look) else f": {_strength(ranking, row)}"
        if copies and not len(look):
            related = f"nearly a copy of {_target(ranking)}"
        return f"{_name(ranking, row)} {_is(ranking)} {related}{told}."
    verb = "is" if n_related == 1 else "are"
    # No second look is taken beyond covariates, so the sentence says what was looked for.
    by_what = "" if ranking._plan.job.covariates is None else _by_what(ranking)
    count = f"{n_related:,} of {counted(ranking, n_tested)} {verb} related{to_target(ranking)}{by_what}"
    if not look.n_found:
        named = ", namely" if n_related == 1 else ", by ranks or shape alone; first"
        return f"{count}{named} {' '.join(_first_further_pair(ranking))}."
    if first is None:
        by = ranking.by.replace("_", " ")
        return f"{count}, none of them among the best {len(ranking):,} by {by}."
    looked = _further_pairs(ranking)
    if leaks:
        count, first = f"{count}; {told_leaks}", _first_related(ranking, leaks)
        if first is None:
            return f"{count} Also {looked.removeprefix('; ')}." if looked else count
        return (
            f"{count} Of the others, {_name(ranking, first)} is first: {_strength(ranking, first)}{looked}."
        )
    told = _told_copies(ranking, copies)
    if len(copies) == n_related - len(look):
        return f"{count}: {told}{looked}."
    named = ", namely" if n_related == 1 else ";"
    most = "" if n_related == 1 else f" {_most(ranking, first)}"
    name = f"{named} {_name(ranking, first)}{most}"
    return f"{count}{name}: {_strength(ranking, first)}{looked}.{told and f' {told}.'}"


def _most(ranking: Ranking, first: int) -> str:
    """Return "most" if the first pair is known to be the strongest, else "first"."""
    look, rows = ranking._second_look, ranking._rows
    strongest = rows.adjusted[look.is_found & ~rows.is_duplicate].max(initial=-math.inf)
    return "most" if look.is_found.sum() == look.n_found and rows.adjusted[first] >= strongest else "first"


def _copies(ranking: Ranking) -> list[int]:
    """Return the columns that are near-duplicates of the target, best first."""
    rows, order = ranking._rows, ranking._best()
    is_copy = ranking._second_look.is_found & rows.is_duplicate & (ranking._plan.target is not None)
    copies: list[int] = rows.x[order[is_copy[order]]].tolist()
    return copies


def _leak_sentences(ranking: Ranking, codes: list[int], keys: list[int]) -> str:
    """Return sentences on columns that the target determines, and on columns that determine the target."""
    target = _target(ranking)
    has, is_it = ("has", "is it a code") if len(codes) == 1 else ("have", "are they codes")
    determine, is_known = ("determines", "is it") if len(keys) == 1 else ("determine", "are they")
    told = [f"{_listed(ranking, codes)} {has} one value per {target}: {is_it} of it?"] if codes else []
    told += [f"{_listed(ranking, keys)} {determine} {target}: {is_known} known before it?"] if keys else []
    return " ".join(told)


def _told_copies(ranking: Ranking, copies: list[int]) -> str:
    if not copies:
        return ""
    what = "is nearly a copy" if len(copies) == 1 else "are nearly copies"
    return f"{_listed(ranking, copies)} {what} of {_target(ranking)}"


def _unrelated(ranking: Ranking) -> str:
    """Return a sentence that no pair exceeds chance, with the best pair's value and the chance level."""
    beyond = "beyond chance" if ranking._plan.job.covariates is None else "and beyond chance"
    related = f"related{to_target(ranking)}{_by_what(ranking)} {beyond}"
    first, *_ = *ranking._best(1, fold=True), *ranking._best(1)
    n_tested = ranking._n_column_pairs[1]
    none = f"None of {counted(ranking, n_tested)} is {related}"
    if np.isnan(ranking._rows.observed[first] + ranking._rows.null_mean[first]):
        return f"{none}."
    name = _name(ranking, first)
    if n_tested == 1:
        told = _beside_chance(ranking, first, _subject(ranking, first)[0])
        return f"{name} {_is(ranking)} not {related}: {told}."
    return f"{none}; the first, {name}, {_beside_chance(ranking, first)}."


def _by_what(ranking: Ranking) -> str:
    """Return a phrase such as " by a straight line" if the measure is linear, or ""."""
    rows, is_label = ranking._rows, ranking._plan.pairs.is_labels[ranking._rows.x]
    if is_label.all() or not any(rows.texts[k] in LINEAR for k in np.unique(rows.measure)):
        return ""
    return _BY_A_LINE + (_OR_CATEGORIES if is_label.any() else "")


def _further_pairs(ranking: Ranking) -> str:
    """Return a clause on the pairs that only ranks or curves find: the first one, and how many more."""
    n_found = len(ranking._second_look)
    more = f"; {n_found - 1:,} more by ranks or shape" if n_found > 1 else ""
    return f"; {' '.join(_first_further_pair(ranking))}{more}" if n_found else ""


def _first_further_pair(ranking: Ranking) -> tuple[str, str]:
    """Return the name of the first pair that only ranks or curves find, and a text on its relation."""
    x, y, seen = ranking._second_look.first()
    names = column_name(ranking, x), column_name(ranking, y)
    return pair_name(ranking, x, y), seen.clause(*names, has_target=ranking._plan.target is not None)


def _first_related(ranking: Ranking, without: Collection[int] = ()) -> int | None:
    """Return the row of the best related pair, a near-duplicate only if all are, or None."""
    rows, order = ranking._rows, ranking._best()
    is_related = ranking._second_look.is_found & ~np.isin(rows.x, list(without))
    related = order[is_related[order]]
    originals = related[~rows.is_duplicate[related]]
    return next(iter(originals if len(originals) else related), None)


def _name(ranking: Ranking, row: int) -> str:
    return pair_name(ranking, ranking._rows.x[row], ranking._rows.y[row])


def _target(ranking: Ranking) -> str:
    return column_name(ranking, ranking._plan.pairs.y[0])


def _listed(ranking: Ranking, columns: list[int]) -> str:
    return listed([ranking._plan.table.names[k] for k in columns], NAME)


def _is(ranking: Ranking) -> str:
    return "is" if ranking._plan.target is not None else "are"


def _measure(ranking: Ranking, row: int) -> str:
    return str(ranking._rows.texts[ranking._rows.measure[row]])


def _subject(ranking: Ranking, row: int) -> tuple[str, str]:
    """Return the words before and after "explains 20%" in a sentence, such as "x" and " of y"."""
    columns = ranking._rows.x[row], ranking._rows.y[row]
    x, y = (column_name(ranking, k) for k in columns)
    if _is_turned(ranking, row):
        return y, f" of {x}"
    if ranking._plan.target is not None:
        return "it", ""
    if arrow_of(ranking, *columns) == BOTH_WAYS and _measure(ranking, row) != "eta2":
        return "each", " of the other"
    return x, f" of {y}"


def _is_turned(ranking: Ranking, row: int) -> bool:
    """Return True if y is the categorical column that explains the numeric x."""
    rows, is_label = ranking._rows, ranking._plan.pairs.is_labels
    return _measure(ranking, row) == "eta2" and bool(is_label[rows.y[row]] > is_label[rows.x[row]])


def _strength(ranking: Ranking, row: int) -> str:
    """Return a clause on how much the pair explains, with its shape and any influential row."""
    rows, at = ranking._rows, np.array([row])
    (subject, other), adjusted = _subject(ranking, row), rows.adjusted[row]
    (seen,) = ranking._second_look.beside_line(rows, ranking._q_value, at)
    (low,), (high,) = ranking._limits_of(at)
    carrying = row_that_carries(ranking._plan, rows.x[row], rows.y[row], adjusted)
    shape = "" if seen is None else _ANOTHER_SHAPE
    if seen is not None and seen.is_less:
        shape = f", but through extreme values: ranks explain {percent(seen.seen)}"
    return says_how_much(
        _measure(ranking, row),
        observed=rows.observed[row],
        chance=rows.null_mean[row],
        adjusted=adjusted,
        limits=(low, high),
        subject=subject,
        of=other,
        shape=shape,
        rests="" if carrying is None else f", but that rests on one row ({carrying + 1:,})",
    )


def _beside_chance(ranking: Ranking, row: int, subject: str = "") -> str:
    """Return a clause that compares the pair's observed value with the chance level."""
    observed, chance = ranking._rows.observed[row], ranking._rows.null_mean[row]
    measure = _measure(ranking, row)
    is_share = 0 <= observed <= 1 and measure in ("explained", "r2", "eta2", "goodman_kruskal")
    if is_share and not _is_turned(ranking, row):
        return f"{subject} explains {percent(observed)} where chance gives {percent(chance)}".lstrip()
    measured = f"{measure} is" if subject else f"has {measure}"
    return f"{measured} {observed:.3f} where chance gives {chance:.3f}"


# ---- columns that determine the target


def _leaks(ranking: Ranking) -> tuple[list[int], list[int]]:
    """Return columns that the target determines, and others that determine it, beyond chance, without copies.

    >>> import bychance as bc
    >>> species = ["a", "b", "c"] * 20
    >>> table = {"species": species, "code": [ord(s) * 7 % 5 for s in species], "x": range(60)}
    >>> _leaks(bc.rank(table, "species"))
    ([1], [])
    """
    plan, rows = ranking._plan, ranking._rows
    # Columns of groups determine each other.
    are_groups = any(
        found.note.says(Code.ROWS_IN_GROUPS) and found.is_constant_within for found in plan.diagnoses
    )
    if plan.target is None or not plan.table.n_rows or are_groups:
        return [], []
    y = plan.table.columns[plan.pairs.y[0]]
    originals = np.setdiff1d(plan.pairs.x, rows.x[rows.is_duplicate]).tolist()
    ways = {k: _determination(plan.table.columns[k], y) for k in originals}
    codes = [k for k, (_, is_code) in ways.items() if is_code]
    return codes, [k for k, (is_key, is_code) in ways.items() if is_key and not is_code]


def _determination(x: Column, y: Column) -> tuple[bool, bool]:
    """Return two flags for two columns: x determines y, and y determines x."""
    rows = shared_rows(x, y)
    sides = [column.values if rows is None else column.values[rows] for column in (x, y)]
    for part in (slice(_FIRST_ROWS), slice(None)):
        codes = [coded(values[part]) for values in sides]
        if not len(codes[0]):
            return False, False
        n_cells, sizes = len(np.unique(crossed(*codes))), [code.max() + 1 for code in codes]
        if n_cells > max(sizes):
            return False, False
    is_key, is_code = (
        n_cells == size and _is_determined(key, values)
        for size, key, values in zip(sizes, codes, codes[::-1], strict=True)
    )
    return is_key, is_code


def _is_determined(key: Int32Array, values: Int32Array) -> bool:
    """Return True if keys repeat so often that equal values for equal keys cannot be chance."""
    n_repeated = len(key) - int(key.max()) - 1
    shares = np.bincount(values) / len(values)
    return n_repeated >= _REPEATED * len(key) and n_repeated * math.log(shares @ shares) < _BY_CHANCE
