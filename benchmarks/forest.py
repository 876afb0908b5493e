"""Forests against scikit-learn's and LightGBM's: speed, threads, growth, memory and held-out AUC.

Ours reads a frame with its categories, and scikit-learn gets ready-made codes. The small sets are those of
the paper, read from BYCHANCE_DATA or ../shared/data. LightGBM is left out if it cannot be imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import roc_auc_score

import bychance as bc
from benchmarks.mixed_table import mixed_table
from benchmarks.timing import WALL, Row, beside, best_time
from bychance.forest.features import FeatureTable, feature_readers
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from reproduction.data import Data
from reproduction.public_sets import columns_and_classes
from reproduction.sets import load_set

try:
    import lightgbm
except (ImportError, OSError):  # the latter if it finds no OpenMP
    lightgbm = None

CRITERIA = ("fair", "agini, as in the paper")
PEERS = ("sklearn, ordinal codes", "LightGBM rf, 31 leaves")


def rows() -> Iterator[Row]:
    for name, target in [("kr-vs-kp", "at least 3×"), ("tic-tac-toe", "at least 8×")]:
        yield from small_set(name, target)
    yield from large_table()
    yield from regression()
    yield from mixed_regression()
    for n_columns in (20, 50):
        yield prediction(n_columns)
    yield threads()


def facts() -> Iterator[str]:
    """Measure growth, memory and accuracy, which are not ratios."""
    for n_rows in (100, 1_000, 10_000):
        yield candidates(n_rows)
    for forest in ("ours", "scikit-learn"):
        yield growth(forest)
    yield from accuracy()


def small_set(name: str, target: str, n_trees: int = 1_000) -> Iterator[Row]:
    is_here = Data.find().directory.is_dir()
    for criterion in CRITERIA:
        for peer in (*PEERS, "LightGBM rf, grown out"):

            def start(criterion: str = criterion, peer: str = peer):
                columns, y = columns_and_classes(load_set(name, Data.find()))
                X = columns.to_pandas()
                if peer == "LightGBM rf, grown out":
                    grown_out = lightgbm_forest(n_trees).set_params(num_leaves=len(y), min_child_samples=1)
                    theirs = partial(grown_out.fit, X, y)
                else:
                    theirs = peer_fit(peer, X, y, n_trees)
                return partial(our_forest(criterion, n_trees).fit, X, y), theirs

            lacks = lacks_of(peer) if is_here else "ARFF files in BYCHANCE_DATA"
            what = f"{name}, {n_trees:,} trees"
            yield beside(what, start, null=criterion, peer=peer, target=target, lacks=lacks)


def large_table(n_rows: int = 100_000, n_trees: int = 50) -> Iterator[Row]:
    for criterion in CRITERIA:
        for peer in PEERS:

            def start(criterion: str = criterion, peer: str = peer):
                X, y, _ = mixed_table(n_rows)
                ours = partial(our_forest(criterion, n_trees).fit, X, y)
                return ours, peer_fit(peer, X, y, n_trees)

            target = "at least 3×" if peer.startswith("sklearn") else ""
            what = f"mixed table, {n_rows:,} × 20, {n_trees} trees"
            yield beside(what, start, null=criterion, peer=peer, target=target, lacks=lacks_of(peer))


def regression(n_rows: int = 100_000, n_columns: int = 50, n_trees: int = 4) -> Iterator[Row]:
    """Time numeric targets and columns, a third of the columns tried per node."""
    drawn: dict[str, dict[str, Any]] = {
        "63.2% of the rows": {},
        "bootstrap": {"bootstrap": True, "max_samples": None},
    }
    for which, options in drawn.items():

        def start(options: dict[str, Any] = options):
            rng = np.random.default_rng(0)
            X = rng.normal(size=(n_rows, n_columns))
            y = X[:, 0] - X[:, 1] + 0.8 * X[:, 2] * X[:, 3] + rng.normal(size=n_rows)
            peer = RandomForestRegressor(n_trees, max_features=1 / 3, random_state=0)
            return partial(our_regressor(n_trees, **options).fit, X, y), partial(peer.fit, X, y)

        what = f"regression, {n_rows:,} × {n_columns} numeric, {n_trees} trees"
        yield beside(what, start, null=f"fair, {which}", peer="sklearn, bootstrap", target="at least 3×")


def mixed_regression(n_rows: int = 100_000, n_trees: int = 4) -> Iterator[Row]:
    """Time fits and predictions of a numeric target on the mixed table."""
    for coding, code in {"ordinal codes": ordinal, "one-hot": one_hot}.items():
        for what, target in [("fit", "at least 5×"), ("prediction", "at least 2×")]:

            def start(code: Callable[[pd.DataFrame], np.ndarray] = code, what: str = what):
                X, _, shares = mixed_table(n_rows)
                coded = code(X)
                y = np.log(shares / (1 - shares)) + np.random.default_rng(0).normal(size=n_rows)
                ours = our_regressor(n_trees)
                peer = RandomForestRegressor(n_trees, max_features=1 / 3, random_state=0)
                if what == "fit":
                    return partial(ours.fit, X, y), partial(peer.fit, coded, y)
                return partial(ours.fit(X, y).predict, X), partial(peer.fit(coded, y).predict, coded)

            named = f"regression, mixed table, {n_rows:,} × 20, {n_trees} trees, {what}"
            yield beside(named, start, null="fair", peer=f"sklearn, {coding}", target=target)


def prediction(n_columns: int, n_rows: int = 100_000, n_trees: int = 20) -> Row:
    """Time the class shares of the rows that the forests were grown on."""

    def start():
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n_rows, n_columns))
        y = X[:, 0] - X[:, 1] + 0.8 * X[:, 2] * X[:, 3] + rng.normal(size=n_rows) > 0
        ours, peer = (f.fit(X, y) for f in (our_forest("fair", n_trees), sklearn_forest(n_trees)))
        return partial(ours.predict_proba, X), partial(peer.predict_proba, X)

    what = f"prediction, {n_rows:,} × {n_columns} numeric, {n_trees} trees"
    return beside(what, start, null="fair", peer="sklearn", target="at least 2×")


def threads(n_rows: int = 100_000, n_trees: int = 64) -> Row:
    """Time two threads (or sixteen, with as many cores) against one."""
    n_threads, target = (16, "at least 12×") if (os.cpu_count() or 1) >= 16 else (2, "at least 1.8×")

    def start():
        X, y, _ = mixed_table(n_rows)
        many, one = (bc.RandomForestClassifier(n_trees, n_jobs=n, random_state=0) for n in (n_threads, 1))
        return partial(many.fit, X, y), partial(one.fit, X, y)

    what = f"mixed table, {n_rows:,} × 20, {n_trees} trees, {n_threads} threads"
    return beside(what, start, null="fair", peer="one thread", target=target, clock=WALL)


def candidates(n_rows: int, n_copies: int = 10) -> str:
    """Time one split of all columns, many times over, with equally many candidates per criterion."""
    X, y, _ = mixed_table(2 * n_rows)
    wide = pd.concat([X.add_suffix(f"_{k}") for k in range(n_copies)], axis=1)
    features = FeatureTable.read(feature_readers(wide, "from_dtype"), len(wide))
    costs = []
    for criterion, split in [("sgini", "multiway"), ("agini", "multiway"), ("fair", "ordered")]:
        adjusted, raw = (
            partial(one_split, features, y.astype(np.int32), n_rows, which, split)
            for which in (criterion, "gini")
        )
        number = max(2, 20_000 // n_rows)
        ratios = [best_time(adjusted, number=number) / best_time(raw, number=number) for _ in range(9)]
        costs.append(f"{criterion} {median(ratios):.2f}×")
    return f"one candidate split of {n_rows:,} rows, cost against raw Gini (at most 1.3×): {', '.join(costs)}"


def one_split(features: FeatureTable, y: np.ndarray, n_rows: int, criterion: Any, split: Any) -> None:
    settings = GrowSettings(
        criterion=criterion,
        categorical_split=split,
        max_features=features.n_features,
        max_depth=1,
        n_grow=n_rows,
        n_order=n_rows // 2 if split == "ordered" else 0,
    )
    grow_tree(Training(features, y, 2), settings, (1, 2))


def our_forest(criterion: str, n_trees: int) -> bc.RandomForestClassifier:
    if criterion == "fair":
        return bc.RandomForestClassifier(n_trees, random_state=0)
    return bc.RandomForestClassifier.from_paper(n_estimators=n_trees, random_state=0)


def our_regressor(n_trees: int, **options: Any) -> bc.RandomForestRegressor:
    return bc.RandomForestRegressor(n_trees, max_features=1 / 3, shrinkage="none", random_state=0, **options)


def peer_fit(peer: str, X: pd.DataFrame, y: np.ndarray, n_trees: int) -> Callable[[], Any]:
    """Return the fit function of this peer, on one thread."""
    if peer.startswith("sklearn"):
        return partial(sklearn_forest(n_trees).fit, ordinal(X), y)
    return partial(lightgbm_forest(n_trees).fit, X, y)


def lacks_of(peer: str) -> str:
    return "LightGBM" if lightgbm is None and peer.startswith("LightGBM") else ""


def sklearn_forest(n_trees: int, n_jobs: int = 1) -> RandomForestClassifier:
    return RandomForestClassifier(n_trees, n_jobs=n_jobs, random_state=0)


def lightgbm_forest(n_trees: int, n_jobs: int = 1) -> Any:
    """Make a forest of LightGBM: half of the rows per tree, a quarter of the columns per node, 31 leaves."""
    return lightgbm.LGBMClassifier(
        boosting_type="rf",
        n_estimators=n_trees,
        subsample=0.5,
        subsample_freq=1,
        feature_fraction_bynode=0.25,
        n_jobs=n_jobs,
        random_state=0,
        verbose=-1,
    )


def ordinal(X: pd.DataFrame) -> np.ndarray:
    """Replace categories by their numbers."""
    columns = [X[name].cat.codes if X[name].dtype == "category" else X[name] for name in X]
    return np.column_stack(columns).astype(np.float32)


def one_hot(X: pd.DataFrame) -> np.ndarray:
    return pd.get_dummies(X, dtype=np.float32).to_numpy(dtype=np.float32)


GROWTH = """
import sys, time
from benchmarks.forest import bc, mixed_table, ordinal, sklearn_forest
from benchmarks.memory import peak_mb
forest, n_rows, n_trees = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X, y, _ = mixed_table(n_rows)
if forest == "ours":
    model = bc.RandomForestClassifier(n_trees, random_state=0)
else:
    model, X = sklearn_forest(n_trees), ordinal(X)
before, started = peak_mb() / 1e3, time.perf_counter()
model.fit(X, y)
print(time.perf_counter() - started, before, peak_mb() / 1e3)
"""


def growth(forest: str, n_trees: int = 10) -> str:
    """Measure seconds and peak memory of processes that fit one forest each."""
    shown = []
    for n_rows in (10_000, 100_000, 1_000_000):
        command = [sys.executable, "-c", GROWTH, forest, str(n_rows), str(n_trees)]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        seconds, before, peak = map(float, out.split())
        shown.append(f"{n_rows:,} rows {seconds:.2f} s, {peak:.2f} GB ({before:.2f} before fit)")
    return f"mixed table, {n_trees} trees, {forest}: {'; '.join(shown)}"


def accuracy(n_rows: int = 100_000, n_trees: int = 200) -> Iterator[str]:
    """Compute AUC on rows of the same table that no forest has seen."""
    X, y, p = mixed_table(2 * n_rows)
    train, test = slice(n_rows), slice(n_rows, None)
    ways: dict[str, tuple[Any, Any]] = {
        "fair": (bc.RandomForestClassifier(n_trees, n_jobs=-1, random_state=0), X),
        "sklearn, ordinal codes": (sklearn_forest(n_trees, n_jobs=-1), ordinal(X)),
        "sklearn, one-hot": (sklearn_forest(n_trees, n_jobs=-1), one_hot(X)),
    }
    if lightgbm is not None:
        ways["LightGBM rf, 31 leaves"] = (lightgbm_forest(n_trees, n_jobs=-1), X)
    truth = roc_auc_score(y[test], p[test])
    yield f"held-out AUC, mixed table, {n_rows:,} rows, {n_trees} trees (the true shares: {truth:.4f})"
    for name, (forest, data) in ways.items():
        shares = forest.fit(data[train], y[train]).predict_proba(data[test])[:, 1]
        target = "  (target: 0.895, and the best peer)" if name == "fair" else ""
        yield f"  {name}: {roc_auc_score(y[test], shares):.4f}{target}"
