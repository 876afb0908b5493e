"""Tests of what neighbors in the covariates have in common beyond noise."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.given import Neighbors, covariates_of, cross_labels
from tests.engine.settings import put

N = 150


def designed(rng, control="smooth"):
    z = [rng.normal(size=N), rng.normal(size=N).round(1), np.array(list("abc"))[rng.integers(0, 3, N)]]
    covariates = covariates_of(z, N)
    labels, numbers, _ = covariates._distinct(None)
    return covariates.design(control, None), cross_labels(labels, N), numbers


def scores(found, columns):
    return found.scores(columns, np.arange(columns.shape[1]), np.ones(columns.shape[1]))


@pytest.mark.parametrize("control", ["smooth", "linear"])
def test_mean_and_variance_are_those_of_the_form_in_noise(rng, control):
    design, strata, numbers = designed(rng, control)
    found = Neighbors.of(design, strata, numbers)
    form, left = found.form.toarray(), design.residualize(np.eye(N))
    products = np.outer(np.diag(left), np.diag(left)) + 2 * left**2

    assert np.trace(form @ left) == pytest.approx(0, abs=1e-9)
    assert found.scale * np.sum(found.squares.toarray() * products) == pytest.approx(
        2 * np.trace(form @ left @ form @ left)
    )


@pytest.mark.parametrize("df", [1000, 3])
def test_noise_is_found_as_often_as_the_level_says(rng, df):
    design, strata, numbers = designed(rng)
    found = scores(Neighbors.of(design, strata, numbers), design.residualize(rng.standard_t(df, (N, 4000))))

    assert abs(np.mean(found)) < 0.1
    assert 0.03 < np.mean(found > 1.645) < 0.08


def test_noise_whose_spread_follows_a_number_is_found_in_few_data_sets(rng):
    """Variance is nearly alike among neighbors, not in wide cells."""
    design, strata, numbers = designed(rng)
    noise = np.exp(numbers[0] / 2)[:, np.newaxis] * rng.normal(size=(N, 4000))

    assert np.mean(scores(Neighbors.of(design, strata, numbers), design.residualize(noise)) > 1.645) < 0.1


def test_neighbors_share_their_stratum(rng):
    design, strata, numbers = designed(rng)
    i, j = Neighbors.of(design, strata, numbers).squares.nonzero()

    assert np.all(strata[i] == strata[j])
    assert np.all(i != j)


def test_equal_rows_are_paired_by_chance_not_in_their_order(rng):
    """A trend over the rows is none over a covariate that has one value."""
    covariates = covariates_of(rng.integers(0, 2, 400).astype(str), 400)
    design, one = covariates.design("smooth", None), np.zeros(400, dtype=np.int32)
    trend = design.residualize(np.linspace(0, 1, 400)[:, np.newaxis] + 0.1 * rng.normal(size=(400, 1)))

    assert scores(Neighbors.of(design, one, []), trend)[0] < 3


def test_many_rows_are_judged_by_some_of_them(rng, monkeypatch):
    design, strata, numbers = designed(rng)
    whole = Neighbors.of(design, strata, numbers).squares.nnz
    put(monkeypatch, most_neighboring_rows=50)
    some = Neighbors.of(design, strata, numbers)

    assert some.squares.nnz < 2 * whole / 3
    left = design.residualize(rng.normal(size=(N, 2000)))
    assert np.std(scores(some, left)) == pytest.approx(1, abs=0.1)


def test_a_row_alone_has_no_neighbors():
    design = covariates_of(np.arange(20).astype(str), 20).design("smooth", None)
    found = Neighbors.of(design, np.arange(20, dtype=np.int32), [])

    assert found.squares.nnz == 0
    assert scores(found, np.ones((20, 1))).tolist() == [0]
