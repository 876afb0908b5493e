"""`python -m studies.forest_criteria`: the criteria beside each other, as figures, text and files."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from studies.forest_criteria import CRITERIA, app, study_forest
from tests.forest.frames import mixed

FEW = ("--trees", 8, "--repeats", 2)


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    columns, y = mixed(160)
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    pd.DataFrame(columns).assign(state=[*y[:-2], None, None]).to_csv(path, index=False)
    return path


def tables_of(text):
    blocks = text.strip().split("\n\n")
    return [list(csv.DictReader(io.StringIO(block), delimiter="\t")) for block in blocks]


def test_a_study_has_every_criterion_and_the_curve():
    columns, y = mixed(160)
    study = study_forest(pd.DataFrame(columns), y, n_estimators=10, n_repeats=2)

    assert [record["criterion"] for record in study.criteria()] == list(CRITERIA.values())
    assert study.criteria()[0]["over_gini"] == 0
    assert study.curve.alphas == (0.005, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 1.0)
    # AGini(0.05) is a point of the curve.
    assert study.criteria()[2]["auc"] == study.curve.auc[2]


def test_figures_are_written_and_are_those_of_the_study(path, tmp_path):
    out = tmp_path / "new" / "place"
    result = run(path, "--target", "state", *FEW, "--out", out)
    shown = tables_of(result.stdout)
    columns, y = mixed(160)
    study = study_forest(pd.DataFrame(columns).iloc[:158], y[:158], n_estimators=8, n_repeats=2)

    assert result.exit_code == 0
    assert [line["criterion"] for line in shown[0]] == list(CRITERIA.values())
    assert [float(line["alpha"]) for line in shown[1]] == [0.005, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 1]
    np.testing.assert_allclose([float(r["auc"]) for r in shown[0]], [r["auc"] for r in study.criteria()])
    assert sorted(file.name for file in out.iterdir()) == ["alpha.csv", "alpha.svg", "auc.csv"]
    for name, lines in zip(("auc", "alpha"), shown, strict=True):
        with (out / f"{name}.csv").open() as file:
            written = list(csv.DictReader(file))
        assert list(written[0]) == list(lines[0])
        assert len(written) == len(lines)
    assert (out / "alpha.svg").read_text().lstrip().startswith("<?xml")


def test_a_target_of_numbers_is_predicted_by_regression(path, tmp_path):
    result = run(path, "--target", "dose", *FEW, "--out", tmp_path)
    (criteria,) = tables_of(result.stdout)

    assert result.exit_code == 0
    assert [line["criterion"] for line in criteria] == ["variance", "standardized", "adjusted(0.05)", "fair"]
    assert float(criteria[0]["over_variance"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["r2.csv"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--target", "stat"], 1, "--target must be one of"),
        (["--target", "state", "--jobs", "0"], 2, "--jobs must be a number of threads"),
        (["--target", "state", "--repeats", "1"], 2, "greater than or equal to 2"),
    ],
)
def test_bad_input_is_one_clear_line(path, arguments, code, message):
    result = run(path, *arguments)

    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert "Traceback" not in result.stderr
