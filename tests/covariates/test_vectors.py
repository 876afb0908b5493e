"""Every figure of the reference's vectors: enumerated laws, exact moments, the default design on mtcars."""

from __future__ import annotations

import json
import os
from math import factorial, prod
from pathlib import Path

import numpy as np
import pytest

from bychance.kinds import Role
from bychance.read_column import read_column
from tests.engine.given import (
    cells_only,
    common_effect,
    kendall_in_strata,
    law_within_cells,
    measure_beyond,
    parts_of_ratio,
    separate_effects,
)

TABLES = Path(os.environ.get("BYCHANCE_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILE = TABLES.parent / "reference" / "given_vectors.json"
HELD = json.loads(FILE.read_text()) if FILE.exists() else {"data": {}, "vectors": {}}
DATA, VECTORS = HELD["data"], HELD["vectors"]

pytestmark = pytest.mark.skipif(
    not VECTORS, reason="the reference's vectors are not here; set BYCHANCE_DATA to the directory beside them"
)


def named(prefix):
    return [name for name in VECTORS if name.startswith(prefix)]


def figure(name, field):
    held = VECTORS[name][field]
    return held["value"] if isinstance(held, dict) else held


def strata_of(name):
    return np.array(DATA["strata"][name.split()[-1]], dtype=np.int32)


def prepared(measure, x, y):
    return measure.prepare(np.ascontiguousarray(x), Role.X), measure.prepare(np.ascontiguousarray(y), Role.Y)


def column(kind, which):
    if kind == "num":
        return np.array(DATA[which], dtype=np.float64)
    return np.unique(DATA[f"{which}_labels"], return_inverse=True)[1].astype(np.int32)


def assert_enumerated(name, measure, x, y, scale=1.0):
    """Compare observed value, moments, largest value, p and number of permutations with all of them."""
    cells = measure.design.cells
    law = law_within_cells(measure, x, y, scale)
    weights = law.tails - np.append(law.tails[1:], 0.0)
    observed = scale * measure.estimate(x, y)
    found = {
        "observed": observed,
        "mean": law.mean,
        "var": law.std**2,
        "third": float(weights @ (law.values - law.mean) ** 3),
        "max_over_pairings": law.values[-1],
        "p": law.sf(observed),
        "pairings": prod(factorial(int(n)) for n in cells.sizes),
    }
    for field, value in found.items():
        assert value == pytest.approx(figure(name, field), rel=1e-10, abs=1e-10), field


def assert_moments(name, moments, fields=("mean", "var", "third")):
    found = {"mean": moments.mean, "var": moments.variance, "third": moments.third}
    for field in fields:
        assert found[field] == pytest.approx(figure(name, field), rel=1e-10, abs=1e-10), field


@pytest.mark.parametrize("name", named("common"))
def test_a_common_effect_has_the_moments_of_all_re_pairings(name):
    x_kind, y_kind = name.split()[1].split("|")
    measure = common_effect("explained", strata_of(name))
    x, y = prepared(measure, column(x_kind, "x"), column(y_kind, "y"))

    assert_moments(name, measure.moments(x, y))
    assert_enumerated(name, measure, x, y)


@pytest.mark.parametrize("name", named("spearman"))
def test_ranks_within_strata_have_the_moments_of_all_re_pairings(name):
    measure = common_effect("spearman", strata_of(name))
    x, y = prepared(measure, column("num", "x"), column("num", "y"))

    assert_moments(name, measure.moments(x, y))
    assert_enumerated(name, measure, x, y)


@pytest.mark.parametrize("name", named("separate"))
def test_separate_effects_have_the_moments_of_all_re_pairings(name):
    x_kind, y_kind = name.split()[1].split("|")
    measure = separate_effects("explained", strata_of(name), counts_every_stratum=True)
    x, y = prepared(measure, column(x_kind, "x"), column(y_kind, "y"))

    assert_moments(name, measure.moments(x, y)[0])
    assert_enumerated(name, measure, x, y)


@pytest.mark.parametrize("name", named("kendall"))
def test_kendall_over_strata_has_the_law_of_all_re_pairings(name):
    measure = kendall_in_strata(strata_of(name))
    x, y = prepared(measure, column("num", "x"), column("num", "y"))
    laws, whole = measure.matched(x, y), measure.cheap_null(x, y, 1e6)

    assert laws.mean[0] == pytest.approx(figure(name, "mean"), rel=1e-10)
    assert laws.std[0] ** 2 == pytest.approx(figure(name, "var"), rel=1e-10)
    assert whole.sf(measure.estimate(x, y)) == pytest.approx(figure(name, "p"), rel=1e-10)
    assert_enumerated(name, measure, x, y)


@pytest.mark.parametrize("name", named("mi"))
def test_conditional_information_has_the_moments_of_all_re_pairings(name):
    measure = separate_effects("mi", strata_of(name), counts_every_stratum=True)
    x, y = prepared(measure, column("cat", "x"), column("cat", "y"))

    assert_moments(name, measure.moments(x, y)[0].scaled(np.log(2)), ("mean", "var"))
    assert_enumerated(name, measure, x, y, scale=np.log(2))


@pytest.mark.parametrize("name", named("xi"))
def test_xi_over_strata_has_the_moments_of_all_re_pairings(name):
    measure = separate_effects("xi", strata_of(name))
    x, y = prepared(measure, column("num", "x"), np.array(DATA["xi_y"], dtype=np.float64))

    assert_moments(name, measure.moments(x, y)[0], ("mean", "var"))
    assert_enumerated(name, measure, x, y)


@pytest.mark.parametrize("name", named("dcor"))
def test_pooled_distance_correlation_has_the_moments_of_all_re_pairings(name):
    measure = separate_effects("dcor", strata_of(name))
    x, y = prepared(measure, column("num", "x"), column("num", "y"))

    assert_moments(name, measure.moments(x, y)[0])
    assert_enumerated(name, measure, x, y)


@pytest.mark.parametrize("name", named("freedman_lane"))
def test_the_ratio_has_the_moments_of_its_numerator_and_denominator(name):
    n = 7 if "7 rows" in name else 8
    strata = np.zeros(n, dtype=np.int32) if n == 7 else strata_of(name)
    measure = common_effect("explained", strata, [np.array(DATA["w"][:n], dtype=np.float64)])
    x, y = prepared(measure, column("cat" if "eta2" in name else "num", "x")[:n], column("num", "y")[:n])
    (top, bottom), ratio = parts_of_ratio(measure, x, y), measure.moments(x, y)
    found = {
        "num_mean": top.mean,
        "den_mean": bottom.mean,
        "num_second": top.variance + top.mean**2,
        "den_second": bottom.variance + bottom.mean**2,
        "approx_mean": ratio.mean,
        "approx_var": ratio.variance,
        "kennedy_p": without_residualizing_again(measure, x, y),
    }

    for field, value in found.items():
        assert value == pytest.approx(figure(name, field), rel=1e-10, abs=1e-10), field
    assert_enumerated(name, measure, x, y)


def without_residualizing_again(measure, x, y):
    """Compute Kennedy's p, which leaves out the denominator and which the reference warns of."""
    kennedy = cells_only(measure)
    return law_within_cells(kennedy, x, y).sf(kennedy.estimate(x, y))


@pytest.mark.parametrize("name", named("mtcars"))
def test_the_design_of_mtcars_is_the_reference_s(name):
    asked = name.split("given ")[1]
    control = "linear" if asked.endswith("linear") else "smooth"
    names = asked.removesuffix(", linear").split(", ")
    columns = [read_column(list(map(str, DATA[z])) if z == "cyl" else DATA[z], z) for z in names]
    measure = measure_beyond("explained", columns, control)
    x, y = prepared(measure, *(np.array(DATA[v], dtype=np.float64) for v in ("hp", "mpg")))
    moments = measure.moments(x, y)
    found = {
        "observed": measure.estimate(x, y),
        "approx_mean": moments.mean,
        "approx_var": moments.variance,
        "k": measure.design.df,
        "cells": len(measure.design.cells),
    }

    for field, value in found.items():
        assert value == pytest.approx(figure(name, field), rel=1e-10, abs=1e-10), field


def test_no_vector_is_left_out():
    prefixes = ("common", "separate", "spearman", "kendall", "mi", "xi", "dcor", "freedman_lane", "mtcars")

    assert sorted(name for prefix in prefixes for name in named(prefix)) == sorted(VECTORS)
