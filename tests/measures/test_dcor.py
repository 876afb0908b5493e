import numpy as np

from bychance import _native
from bychance.kinds import Role
from bychance.measures import dcor


def test_columns_with_the_same_values_have_their_invariants_computed_once(monkeypatch):
    calls, compute = [], _native.distance_invariants
    monkeypatch.setattr(dcor, "_KNOWN", {})
    monkeypatch.setattr(dcor, "_MOST_KNOWN", 2)
    monkeypatch.setattr(
        dcor._native, "distance_invariants", lambda *a: calls.append(a) or compute(*a), raising=True
    )
    measure, columns = dcor.DistanceCorrelation(), np.random.default_rng(0).normal(size=(3, 20))

    for column in (*columns[:2], columns[0][::-1], *columns, columns[2]):
        found = measure.prepare(column, Role.X)
        np.testing.assert_array_equal(found.invariants, compute(*found.value_counts))
    assert len(calls) == 3
    assert not found.invariants.flags.writeable
