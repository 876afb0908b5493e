"""`shape` given covariates: partial R² of a line bent at x's quintiles, and its null within cells."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.kinds import Role
from bychance.measures import registry
from tests.engine.given import common_effect, law_within_cells


def test_moments_within_strata_are_those_of_all_permutations(rng):
    measure = common_effect("shape", np.repeat(np.arange(3, dtype=np.int32), 4))
    x, y = (measure.prepare(v, role) for v, role in zip(rng.standard_normal((2, 12)), Role, strict=True))
    law, moments = law_within_cells(measure, x, y), measure.moments(x, y)
    weights = law.tails - np.append(law.tails[1:], 0.0)

    assert x.factor.rank == 2
    assert moments.mean == pytest.approx(law.mean, rel=1e-10)
    assert moments.variance == pytest.approx(law.std**2, rel=1e-10)
    assert moments.third == pytest.approx(float(weights @ (law.values - law.mean) ** 3), rel=1e-8)


@pytest.mark.parametrize("y_kind", ["number", "classes"])
def test_it_is_the_partial_r2_of_least_squares_on_the_bent_line(rng, y_kind):
    z, x = rng.standard_normal((2, 150))
    y = x**2 + z + rng.standard_normal(150)
    if y_kind == "classes":
        y = np.digitize(y, [0.0, 1.0])
    targets = y[:, np.newaxis] if y_kind == "number" else (y[:, np.newaxis] == np.unique(y)).astype(float)
    bent = registry.resolve("shape").prepare(x, Role.X).line.basis()
    rests = []
    for columns in ([np.ones(150), z], [np.ones(150), z, *bent.T]):
        design = np.column_stack(columns)
        rests.append(np.sum((targets - design @ np.linalg.lstsq(design, targets, rcond=None)[0]) ** 2))
    y = y if y_kind == "number" else y.astype(str)
    found = bc.adjust("shape", x, y, given=bc.Given(z, control="linear"))

    assert found.observed == pytest.approx(1 - rests[1] / rests[0], rel=1e-9)
    assert found.null.n_resamples is None
    assert found.sign is None


def test_it_is_never_below_the_straight_line_and_finds_what_that_misses(rng):
    z = rng.standard_normal(300)
    x = z + rng.standard_normal(300)
    y = (x - z) ** 2 + z**2 + rng.standard_normal(300)
    line, shape = (bc.adjust(name, x, y, given=z) for name in ("explained", "shape"))

    assert shape.observed >= line.observed
    assert shape.adjusted > 0.2 > 0.05 > line.adjusted
    assert shape.p_value <= 1e-3 < line.p_value


def test_a_ranking_has_the_values_of_its_pairs(rng):
    z, x, y = rng.standard_normal((3, 80))
    (row,) = bc.rank({"x": x, "y": y, "z": z}, target="y", measure="shape", given="z")
    found = bc.adjust("shape", x, y, given={"z": z})

    assert (row["observed"], row["p_value"]) == pytest.approx((found.observed, found.p_value), rel=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("f", [np.square, lambda z: 3 * z, lambda z: 2.0 * (z > 0)])
@pytest.mark.parametrize("y_kind", ["number", "classes"])
def test_it_keeps_its_level_and_is_centered_at_zero(f, y_kind):
    p_values, adjusted = [], []
    for seed in range(300):
        rng = np.random.default_rng([8, seed])
        z = rng.standard_normal(200)
        x, y = f(z) + rng.standard_normal((2, 200))
        y = y if y_kind == "number" else np.digitize(y, np.quantile(y, [0.4, 0.8])).astype(str)
        found = bc.adjust("shape", x, y, given=z, null="moments")
        p_values.append(found.p_value)
        adjusted.append(found.adjusted)

    assert np.mean(np.array(p_values) <= 0.05) <= 0.065 + 3 * np.sqrt(0.05 * 0.95 / 300)
    assert abs(np.mean(adjusted)) < 0.006
