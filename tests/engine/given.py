"""Dependence beyond covariates for tests: designs, measures within cells and their laws, one pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import bychance as bc
from bychance.columns import Column
from bychance.covariates.cells import Cells, cross_labels, split_cells, with_few_values
from bychance.covariates.common_effect import CommonEffect
from bychance.covariates.covariates import Covariates, read_covariates
from bychance.covariates.design import (
    Design,
    make_design,
    natural_spline,
)
from bychance.covariates.design import design_of as design_of_cells
from bychance.covariates.measures import GivenMeasure
from bychance.covariates.moments import stratified_moments
from bychance.covariates.pair import measure_given, prepare_given
from bychance.covariates.residual_tests import Neighbors
from bychance.covariates.separate_effects import StrataKendall, StrataSum
from bychance.measures import registry
from bychance.nulls.exact import enumerate_null
from bychance.nulls.statistics import Moments
from bychance.pair import Pair
from bychance.read_column import read_column

__all__ = [
    "Cells",
    "Neighbors",
    "cells_only",
    "common_effect",
    "control_of",
    "covariates_of",
    "cross_labels",
    "design_of",
    "kendall_in_strata",
    "law_within_cells",
    "measure_beyond",
    "natural_spline",
    "parts_of_ratio",
    "prepare",
    "separate_effects",
    "split_cells",
    "with_few_values",
]

Codes = np.ndarray


class _EveryStratum(StrataSum):
    """A sum over strata with those of one and two rows, which have one value each."""

    @property
    def used_rows(self):
        return self.design.cells.rows


def covariates_of(given: object, n: int) -> Covariates:
    """Return what is controlled, of n rows."""
    return read_covariates(given, n)


def prepare(measure: str, x: object, y: object, given: object) -> Pair:
    """Return a pair beyond covariates, prepared as `adjust` prepares it."""
    columns = read_column(x, "x"), read_column(y, "y")
    return prepare_given(registry.resolve(measure), *columns, covariates_of(given, len(x)))


def design_of(style: str, labels: Sequence[Codes], numbers: Sequence[np.ndarray], n: int) -> Design:
    """Return who may trade places and what is taken out, by the style of control."""
    return make_design(style, labels, numbers, n)


def control_of(given: object, x: np.ndarray, y: np.ndarray) -> str:
    """Return the style of control that two numeric columns get."""
    return covariates_of(given, len(x)).fitting_style(None, x, y, are_ranks=False)


def common_effect(measure: str, strata: Codes, slopes: Sequence[np.ndarray] = ()) -> CommonEffect:
    """Return a measure of one effect within all strata, less a line of each slope."""
    return CommonEffect(registry.resolve(measure), design_of_cells(Cells(strata), [], list(slopes), 1))


def separate_effects(measure: str, strata: Codes, *, counts_every_stratum: bool = False) -> StrataSum:
    """Return a measure that sums the effects of the strata."""
    of = _EveryStratum if counts_every_stratum else StrataSum
    return of(registry.resolve(measure), design_of_cells(Cells(strata), [], [], 1))


def kendall_in_strata(strata: Codes) -> StrataKendall:
    """Return Kendall's measure over strata."""
    return StrataKendall(registry.resolve("kendall"), design_of_cells(Cells(strata), [], [], 1))


def cells_only(measure: CommonEffect) -> CommonEffect:
    """Return the measure with the same cells and nothing else taken out."""
    return CommonEffect(measure.base, design_of_cells(measure.design.cells, [], [], 1))


def measure_beyond(measure: str, columns: Sequence[Column], control: str) -> GivenMeasure | bc.Measure:
    """Return what measures two numeric columns beyond these."""
    covariates = Covariates(tuple(columns), control, "common")
    return measure_given(registry.resolve(measure), covariates, None, control, are_numbers=True)


def law_within_cells(measure: GivenMeasure, x: object, y: object, scale: float = 1.0):
    """Return the law of scale · measure over all permutations within its cells."""
    rows = np.arange(x.n)
    cells = measure.design.cells.rows
    return enumerate_null(
        lambda at: scale * measure.values_at(x, y, at), rows, cells, is_x=False, reason="all arrangements"
    )


def parts_of_ratio(measure: CommonEffect, x: object, y: object) -> tuple[Moments, Moments]:
    """Return the moments of the numerator and the denominator of Freedman and Lane's ratio."""
    top = stratified_moments(x.factor, y.factor).scaled(1 / y.factor.trace)
    mean, square = y.left
    return top, Moments(mean, square - mean**2, 0.0)
