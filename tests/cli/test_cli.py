"""Every verb of the command line: the demo as a user would run it, the others in this process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import bychance
from bychance.cli import app


def run(*arguments):
    return CliRunner().invoke(app, arguments)


def test_demo_shows_that_adjustment_finds_the_truth(tmp_path):
    """Noise leads the raw list. Real columns lead the others, and fill them if α counts the rows."""
    command = [sys.executable, "-m", "bychance", "demo", "--report", str(tmp_path / "page.html")]
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"})
    lines = result.stdout.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("raw"))
    width = lines[start].index("adjusted")
    lists = [[line[k * width : (k + 1) * width] for line in lines[start + 1 : start + 4]] for k in range(4)]
    is_real = [["●" in entry for entry in entries] for entries in lists]

    assert result.returncode == 0
    assert is_real[0] == [False, False, True]
    assert is_real[1][0]
    assert is_real[2] == is_real[3] == [True, True, True]
    assert "hardly by chance: rainfall, soil, sunshine." in result.stdout
    assert max(len(line) for line in lines if not line.startswith("/")) <= 100


def test_measures_lists_every_measure():
    result = run("measures")

    assert result.exit_code == 0
    for name in ("explained", "r2", "mic", "dcor", "agreement"):
        assert name in result.stdout


def test_version_is_printed():
    assert run("--version").stdout.strip() == f"bychance {bychance.__version__}"


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--nonsense"]])
def test_wrong_usage_exits_with_two(arguments):
    result = run(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage: " in result.stderr


def test_stored_nulls_are_shown_and_cleared(tmp_path, monkeypatch):
    monkeypatch.setenv("BYCHANCE_CACHE", str(tmp_path))
    for n in (10, 11, 12):
        bychance.adjust("mic", range(n), range(n), null=bychance.Permutation(99))
    shown, cleared = run("null", "show"), run("null", "clear")

    assert shown.exit_code == cleared.exit_code == 0
    assert shown.stdout == f"3 nulls, 0.0 MB, in {tmp_path / 'nulls'}\n"
    assert "3 nulls removed" in cleared.stdout
    assert "0 nulls" in run("null", "show").stdout
