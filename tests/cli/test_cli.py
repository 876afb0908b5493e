"""Every verb of the command line, run as a user would."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import bychance


def run(*arguments, **environment):
    command = [sys.executable, "-m", "bychance", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_demo_shows_that_adjustment_finds_the_truth(tmp_path):
    """Noise leads the raw list; real columns lead the others, and fill them where α counts the rows."""
    result = run("demo", "--report", str(tmp_path / "page.html"), COLUMNS="100")
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

    assert result.returncode == 0
    for name in ("explained", "r2", "mic", "dcor", "agreement"):
        assert name in result.stdout


def test_version_is_printed():
    assert run("--version").stdout.strip() == f"bychance {bychance.__version__}"


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--nonsense"]])
def test_wrong_usage_exits_with_two(arguments):
    result = run(*arguments)

    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_stored_nulls_are_shown_and_cleared(tmp_path, monkeypatch):
    cache = {"BYCHANCE_CACHE": str(tmp_path)}
    monkeypatch.setenv("BYCHANCE_CACHE", str(tmp_path))
    for n in (10, 11, 12):
        bychance.adjust("mic", range(n), range(n), null=bychance.Permutation(99))
    shown = run("null", "show", **cache)
    cleared = run("null", "clear", **cache)

    assert shown.returncode == cleared.returncode == 0
    assert shown.stdout == f"3 nulls, 0.0 MB, in {tmp_path / 'nulls'}\n"
    assert "3 nulls removed" in cleared.stdout
    assert "0 nulls" in run("null", "show", **cache).stdout
