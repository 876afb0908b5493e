"""Messages of the library name options as a user of the command line types them."""

from __future__ import annotations

import numpy as np
import pytest
import typer

from bychance.cli import app, spelling
from bychance.cli.spelling import in_options
from tests.cli.running import error_of, write_csv


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            '`null="moments"` or `bc.Permutation()` are quick.',
            "--null moments or --null permutation are quick.",
        ),
        ("Use about 9,999: null=bc.Permutation(9999).", "Use about 9,999: --null permutation:9999."),
        (
            "`given` needs all rows: stream=False reads it whole.",
            "--given needs all rows: --no-stream reads it whole.",
        ),
        ('`control="linear"` makes none', "--given-control linear makes none"),
        (
            "with top=… it is 3 GB: drop=… leaves columns out.",
            "with --top … it is 3 GB: --drop … leaves columns out.",
        ),
        ("merge=['crp [mg/L]'] takes them as one", "--merge 'crp [mg/L]' takes them as one"),
        ("got `max_samples` = 3 and 'null' in 'top'", "got `max_samples` = 3 and 'null' in 'top'"),
    ],
)
def test_arguments_become_options(message, shown):
    assert in_options(message) == shown


def test_every_option_that_is_named_exists():
    verbs = typer.main.get_command(app).commands
    options = {name for verb in verbs.values() for option in verb.params for name in option.opts}

    assert {spelling._option(name) for name in spelling.named()} <= options


def test_a_null_that_is_not_available_is_named_as_it_was_typed(tmp_path):
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "t.csv", {"a": rng.random(30), "b": rng.random(30)})

    assert error_of(path, "--measure", "xi", "--null", "normal").startswith(
        "bychance: --null normal is not available"
    )
