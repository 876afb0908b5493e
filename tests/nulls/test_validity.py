"""The range in which a law was shown to hold, from the figures of a pair."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import bychance as bc
from bychance import _native
from tests.engine.nulls import CAVEATS

PACKAGE = Path(bc.__file__).parent
KERNELS = PACKAGE.parent / "native"


def beta_reach(n, rank=1, third=0.0, variance_ratio=1.0):
    return _native.judge_beta(n, (n, n), (n - 1, n - 1), rank, third, variance_ratio, 1)[2]


@pytest.mark.parametrize(("n", "reach"), [(12, 1e-3), (20, 1e-4), (40, 1e-6), (60, 1e-8)])
def test_more_rows_reach_further(n, reach):
    assert beta_reach(n) == reach


def test_skewness_of_both_variables_ends_the_reach():
    """Ten times the third cumulants cost about two powers of ten."""
    assert [beta_reach(1_000, third=t) for t in (5e-4, 2e-3, 8e-3, 2e-2)] == [1e-8, 1e-6, 1e-4, 1e-3]


def test_few_rows_bear_no_ties_in_both_variables():
    """Cases: rows, distinct values, rows unlike the most common value, shape, ratios of 1."""
    caveats = [
        _native.judge_beta(n, distinct, (9, 9), 1, 0, 1, 1)[0]
        for n, *distinct in [(13, 4, 6), (13, 4, 13), (19, 9, 9), (20, 4, 6)]
    ]

    assert [CAVEATS[caveat] for caveat in caveats] == ["few rows", "", "few rows", ""]


def test_many_groups_need_more_rows():
    assert beta_reach(100, rank=1) < beta_reach(100, rank=9)


def test_a_step_is_not_taken_over_one_that_fails():
    """Few rows end the reach, however even the variables are."""
    assert beta_reach(20, third=0.0, variance_ratio=1.0) == 1e-4
    assert beta_reach(500, variance_ratio=1.04) == 1e-4


def test_a_law_with_the_exact_skewness_bears_more_of_it():
    gamma = _native.judge_gamma(1_000, (1_000, 1_000), (999, 999), 1, 0.02, 0, 0, 1)

    assert gamma[2] == 1e-4
    assert beta_reach(1_000, third=0.02) == 1e-3


@pytest.mark.parametrize(("least", "reach"), [(5, 1e-4), (12, 1e-6), (30, 1e-8)])
def test_mutual_information_reaches_as_far_as_its_emptiest_cell_is_full(least, reach):
    assert _native.judge_information(least)[2] == reach


def test_every_null_says_how_far_it_holds(rng):
    x, y = rng.normal(size=(2, 200))

    assert bc.adjust("r2", x, y).null.holds_to == 1e-8
    assert bc.adjust("r2", x, y, null=bc.Permutation(99)).null.holds_to == 0
    assert bc.adjust("kendall", x[:30], y[:30], null="exact").null.holds_to == 0
    assert bc.adjust("r2", x**9, y**9, null="moments").null.holds_to == 1
    assert bc.adjust("dcor", x, y).null.holds_to == 1e-2


def of_labels_that_hardly_repeat(rng, n, draw, *, n_labels):
    """Draw numbers and labels, and compare the law at 1e-3 with permutations."""
    x, labels = draw(n), rng.integers(0, n_labels, n).astype(str)
    null = bc.adjust("explained", x, labels, null="moments").null
    draws = bc.adjust("explained", x, labels, null=bc.Permutation(20_000)).null.draws
    return null, np.mean(draws >= null.quantile(1 - 1e-3)) / 1e-3


@pytest.mark.parametrize("kind", ["cubed", "t(3)", "contaminated"])
def test_long_tails_have_no_law_against_labels_that_hardly_repeat(kind, rng):
    """Few pairs of rows share a label, and products of two extreme values make the tail: 3 to 10 times."""
    draw = {
        "cubed": lambda n: rng.normal(size=n) ** 3,
        "t(3)": lambda n: rng.standard_t(3, n),
        "contaminated": lambda n: rng.normal(size=n) * np.where(rng.random(n) < 0.05, 6, 1),
    }[kind]
    found = [of_labels_that_hardly_repeat(rng, 250, draw, n_labels=250) for _ in range(6)]
    valid = [ratio for null, ratio in found if not null.caveat]

    assert np.mean(valid or [1.0]) < 1.6
    assert np.mean([ratio for null, ratio in found if null.caveat]) > 1.8


@pytest.mark.parametrize("stream", [None, True])
def test_every_door_distrusts_long_tails_alike(stream, rng):
    n = 200
    numbers = {f"cubed {k}": rng.normal(size=n) ** 3 for k in range(3)} | {"normal": rng.normal(size=n)}
    labels = {f"1 of {k}": np.char.add("c", rng.integers(0, k, n).astype(str)) for k in (8, 40, 100, 150)}
    table = numbers | labels
    frame = bc.rank(table, x=list(numbers), y=list(labels), null="moments", stream=stream)
    rows = list(frame.to_frame().to_pandas().itertuples())
    caveats = [bc.adjust("explained", table[r.x], table[r.y], null="moments").null.caveat for r in rows]

    assert len(rows) == 16
    assert [caveat in row.note for row, caveat in zip(rows, caveats, strict=True)] == [True] * 16
    assert [bool(caveat) for caveat in caveats] == [bool(row.note) for row in rows]
    assert "extreme values in small groups" in caveats
    assert "" in caveats


@pytest.mark.parametrize("kind", ["normal", "uniform", "laplace of groups of ten"])
def test_light_tails_and_larger_groups_keep_their_law(kind, rng):
    draw = {"normal": rng.normal, "uniform": rng.uniform}.get(kind, rng.laplace)
    n_labels = 60 if "laplace" in kind else 600
    found = [
        of_labels_that_hardly_repeat(rng, 600, lambda n: draw(size=n), n_labels=n_labels) for _ in range(4)
    ]

    assert {null.caveat for null, _ in found} == {""}
    assert np.mean([ratio for _, ratio in found]) < 1.4


def finest(n, group_rows, values):
    """Return the finest p of a column against rows of one group, by the column's moments and clusters."""
    z = (values - np.mean(values)) / np.std(values)
    outside = n - _native.largest_cluster(np.asarray(values, dtype=float))
    return _native.finest_p(n, group_rows, outside, np.mean(z**3) ** 2, np.mean(z**4))


def test_atoms_show_sooner_with_fewer_rows_apart_from_a_common_value():
    shown = [finest(60, 30, np.r_[np.zeros(60 - m), np.linspace(1, 9, m)]) for m in (6, 12, 24, 40)]

    assert shown == sorted(shown, reverse=True)
    assert shown[0] > 1e-2
    assert shown[-1] < 1e-3


def test_atoms_of_evenly_spread_values_are_arrangements():
    """Three of 26 ranks lie within 0.3 standard deviations of each other, so nothing shows above 1e-6."""
    assert 1e-8 < finest(26, 13, np.arange(26.0)) < 1e-6


@pytest.mark.parametrize("unit", [1e-300, 1.0, 7.3e200])
def test_lumps_do_not_depend_on_the_unit(unit):
    values = np.r_[np.full(9, -20.0), np.linspace(-0.5, 0.5, 11), 20.0]

    assert _native.largest_cluster(unit * values) == 11


@pytest.mark.parametrize(("n", "levels", "reach"), [(180, 3, 1.0), (300, 3, 1e-6), (300, 6, 1e-8)])
def test_the_reach_ends_where_atoms_show(n, levels, reach):
    """The reach is the next step that atoms leave alone. Above the last one no law is valid."""
    halves = np.random.default_rng(1).permutation(np.arange(n) % 2).astype(float)

    assert bc.adjust("r2", halves, np.arange(n) % levels, null="moments").null.holds_to == reach


def limits_of_rules():
    """Return the limits of the rules by the words of their names, as Python would write them."""
    text = "".join((KERNELS / "distributions" / f"validity.{end}").read_text() for end in ("hpp", "cpp"))
    found = re.findall(r"\bk([A-Z]\w+)(?: = |\{)([\d.e+, -]+)", re.sub(r"//.*", "", text))
    words = {name: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper() for name, _ in found}
    return {
        words[name]: {float(number) for number in values.split(",") if number.strip()}
        for name, values in found
    }


def numbers_of(source):
    """Yield the numbers that a module names, each with the name."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            is_many = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            for name, number in zip(target.elts, value.elts, strict=True) if is_many else [(target, value)]:
                if isinstance(number, ast.Constant) and type(number.value) in (int, float):
                    yield ast.unparse(name).lstrip("_"), number.value


def limits_stated_again(source, limits):
    """Return numbers of a module that are limits of the rules under the same or a similar name."""
    for name, value in numbers_of(source):
        word = name.rpartition("_")[2]
        is_limit = any(
            value in values and (name == known or word == known.rpartition("_")[2] != "ROWS")
            for known, values in limits.items()
        )
        if is_limit:
            yield name


def test_every_caveat_has_its_words():
    rules = (KERNELS / "distributions" / "validity.hpp").read_text()
    codes = re.search(r"enum class Caveat[^{]*{([^}]*)}", rules)[1]

    assert [int(code) for code in re.findall(r"= (\d+)", codes)] == list(range(len(CAVEATS)))
    assert all(CAVEATS[1:])


def test_limits_of_the_rules_are_stated_once():
    """They are in validity.cpp, and modules ask the kernels for judgments, or for the limit."""
    limits = limits_of_rules()
    again = {
        str(path.relative_to(PACKAGE)): names
        for path in PACKAGE.rglob("*.py")
        if (names := list(limits_stated_again(path.read_text(), limits)))
    }
    rooms = ("bindings", "distributions", "moments", "permutations")
    twice = [
        (path.name, name)
        for path in KERNELS.rglob("*.?pp")
        if path.parent.name in rooms and "validity" not in path.name
        for name in re.findall(r"constexpr \w+ k(\w+)", path.read_text())
        if re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper() in limits
    ]

    assert len(limits) > 20
    assert not again
    assert not twice


@pytest.mark.parametrize(
    "source",
    [
        "_FEW_OTHERS = 30",
        "_NEAR_NORMAL, _HIGHEST = 0.3, 1.25",
        "REACH = 1e-2",
    ],
)
def test_a_limit_that_is_stated_again_is_found(source):
    assert list(limits_stated_again(source, limits_of_rules()))
