"""Opinions of other libraries on the demo table → the table in docs/comparison.md.

    python -m studies.peers

runs in an environment with these libraries (`make peers`). In that table rainfall, soil and sunshine explain
the yield. The other eight columns are noise: few rows, many categories.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import pandas as pd

from bychance.datasets import DEMO_TRUTH, make_demo

TARGET = "yield"
Scores = dict[str, float]


def bychance_(frame: pd.DataFrame) -> Scores:
    import bychance as bc

    return dict(_pairs(bc.rank(frame, target=TARGET).to_pandas(), "x", "adjusted_at"))


def skrub(frame: pd.DataFrame) -> Scores:
    from skrub import column_associations

    found = column_associations(frame)
    of_target = found[(found["left_column_name"] == TARGET) | (found["right_column_name"] == TARGET)]
    names = of_target["left_column_name"].where(
        of_target["left_column_name"] != TARGET, of_target["right_column_name"]
    )
    return dict(zip(names, of_target["cramer_v"], strict=True))


def ydata_profiling(frame: pd.DataFrame) -> Scores:
    from ydata_profiling import ProfileReport

    report = ProfileReport(frame, progress_bar=False, interactions=None, samples=None, missing_diagrams=None)
    return _of_matrix(report.get_description().correlations["auto"])


def phik(frame: pd.DataFrame) -> Scores:
    import phik  # noqa: F401 adds methods to frames

    return _of_matrix(frame.phik_matrix(verbose=False))


def phik_significance(frame: pd.DataFrame) -> Scores:
    import phik  # noqa: F401

    return _of_matrix(frame.significance_matrix(significance_method="asymptotic", verbose=False))


def ppscore(frame: pd.DataFrame) -> Scores:
    import ppscore as pps

    return dict(_pairs(pps.predictors(frame, TARGET), "x", "ppscore"))


def dython(frame: pd.DataFrame) -> Scores:
    from dython.nominal import associations

    return _of_matrix(associations(frame, compute_only=True)["corr"].abs())


def pingouin(frame: pd.DataFrame) -> Scores:
    import pingouin as pg

    found = pg.pairwise_corr(frame.select_dtypes("number"), columns=[[TARGET], None], padjust="fdr_bh")
    p_column = next(name for name in found.columns if name.replace("-", "_") in ("p_corr", "p_adj"))
    return {row["Y"]: -row[p_column] for _, row in found.iterrows()}


def hyppo(frame: pd.DataFrame) -> Scores:
    from hyppo.independence import Dcorr

    scores = {}
    for name in frame.select_dtypes("number").columns.drop(TARGET):
        both = frame[[name, TARGET]].dropna().to_numpy(float)
        scores[name] = -Dcorr().test(both[:, 0], both[:, 1], reps=999, random_state=0).pvalue
    return scores


def sklearn_impurity(frame: pd.DataFrame) -> Scores:
    return _forest(frame, lambda forest, x, y: forest.feature_importances_)


def sklearn_permutation(frame: pd.DataFrame) -> Scores:
    from sklearn.inspection import permutation_importance

    return _forest(
        frame, lambda forest, x, y: permutation_importance(forest, x, y, random_state=0).importances_mean
    )


def boruta(frame: pd.DataFrame) -> Scores:
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestRegressor

    x, y = _encoded(frame)
    selector = BorutaPy(RandomForestRegressor(n_jobs=1, max_depth=5), n_estimators="auto", random_state=0)
    selector.fit(x.fillna(x.median()).to_numpy(), y.to_numpy())
    # The rank is 1 for all columns that it confirms.
    return dict(zip(x.columns, -selector.ranking_.astype(float), strict=True))


PEERS: dict[str, tuple[str, str, Callable[[pd.DataFrame], Scores]]] = {
    "bychance": ("bychance", "`adjusted_at`", bychance_),
    "skrub": ("skrub", "Cramér's V of binned columns", skrub),
    "ydata-profiling": ("ydata-profiling", "auto correlation", ydata_profiling),
    "phik": ("phik", "φK", phik),
    "phik, significance": ("phik", "Z of φK", phik_significance),
    "ppscore": ("ppscore", "predictive power score", ppscore),
    "dython": ("dython", "r, η or Cramér's V", dython),
    "pingouin": ("pingouin", "p of r, Benjamini–Hochberg; numbers only", pingouin),
    "hyppo": ("hyppo", "p of distance correlation; numbers only", hyppo),
    "scikit-learn": ("scikit-learn", "impurity importance of a forest", sklearn_impurity),
    "scikit-learn, permutation": ("scikit-learn", "permutation importance of a forest", sklearn_permutation),
    "Boruta": ("Boruta", "rank by shadow features (1: confirmed)", boruta),
}


def _forest(frame: pd.DataFrame, importances: Callable[..., Any]) -> Scores:
    from sklearn.ensemble import RandomForestRegressor

    x, y = _encoded(frame)
    forest = RandomForestRegressor(n_estimators=200, random_state=0).fit(x, y)
    return dict(zip(x.columns, importances(forest, x, y), strict=True))


def _encoded(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series[float]]:
    x = frame.drop(columns=TARGET)
    for name in x.columns:
        if not pd.api.types.is_numeric_dtype(x[name]):
            x[name] = x[name].astype("category").cat.codes.replace(-1, np.nan)
    return x.astype(float), frame[TARGET]


def _of_matrix(matrix: pd.DataFrame) -> Scores:
    return {str(name): float(score) for name, score in matrix[TARGET].drop(TARGET).items()}


def _pairs(frame: pd.DataFrame, name: str, score: str) -> list[tuple[str, float]]:
    return list(zip(frame[name], frame[score].astype(float), strict=True))


def line(label: str, package: str, what: str, score: Callable[[pd.DataFrame], Scores]) -> str:
    try:
        label = f"{label} {version(package)}"
        scores = score(pd.DataFrame(make_demo()))
    except (Exception, PackageNotFoundError) as error:
        print(f"{label}: {type(error).__name__}: {error}", file=sys.stderr)
        return f"| {label} | {what} | does not run with these versions of its packages | |"
    ordered = sorted(scores, key=lambda name: -np.nan_to_num(scores[name], nan=-np.inf))
    lowest = max(ordered.index(name) for name in DEMO_TRUTH if name in ordered)
    above = [name for name in ordered[:lowest] if name not in DEMO_TRUTH]
    shown = ", ".join(f"**{name}**" if name in DEMO_TRUTH else name for name in ordered[:5])
    return f"| {label} | {what} | {shown} | {len(above)} |"


def main() -> int:
    warnings.simplefilter("ignore")
    print("| library | score | its first five columns, the three that matter in bold | noise above them |")
    print("|---|---|---|---|")
    for label, (package, what, score) in PEERS.items():
        print(line(label, package, what, score), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
