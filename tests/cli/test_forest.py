"""`bychance forest`: what it prints and writes, and one clear line for bad input."""

from __future__ import annotations

import csv
import io
from functools import partial

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from bychance.cli import app
from bychance.cli.forest import _cells
from tests.cli.running import write_csv
from tests.forest.frames import mixed


def run(*arguments):
    return CliRunner().invoke(app, ["forest", *map(str, arguments)])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    columns, y = mixed(160)
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "state"])
        writer.writerows(zip(*columns.values(), [*y[:-2], "", ""], strict=True))
    return path


def tables_of(text):
    blocks = text.strip().split("\n\n")
    return [list(csv.DictReader(io.StringIO(block), delimiter="\t")) for block in blocks]


ONE = ("--trees", 8)


def test_a_sentence_and_importances_come_of_one_forest(path):
    result = run(path, "--target", "state", "--trees", 50)
    (importances,) = tables_of(result.stdout)

    assert result.exit_code == 0
    assert len(importances) == 5
    assert [float(line["q_value"]) >= float(line["p_value"]) for line in importances] == [True] * 5
    assert "158 rows, 5 columns, 2 classes; 50 trees" in result.stderr
    assert "The 5 columns tell the classes of state apart: AUC is 0." in result.stderr
    assert " of 5 columns " in result.stderr


@pytest.mark.parametrize(
    ("values", "option", "what", "is_told"),
    [
        ([0, 1], (), "2 classes", True),
        (range(5), (), "5 classes", True),
        (range(5), ("--numeric", "state"), "a target of numbers", False),
        (range(5), ("--categorical", "state"), "5 classes", False),
        (range(40), (), "a target of numbers", False),
        (["a", "b"], (), "2 classes", False),
    ],
)
def test_it_says_if_numbers_are_taken_for_classes(tmp_path, rng, values, option, what, is_told):
    table = {"x": rng.normal(size=200).round(3), "state": rng.choice([*values], 200)}
    shown = run(write_csv(tmp_path / "t.csv", table), "--target", "state", *option, *ONE).stderr

    assert f"200 rows, 1 column, {what}; 8 trees" in shown
    told = "Note: the numbers of state are taken for classes; --numeric 'state' predicts numbers"
    assert (told in shown) == is_told


def test_the_caution_of_rank_is_that_of_forest(tmp_path, rng):
    path, steps = tmp_path / "t.csv", rng.normal(size=(2, 120)).cumsum(axis=1)
    days = np.datetime64("2024-01-01") + np.arange(120)
    lines = [f"{day},{a:.4f},{b:.4f}\n" for day, a, b in zip(days, *steps, strict=True)]
    path.write_text("date,sales,visits\n" + "".join(lines))

    assert "Caution: rows follow date" in run(path, "--target", "sales", *ONE).stderr


def test_a_pipe_gets_the_best_importances(path):
    result = run(path, "--target", "state", *ONE, "--top", 3)
    (importances,) = tables_of(result.stdout)

    assert result.exit_code == 0
    assert len(importances) == 3
    assert "158 rows, 5 columns, 2 classes; 8 trees" in result.stderr
    assert "Not used: 2 rows without state" in result.stderr


def test_a_target_of_numbers_is_predicted_by_regression(path, tmp_path):
    result = run(path, "--target", "dose", *ONE, "--out", tmp_path / "new" / "place")
    (importances,) = tables_of(result.stdout)

    assert result.exit_code == 0
    assert len(importances) == 5
    assert "a target of numbers; 8 trees" in result.stderr
    assert [file.name for file in (tmp_path / "new" / "place").iterdir()] == ["importances.csv"]


def test_the_file_holds_all_importances(path, tmp_path):
    result = run(path, "--target", "state", *ONE, "--top", 3, "--out", tmp_path, "--seed", 3)
    (shown,) = tables_of(result.stdout)
    with (tmp_path / "importances.csv").open() as file:
        written = list(csv.DictReader(file))

    assert result.exit_code == 0
    assert list(written[0]) == list(shown[0])
    assert len(written) == 5


def test_a_terminal_gets_tables(path, monkeypatch):
    module = __import__("sys").modules["bychance.cli.forest"]
    seen = io.StringIO()
    monkeypatch.setattr(module.sys.stdout, "isatty", lambda: True, raising=False)
    console = partial(Console, file=seen, width=90, height=25)
    monkeypatch.setattr("bychance.cli.show.plain_console", partial(console, highlight=False, markup=False))
    module.show_records("AUC by criterion", [{"criterion": "[red]Gini", "auc": 0.9, "auc_se": 0.01}])

    assert seen.getvalue().split() == [
        "AUC",
        "by",
        "criterion",
        "criterion",
        "auc",
        "[red]Gini",
        "0.9000",
        "±",
        "0.0100",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--target", "stat"], 1, "--target must be one of"),
        (["--target", "state", "--jobs", "0"], 2, "--jobs must be a number of threads"),
        (["--target", "state", "--trees", "0"], 2, "greater than or equal to 1"),
        ([], 2, "Missing option '--target'"),
        (["--target", "state", "--drop", "nothing"], 1, "--drop must be one of"),
        (
            ["--target", "dose", "--categorical", "dose"],
            1,
            "must name a column of classes, got 146 different values in 146 rows of 'dose'",
        ),
    ],
)
def test_bad_input_is_one_clear_line(path, arguments, code, message):
    result = run(path, *arguments)

    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert "Traceback" not in result.stderr


def test_a_place_that_cannot_be_written_is_said_before_the_work(path):
    result = run(path, "--target", "state", "--out", path)

    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


def test_spreadsheets_are_kept_from_running_names(tmp_path, rng):
    path = tmp_path / "t.csv"
    x, y = rng.normal(size=60), np.tile(["u", "v"], 30)
    path.write_text("=cmd,class\n" + "".join(f"{a:.3f},{b}\n" for a, b in zip(x, y, strict=True)))
    shown = run(path, "--target", "class", *ONE, "--out", tmp_path).stdout

    assert tables_of(shown)[0][0]["column"] == "'=cmd"
    assert '"\'=cmd",' in (tmp_path / "importances.csv").read_text()


def test_the_notes_on_reading_are_those_of_rank(tmp_path, rng):
    path = tmp_path / "t.csv"
    rows = [f"P{k},{a:.3f} kg,{'uv'[k % 2]}\n" for k, a in enumerate(rng.normal(5, 1, size=60))]
    path.write_text("id,weight,class\n" + "".join(rows) + ",,\nSource: ward 3\n")
    noticed = [
        [line for line in done.stderr.splitlines() if line.startswith("Note: ")]
        for done in (
            run(path, "--target", "class", *ONE),
            CliRunner().invoke(app, ["rank", str(path), "--target", "class"]),
        )
    ]

    assert len(noticed[0]) == 3
    assert noticed[0] == noticed[1]
    assert "Note: 'id' was set aside: an identifier: 60 of 60 values are distinct" in noticed[0]
    assert any("--no-header reads all rows as data" in line for line in noticed[0])


def test_large_importances_and_small_p_values_are_shown_in_few_digits():
    record = {"column": "area", "importance": 29513929285.8, "importance_se": 1339371082.4, "p_value": 2e-11}

    assert _cells(record) == ["area", "2.951e+10 ± 1.339e+09", "2e-11"]
    assert _cells(record | {"importance": 0.25, "importance_se": 0.01})[1] == "0.2500 ± 0.0100"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([f"2024-01-01 10:{k:02}" for k in range(50)], "dates or times in 'y', which forests do not predict"),
        ([*(f"€{k + 1000:,}" for k in range(40)), *["sold"] * 10], "40 of 50 values are numbers, not 'sold'"),
        ([*(f"3:{k:02}:10" for k in range(48)), *["DNF"] * 2], "--missing 'DNF' reads the rest"),
    ],
    ids=["dates", "prices", "times"],
)
def test_a_target_of_dates_or_of_numbers_beside_words_is_told(tmp_path, cells, message):
    path = write_csv(tmp_path / "t.csv", {"y": cells, "x": [k * k % 17 for k in range(50)]})

    assert message in run(path, "--target", "y").stderr
