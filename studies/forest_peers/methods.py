"""Compared methods: each makes a model from a seed and fits the table as its users would."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["METHODS", "TREES", "Fit", "NoFit"]

TREES = 300

Fit = Callable[[Any, NDArray[Any], Any, int, bool], NDArray[np.float64]]
"""Training columns, target (class numbers or numbers), new columns, seed, is_classes → shares or means."""


class NoFit(Exception):
    """The method does not take this table."""


def _answers(model: Any, X: Any, is_classes: bool) -> NDArray[np.float64]:
    return np.asarray(model.predict_proba(X) if is_classes else model.predict(X))


def _bychance(kind: str, **options: Any) -> Fit:
    def fit(X: Any, y: NDArray[Any], new: Any, seed: int, is_classes: bool) -> NDArray[np.float64]:
        import bychance as bc

        name = f"{kind}{'Classifier' if is_classes else 'Regressor'}"
        model = getattr(bc, name)(TREES, random_state=seed, **options).fit(X, y)
        return _answers(model, new, is_classes)

    return fit


def _sklearn(kind: str, encoding: str) -> Fit:
    def fit(X: Any, y: NDArray[Any], new: Any, seed: int, is_classes: bool) -> NDArray[np.float64]:
        from sklearn import ensemble
        from sklearn.compose import make_column_transformer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, TargetEncoder

        labels = list(X.select_dtypes("category").columns)
        encoder = (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32)
            if encoding == "one-hot"
            else TargetEncoder(target_type="auto" if is_classes else "continuous", random_state=seed)
        )
        name = f"{kind}{'Classifier' if is_classes else 'Regressor'}"
        forest = getattr(ensemble, name)(TREES, random_state=seed, n_jobs=1)
        model = make_pipeline(make_column_transformer((encoder, labels), remainder="passthrough"), forest)
        return _answers(model.fit(X, y), new, is_classes)

    return fit


def _lightgbm(X: Any, y: NDArray[Any], new: Any, seed: int, is_classes: bool) -> NDArray[np.float64]:
    import lightgbm

    kind = lightgbm.LGBMClassifier if is_classes else lightgbm.LGBMRegressor
    plain = {name: f"x{k}" for k, name in enumerate(X.columns)}
    model = kind(random_state=seed, n_jobs=1, verbose=-1).fit(X.rename(columns=plain), y)
    return _answers(model, new.rename(columns=plain), is_classes)


def _xgboost(X: Any, y: NDArray[Any], new: Any, seed: int, is_classes: bool) -> NDArray[np.float64]:
    import xgboost

    kind = xgboost.XGBClassifier if is_classes else xgboost.XGBRegressor
    plain = {name: f"x{k}" for k, name in enumerate(X.columns)}
    model = kind(random_state=seed, n_jobs=1, enable_categorical=True).fit(X.rename(columns=plain), y)
    return _answers(model, new.rename(columns=plain), is_classes)


def _catboost(X: Any, y: NDArray[Any], new: Any, seed: int, is_classes: bool) -> NDArray[np.float64]:
    import catboost

    labels = list(X.select_dtypes("category").columns)

    def as_text(frame: Any) -> Any:
        return frame.assign(**{n: frame[n].astype(object).where(frame[n].notna(), "missing") for n in labels})

    kind = catboost.CatBoostClassifier if is_classes else catboost.CatBoostRegressor
    model = kind(random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False)
    return _answers(model.fit(as_text(X), y, cat_features=labels), as_text(new), is_classes)


_RANGER = """
library(ranger)
d <- commandArgs(TRUE)[1]; is_classes <- commandArgs(TRUE)[2] == "1"; seed <- as.integer(commandArgs(TRUE)[3])
all <- read.csv(file.path(d, "all.csv"), stringsAsFactors = TRUE, colClasses = c(TARGETS))
old <- all[all$is_new == 0, names(all) != "is_new"]
new <- all[all$is_new == 1, names(all) != "is_new"]
if (is_classes) old$y <- factor(old$y)
model <- ranger(dependent.variable.name = "y", data = old, num.trees = TREES, probability = is_classes,
                respect.unordered.factors = "order", num.threads = 1, seed = seed + 1)
p <- predict(model, new, num.threads = 1)$predictions
if (is_classes) p <- p[, levels(old$y), drop = FALSE]
write.table(p, file.path(d, "out.csv"), sep = ",", row.names = FALSE, col.names = FALSE)
"""


def _ranger(X: Any, y: NDArray[Any], new: Any, seed: int, is_classes: bool) -> NDArray[np.float64]:
    """Fit R's ranger with its defaults and ordered categories. It takes no missing values."""
    import pandas as pd

    if X.isna().any().any() or new.isna().any().any():
        raise NoFit
    both = pd.concat([X, new], ignore_index=True)
    both.columns = [f"x{k}" for k in range(both.shape[1])]
    kinds = ["factor" if kind == "category" else "numeric" for kind in map(str, both.dtypes)]
    script = _RANGER.replace("TREES", str(TREES)).replace(
        "TARGETS", ", ".join(f'"{kind}"' for kind in [*kinds, "numeric", "numeric"])
    )
    # Numbers that keep the order of the class numbers as text.
    target = y + 1000 if is_classes else y
    both["y"] = np.concatenate([target, np.repeat(target[:1], len(new))])
    both["is_new"] = np.repeat([0, 1], [len(X), len(new)])
    with tempfile.TemporaryDirectory() as folder:
        both.to_csv(Path(folder) / "all.csv", index=False)
        # After -e, R ignores a script of 10,000 characters or more, and ends without an error.
        source = Path(folder) / "fit.R"
        source.write_text(script)
        command = ["Rscript", str(source), folder, str(int(is_classes)), str(seed)]
        subprocess.run(command, check=True, capture_output=True)
        found = np.loadtxt(Path(folder) / "out.csv", delimiter=",", ndmin=2)
    return found if is_classes else found[:, 0]


METHODS: dict[str, Fit] = {
    "bychance": _bychance("RandomForest"),
    "bychance extra trees": _bychance("ExtraTrees"),
    "scikit-learn": _sklearn("RandomForest", "one-hot"),
    "scikit-learn, target encoding": _sklearn("RandomForest", "target"),
    "scikit-learn extra trees": _sklearn("ExtraTrees", "one-hot"),
    "ranger": _ranger,
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
}
