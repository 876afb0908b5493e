"""Words that other packages use: each is answered in one sentence that says what to use here."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from bychance.expected_words import EXPECTED

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
