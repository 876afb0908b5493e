"""What the shell is offered."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from bychance.cli import app


def offered(*words):
    """What bash is offered for the last word."""
    line = {"COMP_WORDS": " ".join(["bychance", *words]), "COMP_CWORD": str(len(words))}
    environment = {"_BYCHANCE_COMPLETE": "complete_bash", **line}
    return CliRunner().invoke(app, [], prog_name="bychance", env=environment).stdout.split()


def test_the_shell_is_offered_names(harvest):
    assert offered("rank", str(harvest), "--measure", "mi") == ["mi", "mic", "mic_e", "mixed="]
    assert offered("rank", str(harvest), "--measure", "numeric=sp") == ["numeric=spearman"]
    assert offered("rank", str(harvest), "--by", "adj") == ["adjusted", "adjusted_at"]
    assert offered("rank", str(harvest), "--null", "p") == ["paper", "permutation:9999"]
    assert offered("rank", str(harvest), "--target", "survey_") == [f"survey_{k}" for k in range(1, 7)]
    assert offered("rank", str(harvest), "--top", "3", "--drop", "soi") == ["soil"]
    assert offered("rank", "--target", "survey_") == []


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", b""), ("t.csv", b"\x00\xff\x00"), ("t.parquet", b"no"), ("t.arff", b"@")]
)
def test_the_shell_is_offered_nothing_of_files_that_cannot_be_read(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)

    assert offered("rank", str(tmp_path / name), "--target", "a") == []


def test_completion_can_be_installed():
    result = CliRunner().invoke(app, ["--help"])

    assert "--install-completion" in result.stdout
