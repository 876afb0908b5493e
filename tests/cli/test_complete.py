"""Completions offered to the shell."""

from __future__ import annotations

from typer.testing import CliRunner

from bychance.cli import app


def offered(*words):
    """Return the completions that bash is offered for the last word."""
    line = {"COMP_WORDS": " ".join(["bychance", *words]), "COMP_CWORD": str(len(words))}
    environment = {"_BYCHANCE_COMPLETE": "complete_bash", **line}
    return CliRunner().invoke(app, [], prog_name="bychance", env=environment).stdout.split()


def test_the_shell_is_offered_names(harvest):
    assert offered("rank", str(harvest), "--measure", "mi") == ["mi", "mic", "mic_e", "mixed="]
    assert offered("rank", str(harvest), "--measure", "numeric=sp") == ["numeric=spearman"]
    assert offered("rank", str(harvest), "--by", "adj") == ["adjusted", "adjusted_at"]
    assert offered("rank", str(harvest), "--null", "p") == ["paper", "permutation:9999"]


def test_completion_can_be_installed():
    result = CliRunner().invoke(app, ["--help"])

    assert "--install-completion" in result.stdout
