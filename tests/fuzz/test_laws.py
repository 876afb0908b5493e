"""The fuzz's own laws against the slow oracles: a fuzz that is wrong itself finds nothing."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.fuzz import number_table_keys, small
from tests.fuzz.integer_keys import OF_NUMBERS
from tests.fuzz.law import Law
from tests.fuzz.margins import all_tables, wide_answer
from tests.fuzz.permutations import answer
from tests.fuzz.table_keys import OF_LABELS
from tests.fuzz.variable import Variable
from tests.oracle import measures as oracle
from tests.oracle import mic as mic_oracle
from tests.oracle.enumeration import all_values

SEARCHES = small.SEARCHES


def draw(rng, n, distinct):
    """Draw a column that is neither constant nor all but one row alike."""
    while True:
        values = rng.integers(0, distinct, n).tolist()
        if len(set(sorted(values)[1:-1])) > 1:
            return values


def expected(measure, x, y, is_numeric):
    if measure == "explained":
        name = {(1, 1): "r2", (0, 1): "eta2", (0, 0): "goodman_kruskal", (1, 0): "explained_numeric_by_class"}
        return all_values(getattr(oracle, name[is_numeric]), x, y)
    if measure == "shape":
        x, y = (list(map(float if k else "l{}".format, v)) for v, k in zip((x, y), is_numeric, strict=True))
    if measure == "together":
        return all_values(lambda u, v: small.together(np.array(u), np.array(v)), x, y)
    return all_values(getattr(mic_oracle if measure in SEARCHES else oracle, measure), x, y)


CASES = [(m, (1, 1)) for m in ("r2", "spearman", "kendall", "xi", "dcor", "hsic", *SEARCHES)]
CASES += [(m, (0, 0)) for m in OF_LABELS]
CASES += [("eta2", (0, 1)), *product(("explained", "shape"), ((1, 1), (0, 1), (1, 0), (0, 0)))]


@pytest.mark.parametrize(("measure", "is_numeric"), CASES)
def test_the_law_of_all_permutations_is_the_oracles(measure, is_numeric):
    rng = np.random.default_rng(14)
    for n, distinct in ((4, 3), (5, 3), (5, 9)):
        x, y = draw(rng, n, distinct), draw(rng, n, distinct)
        if measure == "agreement":
            variables = Variable.shared(x, y)
        else:
            variables = [Variable.of(v, is_numeric=k) for v, k in zip((x, y), is_numeric, strict=True)]
        found = answer(measure, *variables)
        exact = x, [Fraction(v) for v in y] if is_numeric[1] else y
        values = np.sort(np.array(expected(measure, *exact, is_numeric), dtype=float))
        repeated = np.repeat(found.law.values, np.array(found.law.weights) * (len(values) // found.law.total))

        assert repeated == pytest.approx(values, abs=1e-12)
        assert found.law.p_value(found.index) == np.mean(values >= found.law.values[found.index] - 1e-9)


def rows_of(table, x, y):
    """Make two columns whose counts are the table."""
    cells = [(x[i], y[j]) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in cells], [b for _, b in cells]


@pytest.mark.parametrize("measure", [*OF_LABELS, *number_table_keys.OF_NUMBERS, "class_line"])
def test_keys_of_tables_are_the_oracles(measure):
    rng = np.random.default_rng(14)
    shapes = [((3, 4), (2, 5))] if measure in SEARCHES else [((3, 4), (2, 5)), ((2, 2, 3), (1, 2, 4))]
    for a, b in shapes:
        x, y = (tuple(sorted(rng.choice(9, len(t), replace=False).tolist())) for t in (a, b))
        tables, weights = all_tables(a, b)
        if measure in OF_LABELS:
            labels = range(len(a)), range(len(b))
            keys, value, _ = OF_LABELS[measure](tables, a, b)
        else:
            labels = [Fraction(v) for v in x], [Fraction(v) for v in y]
            functions = {**number_table_keys.OF_NUMBERS, "class_line": number_table_keys.class_line}
            keys, value, _ = functions[measure](tables, a, b, x, y)
        name = "explained_numeric_by_class" if measure == "class_line" else measure
        function = (
            small.together
            if measure == "together"
            else getattr(mic_oracle if measure in SEARCHES else oracle, name)
        )
        for key, table in zip(keys, tables, strict=True):
            columns = rows_of(table, *labels)
            if measure == "together":
                columns = tuple(map(np.array, columns))
            assert value(key) == pytest.approx(float(function(*columns)), abs=1e-12)
        assert sum(weights) == math.factorial(sum(a)) // math.prod(map(math.factorial, b))


@pytest.mark.parametrize("measure", ["gini", "goodman_kruskal", "phi2", "cramers_v", "mi", "rand"])
def test_many_labels_have_the_law_of_all_tables(measure):
    a, flags = (3, 1, 3, 2), (1, 0, 1, 1)
    found = wide_answer(measure, a, flags, 3)
    tables, weights = all_tables(a, (6, 3))
    keys, value, bound = OF_LABELS[measure](tables, a, (6, 3))
    law = Law.of([int(k) for k in keys], value, weights)

    assert (found.law.keys, found.law.weights, found.bound) == (law.keys, law.weights, bound)
    observed = [int(k) for k, t in zip(keys, tables, strict=True) if tuple(t[:, 1]) == flags]
    assert found.index == law.index_of(observed[0])


def test_every_exact_measure_is_compared():
    assert {m for m, _ in CASES} == {*OF_NUMBERS, *OF_LABELS, "hsic", *SEARCHES}
