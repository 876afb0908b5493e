"""Part "few atoms": tables of up to a million rows whose null has a handful of values, against exact sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import bychance as bc
from tests.engine.nulls import FixedAuto
from tests.engine.ranking import rows_of
from tests.fuzz.compare import Asked, differences, p_differences
from tests.fuzz.law import Law
from tests.fuzz.margins import NEAR, all_tables, wide_answer
from tests.fuzz.number_table_keys import OF_NUMBERS, class_line
from tests.fuzz.outcome import Outcome
from tests.fuzz.permutations import Answer
from tests.fuzz.table_cases import TableCase, draw_case
from tests.fuzz.table_keys import OF_LABELS

PART = "few atoms"
NULLS = ("exact", "auto", "moments", "permutation")
LABEL_MEASURES = ("explained", "gini", "goodman_kruskal", "phi2", "cramers_v", "mi", "rand", "agreement")
NUMBER_MEASURES = ("explained", "r2", "spearman", "kendall", "xi", "dcor", "eta2")
SEARCHES = ("mic", "mic_e", "tic_e")
_SAMPLED_ROWS = 2_000  # beyond, 999 permutations take seconds
_SEARCHED_ROWS = 100
_REFUSALS = ("more than", "at most")  # what the notes of laws that cost too much say
_FEW_MEASURES = {100_000: 3, 1_000_000: 1}  # tables with this number of rows
_ENUMERATED = 500_000  # rows of all arrangements together, if "exact" enumerates them


@dataclass(frozen=True)
class Call:
    """One call: through `adjust` or through `rank`."""

    measure: str
    null: str
    is_ranked: bool
    n: int

    @property
    def draws(self) -> int | None:
        """Number of permutations if any are drawn, fewer for many rows."""
        if self.null == "permutation":
            return 999
        return (999 if self.n <= _SAMPLED_ROWS else 199) if self.null == "auto" else None

    @property
    def code(self) -> str:
        """The null as Python."""
        if self.null == "permutation":
            return f"bc.Permutation({self.draws})"
        return f"FixedAuto({self.draws})" if self.null == "auto" else repr(self.null)


def run_case(seed: int, index: int) -> Outcome:
    """Run one table with every measure that takes it and every null, through `adjust` and `rank`."""
    rng = np.random.default_rng([seed, 2, index])
    case, outcome = draw_case(rng), Outcome()
    x, y = case.columns()
    table = bc.read_table({"x": x, "y": y})  # once: reading strings costs more than ranking them
    for measure in _measures(case, rng):
        expected = answer(measure, case)
        for call in _calls(measure, case):
            outcome.count(PART, call.null + (" (rank)" if call.is_ranked else ""), measure, {case.family})
            found = list(_try(call, x, y, table, case, expected))
            if found:
                outcome.differ(f"{PART} {seed}/{index} {measure} {call.null}", reproduce(call, case), found)
    return outcome


def answer(measure: str, case: TableCase) -> Answer:
    """Compute the exact distribution of the measure over all tables with these totals."""
    kinds = case.is_numeric
    if measure == "explained":
        names = {(True, True): "r2", (False, True): "eta2", (False, False): "goodman_kruskal"}
        measure = names.get(kinds, "class_line")
    if case.is_wide:
        # Of a flag as 0 and 1 the correlation ratio is Goodman and Kruskal's τ.
        name = "goodman_kruskal" if measure == "eta2" else measure
        return wide_answer(name, case.a, tuple(row[1] for row in case.table), case.b[1])
    if measure == "eta2" and kinds == (True, False):
        return _answer("eta2", case.transposed())
    return _answer(measure, case)


def _answer(measure: str, case: TableCase) -> Answer:
    tables, weights = all_tables(case.a, case.b)
    observed = np.array([case.table], dtype=object)
    both = np.concatenate([tables, observed])
    if measure in OF_LABELS:
        keys, value, bound = OF_LABELS[measure](both, case.a, case.b)
    else:
        function = class_line if measure == "class_line" else OF_NUMBERS[measure]
        keys, value, bound = function(both, case.a, case.b, case.x, case.y)
    held = [int(k) for k in keys]
    law = Law.of(held[:-1], value, weights, near=NEAR)
    return Answer(law, law.index_of(held[-1]), bound)


def _measures(case: TableCase, rng: np.random.Generator) -> list[str]:
    numeric = case.is_numeric
    if case.is_wide:
        # Its rows differ in their sizes alone, so neither their labels nor their order may count.
        names = ["explained", "eta2"] if numeric[1] else [m for m in LABEL_MEASURES if m != "agreement"]
    elif numeric == (False, False):
        names = list(LABEL_MEASURES)
    elif all(numeric):
        names = [*NUMBER_MEASURES, "gini", "mi"]
        names += SEARCHES if case.is_two_by_two and case.n <= _SEARCHED_ROWS else ()
    else:
        names = ["explained", "eta2"]
    few = _FEW_MEASURES.get(case.n, len(names))
    return rng.choice(names, min(few, len(names)), replace=False).tolist()


def _calls(measure: str, case: TableCase) -> Iterator[Call]:
    for null in NULLS:
        if null == "permutation" and case.n > _SAMPLED_ROWS:
            continue
        if measure in SEARCHES and null == "moments":
            continue
        if null == "exact" and any(case.is_numeric) and case.fewest_arrangements * case.n > _ENUMERATED:
            continue
        yield Call(measure, null, is_ranked=False, n=case.n)
        if not (all(case.is_numeric) and measure in ("eta2", "gini", "mi")):  # `rank` goes by kinds
            yield Call(measure, null, is_ranked=True, n=case.n)


def _try(
    call: Call, x: np.ndarray, y: np.ndarray, table: bc.Table, case: TableCase, expected: Answer
) -> Iterator[str]:
    null = eval(call.code, {"bc": bc, "FixedAuto": FixedAuto})
    try:
        if call.is_ranked:
            row = rows_of(bc.rank(table, x="x", y="y", measure=call.measure, null=null))[0]
        else:
            result = bc.adjust(call.measure, x, y, null=null)
    except bc.CostError:
        return
    except Exception as error:  # any exception is a fault
        yield f"raised {type(error).__name__}: {error}"
        return
    asked = Asked(call.measure, call.null, call.draws, is_binary=case.is_least_known())
    if not call.is_ranked:
        yield from differences(result, expected, asked)
    elif row["p_value"] is not None:
        yield from p_differences(row["p_value"], row["n_resamples"], row["engine"], expected, asked)
    elif not any(words in row["note"] for words in _REFUSALS):
        yield f"rank gives no p-value: {row['note']!r}"


def reproduce(call: Call, case: TableCase) -> str:
    head = ["import numpy as np, bychance as bc", *case.code()]
    if "FixedAuto" in call.code:
        head.insert(1, "from tests.engine.nulls import FixedAuto")
    name, null = repr(call.measure), call.code
    if call.is_ranked:
        arguments = f'{{"x": x, "y": y}}, x="x", y="y", measure={name}, null={null}'
        return "\n".join([*head, f"print(bc.rank({arguments}).to_frame().to_pylist())"])
    return "\n".join([*head, f"print(bc.adjust({name}, x, y, null={null}))"])
