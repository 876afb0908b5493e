"""Trees as text and SVG: what they say agrees with the predictions, and names do no harm."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from tests.forest.frames import blobs, mixed

SVG = "{http://www.w3.org/2000/svg}"
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


def test_one_category_is_told_from_the_others():
    X = pd.DataFrame({"city": ["a", "b", "c", "d"] * 10})
    tree = bc.DecisionTreeClassifier(categorical_split="single").fit(X, [0, 1, 0, 0] * 10)
    text = bc.export_tree(tree, class_names=["no", "yes"])

    assert text.splitlines()[1:] == ["├─ = b: yes  (10 rows: 0, 10)", "└─ ≠ b: no  (30 rows: 30, 0)"]


@pytest.mark.parametrize(
    "settings",
    [{}, {"categorical_split": "single"}, {"categorical_split": "ordered", "max_samples": 0.6}],
)
def test_every_node_has_a_line_and_a_box(settings):
    model = mixed_tree(random_state=0, **settings)
    text = bc.export_tree(model)
    drawing = ET.fromstring(bc.export_tree(model, format="svg"))

    assert len(text.splitlines()) == model.tree_.n_nodes == len(drawing.findall(f"{SVG}rect"))
    assert len(drawing.findall(f"{SVG}path")) == model.tree_.n_nodes - 1


def test_boxes_do_not_overlap_and_stay_inside():
    drawing = ET.fromstring(bc.export_tree(mixed_tree(), format="svg"))
    boxes = [
        tuple(float(box.get(name)) for name in ("x", "y", "width", "height"))
        for box in drawing.findall(f"{SVG}rect")
    ]
    for x, y, width, height in boxes:
        assert 0 <= x <= x + width <= float(drawing.get("width"))
        assert 0 <= y <= y + height <= float(drawing.get("height"))
        row = [b for b in boxes if b[1] == y and b[0] > x]
        assert all(b[0] >= x + width for b in row)


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
def test_names_are_never_markup_nor_control_characters(name):
    X = pd.DataFrame({name: [1.0, 2, 3, 4] * 5, "city": [name, "b"] * 10})
    y = [name, "other"] * 10
    for features in ([name], ["city"]):
        model = bc.DecisionTreeClassifier().fit(X[features], y)
        text, svg = (bc.export_tree(model, format=format) for format in ("text", "svg"))
        drawing = ET.fromstring(svg)

        assert {element.tag.removeprefix(SVG) for element in drawing.iter()} <= {
            "svg", "style", "path", "rect", "text", "title",
        }  # fmt: skip
        assert len(text.splitlines()) == model.tree_.n_nodes
        assert text.replace("\n", "").isprintable()


def test_a_deep_tree_is_text_but_no_drawing():
    n = 1500
    X, y = np.arange(float(n))[:, None], np.arange(n) % 2
    model = bc.DecisionTreeClassifier(criterion="entropy").fit(X, y)

    assert model.get_depth() > 200
    assert len(bc.export_tree(model).splitlines()) == model.tree_.n_nodes
    with pytest.raises(ValueError, match="too deep to be drawn"):
        bc.export_tree(model, format="svg")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "png"}, "`format` must be one of svg, text"),
        ({"feature_names": ["a"]}, "`feature_names` must have 5 names, got 1"),
        ({"class_names": ["a"]}, "`class_names` must have 2 names, got 1"),
        ({"max_depth": 0}, "`max_depth` must be a positive integer"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        bc.export_tree(mixed_tree(), **options)
