"""Figures of forests: accuracy against alpha, and importances with their uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bychance.array_types import FloatArray, IndexArray
from bychance.forest import AlphaCurve, ImportanceTest
from bychance.forest.base import TreesEstimator
from bychance.plots.drawing import (
    ADJUSTED,
    CHANCE,
    CHANCE_BAR,
    axes_or_new,
    plot_filled,
    shown,
    style,
    use_log,
)
from bychance.validation import whole_number

__all__ = ["plot_alpha_curve", "plot_importances"]


def plot_alpha_curve(curve: AlphaCurve, *, ax: Axes | None = None) -> Axes:
    """Plot a forest's AUC against the alpha of its splits, beside forests that split by raw Gini and SGini.

    Parameters
    ----------
    curve : AlphaCurve
        Result of `bc.alpha_curve`.
    ax : matplotlib Axes, optional
        Axes to draw into, by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = bc.RandomForestClassifier.from_paper(n_estimators=10)
    >>> ax = bc.plot_alpha_curve(bc.alpha_curve(X, y, alphas=[0.05, 0.5], n_repeats=2, forest=forest))
    >>> ax.get_xscale()
    'log'
    """
    names = curve.table.names
    means = dict(zip(names, curve.table.mean, strict=True))
    errors = dict(zip(names, curve.table.standard_error, strict=True))
    with style():
        ax = axes_or_new(ax)
        for name, label, line in (("gini", "Gini", ":"), ("sgini", "SGini", "--")):
            low, high = means[name] - errors[name], means[name] + errors[name]
            ax.axhspan(low, high, color=CHANCE, alpha=0.15, linewidth=0)
            ax.axhline(means[name], linestyle=line, color=CHANCE, label=label)
        looks: dict[str, Any] = {"marker": "o", "capsize": 3, "color": ADJUSTED}
        ax.errorbar(curve.alphas, curve.auc, yerr=curve.standard_error, label="AGini(α)", **looks)
        use_log(ax, "{x:g}")
        ax.set(xlabel="α", ylabel="AUC on held-out folds (± standard error)")
        ax.legend()
    return ax


def plot_importances(
    importances: TreesEstimator | ImportanceTest,
    k: int = 20,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Plot a forest's k largest importances, with standard errors or with importances for permuted targets.

    Parameters
    ----------
    importances : forest, tree or ImportanceTest
        A fitted forest: bars are two standard errors over trees. Or what `importance_test` gives: bars are
        what 90% of the forests grown on permuted targets gave, and filled points have p ≤ 0.05.
    k : int
        Number of columns.
    ax : matplotlib Axes, optional
        Axes to draw into, by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = bc.RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> ax = bc.plot_importances(forest, 2)
    >>> sorted(label.get_text() for label in ax.get_yticklabels())
    ['petal length (cm)', 'petal width (cm)']
    """
    if isinstance(importances, ImportanceTest):
        values, names = importances.importances, importances.names
    else:
        values = np.asarray(importances.feature_importances_)
        names = _names_of(importances, len(values))
    order = np.argsort(-values, kind="stable")[: whole_number(k, "k")]
    with style():
        ax = axes_or_new(ax, height=1.2 + 0.28 * len(order))
        ax.axvline(0, color="black", linewidth=0.8)
        if isinstance(importances, ImportanceTest):
            _draw_beside_chance(ax, importances, order)
        else:
            _draw_with_errors(ax, importances, values[order], order)
        ax.set_yticks(range(len(order)), [shown(names[k]) for k in order])
        ax.set(xlabel="importance: gain out of bag, less chance", ylim=(len(order) - 0.5, -0.5))
        ax.grid(axis="y", visible=False)
        ax.legend(loc="lower right")
    return ax


def _names_of(estimator: Any, n_features: int) -> tuple[str, ...]:
    names = getattr(estimator, "feature_names_in_", None)
    return tuple(f"column {k}" for k in range(n_features)) if names is None else tuple(names)


def _draw_with_errors(ax: Axes, estimator: Any, values: FloatArray, order: IndexArray) -> None:
    errors = getattr(estimator, "feature_importances_se_", None)
    width = None if errors is None else 2 * np.asarray(errors)[order]
    label = "importance" if errors is None else "importance ± 2 standard errors"
    looks: dict[str, Any] = {"fmt": "o", "capsize": 2, "color": ADJUSTED}
    ax.errorbar(values, np.arange(len(order)), xerr=width, label=label, **looks)


def _draw_beside_chance(ax: Axes, test: ImportanceTest, order: IndexArray) -> None:
    at = np.arange(len(order))
    low, high = np.quantile(test.null[:, order], [0.05, 0.95], axis=0)
    ax.barh(at, high - low, left=low, height=0.55, color=CHANCE_BAR, label="permuted classes, 90%")
    is_small = test.p_values[order] <= 0.05
    plot_filled(ax, test.importances[order], is_small, ("p ≤ 0.05", "p > 0.05"), color=ADJUSTED)
