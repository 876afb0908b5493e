"""Answers on public tables, against R (lm, mantelhaen.test, coin) and ordinary least squares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris

import bychance as bc
from tests.covariates.tables import BERKELEY, CYL, HP, MPG, WT, berkeley
from tests.engine.given import natural_spline


def test_berkeley_admits_more_men_until_departments_are_given():
    gender, admitted, department = berkeley()
    raw = bc.adjust("explained", gender, admitted, null="moments")
    given = bc.adjust("explained", gender, admitted, given=department, null="moments")

    assert raw.observed == pytest.approx(0.020372355372, abs=5e-13)
    assert given.observed == pytest.approx(0.000318085698, abs=5e-13)
    assert given.null.mean == pytest.approx(0.000208634598, abs=5e-13)
    assert given.null.std**2 == pytest.approx(8.6996013e-8, rel=1e-7)
    assert given.adjusted == pytest.approx(0.000109474, abs=5e-10)
    assert given.p_value == pytest.approx(0.21696, abs=5e-6)
    assert given.null.engine == "beta (exact moments, given)"


def test_the_common_effect_over_its_mean_is_mantel_and_haenszel_s_statistic():
    gender, admitted, department = berkeley()
    given = bc.adjust("explained", gender, admitted, given=department)
    together = spread = 0.0
    for men_in, men_out, women_in, women_out in BERKELEY.values():
        men, women, admitted_here = men_in + men_out, women_in + women_out, men_in + women_in
        n = men + women
        together += men_in - men * admitted_here / n
        spread += men * women * admitted_here * (n - admitted_here) / (n**2 * (n - 1))

    assert given.observed / given.null.mean == pytest.approx(together**2 / spread, rel=1e-12)
    assert given.observed / given.null.mean == pytest.approx(1.524606660, abs=5e-10)
    assert given.p_value == pytest.approx(0.227762527, abs=5e-10)  # R's exact conditional test
    assert (given.null.engine, given.p_kind) == ("exact tables (given)", "exact")


def test_one_department_of_berkeley_differs():
    gender, admitted, department = berkeley()
    separate = bc.Given(department, effect="separate")
    tau = bc.adjust("explained", gender, admitted, given=separate, null="moments")
    information = bc.adjust("mi", gender, admitted, given=department, null="moments")

    assert tau.observed == pytest.approx(0.005016680684, abs=5e-13)
    assert tau.null.mean == pytest.approx(0.001308381853, abs=5e-13)
    assert tau.adjusted == pytest.approx(0.003713, abs=5e-7)
    assert tau.p_value == pytest.approx(0.00126, abs=5e-6)
    assert information.observed == pytest.approx(0.003464174529, abs=5e-13)
    assert information.null.mean == pytest.approx(0.00096409, abs=5e-9)
    assert information.p_value == pytest.approx(0.00146, abs=5e-6)
    assert 2 * 4526 * information.observed * np.log(2) == pytest.approx(21.735506778, abs=5e-10)  # G²


def test_sepals_of_one_species_grow_together():
    iris = load_iris()
    length, width, species = iris.data[:, 0], iris.data[:, 1], iris.target.astype(str)
    raw, given = bc.adjust("r2", width, length), bc.adjust("r2", width, length, given=species)
    ranks = bc.adjust("spearman", width, length, given=species)

    assert (raw.observed, raw.sign) == (pytest.approx(0.013822654141, abs=5e-13), -1)
    assert (given.observed, given.sign) == (pytest.approx(0.281149985841, abs=5e-13), 1)
    assert given.null.mean == pytest.approx(0.006387895159, abs=5e-13)
    assert given.observed / given.null.mean == pytest.approx(44.0129305257, abs=5e-10)
    assert given.adjusted == pytest.approx(0.276528525914, abs=5e-13)
    assert ranks.observed == pytest.approx(0.320912711538, abs=5e-13)
    assert ranks.observed / ranks.null.mean == pytest.approx(47.1744063117, abs=5e-10)


def test_horsepower_and_mileage_given_weight():
    linear = bc.Given(WT, control="linear")
    normal = bc.adjust("r2", HP, MPG, given=linear, null="normal")
    matched = bc.adjust("explained", HP, MPG, given=linear)
    default = bc.adjust("explained", HP, MPG, given=WT)

    assert normal.observed == pytest.approx(0.299200930896, abs=5e-13)
    assert normal.p_value == pytest.approx(0.00145122853, abs=5e-12)
    assert normal.adjusted == pytest.approx(0.275035445755, abs=5e-13)
    assert matched.p_value == pytest.approx(0.0014720, abs=5e-8)
    assert (default.given.n_cells, default.given.df) == (2, 8)
    assert default.observed == pytest.approx(0.268816081834, abs=5e-13)
    assert default.null.mean == pytest.approx(0.0426651488, abs=5e-11)
    assert default.null.std**2 == pytest.approx(0.00315303560, abs=5e-12)
    assert default.p_value == pytest.approx(0.00834803, abs=5e-9)


def test_horsepower_and_mileage_given_a_curve_of_weight():
    """R: ns(wt, 5) in one cell. Its columns rise with each other, and each counts."""
    curve = bc.Given(natural_spline(np.array(WT), 5), control="linear")
    normal = bc.adjust("r2", HP, MPG, given=curve, null="normal")

    assert normal.given.df == 6
    assert normal.observed == pytest.approx(0.316398546361, abs=5e-13)
    assert normal.p_value == pytest.approx(0.00225769, abs=5e-9)


@pytest.mark.parametrize("control", ["linear", "smooth"])
def test_a_rising_function_of_a_covariate_is_another_covariate(rng, control):
    """X and y share nothing but z², so taking z out alone leaves them related."""
    z = rng.uniform(1, 3, 300)
    x, y = (z**2 - 4 * z + 0.3 * rng.standard_normal(300) for _ in range(2))
    both, once, twice = (
        bc.adjust("r2", x, y, given=bc.Given(columns, control=control))
        for columns in ([z, z**2], [z], [z, 5 - 9 * z])
    )

    assert both.given.df > once.given.df
    assert both.p_value > 0.01
    assert (twice.observed, twice.given.df) == (pytest.approx(once.observed, rel=1e-9), once.given.df)
    if control == "linear":
        assert once.p_value < 1e-3


def test_horsepower_and_mileage_given_cylinders():
    given = bc.adjust("explained", HP, MPG, given=[str(c) for c in CYL])
    textbook = bc.Given([str(c) for c in CYL], control="linear")

    assert given.observed == pytest.approx(0.079979633843, abs=5e-13)
    assert given.null.mean == pytest.approx(0.0253153871, abs=5e-11)
    assert given.observed / given.null.mean == pytest.approx(3.15932888635, abs=5e-11)
    assert given.p_value == pytest.approx(0.0733, abs=5e-5)
    assert bc.adjust("r2", HP, MPG, given=textbook, null="normal").p_value == pytest.approx(0.1300, abs=5e-5)


def least_squares(columns, y):
    """Compute the residual sum of squares and the rank of a design."""
    design = np.column_stack([np.ones(len(y)), *columns])
    fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(np.sum((y - fitted) ** 2)), int(np.linalg.matrix_rank(design))


@pytest.mark.parametrize("x_is_labels", [False, True])
def test_linear_control_is_the_f_test_of_least_squares(rng, x_is_labels):
    n = 60
    z, site = rng.standard_normal(n), rng.integers(0, 3, n)
    x = rng.integers(0, 4, n) if x_is_labels else z + rng.standard_normal(n)
    y = z**2 + site + 0.3 * x + rng.standard_normal(n)
    covariates = [z, *(site == k for k in range(1, 3))]
    x_columns = [x == k for k in range(1, 4)] if x_is_labels else [x]
    without, k = least_squares(covariates, y)
    with_x, rank = least_squares([*covariates, *x_columns], y)
    q = rank - k
    share = (without - with_x) / without
    tail = float(stats.f.sf(share / q / ((1 - share) / (n - rank)), q, n - rank))
    given = bc.Given({"z": z, "site": site.astype(str)}, control="linear")
    found = bc.adjust("explained", x.astype(str) if x_is_labels else x, y, given=given, null="normal")

    assert found.observed == pytest.approx(share, rel=1e-10)
    assert found.p_value == pytest.approx(tail, rel=1e-8)
    assert found.adjusted == pytest.approx(
        1 - (1 - share) * (n - k) / (n - rank), rel=1e-9
    )  # adjusted partial R²
    assert found.given.df == k


def test_linear_control_is_statsmodels_f_test(rng):
    sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    z, x = rng.standard_normal((2, 50))
    y = z + 0.4 * x + rng.standard_normal(50)
    full = sm.OLS(y, sm.add_constant(np.column_stack([z, x]))).fit()
    reduced = sm.OLS(y, sm.add_constant(z)).fit()
    found = bc.adjust("r2", x, y, given=bc.Given(z, control="linear"), null="normal")

    assert found.p_value == pytest.approx(full.compare_f_test(reduced)[1], rel=1e-9)
    assert found.observed == pytest.approx(1 - full.ssr / reduced.ssr, rel=1e-10)
