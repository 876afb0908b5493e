"""The fuzz's own laws against the slow oracles: a fuzz that is wrong itself finds nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.fuzz.integer_keys import OF_NUMBERS
from tests.fuzz.repairings import answer
from tests.fuzz.table_keys import OF_LABELS
from tests.fuzz.variable import Variable
from tests.oracle import measures as oracle
from tests.oracle import mic as mic_oracle
from tests.oracle.enumeration import all_values


def draw(rng, n, distinct):
    """A column that is neither constant nor all but one row alike."""
    while True:
        values = rng.integers(0, distinct, n).tolist()
        if len(set(sorted(values)[1:-1])) > 1:
            return values


def expected(measure, x, y, is_numeric):
    if measure == "explained":
        name = {(1, 1): "r2", (0, 1): "eta2", (0, 0): "goodman_kruskal", (1, 0): "explained_numeric_by_class"}
        return all_values(getattr(oracle, name[is_numeric]), x, y)
    if measure == "together":
        return all_values(lambda u, v: np.mean([(a, b) == (c, d) for a, b in zip(u, v) for c, d in zip(u, v)]), x, y)
    return all_values(getattr(mic_oracle if "ic" in measure[1:3] else oracle, measure), x, y)


CASES = [(m, (1, 1)) for m in ("r2", "spearman", "kendall", "xi", "dcor", "hsic", "mic", "mic_e", "tic_e")]
CASES += [(m, (0, 0)) for m in OF_LABELS]
CASES += [("eta2", (0, 1)), *(("explained", kinds) for kinds in ((1, 1), (0, 1), (1, 0), (0, 0)))]


@pytest.mark.parametrize(("measure", "is_numeric"), CASES)
def test_the_law_of_all_repairings_is_the_oracles(measure, is_numeric):
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


def test_every_exact_measure_is_compared():
    assert {m for m, _ in CASES} == {*OF_NUMBERS, *OF_LABELS, "hsic", "mic", "mic_e", "tic_e"}
