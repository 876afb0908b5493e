"""`bychance rank`: what it prints and writes."""

from __future__ import annotations

import csv
import io
import os
import re

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from typer.main import get_command
from typer.testing import CliRunner

import bychance as bc
from bychance.cli import app
from tests.cli.running import error_of, run, tabbed, table_of, write_csv

HOSTILE = ["\x1b[31mred", "[red]x[/red]", "<script>alert(1)</script>", "two\nlines", "tab\tbed", "w" * 500]


def test_a_pipe_gets_the_best_pairs_as_the_library_gives_them(harvest):
    """Tab-separated, figures in full, the columns of to_frame()."""
    result = run(harvest, "--target", "yield", "--top", 4)
    expected = list(bc.rank(harvest, target="yield").best(4, fold=True))

    assert result.exit_code == 0
    assert [
        {name: "" if value is None else str(value) for name, value in record.items()} for record in expected
    ] == tabbed(result.stdout)
    assert "11 columns against yield by explained" in result.stderr


def test_options_reach_the_ranking(harvest):
    result = run(
        harvest, "--x", "rainfall", "--x", "survey_1", "--y", "yield", "--y", "sunshine",
        "--measure", "numeric=r2", "--measure", "mixed=eta2", "--null", "permutation:99",
        "--by", "p_value", "--alpha", "0.2", "--min-n", "12", "--fdr", "by", "--fdr-level", "0.2",
        "--seed", "3", "--jobs", "2",
    )  # fmt: skip
    ranking = bc.rank(
        harvest, x=["rainfall", "survey_1"], y=["yield", "sunshine"],
        measure={"numeric": "r2", "mixed": "eta2"}, null=bc.Permutation(99),
        by="p_value", alpha=0.2, min_n=12, fdr="by", fdr_level=0.2, rng=3,
    )  # fmt: skip

    assert [line["q_value"] for line in tabbed(result.stdout)] == [str(r["q_value"]) for r in ranking.best()]


def test_columns_are_read_as_told(tmp_path):
    path = tmp_path / "t.csv"
    rows = [[k % 3, f"id{k}", -1 if k % 5 == 0 else k % 7, k % 4] for k in range(60)]
    write_csv(path, ["group", "id", "code", "extra"], rows)

    noticed = run(path, "--target", "code")
    told = run(
        path,
        "--target",
        "code",
        "--categorical",
        "group",
        "--drop",
        "id",
        "--missing",
        "-1",
        "--drop",
        "extra",
    )

    assert "'id' was set aside" in noticed.stderr
    assert [(line["x"], line["n"], line["sign"]) for line in tabbed(told.stdout)] == [("group", "48", "")]


def test_text_formats_can_be_told(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("größe|b\n".encode("cp1252") + b"".join(b"%d,5|%d\n" % (k, k * k) for k in range(20)))

    told = run(path, "--delimiter", "|", "--decimal", ",", "--encoding", "cp1252")

    assert [(line["x"], line["y"], line["n"], line["sign"]) for line in tabbed(told.stdout)] == [
        ("größe", "b", "20", "1")
    ]


def test_a_sweep_follows_the_ranking_after_a_blank_line(harvest):
    result = run(harvest, "--target", "yield", "--top", 3, "--alpha", 0.05, "--alpha", 0.4)
    ranked, swept = result.stdout.split("\n\n")

    assert len(tabbed(ranked)) == 3
    assert {"rank at 0.4", "rank at 0.05", "stable"} <= set(tabbed(swept)[0])


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_all_pairs_go_to_a_file(harvest, tmp_path, suffix):
    path = tmp_path / f"pairs.{suffix}"
    result = run(harvest, "--out", path, "--null", "moments", "--top", 2)

    assert result.exit_code == 0, result.stderr
    assert len(tabbed(result.stdout)) == 2
    assert os.listdir(tmp_path) == [path.name]
    if suffix == "parquet":
        assert pq.read_table(path).num_rows == 96


def test_resuming_ends_with_the_same_file(harvest, tmp_path):
    options = ["--null", "moments", "--sort", "--top", 1]
    first = run(harvest, "--out", tmp_path / "first.csv", *options)
    second = run(harvest, "--out", tmp_path / "second.csv", *options, "--resume")

    assert first.exit_code == second.exit_code == 0
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "second.csv").read_bytes()


def test_a_dry_run_tells_and_writes_nothing(harvest, tmp_path):
    result = run(harvest, "--out", tmp_path / "pairs.parquet", "--dry-run")

    assert result.exit_code == 0
    assert "96 pairs in 1 block" in result.stdout
    assert "nulls: " in result.stdout
    assert re.search(r"about \d+ seconds? on 1 thread", result.stdout)
    assert os.listdir(tmp_path) == []


def test_a_column_of_very_many_strings_is_set_aside(tmp_path):
    n = 50_000
    rng = np.random.default_rng(0)
    columns = {
        "who": [f"{k:x}" for k in range(n)],
        "a": rng.integers(9, size=n),
        "b": rng.integers(9, size=n),
    }
    path = write_csv(tmp_path / "t.csv", columns)
    result = run(path)

    assert result.exit_code == 0
    assert "'who' was set aside: an identifier" in result.stderr
    assert len(tabbed(result.stdout)) == 1


def test_where_all_pairs_are_is_said(harvest, tmp_path):
    result = run(harvest, "--null", "moments", "--out", tmp_path / "pairs.csv")

    assert result.stderr.splitlines()[-1] == f"All pairs are in {tmp_path / 'pairs.csv'}."


def test_hostile_names_do_no_harm(tmp_path):
    """They are escaped through a pipe and on a terminal, and break no line."""
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "t.csv", {name: rng.normal(size=30).round(3) for name in HOSTILE})
    result = run(path, "--alpha", 0.05, "--alpha", 0.4)

    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.output
    assert len(tabbed(result.stdout.split("\n\n")[0])) == 15
    assert "two\\nlines" in result.stdout
    assert "[red]x[/red]" in result.stdout
    assert "\x1b" not in error_of(path, "--target", "\x1b[2J")

    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100, color_system=None, markup=False)
    console.print(table_of(bc.rank(path), 20, 100))
    assert "\x1b[31m" not in shown.getvalue()
    assert "[red]x[/red]" in shown.getvalue()
    assert max(map(len, shown.getvalue().splitlines())) <= 100


def test_notes_speak_of_options(tmp_path):
    cells = [*(f"{k}.5" for k in range(30)), *["low", "high", "none"] * 10]
    path = write_csv(tmp_path / "t.csv", {"dose": cells, "b": [1, 2, 3, 5] * 15})

    told = "30 of 60 values are numbers, not 'low', 'high', 'none'"
    assert f"Note: 'dose': categories, though {told}" in run(path).stderr


def test_a_word_in_a_target_of_numbers_is_told(tmp_path):
    path = write_csv(tmp_path / "t.csv", {"nps": [*list(range(11)) * 9, "no answer"], "b": [1, 2, 3, 5] * 25})

    told = "99 of 100 values are numbers, not 'no answer'; --missing 'no answer' reads the rest"
    assert f"Note: 'nps': categories, though {told}" in run(path, "--target", "nps").stderr


def test_a_pipe_keeps_spreadsheets_from_running_names_and_leaves_numbers(tmp_path):
    x = np.arange(20.0)
    columns = {"=cmd": x, "-down": -x + np.tile([0.0, 9.0], 10), "\t+tab": np.tile([1.0, 0.0], 10)}
    path = write_csv(tmp_path / "t.csv", {name: values.tolist() for name, values in columns.items()})
    options = [path, "--measure", "spearman", "--null", "moments", "--alpha", 0.05, "--alpha", 0.4]
    safe = run(*options).stdout
    pairs, places = ([line.split("\t") for line in part.splitlines()] for part in safe.split("\n\n"))

    assert {tuple(pair[1:3]) for pair in pairs[1:]} >= {("'=cmd", "'-down"), ("'=cmd", "\\t+tab")}
    assert pairs[1][pairs[0].index("sign")] == "-1"
    assert {place[0] for place in places[1:]} == {"'=cmd", "'-down"}


def test_every_note_is_shown_with_the_first_of_its_columns(tmp_path):
    costs = {f"cost {k}": [f"${(k + 1) * j * j % 97 + 1},000" for j in range(30)] for k in range(15)}
    codes = {f"zip {k}": [f"0{(j * 7 + k) % 9}139" for j in range(30)] for k in range(2)}
    path = write_csv(tmp_path / "t.csv", {**costs, **codes, "y": [j % 7 for j in range(30)]})
    few = run(path, "--target", "y").stderr

    said = ": numbers in $; commas separate thousands"
    assert few.count(said) == 1
    assert f"'cost 10', 'cost 11', … (15 columns){said}" in few
    assert "'zip 0', 'zip 1': codes padded" in few
    assert "--numeric 'zip 0' --numeric 'zip 1' reads numbers" in few


def test_notes_on_reading_name_the_option_that_changes_it(tmp_path):
    columns = {"1": ["a", "A"] * 10, "2": [f"0{j % 9 + 1}/05/2019" for j in range(20)], "3": list(range(20))}
    notes = run(write_csv(tmp_path / "t.csv", columns)).stderr

    assert "--merge '1' takes them as one" in notes
    assert "--dates day-first reads the day first" in notes
    assert "--no-header reads it as data" in notes


def test_a_file_is_read_as_the_options_say(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"0{1 + j % 9}/0{1 + j % 5}/2019;{['a', 'A', 'b'][j % 3]};{j * j}" for j in range(40)]
    path.write_text("\n".join(["a report", *rows]))
    options = ["--skip-rows", 1, "--no-header", "--dates", "day-first", "--merge", "column_2"]
    result = run(path, "--delimiter", ";", *options)

    assert result.exit_code == 0
    assert "day first, as asked for" in result.stderr
    assert "case or blanks" not in result.stderr
    assert "column_1" in result.stdout


def test_standard_input_is_a_table(harvest):
    options = ["--target", "yield", "--null", "moments"]
    piped = CliRunner().invoke(app, ["rank", "-", *options], input=harvest.read_bytes())

    assert piped.exit_code == 0
    assert piped.stdout == run(harvest, *options).stdout


@pytest.mark.parametrize(("alias", "name"), [("pearson", "r2"), ("mutual_info", "mi")])
def test_measures_have_the_names_that_people_know(tmp_path, alias, name):
    columns = {"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "c": list("uv" * 10), "d": list("uvwv" * 5)}
    path = write_csv(tmp_path / "t.csv", columns)

    assert run(path, "--measure", alias).stdout == run(path, "--measure", name).stdout
    assert run(path, "--measure", alias).exit_code == 0


def test_blocks_and_groups_reach_the_null(tmp_path):
    rng = np.random.default_rng(0)
    names = [["north", "south"][k % 2] for k in range(60)]
    table = {
        "when": range(60),
        "a": rng.normal(size=60).cumsum(),
        "b": rng.normal(size=60).cumsum(),
        "where": names,
    }
    path = write_csv(tmp_path / "t.csv", {name: list(values) for name, values in table.items()})
    options = [path, "--x", "a", "--y", "b", "--null", "permutation:99"]
    plain, blocks, groups = run(*options), run(*options, "--block", 10), run(*options, "--groups", "where")

    expected = [bc.Permutation(99), bc.Permutation(99, block=10), bc.Permutation(99, groups="where")]
    for result, null in zip((plain, blocks, groups), expected, strict=True):
        assert result.exit_code == 0, result.stderr
        frame = bc.rank(path, x="a", y="b", null=null).to_frame()
        assert [line["p_value"] for line in tabbed(result.stdout)] == [
            str(p) for p in frame["p_value"].to_pylist()
        ]
    assert "--block ROWS permutes blocks" in plain.stderr
    assert "exchangeable" not in blocks.stderr + groups.stderr


def test_restrictions_are_of_permutations(harvest):
    assert "--groups and --block cannot be combined" in error_of(
        harvest, "--block", 5, "--groups", "soil", code=2
    )
    assert "require permutations" in error_of(harvest, "--block", 5, "--null", "moments", code=2)
    assert "--groups must be one of" in error_of(harvest, "--groups", "sol")


def test_limits_of_all_pairs_are_written_if_asked_for(tmp_path):
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "t.csv", {f"c{k}": list(rng.normal(size=40)) for k in range(11)})
    options = [path, "--measure", "xi", "--null", "moments", "--alpha", 0.05, "--alpha", 0.4]
    n_limits = []
    for asked in ([], ["--intervals"]):
        out = tmp_path / f"pairs{len(asked)}.csv"
        assert run(*options, "--out", out, *asked).exit_code == 0
        with out.open(newline="") as file:
            n_limits.append(sum(bool(line.get("adjusted_low")) for line in csv.DictReader(file)))

    assert n_limits == [0, 110]


def test_the_help_is_a_screen_and_a_half_and_begins_with_the_options_most_used():
    shown = run("--help").stdout.splitlines()
    flags = [line.split()[0] for line in shown if line.startswith("  --")]

    assert len(shown) <= 36
    assert max(map(len, shown)) <= 80
    assert flags[:8] == ["--target", "--given", "--drop", "--measure", "--null", "--top", "--out", "--report"]
    assert len(flags) == 24


def test_the_options_of_reading_are_shown_on_request():
    shown = run("--help", "reading").stdout.splitlines()
    flags = {line.split()[0] for line in shown if line.startswith("  --")}

    assert {"--numeric", "--missing", "--dates", "--delimiter", "--sheet", "--stream/--no-stream"} <= flags
    assert "--target" not in flags


def test_every_option_is_in_one_of_the_two_helps():
    shown = run("--help").stdout + run("--help", "reading").stdout
    command = get_command(app).commands["rank"]

    flags = [flag for each in command.params for flag in each.opts if flag.startswith("-")]
    assert [flag for flag in flags if flag not in shown] == []
