"""Part "rare flags": independent binary columns against rare flags, ranked as whole tables.

15 random binary columns × 30 flags of 1 to 5 positives. No p-value may be below the exact one by more than
its engine allows (compare.py), and nothing may be a discovery at q < .01 that is none by exact p-values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import bychance as bc
from tests.engine.ranking import rows_of
from tests.fuzz.compare import Asked, p_differences
from tests.fuzz.law import Law
from tests.fuzz.margins import NEAR, all_tables
from tests.fuzz.outcome import Outcome
from tests.fuzz.permutations import Answer
from tests.fuzz.table_keys import OF_LABELS

PART = "rare flags"
ROWS = (201, 1_000, 10_000, 100_000)
TABLES = 20
MEASURES = ("explained", "gini", "goodman_kruskal", "phi2", "cramers_v", "mi", "rand", "agreement")
NULLS = {"auto": '"auto"', "exact": '"exact"', "moments": '"moments"', "permutation": "bc.Permutation(999)"}
LEVEL = 0.01
# How many binary columns and flags are sampled: 999 permutations of 100,000 rows take a second per pair.
_SAMPLED = {201: (15, 30), 1_000: (5, 30), 10_000: (2, 6), 100_000: (1, 2)}


@dataclass(frozen=True)
class Flags:
    """A table of independent columns, and the code that makes it."""

    seed: int
    index: int
    n: int

    @property
    def code(self) -> str:
        return "\n".join(
            [
                "import numpy as np, bychance as bc",
                f"n, columns = {self.n}, {{}}",
                f"rng = np.random.default_rng([{self.seed}, 3, {self.index}, n])",
                "for i in range(15):",
                '    columns[f"x{i}"] = np.where(rng.random(n) < rng.uniform(0.2, 0.8), "u", "v")',
                "for j in range(30):",
                '    columns[f"y{j}"] = np.full(n, "u")',
                '    columns[f"y{j}"][rng.choice(n, rng.integers(1, 6), replace=False)] = "v"',
            ]
        )

    def columns(self) -> dict[str, np.ndarray]:
        names: dict = {}
        exec(self.code, names)
        return names["columns"]


def run_case(seed: int, index: int, n: int, *, is_full: bool = False) -> Outcome:
    """Run one table of n rows: every measure and null, or two in turn for 100,000 rows unless `is_full`."""
    flags, outcome = Flags(seed, index, n), Outcome()
    columns = flags.columns()
    table = bc.read_table(columns)  # once: reading strings costs more than ranking them
    is_marked = {name: values == "v" for name, values in columns.items()}
    for k, measure in enumerate(MEASURES):
        in_turn = (k - 2 * index) % len(MEASURES) < 2
        for null in NULLS:
            if is_full or in_turn or (n < 100_000 and null != "permutation"):
                shape = _SAMPLED[n] if null == "permutation" else (15, 30)
                _try(outcome, flags, table, is_marked, measure, null, shape)
    return outcome


def _try(
    outcome: Outcome,
    flags: Flags,
    table: bc.Table,
    is_marked: dict,
    measure: str,
    null: str,
    shape: tuple[int, int],
) -> None:
    xs, ys = [f"x{i}" for i in range(shape[0])], [f"y{j}" for j in range(shape[1])]
    call = f"bc.rank(table, x={xs}, y={ys}, measure={measure!r}, null={NULLS[null]}, by='p_value')"
    rows = rows_of(eval(call, {"bc": bc, "table": table}))
    outcome.count(PART, null, measure, {f"n = {flags.n:,}"}, len(rows))
    expected = [_expected(measure, is_marked[row["x"]], is_marked[row["y"]]) for row in rows]
    asked = Asked(measure, null, 999 if null == "permutation" else None, is_binary=True)
    exact_q = _q_values(expected)
    for row, answer, q in zip(rows, expected, exact_q, strict=True):
        found = p_differences(row["p_value"], row["n_resamples"], row["engine"], answer, asked)
        if row["q_value"] is not None and row["q_value"] < LEVEL <= q:
            found.append(f"a false discovery: q is {row['q_value']:.3g}, by exact p-values {q:.3g}")
        if found:
            pair = row["x"], row["y"]
            show = f"print([r for r in {call}.to_frame().to_pylist() if (r['x'], r['y']) == {pair}])"
            case = f"{PART} {flags.seed}/{flags.index} n = {flags.n} {measure} {null}"
            outcome.differ(case, f"{flags.code}\ntable = bc.read_table(columns)\n{show}", found)


def _expected(measure: str, x: np.ndarray, y: np.ndarray) -> Answer:
    n, m, k = len(x), int(x.sum()), int(y.sum())
    law, atoms, bound = _law(measure, n, m, k)
    return Answer(law, atoms[int((x & y).sum())], bound)


@cache
def _law(measure: str, n: int, m: int, k: int) -> tuple[Law, dict[int, int], float]:
    """Return the law, and the atom of each count of rows marked in both columns."""
    a, b = (n - m, m), (n - k, k)
    tables, weights = all_tables(a, b)
    keys, value, bound = OF_LABELS["goodman_kruskal" if measure == "explained" else measure](tables, a, b)
    held = [int(key) for key in keys]
    law = Law.of(held, value, weights, near=NEAR)
    return law, {int(t[1, 1]): law.index_of(key) for t, key in zip(tables, held, strict=True)}, bound


def _q_values(answers: list[Answer]) -> list[float]:
    """Compute Benjamini and Hochberg's q-values of the exact p-values of non-degenerate pairs."""
    tests = [k for k, answer in enumerate(answers) if not answer.law.is_degenerate]
    p = np.array([answers[k].law.p_value(answers[k].index) for k in tests])
    order = np.argsort(-p)
    ranked = p[order] * len(p) / np.arange(len(p), 0, -1)
    q = np.ones(len(answers))
    q[np.array(tests, dtype=int)[order]] = np.minimum.accumulate(np.minimum(ranked, 1.0))
    return q.tolist()
