"""Feature selection: scikit-learn's contract, selections with a known truth, and refused input."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import bychance as bc
from bychance.datasets import DEMO_TRUTH, make_demo
from tests.engine.ranking import DEFAULTS
from tests.selection.tables import LIBRARIES, demo, noisy

SETTINGS = [
    bc.ChanceSelector(),
    bc.ChanceSelector(k=1),
    bc.ChanceSelector("spearman", by="adjusted", fdr_level=0.2),
    bc.ChanceSelector("r2", by="p_value", threshold=-0.5, null=bc.Permutation(99)),
]


def test_parameters_of_a_ranking_default_to_those_of_rank_but_for_the_null():
    own = bc.ChanceSelector().get_params()

    shared = {**DEFAULTS, "null": "moments", "fdr_level": None}
    assert {name: shared[name] for name in own if name in shared} == {
        name: value for name, value in own.items() if name in shared
    }


# scikit-learn's contract


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.filterwarnings("ignore:99 permutations are too few")
@parametrize_with_checks(SETTINGS)
@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


def test_every_check_of_select_k_best_is_run_here_too():
    """Its tags leave out none but those about NaN, which are accepted here."""

    def names(estimator):
        checks = estimator_checks_generator(estimator)
        return {getattr(check, "func", check).__name__ for _, check in checks}

    assert names(SelectKBest()) - names(bc.ChanceSelector()) == {"check_estimators_nan_inf"}


def test_importing_bychance_lists_what_is_loaded_later():
    assert "ChanceSelector" in dir(bc)
    with pytest.raises(AttributeError, match="no attribute 'Selector'"):
        _ = bc.Selector


# Selections with a known truth


@pytest.mark.parametrize(
    "choice",
    [{}, {"null": "auto"}, {"fdr_level": 0.05}, {"k": 3}, {"by": "standardized", "threshold": 3.0}],
)
@pytest.mark.slow
def test_columns_that_matter_are_kept_and_noise_is_not(choice, library):
    X, y = demo(library)

    selector = bc.ChanceSelector(**choice).fit(X, y)

    assert selector.get_feature_names_out().tolist() == list(DEMO_TRUTH)


def test_raw_scores_would_keep_noise():
    X, y = demo()

    kept = bc.ChanceSelector(by="observed", k=3, null="moments").fit(X, y).get_feature_names_out()

    assert set(kept) - set(DEMO_TRUTH)


@pytest.mark.statistical
def test_false_discoveries_stay_below_the_rate_that_was_asked_for():
    """In 300 tables 5 of 45 columns matter: noise is at most 0.1 · 40/45 of the kept."""
    shares = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 45))
        y = X[:, :5].sum(axis=1) + rng.normal(size=60)
        kept = bc.ChanceSelector(fdr_level=0.1, null="moments").fit(X, y).get_support(indices=True)
        shares.append(np.mean(kept >= 5) if len(kept) else 0.0)

    mean, error = np.mean(shares), np.std(shares) / np.sqrt(len(shares))

    assert mean < 0.1 * 40 / 45 + 3 * error
    assert mean > 0.03  # the rate is made use of


@pytest.mark.statistical
def test_noise_is_hardly_ever_kept_if_nothing_is_chosen():
    """300 tables of 40 columns of noise: at most a share 0.05 of them keep any, to three standard errors."""
    n_kept = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 40)), rng.normal(size=80)
        n_kept.append(bc.ChanceSelector().fit(X, y).support_.sum())

    assert np.mean(np.array(n_kept) > 0) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_if_nothing_is_chosen_q_values_up_to_0_05_are_kept(rng):
    X, y = noisy(rng)
    selector = bc.ChanceSelector(by="observed").fit(X, y)

    np.testing.assert_array_equal(selector.support_, selector.qvalues_ <= 0.05)
    assert set(selector.ranking_.to_frame()["p_kind"].to_pylist()) <= {"matched", "exact"}


def test_a_measure_without_moments_names_the_null_to_use(rng):
    X, y = noisy(rng)

    with pytest.raises(
        bc.BychanceError, match=r"no exact moments in closed form\. `null='auto'` always works"
    ):
        bc.ChanceSelector("mic").fit(X, y)
    assert bc.ChanceSelector("mic", null="auto").fit(X, y).support_.any()


@pytest.mark.statistical
def test_a_share_alpha_of_noise_is_kept_above_a_threshold_of_zero(rng):
    """2,000 columns of noise at alpha = 0.1: within four standard errors of a tenth."""
    X, y = rng.normal(size=(50, 2000)), rng.normal(size=50)

    kept = bc.ChanceSelector(alpha=0.1, threshold=0).fit(X, y).get_support().mean()

    assert abs(kept - 0.1) < 4 * np.sqrt(0.1 * 0.9 / 2000)


@pytest.mark.parametrize("fdr", ["bh", "by"])
def test_the_method_of_the_q_values_is_that_of_rank(fdr):
    X, y = demo()
    selector = bc.ChanceSelector(null="moments", fdr=fdr, fdr_level=0.05).fit(X, y)
    expected = stats.false_discovery_control(selector.pvalues_, method=fdr)

    np.testing.assert_allclose(selector.qvalues_, expected, rtol=1e-12)
    np.testing.assert_array_equal(selector.support_, expected <= 0.05)
    assert selector.ranking_.fdr_level == 0.05


# The figures


def test_figures_are_those_of_rank(library):
    X, y = demo(library)
    selector = bc.ChanceSelector(null=bc.Permutation(199), fdr_level=0.05, random_state=3).fit(X, y)

    table = {**make_demo(), "y": y}
    del table["yield"]
    records = {r["x"]: r for r in bc.rank(table, target="y", null=bc.Permutation(199), rng=3).best()}

    assert set(selector.feature_names_in_) == set(records)
    for k, name in enumerate(selector.feature_names_in_):
        assert selector.scores_[k] == records[name]["adjusted_at"]
        assert selector.pvalues_[k] == records[name]["p_value"]
        assert selector.qvalues_[k] == records[name]["q_value"]
    assert selector.ranking_.n_pairs == selector.n_features_in_ == len(records)


def test_score_of_a_p_value_is_larger_for_smaller_ones(rng):
    X, y = noisy(rng)

    selector = bc.ChanceSelector(by="p_value", threshold=-0.001).fit(X, y)

    np.testing.assert_array_equal(selector.scores_, -selector.pvalues_)
    assert selector.get_support(indices=True).tolist() == [0, 1]


@pytest.mark.parametrize("null", ["auto", bc.Permutation(99)])
def test_same_seed_same_answer_whatever_the_threads(null, rng):
    X, y = noisy(rng)

    one, again, threads = (
        bc.ChanceSelector(null=null, fdr_level=0.2, random_state=7, n_jobs=jobs).fit(X, y)
        for jobs in (1, None, 2)
    )

    for other in (again, threads):
        np.testing.assert_array_equal(one.pvalues_, other.pvalues_)
        np.testing.assert_array_equal(one.scores_, other.scores_)


def test_another_seed_draws_other_permutations(rng):
    X, y = noisy(rng)
    selector = bc.ChanceSelector(null=bc.Permutation(99), fdr_level=0.2)

    first, second = (
        clone(selector).set_params(random_state=seed).fit(X, y).pvalues_
        for seed in (1, np.random.RandomState(5))
    )

    assert (first != second).any()


# In scikit-learn's company


def test_grid_search_finds_how_many_columns_matter():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 12))
    y = X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=150)
    pipeline = make_pipeline(StandardScaler(), bc.ChanceSelector(k=1, null="moments"), LinearRegression())

    search = GridSearchCV(pipeline, {"chanceselector__k": [1, 2, 3]}, cv=3).fit(X, y)

    assert search.best_params_ == {"chanceselector__k": 3}
    assert search.best_estimator_[1].get_support(indices=True).tolist() == [0, 1, 2]


def test_column_transformer_selects_within_its_columns():
    X, y = demo()
    numbers = ["rainfall", "sunshine", "survey_1"]
    selector = bc.ChanceSelector(null="moments")
    transformer = ColumnTransformer(
        [("numbers", selector, numbers), ("labels", selector, ["soil", "farmer"])]
    ).set_output(transform="pandas")

    selected = transformer.fit_transform(X, y)

    assert list(selected.columns) == ["numbers__rainfall", "numbers__sunshine", "labels__soil"]


@pytest.mark.slow
def test_a_pickled_selector_selects_the_same_and_holds_no_data():
    X, y = demo(secret=np.repeat("a rather long label", 400))
    selector = bc.ChanceSelector().fit(X, y)

    packed = pickle.dumps(selector)
    loaded = pickle.loads(packed)

    assert loaded.transform(X).equals(selector.transform(X))
    assert loaded.ranking_.to_frame().equals(selector.ranking_.to_frame())
    assert b"a rather long label" not in packed
    assert len(packed) < 10_000
    assert len(selector.ranking_.sweep([0.3]).rows) == 12
    with pytest.raises(bc.BychanceError, match="without its data"):
        loaded.ranking_.sweep([0.3])


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 2, "fdr_level": 0.1}, "Only one of .* got k=2, fdr_level=0.1"),
        ({"k": 0}, "`k` must be a positive integer, got 0"),
        ({"k": True}, "`k` must be a positive integer, got True"),
        ({"k": 1.5}, "`k` must be a positive integer, got 1.5"),
        ({"fdr_level": 0.0}, r"`fdr_level` must lie in \(0, 1\], got 0.0"),
        ({"threshold": float("nan")}, "`threshold` must be a finite number, got nan"),
        ({"by": "adjustd"}, "Did you mean 'adjusted'"),
        ({"measure": "r3"}, "`measure` must be one of"),
        ({"alpha": 2}, r"`alpha` must lie in \(0, 1\], got 2"),
        ({"min_n": 1}, "`min_n` must be an integer of at least 3, got 1"),
        ({"target_kind": "number"}, "Did you mean 'numeric'.* `target_kind` must be one of"),
    ],
)
def test_wrong_settings_are_named(options, message, rng):
    X, y = noisy(rng)

    with pytest.raises(ValueError, match=message):
        bc.ChanceSelector(**options).fit(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (np.ones(80), "`y` must vary, got one class or value throughout"),
        (np.full(80, np.nan), "`y` must vary, got no values"),
        (["u"] * 80, "`y` must vary, got one class"),
        (np.ones((80, 2)), "must have one value per row, got 2 columns"),
        (np.arange(79), "inconsistent numbers of samples"),
        (np.where(np.arange(80) == 3, np.inf, 0.0), "`y` must be finite, got inf at row 3"),
    ],
)
def test_a_wrong_target_is_named(y, message, rng):
    X, _ = noisy(rng)

    with pytest.raises(ValueError, match=message):
        bc.ChanceSelector().fit(pd.DataFrame(X).add_prefix("x"), y)


def test_more_than_all_columns_are_all_with_a_warning(rng):
    X, y = noisy(rng)

    with pytest.warns(UserWarning, match="k=7 is greater than n_features=6"):
        selector = bc.ChanceSelector(k=7).fit(X, y)

    assert selector.get_support().all()


def test_an_empty_selection_is_empty_with_a_warning(library, rng):
    X = {"a": rng.normal(size=50), "b": rng.normal(size=50)}
    selector = bc.ChanceSelector(threshold=0.9).fit(LIBRARIES[library](X), rng.normal(size=50))

    with pytest.warns(UserWarning, match="No features were selected"):
        selected = selector.transform(LIBRARIES[library](X))

    assert selected.shape[1] == 0


@pytest.mark.slow
def test_other_columns_than_in_fit_are_refused(library):
    X, y = demo(library)
    selector = bc.ChanceSelector().fit(X, y)
    other, _ = demo(library, extra=np.arange(400))

    with pytest.raises(ValueError, match="extra"):
        selector.transform(other)


def test_classes_differ_by_zero_bytes_at_their_end():
    X, y = pd.DataFrame({"x": np.arange(40.0)}), ["a"] * 20 + ["a\0"] * 20

    assert bc.ChanceSelector(k=1).fit(X, y).pvalues_[0] < 0.01
