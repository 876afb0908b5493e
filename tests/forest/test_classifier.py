"""The estimators: scikit-learn's contract, reproducibility, options, and what they refuse."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
import sklearn.tree
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import bychance as bc
from bychance.forest.parameters import GRID
from tests.forest.frames import LIBRARIES, blobs, mixed

CRITERIA = ("fair", "agini", "sgini", "gini", "entropy")
ESTIMATORS = [
    bc.RandomForestClassifier(n_estimators=20),
    bc.RandomForestClassifier.from_paper(n_estimators=20),
    bc.RandomForestClassifier(n_estimators=20, bootstrap=True, max_samples=None, criterion="gini"),
    bc.DecisionTreeClassifier(),
    bc.DecisionTreeClassifier(criterion="gini"),
]


def expected_to_fail(estimator):
    """What scikit-learn expects of its own forest too: rows are drawn, so weights do not repeat them."""
    if isinstance(estimator, bc.DecisionTreeClassifier):
        return {}
    reason = "sample_weight is not equivalent to removing/repeating samples."
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


def forest(**settings):
    return bc.RandomForestClassifier(**{"n_estimators": 30, "random_state": 0, **settings})


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


# scikit-learn's contract


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (bc.RandomForestClassifier(), sklearn.ensemble.RandomForestClassifier()),
        (bc.DecisionTreeClassifier(), sklearn.tree.DecisionTreeClassifier()),
    ],
)
def test_every_check_of_scikit_learns_own_is_run_here_too(ours, theirs):
    def names(estimator):
        checks = estimator_checks_generator(estimator)
        return {getattr(check, "func", check).__name__ for _, check in checks}

    assert names(theirs) <= names(ours)


def test_names_are_loaded_when_first_used():
    assert {"RandomForestClassifier", "DecisionTreeClassifier", "export_tree", "alpha_curve"} <= set(dir(bc))


def test_grid_search_goes_over_alpha():
    X, y = blobs()
    search = GridSearchCV(forest(criterion="agini"), {"alpha": [0.05, 0.5]}, cv=2).fit(X, y)

    assert search.best_params_["alpha"] in (0.05, 0.5)


def test_permutation_importance_works():
    columns, y = mixed()
    X = pd.DataFrame(columns)

    result = permutation_importance(forest().fit(X, y), X, y, n_repeats=2, random_state=0)

    assert result.importances_mean[0] > result.importances_mean[3]


# What is predicted


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_learns(criterion):
    X, y = load_iris(return_X_y=True)

    assert cross_val_score(forest(criterion=criterion), X, y, cv=3).mean() > 0.9


@pytest.mark.parametrize("categorical_split", ["auto", "ordered", "multiway"])
@pytest.mark.parametrize("missing", ["majority", "best"])
def test_frames_with_gaps_and_categories_are_learned_from(library, categorical_split, missing):
    columns, y = mixed(400)
    X = LIBRARIES[library](columns)
    model = forest(categorical_split=categorical_split, missing=missing, oob_score=True, n_estimators=100)

    assert model.fit(X, y).oob_score_ > 0.72
    assert model.feature_names_in_.tolist() == list(columns)


def test_frames_of_all_libraries_give_the_same_forest():
    columns, y = mixed()
    first, *others = (
        forest().fit(make(columns), y).predict_proba(make(columns)) for make in LIBRARIES.values()
    )

    for other in others:
        np.testing.assert_array_equal(first, other)


@pytest.mark.parametrize(
    "as_sparse", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.dok_matrix]
)
@pytest.mark.parametrize(
    "made", [forest(oob_score=True), bc.DecisionTreeClassifier(max_samples=0.5, random_state=0)]
)
def test_sparse_columns_are_learned_from_as_dense_ones_are(made, as_sparse):
    X, y = blobs()
    X[X < 0.3] = 0
    dense, thin = clone(made).fit(X, y), clone(made).fit(as_sparse(X), y)

    np.testing.assert_array_equal(thin.predict_proba(as_sparse(X)), dense.predict_proba(X))
    np.testing.assert_array_equal(thin.apply(X), dense.apply(X))
    np.testing.assert_array_equal(thin.feature_importances_, dense.feature_importances_)


def test_probabilities_are_the_mean_of_the_trees():
    X, y = blobs()
    model = forest().fit(X, y)
    whole, alone = model.predict_proba(X), []
    for tree in list(model.trees_):
        model.trees_ = [tree]
        alone.append(model.predict_proba(X))

    np.testing.assert_allclose(whole, np.mean(alone, axis=0), rtol=1e-12)


def test_leaves_are_numbered_by_tree():
    X, y = blobs()
    model = forest().fit(X, y)
    leaves = model.apply(X)

    assert leaves.shape == (len(X), 30)
    for tree, column in zip(model.trees_, leaves.T, strict=True):
        assert set(column) <= set(range(tree.n_nodes))


def test_rows_are_predicted_alike_alone_and_in_blocks(monkeypatch):
    columns, y = mixed()
    X = pd.DataFrame(columns)
    model = forest().fit(X, y)
    whole = model.predict_proba(X)
    monkeypatch.setattr("bychance.forest.grow._BLOCK_ROWS", 7)

    np.testing.assert_array_equal(model.predict_proba(X), whole)
    np.testing.assert_array_equal(model.predict_proba(X.iloc[[5]]), whole[[5]])


def test_an_unseen_category_is_predicted_by_the_shares_of_the_node():
    X = pd.DataFrame({"city": ["a"] * 40 + ["b"] * 40 + ["c"] * 20})
    y = [0] * 40 + [1] * 60
    tree = bc.DecisionTreeClassifier(categorical_split="multiway").fit(X, y)

    np.testing.assert_allclose(tree.predict_proba(pd.DataFrame({"city": ["new", "a"]})), [[0.4, 0.6], [1, 0]])


@pytest.mark.parametrize("kind", ["int", "bool", "string", "category"])
def test_classes_come_back_as_they_were(kind):
    X, codes = blobs()
    y = {
        "int": codes * 7 - 3,
        "bool": codes == 1,
        "string": np.where(codes, "yes", "no"),
        "category": pd.Series(np.where(codes, "yes", "no"), dtype="category"),
    }[kind]
    model = forest().fit(X, y)

    assert set(model.predict(X)) == set(np.asarray(y))
    assert model.classes_.tolist() == sorted(set(np.asarray(y).tolist()))


def test_a_polars_target_is_read():
    X, codes = blobs()
    model = forest().fit(X, pl.Series("y", np.where(codes, "yes", "no").tolist()))

    assert model.classes_.tolist() == ["no", "yes"]


# The same whatever the threads


@pytest.mark.parametrize("settings", [{}, {"bootstrap": True}, {"criterion": "agini", "alpha": "oob"}])
def test_a_forest_is_bitwise_the_same_for_any_number_of_jobs(settings):
    columns, y = mixed()
    X = pd.DataFrame(columns)
    one, two, many = (forest(n_jobs=jobs, oob_score=True, **settings).fit(X, y) for jobs in (1, 2, 5))

    for other in (two, many):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        np.testing.assert_array_equal(one.feature_importances_, other.feature_importances_)
        np.testing.assert_array_equal(one.oob_decision_function_, other.oob_decision_function_)
        np.testing.assert_array_equal(one.apply(X), other.apply(X))


def test_processes_grow_the_same_forest_as_threads():
    columns, y = mixed(80)
    X = pd.DataFrame(columns)
    here = forest(n_estimators=4).fit(X, y)
    with parallel_config(backend="loky", n_jobs=2):
        there = forest(n_estimators=4).fit(X, y)

    np.testing.assert_array_equal(here.predict_proba(X), there.predict_proba(X))


def test_another_seed_gives_another_forest():
    X, y = blobs()

    assert (forest().fit(X, y).predict_proba(X) != forest(random_state=1).fit(X, y).predict_proba(X)).any()


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
@pytest.mark.parametrize("made", [forest(warm_start=True), bc.DecisionTreeClassifier()])
def test_copies_predict_the_same(made, copied):
    columns, y = mixed()
    X = pd.DataFrame(columns)
    model = clone(made).fit(X, y)
    again = copied(model)

    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.apply(X), model.apply(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


def test_a_pickle_does_not_hold_the_training_rows():
    X, y = blobs(n=4000, n_columns=10)
    model = forest(n_estimators=2, max_depth=2).fit(X, y)

    assert len(pickle.dumps(model)) < X.nbytes / 4


# Options


@pytest.mark.parametrize("settings", [{}, {"oob_score": True}])
def test_warm_start_adds_the_trees_that_would_have_come(settings):
    X, y = blobs()
    grown = forest(n_estimators=35, oob_score=True).fit(X, y)
    more = forest(n_estimators=16, warm_start=True, **settings).fit(X, y)
    more.set_params(n_estimators=35, oob_score=True).fit(X, y)

    np.testing.assert_array_equal(more.predict_proba(X), grown.predict_proba(X))
    np.testing.assert_allclose(more.feature_importances_, grown.feature_importances_, rtol=1e-12)
    np.testing.assert_allclose(more.oob_decision_function_, grown.oob_decision_function_, rtol=1e-12)


def test_warm_start_says_what_cannot_be_added_to():
    X, y = blobs()
    model = forest(warm_start=True).fit(X, y)

    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="number of rows must be those of the first fit"):
        model.set_params(n_estimators=40).fit(X[:-1], y[:-1])
    with pytest.raises(ValueError, match="must be larger or equal to len"):
        model.set_params(n_estimators=10).fit(X, y)


def test_the_out_of_bag_score_is_about_that_of_new_rows():
    X, y = blobs(n=2000)
    new_X, new_y = blobs(n=4000, seed=1)
    model = forest(oob_score=True, n_estimators=100).fit(X, y)

    assert abs(model.oob_score_ - model.score(new_X, new_y)) < 0.04
    assert abs(model.oob_score_ - np.mean(model.oob_decision_function_.argmax(axis=1) == y)) < 1e-12


def test_the_out_of_bag_score_may_be_a_function():
    X, y = blobs()
    model = forest(oob_score=balanced_accuracy_score).fit(X, y)

    predicted = model.oob_decision_function_.argmax(axis=1)
    assert model.oob_score_ == balanced_accuracy_score(y, predicted) != accuracy_score(y, predicted)


def test_too_few_trees_leave_rows_without_a_vote():
    X, y = blobs()
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        model = forest(n_estimators=1, oob_score=True).fit(X, y)

    assert np.isnan(model.oob_decision_function_).any()


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    X, y = blobs()
    weights = np.ones(len(y))
    weights[::3] = 0
    kept = weights > 0

    weighted = forest(oob_score=True).fit(X, y, weights)
    without = forest().fit(X[kept], y[kept])

    np.testing.assert_array_equal(weighted.predict_proba(X), without.predict_proba(X))
    assert np.isnan(weighted.oob_decision_function_[~kept]).all()


def test_equal_weights_of_one_change_nothing():
    X, y = blobs()

    np.testing.assert_array_equal(
        forest().fit(X, y, np.ones(len(y))).predict_proba(X), forest().fit(X, y).predict_proba(X)
    )


def test_heavy_classes_are_predicted_more_often():
    X, y = blobs(n=300)
    settings = {"max_depth": 2, "n_estimators": 50}
    plain = forest(**settings).fit(X, y)
    heavy = forest(class_weight={0: 1, 1: 5}, **settings).fit(X, y)

    assert (heavy.predict(X) == 1).mean() > (plain.predict(X) == 1).mean() + 0.1


def test_balanced_classes_weigh_the_same():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), (np.arange(300) % 10 == 0).astype(int)
    shares = forest(class_weight="balanced", max_depth=1).fit(X, y).predict_proba(X).mean(axis=0)

    np.testing.assert_allclose(shares, [0.5, 0.5], atol=0.05)


def test_from_paper_sets_the_protocol_of_the_paper():
    made = bc.RandomForestClassifier.from_paper("sgini", random_state=3, n_jobs=2)
    protocol = {
        "n_estimators": 1000, "criterion": "sgini", "null": "multinomial", "quantile": "cantelli",
        "categorical_split": "multiway", "max_features": "auto", "max_depth": None, "min_samples_split": 2,
        "min_samples_leaf": 1, "min_adjusted_gain": None, "max_samples": 0.5, "bootstrap": False,
        "missing": "majority", "random_state": 3, "n_jobs": 2,
    }  # fmt: skip

    assert {name: made.get_params()[name] for name in protocol} == protocol
    with pytest.raises(TypeError, match="multiple values"):
        bc.RandomForestClassifier.from_paper(null="moments")


@pytest.mark.parametrize(
    ("m", "expected"), [(1, 1), (2, 2), (4, 2), (6, 3), (10, 3), (28, 5), (60, 8), (240, 16)]
)
def test_as_many_columns_are_tried_as_in_the_paper(m, expected):
    from bychance.forest.inputs import Feature
    from bychance.forest.parameters import grow_settings
    from bychance.kinds import Kind

    features = [Feature(f"x{k}", Kind.NUMERIC) for k in range(m)]

    assert grow_settings(forest(max_features="auto"), features, 100).max_features == expected


@pytest.mark.parametrize(
    ("m", "turns"), [(1, (1, 1, 1, 1)), (5, (3, 5, 5, 1)), (34, (6, 12, 24, 3)), (240, (16, 31, 62, 8))]
)
def test_trees_take_turns_with_numbers_of_columns(m, turns):
    from bychance.forest.inputs import Feature
    from bychance.forest.parameters import grow_settings
    from bychance.kinds import Kind

    features = [Feature(f"x{k}", Kind.NUMERIC) for k in range(m)]
    settings = grow_settings(forest(), features, 100)

    assert tuple(settings.of_tree(number).max_features for number in range(8)) == turns * 2


def test_varied_trees_are_those_of_their_numbers_of_columns():
    X, y = blobs()
    varied = forest(max_features="varied", n_estimators=4).fit(X, y)

    for number, n_columns in enumerate((2, 4, 4, 1)):
        plain = forest(max_features=n_columns, n_estimators=4).fit(X, y)
        np.testing.assert_array_equal(varied.apply(X)[:, number], plain.apply(X)[:, number])


def test_rows_are_shared_out_between_growing_ordering_and_out_of_bag():
    from bychance.forest.inputs import Feature
    from bychance.forest.parameters import grow_settings
    from bychance.kinds import Kind

    number, labels = Feature("x", Kind.NUMERIC), Feature("c", Kind.CATEGORICAL, ("a", "b", "c"))

    def rows(features, **settings):
        chosen = grow_settings(forest(**settings), features, 100)
        return chosen.n_grow, chosen.n_order, chosen.categorical_split

    assert rows([number]) == (80, 0, "auto")
    assert rows([number, labels]) == (80, 22, "auto")
    assert rows([labels], max_samples=None) == (100, 18, "auto")
    assert rows([labels], categorical_split="multiway") == (80, 0, "multiway")
    assert rows([labels], bootstrap=False, max_samples=None) == (100, 0, "multiway")
    assert rows([labels], bootstrap=False, max_samples=80) == (80, 10, "auto")


def test_a_stopping_rule_keeps_noise_from_growing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(2, size=200)
    free, stopped = (
        forest(criterion="agini", min_adjusted_gain=gain, n_estimators=10).fit(X, y) for gain in (None, 0)
    )

    assert sum(tree.n_nodes for tree in stopped.trees_) < sum(tree.n_nodes for tree in free.trees_) / 3


def test_depth_and_leaves_are_limited():
    X, y = blobs()

    assert bc.DecisionTreeClassifier(max_depth=3).fit(X, y).get_depth() == 3
    small = bc.DecisionTreeClassifier(min_samples_leaf=0.1).fit(X, y)
    assert np.bincount(small.apply(X))[np.unique(small.apply(X))].min() >= 12
    assert small.get_n_leaves() == len(np.unique(small.apply(X)))


def test_verbose_shows_a_bar(monkeypatch):
    asked = []
    from bychance.progress import Progress

    class Recorded(Progress):
        def __init__(self, description, *, total, enabled):
            asked.append((description, total, enabled))
            super().__init__(description, total=total, enabled=False)

    monkeypatch.setattr("bychance.forest.classifier.Progress", Recorded)
    X, y = blobs()
    forest(verbose=1).fit(X, y)
    forest(criterion="agini", alpha="oob").fit(X, y)

    assert asked == [("trees", 30, True), ("trees", 30 * len(GRID), False)]


# Bad input


def test_one_class_is_what_everything_is_predicted_as():
    X, _ = blobs()
    model = forest(oob_score=True).fit(X, ["only"] * len(X))

    assert set(model.predict(X)) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((len(X), 1)))
    np.testing.assert_array_equal(model.feature_importances_, 0)


@pytest.mark.filterwarnings("ignore:The number of unique classes is greater than 50%")
def test_a_class_of_its_own_for_every_row_is_learned_by_heart():
    X, _ = blobs(n=30)
    y = [f"c{k:02}" for k in range(30)]

    assert bc.DecisionTreeClassifier(criterion="gini").fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("criterion", ["fair", "agini", "sgini"])
def test_columns_that_say_nothing_are_never_split_on(criterion):
    X, y = blobs()
    frame = pd.DataFrame({
        "signal": X[:, 0],
        "constant": 1.0,
        "gone": np.nan,
        "name": [f"row {k}" for k in range(len(y))],
        "same": "a",
    })  # fmt: skip
    model = forest(criterion=criterion, max_features=None).fit(frame, y)
    used = {model._features[k].name for tree in model.trees_ for k in _split_columns(tree)}

    assert used == {"signal"}
    assert model.feature_importances_[0] > 0
    np.testing.assert_array_equal(model.feature_importances_[1:], 0)


def _split_columns(tree):
    nodes = (tree.node(k) for k in range(tree.n_nodes))
    return {node.feature for node in nodes if node.feature is not None}


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused(value):
    X, y = blobs()
    X[3, 1] = value

    with pytest.raises(ValueError, match="Input X contains infinity"):
        forest().fit(X, y)
    with pytest.raises(ValueError, match=r"`x1` must be finite, got -?inf at row 3"):
        forest().fit(pd.DataFrame(X, columns=[f"x{k}" for k in range(4)]), y)


def test_infinity_in_a_sparse_matrix_is_refused():
    X, y = blobs()
    X[3, 1] = np.inf

    with pytest.raises(ValueError, match="Input X contains infinity"):
        forest().fit(sparse.lil_matrix(X), y)


def test_columns_at_prediction_must_be_those_of_fit(library):
    columns, y = mixed()
    make = LIBRARIES[library]
    model = forest().fit(make(columns), y)

    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(make({name: columns[name] for name in list(columns)[:3]}))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(make({name.upper(): values for name, values in columns.items()}))
    with pytest.raises(ValueError, match="`dose` held numbers in fit, got labels such as"):
        model.predict(make({**columns, "dose": columns["city"]}))
    with pytest.raises(ValueError, match=r"`city` held labels such as 'city .' in fit, got numbers"):
        model.predict(make({**columns, "city": columns["dose"]}))


def test_a_column_without_values_may_come_at_prediction(library):
    columns, y = mixed()
    make = LIBRARIES[library]
    model = forest().fit(make(columns), y)
    nothing = [None] * len(y)

    for name in ("dose", "city", "flag"):
        shares = model.predict_proba(make({**columns, name: nothing}))
        np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-1.0, "Negative values in data passed to `sample_weight`"),
        (0.0, "Sample weights must contain at least one non-zero number"),
        (np.nan, "Input sample_weight contains NaN"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):
        forest().fit(X, y, np.full(len(y), weights))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0}, r"`alpha` must lie in \(0, 1\], got 0"),
        ({"alpha": 1.01}, r"`alpha` must lie in \(0, 1\]"),
        ({"alpha": "tuned"}, r'`alpha` must lie in \(0, 1\] or be "oob"'),
        ({"alpha": "oob"}, 'the level of criterion="agini"'),
        ({"criterion": "gain"}, "`criterion` must be one of"),
        ({"null": "normal"}, "`null` must be one of moments, multinomial"),
        ({"quantile": 0.5}, "`quantile` must be one of"),
        ({"categorical_split": "binary"}, "`categorical_split` must be one of"),
        ({"missing": "drop"}, "`missing` must be one of"),
        ({"n_estimators": 0}, "`n_estimators` must be a positive integer, got 0"),
        ({"n_estimators": True}, "`n_estimators` must be a positive integer"),
        ({"max_features": "all"}, "`max_features` must be one of"),
        ({"max_features": 0}, "`max_features` must be a positive integer"),
        ({"max_features": 1.5}, r"`max_features` must lie in \(0, 1\]"),
        ({"max_depth": -1}, "`max_depth` must be a positive integer"),
        ({"min_samples_split": 1}, "`min_samples_split` must be an integer of at least 2"),
        ({"min_samples_leaf": 0}, "`min_samples_leaf` must be an integer of at least 1"),
        ({"min_adjusted_gain": np.nan}, "`min_adjusted_gain` must be a finite number"),
        ({"max_samples": 1000}, "`max_samples` must be in 1 to n_samples=120"),
        ({"max_samples": 0.0}, r"`max_samples` must lie in \(0, 1\]"),
        (
            {"bootstrap": False, "max_samples": None, "oob_score": True},
            "`oob_score` needs rows that trees are not grown on",
        ),
        ({"class_weight": "heavy"}, "class_weight"),
        ({"warm_start": True, "criterion": "agini", "alpha": "oob"}, "cannot be combined"),
    ],
)
def test_settings_are_checked_in_fit(settings, message):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):
        forest(**settings).fit(X, y)


def test_an_order_of_categories_needs_rows_of_its_own():
    columns, y = mixed()
    with pytest.raises(ValueError, match="leaves none of 240 rows"):
        bc.DecisionTreeClassifier(categorical_split="ordered").fit(pd.DataFrame(columns), y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (pd.DataFrame({"a": []}), [], "0 sample"),
        (pd.DataFrame(index=range(3)), [0, 1, 1], "0 feature"),
        (np.zeros((0, 2)), [], "0 sample"),
        (pd.DataFrame({"a": [1, 2, 3]}), [0, 1], "inconsistent numbers of samples"),
        (pd.DataFrame({"a": [1, 2, 3]}), None, "requires y to be passed"),
        (pd.DataFrame({"a": [1, 2, 3]}), ["a", None, "b"], "Input y contains NaN"),
        (pd.DataFrame({"a": [1, 2, 3]}), [0, np.nan, 1], "Input y contains NaN"),
        (pd.DataFrame({"a": [1.0, 2, 3]}), [0.5, 1.25, 3.1], "Unknown label type: continuous"),
        (pd.DataFrame({"a": [1, "x", 3]}), [0, 1, 1], "`a` must hold values of one type"),
        (pl.DataFrame({"a": [[1], [2], [3]]}), [0, 1, 1], "`a` must hold numbers, dates, booleans or labels"),
    ],
)
def test_what_is_no_table_of_rows_with_classes_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        forest().fit(X, y)
