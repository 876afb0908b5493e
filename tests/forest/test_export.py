"""Trees as text agree with predictions, and names are escaped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from tests.forest.frames import blobs, mixed

HOSTILE = [
    "\x1b[31mred",
    "<script>alert(1)</script>",
    "a\"b'&amp;",
    "two\nlines",
    "]]>",
    "w" * 500,
    "\u202eback",
]


def mixed_tree(**settings):
    columns, y = mixed()
    return bc.DecisionTreeClassifier(**settings).fit(pd.DataFrame(columns), y)


def test_text_names_columns_cuts_categories_and_classes():
    X = pd.DataFrame({"dose": [1.0, 2, 3, 4, 5, 6, 7, 8], "city": list("abababab")})
    text = bc.export_tree(bc.DecisionTreeClassifier().fit(X, list("nnnnyyyy")))

    assert text.splitlines() == [
        "dose  (8 rows: 4, 4)",
        "├─ ≤ 4.5: n  (4 rows: 4, 0)",
        "└─ > 4.5: y  (4 rows: 0, 4)",
    ]


def test_categories_are_listed_with_where_missing_values_go():
    X = pd.DataFrame({"city": ["a", "b", "c", None] * 10})
    tree = bc.DecisionTreeClassifier(categorical_split="multiway").fit(X, [0, 1, 1, 0] * 10)
    text = bc.export_tree(tree, class_names=["no", "yes"])

    assert "= a or missing: no" in text
    assert "= b: yes" in text


@pytest.mark.parametrize("settings", [{}, {"categorical_split": "multiway"}, {"max_samples": 0.6}])
def test_every_node_has_a_line(settings):
    model = mixed_tree(random_state=0, **settings)

    assert len(bc.export_tree(model).splitlines()) == model.tree_.n_nodes


def test_depth_can_be_cut():
    model = mixed_tree()

    assert len(bc.export_tree(model, max_depth=1).splitlines()) == 1 + len(model.tree_.node(0).children)


def test_any_tree_of_a_forest_can_be_shown():
    X, y = blobs()
    forest = bc.RandomForestClassifier(3, random_state=0).fit(X, y)

    assert len({bc.export_tree(forest, tree=k) for k in range(3)}) == 3
    assert bc.export_tree(forest).startswith(("x0", "x1", "x2", "x3"))
    with pytest.raises(ValueError, match="`tree` must be a number from 0 to 2, got 3"):
        bc.export_tree(forest, tree=3)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_never_control_characters(name):
    X = pd.DataFrame({name: [1.0, 2, 3, 4] * 5, "city": [name, "b"] * 10})
    y = [name, "other"] * 10
    for features in ([name], ["city"]):
        model = bc.DecisionTreeClassifier().fit(X[features], y)
        text = bc.export_tree(model)

        assert len(text.splitlines()) == model.tree_.n_nodes
        assert text.replace("\n", "").isprintable()


def test_a_tree_deeper_than_the_stack_is_text():
    n = 1500
    X, y = np.arange(float(n))[:, None], np.arange(n) % 2
    model = bc.DecisionTreeClassifier(criterion="entropy").fit(X, y)

    assert model.get_depth() > 200
    assert len(bc.export_tree(model).splitlines()) == model.tree_.n_nodes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"feature_names": ["a"]}, "`feature_names` must have 5 names, got 1"),
        ({"class_names": ["a"]}, "`class_names` must have 2 names, got 1"),
        ({"max_depth": 0}, "`max_depth` must be a positive integer"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        bc.export_tree(mixed_tree(), **options)


def test_nodes_of_a_regression_tree_show_mean_and_deviation():
    x = np.arange(8.0)[:, None]
    tree = bc.DecisionTreeRegressor(max_depth=1).fit(x, [1.0, 1, 1, 1, 5, 5, 5, 7])

    assert bc.export_tree(tree, feature_names=["dose"]).splitlines() == [
        "dose  (8 rows: 3.25 ± 2.33)",
        "├─ ≤ 3.5: 1  (4 rows: 1 ± 0)",
        "└─ > 3.5: 5.5  (4 rows: 5.5 ± 0.866)",
    ]
