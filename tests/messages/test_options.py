"""Options are written as Python has them and as a user of the command line types them."""

from __future__ import annotations

import numpy as np
import pytest
import typer

from bychance.cli import app
from bychance.messages import OPEN, Call, Dialect, Option
from bychance.messages.options import OPTIONS
from tests.cli.running import error_of, write_csv


@pytest.mark.parametrize(
    ("option", "python", "command_line"),
    [
        (Option("missing", ("tbd", "soon")), "missing=['tbd', 'soon']", "--missing 'tbd' --missing 'soon'"),
        (Option("missing", ()), "missing=[]", "--missing ''"),
        (Option("missing", (-999.0,)), "missing=[-999]", "--missing -999"),
        (Option("missing", ("-", OPEN)), "missing=['-', …]", "--missing '-' --missing …"),
        (Option("missing", ("x" * 50,)), f"missing=['{'x' * 39}…']", f"--missing '{'x' * 39}…'"),
        (Option("drop", ("x" * 50,)), f"drop=['{'x' * 50}']", f"--drop '{'x' * 50}'"),
        (Option("header", False), "header=False", "--no-header"),
        (Option("day_first", True), "day_first=True", "--dates day-first"),
        (Option("skip_rows", 3), "skip_rows=3", "--skip-rows 3"),
        (Option("null", "auto"), "`null='auto'`", "--null auto"),
        (Option("control", "linear"), "`control='linear'`", "--control linear"),
        (Option("sheet", OPEN), "sheet=…", "--sheet"),
        (Option("top", OPEN), "top=…", "--top …"),
        (Option("merge", ("crp [mg/L]",)), "merge=['crp [mg/L]']", "--merge 'crp [mg/L]'"),
        (Option("min_n"), "`min_n`", "--min-n"),
        (Option("decimal", ","), "TextFormat(decimal=',')", "--decimal ,"),
        (Option("block", OPEN), "bc.Permutation(block=…)", "--block ROWS"),
        (Option("max_gib", OPEN), "read_table(…, max_gib=…)", "read_table(…, max_gib=…)"),
        (
            Option("null", Call("null=bc.Permutation(9999)", "permutation:9999")),
            "null=bc.Permutation(9999)",
            "--null permutation:9999",
        ),
        (Option("threshold", 0.5), "threshold=0.5", "threshold=0.5"),
    ],
)
def test_an_option_is_written_in_both_dialects(option, python, command_line):
    assert str(option) == python
    assert option.render(Dialect.COMMAND_LINE) == command_line


def test_a_sentence_keeps_its_options():
    sentence = "Too few: " + Option("min_n") + " is 10; " + Option("drop", ("a",)) + " leaves it out."

    assert str(sentence) == "Too few: `min_n` is 10; drop=['a'] leaves it out."
    assert sentence.render(Dialect.COMMAND_LINE) == "Too few: --min-n is 10; --drop 'a' leaves it out."
    assert sentence.options == (Option("min_n"), Option("drop", ("a",)))


def test_every_option_that_is_named_exists():
    verbs = typer.main.get_command(app).commands
    options = {name for verb in verbs.values() for option in verb.params for name in option.opts}

    assert {Option(name).render(Dialect.COMMAND_LINE) for name in OPTIONS} <= options


def test_a_null_that_is_not_available_is_named_as_it_was_typed(tmp_path):
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "t.csv", {"a": rng.random(30), "b": rng.random(30)})

    assert error_of(path, "--measure", "xi", "--null", "normal").startswith(
        "bychance: --null normal is not available"
    )
