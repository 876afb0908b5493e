"""Every verb of the command line, run as a user would."""

from __future__ import annotations

import subprocess
import sys

import pytest

import bychance


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "bychance", *arguments], capture_output=True, text=True, check=False
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
    for info in bychance.list_measures():
        if info.name in ("explained", "r2", "mi", "dcor"):
            assert info.name in result.stdout


def test_version_is_printed():
    assert run("--version").stdout.strip() == f"bychance {bychance.__version__}"


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--nonsense"]])
def test_wrong_usage_exits_with_two(arguments):
    result = run(*arguments)

    assert result.returncode == 2
    assert "Traceback" not in result.stderr
