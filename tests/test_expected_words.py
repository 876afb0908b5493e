"""Words that other packages use: each is answered in one sentence that says what to use here."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from bychance.validation import EXPECTED

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 40))
FRAME = pd.DataFrame({"a": X, "b": Y, "c": X + Y, "pen": np.arange(40) % 4})
SEED = "use `{}`, the seed of what is sampled."
ANSWERS = {
    ("rank", "seed"): SEED.format("rng"),
    ("rank", "random_state"): SEED.format("rng"),
    ("rank", "method"): 'use `measure`, what is estimated, such as "spearman".',
    ("rank", "exclude"): "use `drop`, the columns to leave out.",
    ("rank", "covar"): "use `given`, the covariates to look beyond.",
    ("adjust", "seed"): SEED.format("rng"),
    ("adjust", "random_state"): SEED.format("rng"),
    ("adjust", "method"): 'use `measure`, what is estimated, such as "spearman".',
    ("adjust", "covar"): "use `given`, the covariates to look beyond.",
    ("measure", "method"): 'use `measure`, what is estimated, such as "spearman".',
    ("measure", "covar"): "use `given`, the covariates to look beyond.",
    ("ChanceSelector", "seed"): SEED.format("random_state"),
    ("ChanceSelector", "rng"): SEED.format("random_state"),
    ("ChanceSelector", "method"): 'use `measure`, what is estimated, such as "spearman".',
    ("ChanceSelector", "covar"): "use `given`, the covariates to look beyond.",
}
ARGUMENTS = {"rank": (FRAME,), "adjust": ("r2", X, Y), "measure": ("r2", X, Y), "ChanceSelector": ()}


@pytest.mark.parametrize(("name", "word"), ANSWERS)
def test_a_word_of_another_package_is_answered_with_the_argument_to_use(name, word):
    sentence = f"{name}() has no argument {word!r}: {ANSWERS[name, word]}"

    with pytest.raises(TypeError, match=re.escape(sentence) + "$"):
        getattr(bc, name)(*ARGUMENTS[name], **{word: 1})


@pytest.mark.parametrize("word", ["seed", "random_state", "method", "exclude", "covar"])
def test_ranking_to_a_file_answers_as_ranking_does(tmp_path, word):
    with pytest.raises(TypeError, match=re.escape(f"no argument {word!r}: {ANSWERS['rank', word]}")):
        bc.rank_to_file(FRAME, tmp_path / "pairs.csv", **{word: 1})


def test_every_expected_word_is_answered_somewhere():
    assert {word for _, word in ANSWERS} == set(EXPECTED)


def test_other_words_get_pythons_own_answer():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        bc.rank(FRAME, colour="red")


@pytest.mark.parametrize("name", ARGUMENTS)
def test_signatures_stay_those_of_the_functions(name):
    parameters = inspect.signature(getattr(bc, name)).parameters

    assert "measure" in parameters
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters.values())


@pytest.mark.parametrize("columns", [(X, Y), (X, Y, "r2"), (FRAME["a"], FRAME["b"]), ([1, 2], [2, 1], "mi")])
@pytest.mark.parametrize("function", [bc.adjust, bc.measure])
def test_columns_before_the_measure_are_named(function, columns):
    name, got = function.__name__, type(columns[0]).__name__
    sentence = f'{name}() takes the measure first: {name}("r2", x, y); got a {got} first.'

    with pytest.raises(TypeError, match=re.escape(sentence)):
        function(*columns)


def test_all_words_of_a_call_are_answered_at_once():
    with pytest.raises(TypeError, match=r"use `rng`, .* use `given`, .* takes the measure first"):
        bc.adjust(X, Y, "spearman", seed=1, covar=Y)
    with pytest.raises(TypeError, match=r"no `max_leaf_nodes`: .* no `seed`: `random_state` is the seed"):
        bc.RandomForestRegressor(max_leaf_nodes=20, seed=0)


def test_the_target_of_a_ranking_may_be_positional(tmp_path):
    named = bc.rank(FRAME, target="c")

    assert list(bc.rank(FRAME, "c").best()) == list(named.best())
    assert list(bc.rank_to_file(FRAME, tmp_path / "pairs.csv", "c").best()) == list(named.best())


@pytest.mark.parametrize("target", [FRAME["c"], Y, Y.tolist(), ["c"]])
def test_values_for_a_target_are_answered_with_what_to_do(target):
    sentence = (
        f"`target` must be the name of one column, got a {type(target).__name__}: add its values to the "
        "table as a column, and name that column."
    )
    with pytest.raises(bc.BychanceError, match=re.escape(sentence)):
        bc.rank(FRAME, target=target)
    with pytest.raises(bc.BychanceError, match="the name of one column"):
        bc.rank(FRAME, target)


# Groups by a column's name


def test_groups_of_permutations_may_be_the_name_of_a_column():
    options = {"target": "c", "measure": "r2"}
    named = bc.rank(FRAME, null=bc.Permutation(99, groups="pen"), **options)
    given = bc.rank(FRAME, null=bc.Permutation(99, groups=FRAME["pen"]), **options)
    free = bc.rank(FRAME, null=bc.Permutation(99), **options)

    means = [[row["null_mean"] for row in ranking.best()] for ranking in (named, given, free)]
    assert means[0] == means[1] != means[2]


def test_rows_without_a_group_form_one_more():
    with_gaps = FRAME.assign(pen=FRAME["pen"].where(FRAME["pen"] != 0))
    options = {"x": "a", "y": "b", "measure": "r2", "null": bc.Permutation(99, groups="pen")}

    assert list(bc.rank(with_gaps, **options).best()) == list(bc.rank(FRAME, **options).best())


def test_groups_may_be_a_column_that_is_given_or_drops_rows_with_it():
    gaps = FRAME.assign(age=np.where(np.arange(40) % 7 == 0, np.nan, np.arange(40.0)))
    options = {"x": "a", "y": "b", "given": "age", "measure": "r2"}
    named = bc.rank(gaps, null=bc.Permutation(99, groups="pen"), **options)
    given = bc.rank(gaps, null=bc.Permutation(99, groups=gaps["pen"]), **options)

    assert list(named.best()) == list(given.best())


def test_groups_that_name_no_column_are_refused():
    with pytest.raises(bc.BychanceError, match=r"Did you mean 'pen'\? `groups` must be one of"):
        bc.rank(FRAME, null=bc.Permutation(99, groups="pan"))
    with pytest.raises(bc.BychanceError, match="must have one entry per row: there is no table with a"):
        bc.adjust("r2", X, Y, null=bc.Permutation(99, groups="pen"))


# Trees and forests

CLASSES = np.where(X > 0, "u", "v")
FORESTS = (
    bc.RandomForestClassifier,
    bc.ExtraTreesClassifier,
    bc.RandomForestRegressor,
    bc.ExtraTreesRegressor,
)
TREES = (*FORESTS, bc.DecisionTreeClassifier, bc.DecisionTreeRegressor)
REFUSED = {
    "max_leaf_nodes": "trees grow depth first, and `max_depth` or `min_samples_leaf` makes them smaller",
    "ccp_alpha": "trees are shrunk by `shrinkage` instead of pruned",
    "min_impurity_decrease": "`min_adjusted_gain` of `SplitCriterion` is the least score of a split",
    "min_weight_fraction_leaf": "`min_samples_leaf` takes a share of the rows",
    "monotonic_cst": "predictions cannot be made to rise with a column",
    "seed": "`random_state` is the seed",
    "rng": "`random_state` is the seed",
}


@pytest.mark.parametrize("estimator", TREES)
@pytest.mark.parametrize("name", REFUSED)
def test_a_parameter_that_only_scikit_learn_has_is_answered(estimator, name):
    sentence = f"{estimator.__name__} has no `{name}`: {REFUSED[name]}."

    with pytest.raises(TypeError, match=re.escape(sentence) + "$"):
        estimator(**{name: 1})


@pytest.mark.parametrize(
    ("estimator", "theirs", "ours"),
    [
        (bc.DecisionTreeRegressor, "squared_error", "variance"),
        (bc.RandomForestRegressor, bc.SplitCriterion("squared_error"), "variance"),
        (bc.DecisionTreeClassifier, "log_loss", "entropy"),
        (bc.RandomForestClassifier, "log_loss", "entropy"),
    ],
)
def test_a_criterion_of_scikit_learn_is_the_same_criterion(estimator, theirs, ours):
    y = CLASSES if estimator.__name__.endswith("Classifier") else Y
    found, expected = (
        estimator(criterion=name, random_state=0).fit(FRAME[["b", "c"]], y).predict(FRAME[["b", "c"]])
        for name in (theirs, ours)
    )

    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("friedman_mse", 'use "variance", the reduction of squared errors.'),
        ("absolute_error", 'use "variance"; `predict(X, quantiles=[0.5])` gives medians.'),
        ("poisson", 'use "variance", or the logarithm of the counts as y.'),
    ],
)
@pytest.mark.parametrize("estimator", [bc.RandomForestRegressor, bc.DecisionTreeRegressor])
def test_a_criterion_that_is_not_here_is_answered_with_what_to_use(estimator, name, sentence):
    with pytest.raises(bc.BychanceError, match=re.escape(f"`criterion` has no {name!r}: {sentence}") + "$"):
        estimator(criterion=name).fit(FRAME[["a", "b"]], Y)


@pytest.mark.parametrize("estimator", [bc.RandomForestClassifier, bc.DecisionTreeClassifier])
def test_weights_of_subsamples_are_answered(estimator):
    sentence = (
        '`class_weight` must be a dict, "balanced" or None, got \'balanced_subsample\': "balanced" '
        "weights the classes by all rows, not by those of each tree."
    )
    with pytest.raises(bc.BychanceError, match=re.escape(sentence)):
        estimator(class_weight="balanced_subsample").fit(FRAME[["a", "b"]], CLASSES)


@pytest.mark.parametrize("estimator", [*TREES, bc.ForestSelector, bc.ChanceSelector])
def test_a_target_of_two_columns_is_answered(estimator):
    y = np.column_stack([CLASSES, CLASSES] if estimator.__name__.endswith("Classifier") else [Y, X])

    for target in (y, pd.DataFrame(y), y.tolist()):
        with pytest.raises(bc.BychanceError, match="`y` must have one value per row, got 2 columns: fit one"):
            estimator().fit(FRAME[["a", "b"]], target)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda **word: bc.ForestSelector(**word), "random_state"),
        (lambda **word: bc.alpha_curve(FRAME[["a"]], CLASSES, **word), "rng"),
        (lambda **word: bc.rank_arrays(FRAME[["a", "b"]], **word), "rng"),
        (lambda **word: bc.rank_to_file(FRAME, "pairs.csv", **word), "rng"),
    ],
)
def test_each_kind_of_object_has_one_name_for_the_seed(call, argument):
    for word in {"seed", "rng", "random_state"} - {argument}:
        with pytest.raises(TypeError, match=f"use `{argument}`, the seed of what is sampled"):
            call(**{word: 1})


def test_columns_to_leave_out_of_a_table_are_answered():
    with pytest.raises(TypeError, match="use `drop`, the columns to leave out"):
        bc.read_table(FRAME, exclude=["a"])
