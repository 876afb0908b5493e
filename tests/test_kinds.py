"""The kind of a test follows from what it uses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.kinds import FILES, KINDS, kinds_of
from tests.oracle import measures as oracle
from tests.oracle.enumeration import all_values


def _by_helper():
    return oracle.pearson


def _with_oracle():
    return oracle.pearson


def _with_enumeration():
    return [all_values for _ in range(2)]


def _with_peer():
    return stats.norm


def _with_local_peer():
    from sklearn.metrics import roc_auc_score

    return roc_auc_score


def _through_helper():
    return _by_helper()


@given(st.integers())
def _law(number):
    return stats.norm, number


@pytest.mark.parametrize(
    ("test", "kinds"),
    [
        (_with_oracle, {"oracle"}),
        (_with_enumeration, {"cross_engine"}),
        (_with_peer, {"reference"}),
        (_with_local_peer, {"reference"}),
        (_through_helper, {"oracle"}),
        (_law, {"law", "reference"}),
        (lambda: len([]), set()),
    ],
)
def test_a_test_has_the_kinds_of_what_it_uses(test, kinds):
    assert kinds_of(test, "test_kinds.py") == kinds


def test_files_that_are_of_one_kind_exist(pytestconfig):
    tests = pytestconfig.rootpath / "tests"

    assert set(FILES.values()) <= set(KINDS)
    assert [file for file in FILES if not (tests / file).exists()] == []


def test_markers_are_declared(pytestconfig):
    declared = {line.partition(":")[0] for line in pytestconfig.getini("markers")}

    assert declared >= {*KINDS, "law", "statistical"}
