"""Designs: which rows share a cell, what is taken out of them, and that nothing depends on units or order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from tests.engine.given import cross_labels, design_of, natural_spline, split_cells


def codes(labels):
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def projector_of(design):
    basis = np.column_stack([design.within.toarray(), design.shared])
    return basis @ basis.T


class TestCells:
    @examples(st.integers(1, 400), st.integers(1, 3), st.integers(0, 10**6))
    def test_cells_of_numbers_have_few_or_twice_as_many_rows(self, n, p, seed):
        rng = np.random.default_rng(seed)
        fewest = 6 * (p + 1)
        cells = split_cells(np.zeros(n, dtype=np.int32), list(rng.standard_normal((p, n))), fewest)

        assert cells.sizes.sum() == n
        if n >= 2 * fewest:
            assert cells.sizes.min() >= fewest
            assert cells.sizes.max() < 2 * fewest

    def test_ties_never_part(self, rng):
        z = rng.integers(0, 7, 300).astype(float)
        cells = split_cells(np.zeros(300, dtype=np.int32), [z], 12)

        assert all(len(set(cells.codes[z == value])) == 1 for value in range(7))

    def test_strata_are_never_joined(self, rng):
        strata = codes(rng.integers(0, 4, 200))
        cells = split_cells(strata, [rng.standard_normal(200)], 12)

        assert all(len(set(strata[rows])) == 1 for rows in cells.rows)

    def test_labels_are_crossed_however_many_strata_they_make(self, rng):
        labels = [codes(rng.integers(0, k, 60)) for k in (4, 4, 30)]
        strata = cross_labels(labels, 60)

        assert np.array_equal(strata, codes(labels[0] * 1000 + labels[1] * 100 + labels[2]))
        assert len(np.unique(strata)) > 20

    def test_pairs_are_strata(self):
        pairs = codes(np.repeat(np.arange(30), 2))

        assert len(np.unique(cross_labels([pairs], 60))) == 30

    def test_residuals_sum_to_zero_beside_a_large_mean(self, rng):
        design = design_of("smooth", [codes(rng.integers(0, 5, 100))], [], 100)
        left = design.residualize(1e12 + rng.standard_normal((100, 2)))

        assert np.abs(design.cells.sums(left)).max() < 1e-9


class TestDesigns:
    @pytest.mark.parametrize(("n", "df"), [(20, 3), (60, 5), (200, 6)])
    def test_what_is_left_has_nothing_to_do_with_the_covariates(self, rng, n, df):
        z, site = rng.standard_normal(n), codes(rng.integers(0, 3, n))
        design = design_of("smooth", [site], [z], n)
        left = design.residualize(z**3 + site + rng.standard_normal(n))

        assert np.abs(left @ np.column_stack([z, *natural_spline(z, df)])).max() < 1e-9
        assert np.abs(design.cells.sums(left * z)[design.cells.sizes >= 12]).max(initial=0) < 1e-9

    @pytest.mark.parametrize("style", ["smooth", "linear"])
    def test_residuals_are_those_of_the_whole_projector(self, rng, style):
        n = 90
        design = design_of(style, [codes(rng.integers(0, 3, n))], list(rng.standard_normal((2, n))), n)
        projector, y = projector_of(design), rng.standard_normal(n)

        assert projector @ projector == pytest.approx(projector, abs=1e-10)
        assert round(np.trace(projector)) == design.df
        assert design.residualize(y) == pytest.approx(y - projector @ y, abs=1e-10)

    def test_sums_of_squares_taken_out_are_those_of_the_projector(self, rng):
        design = design_of("smooth", [], [rng.standard_normal(80)], 80)
        centered = design_of("strata", [design.cells.codes], [], 80)
        rows = np.stack([centered.residualize(v) for v in rng.standard_normal((3, 80))])
        taken = np.einsum("sk,kl,sl->s", rows, projector_of(design), rows)

        assert design.explained_squares(rows) == pytest.approx(taken, rel=1e-9)

    @pytest.mark.parametrize("scale", [1e-200, 1.0, 1e9, 1e200])
    def test_units_and_origins_do_not_matter(self, rng, scale):
        z, y = rng.standard_normal((2, 100))
        one, other = design_of("smooth", [], [z], 100), design_of("smooth", [], [scale * z + scale * 3], 100)

        assert np.array_equal(one.cells.codes, other.cells.codes)
        assert other.residualize(y) == pytest.approx(one.residualize(y), abs=1e-6)

    def test_strata_take_nothing_out_within_cells(self, rng):
        design = design_of("strata", [codes(rng.integers(0, 2, 80))], [rng.standard_normal(80)], 80)

        assert design.has_only_cells
        assert design.cells.sizes.min() >= 12

    def test_many_covariates_leave_no_more_than_the_rows(self, rng):
        design = design_of("linear", [], list(rng.standard_normal((30, 20))), 20)

        assert design.df == 20

    @pytest.mark.parametrize("style", ["smooth", "finer", "finest"])
    def test_residuals_do_not_hang_on_the_order_of_rounding(self, style, rng):
        """Rows in another order sum in another order: nearly dependent columns of Z must not magnify that."""
        z = np.exp(1.5 * rng.standard_normal(300))
        x = np.log(z) ** 2 + 0.3 * rng.standard_normal(300)
        residuals = design_of(style, [], [z], 300).residualize(x)
        order = rng.permutation(300)
        reordered = design_of(style, [], [z[order]], 300).residualize(x[order])

        assert reordered == pytest.approx(residuals[order], abs=1e-10 * np.abs(residuals).max())


class TestSplines:
    def test_they_are_linear_beyond_the_last_knots(self):
        """A natural spline has no curvature at its ends."""
        z = np.linspace(0, 1, 401)
        for column in natural_spline(z, 4):
            bends = np.diff(column, 2)
            assert np.abs(bends[[0, -1]]).max() < 0.02 * max(np.abs(bends).max(), 1e-12) + 1e-9

    def test_repeated_knots_are_merged(self):
        z = np.r_[np.zeros(80), np.arange(20.0)]

        assert len(natural_spline(z, 5)) < 5

    def test_they_span_patsy_s_natural_splines(self, rng):
        patsy = pytest.importorskip("patsy", reason="patsy is not installed")
        z = np.sort(rng.standard_normal(60))
        knots = np.quantile(z, [0.2, 0.4, 0.6, 0.8])
        theirs = np.asarray(patsy.dmatrix("cr(z, knots=knots) - 1", {"z": z, "knots": knots}))
        ours = np.column_stack([np.ones(60), *natural_spline(z, 5)])
        fitted = ours @ np.linalg.lstsq(ours, theirs, rcond=None)[0]

        assert fitted == pytest.approx(theirs, abs=1e-8)
