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


def test_demo_shows_that_adjustment_finds_the_truth():
    """Noise leads the raw list; the three real columns lead the adjusted one."""
    result = run("demo")
    raw, adjusted = ([line.split() for line in part.splitlines() if " 400 " in line or " 12 " in line]
                     for part in result.stdout.split("The same, less"))  # fmt: skip

    assert result.returncode == 0
    assert raw[0][0] != "●"
    assert [line[0] for line in adjusted[:3]] == ["●"] * 3
    assert {line[1] for line in adjusted[:3]} == {"rainfall", "soil", "sunshine"}


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


def test_nulls_are_warmed_listed_and_cleared(tmp_path):
    cache = {"BYCHANCE_CACHE": str(tmp_path)}
    warmed = run("null", "warm", "10", "12", "--resamples", "99", **cache)
    listed = run("null", "list", **cache)
    cleared = run("null", "clear", **cache)

    assert warmed.returncode == listed.returncode == cleared.returncode == 0
    assert "3 nulls" in listed.stdout
    assert "99" in listed.stdout
    assert "3 nulls removed" in cleared.stdout
    assert "0 nulls" in run("null", "list", **cache).stdout


@pytest.mark.parametrize(
    "arguments", [["9", "5"], ["10", "12", "--measure", "r2"], ["1", "5"], ["10", "12", "--resamples", "0"]]
)
def test_warming_what_cannot_be_warmed_is_wrong_usage(arguments):
    result = run("null", "warm", *arguments)

    assert result.returncode == 2
    assert "Traceback" not in result.stderr
