"""The recorded results: this version gives the figures on file, and a changed figure would show."""

from __future__ import annotations

import numpy as np
import pytest

from tools.recorded.comparison import Verdict, compare
from tools.recorded.figures import Call, figures_of, rows_figures
from tools.recorded.file import RESULTS, all_calls, machine, read, run, small_calls

SMALL = small_calls()


@pytest.fixture(scope="module")
def on_file():
    return read()


def parameter(call):
    is_slow = call.needs or call.name.startswith(("resumed/", "threads/"))
    return pytest.param(call, id=call.name, marks=[pytest.mark.slow] if is_slow else [])


@pytest.mark.parametrize("call", [parameter(call) for call in SMALL])
def test_figures_are_those_on_file(call, on_file):
    written_on, records = on_file
    figures = run(call)
    if figures is None:
        pytest.skip(f"needs {call.needs}")
    promise = call.promise if written_on == machine() else "1e-10"  # logarithms are the C library's
    agreement = compare(records[call.name].figures, figures, promise)

    assert not agreement.is_broken, agreement


def test_every_call_is_on_file_with_its_promise(on_file):
    calls = all_calls()

    assert {call.name: call.promise for call in calls} == {r.name: r.promise for r in on_file[1].values()}
    assert len(calls) == len(on_file[1])
    assert RESULTS.stat().st_size < 1024 * 1024


def figures(**values):
    return figures_of(Call("made up", "1e-10", lambda: values))


VECTOR = np.random.default_rng(0).standard_normal(500)


def moved(by, at=123):
    vector = VECTOR.copy()
    vector[at] += by
    return vector


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (0.3, 0.3, Verdict.BITWISE),
        (0.3, 0.3 * (1 + 1e-12), Verdict.CLOSE),
        (0.3, 0.3 * (1 + 1e-9), Verdict.DIFFERENT),
        (0.0, 1e-15, Verdict.CLOSE),
        (float("nan"), float("nan"), Verdict.BITWISE),
        (float("nan"), 0.0, Verdict.DIFFERENT),
        (None, 0, Verdict.DIFFERENT),
        (True, 1, Verdict.DIFFERENT),
        ("beta", "gamma", Verdict.DIFFERENT),
        ([1.0, 2.0], [1.0, 2.0, 3.0], Verdict.DIFFERENT),
        (VECTOR, VECTOR.copy(), Verdict.BITWISE),
        (VECTOR, moved(1e-13), Verdict.CLOSE),
        (VECTOR, moved(1e-7), Verdict.DIFFERENT),
        (VECTOR, moved(np.nan), Verdict.DIFFERENT),
        (VECTOR, VECTOR[::-1], Verdict.DIFFERENT),
        (["a", "b", "c"], ["a", "c", "b"], Verdict.DIFFERENT),
    ],
)
def test_a_changed_figure_shows(old, new, verdict):
    assert compare(figures(figure=old), figures(figure=new), "1e-10").verdict is verdict


def test_a_figure_that_comes_or_goes_shows():
    assert compare(figures(a=1), figures(a=1, b=2), "1e-10").is_broken


def test_bits_are_asked_for_only_where_they_are_promised():
    old, new = figures(observed=0.3, errors=[0.1]), figures(observed=0.3 + 1e-16, errors=[0.1 + 1e-16])

    assert not compare(old, new, "1e-10").is_broken
    assert compare(old, new, "bitwise").is_broken
    assert not compare(figures(errors=[0.1]), figures(errors=[0.1 + 1e-16]), "bitwise").is_broken


def test_a_swap_counts_only_where_scores_differ():
    def ranks(*scores):
        columns = ("n", "sign", "observed", "adjusted", "standardized", "p_value", "q_value", "null_mean")
        columns += ("null_std", "n_resamples", "adjusted_se", "standardized_se", "adjusted_at_se")
        rest = {**dict.fromkeys(columns, 0.5), "engine": "beta", "measure": "r2", "note": ""}
        order = np.argsort(np.argsort(-np.array(scores))) + 1
        rows = [{"x": f"v{k}", "y": "y", "rank": order[k], "adjusted_at": s} for k, s in enumerate(scores)]
        return rows_figures([{**row, **rest} for row in rows])["rank"].tolist()

    assert ranks(0.2, 0.2 + 1e-16, 0.1) == ranks(0.2 + 1e-16, 0.2, 0.1) == [1.5, 1.5, 3.0]
    assert ranks(0.2, 0.3, 0.1) == [2.0, 1.0, 3.0]
