"""`bychance rank … --report` and the demo's page: written, said where, and with the command to repeat."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bychance as bc
from bychance.cli import app


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "my table.csv"
    path.write_text("a,b,c d\n" + "\n".join(f"{k},{k * k % 7},{k % 3}" for k in range(40)))
    return path


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def command_in(page):
    return html.unescape(re.search(r"<code>(.*?)</code>", page.decode(), re.DOTALL)[1])


def test_a_report_is_written_and_said_where(table, tmp_path):
    page = tmp_path / "page.html"
    result = run("rank", table, "--target", "c d", "--numeric", "a", "--numeric", "b", "--report", page)

    assert result.exit_code == 0
    assert f"The report is in {page}." in result.stderr
    assert "rank\tx\ty" in result.stdout
    words = shlex.split(command_in(page.read_bytes()))
    assert words[:3] == ["bychance", "rank", str(table)]
    assert words[3:] == ["--target", "c d", "--numeric", "a", "--numeric", "b", "--report", str(page)]


def test_the_page_speaks_of_flags_and_that_of_python_of_arguments(tmp_path):
    rows = [f"0{k % 7}{k % 3},{-999 if k % 5 == 0 else k},{k % 11},{k}" for k in range(60)]
    path, page = tmp_path / "coded.csv", tmp_path / "page.html"
    path.write_text("zip,a,b,row\n" + "\n".join(rows))
    run("rank", path, "--null", "permutation:499", "--report", page)
    typed = page.read_text(encoding="utf-8")
    bc.rank(bc.read_table(path), null=bc.Permutation(499)).report(page)
    called = page.read_text(encoding="utf-8")

    for said, flag, argument in (
        (typed.split("<script")[1], "--numeric", "numeric="),
        (typed.split("<script")[1], "--missing", "missing="),
        (typed.split("<script")[1], "--no-data", "without_data"),
        (typed.split("<script")[1], "permutation:499", "bc.Permutation(n_resamples=499"),
    ):
        assert flag in said
        assert argument not in said
        assert argument in called
        assert flag not in called


def test_the_command_on_the_page_writes_the_same_page(table, tmp_path):
    page = tmp_path / "page.html"
    run("rank", table, "--measure", "r2", "--alpha", "0.2", "--alpha", "0.3", "--report", page)
    first = page.read_bytes()
    page.unlink()
    again = run(*shlex.split(command_in(first))[1:])

    assert again.exit_code == 0
    assert page.read_bytes() == first


def test_the_command_on_the_page_says_what_was_turned_off(table, tmp_path):
    page = tmp_path / "page.html"
    run(
        "rank",
        table,
        "--no-header",
        "--skip-rows",
        "1",
        "--dates",
        "month-first",
        "--null",
        "moments",
        "--report",
        page,
    )
    words = shlex.split(command_in(page.read_bytes()))

    assert "--no-header" in words
    assert words[words.index("--dates") + 1] == "month-first"
    assert "--header" not in words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "page.txt"], "must end in .html"),
        (["--report", "page.html", "--out", "pairs.csv", "--resume"], "cannot be combined with --report"),
    ],
)
def test_wrong_usage_is_told(table, options, message):
    result = run("rank", table, *options)

    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_a_report_and_a_file_of_pairs_come_from_one_run(table, tmp_path):
    page, pairs, alone = (tmp_path / name for name in ("page.html", "pairs.csv", "alone.csv"))
    both = run("rank", table, "--null", "moments", "--report", page, "--out", pairs)
    run("rank", table, "--null", "moments", "--out", alone, "--sort")

    assert both.exit_code == 0
    assert "All pairs are in" in both.stderr
    assert "The report is in" in both.stderr
    assert page.read_text(encoding="utf-8").startswith("<!")
    assert pairs.read_text() == alone.read_text()


def test_a_directory_is_no_report(table, tmp_path):
    (tmp_path / "page.html").mkdir()
    result = run("rank", table, "--report", tmp_path / "page.html")

    assert result.exit_code == 1
    assert "is a directory" in result.stderr


def test_a_place_that_cannot_be_written_is_told_before_the_work(table, tmp_path):
    result = run("rank", table, "--report", tmp_path / "none" / "page.html")

    assert result.exit_code == 1
    assert result.stdout == ""
    assert "No such file or directory" in result.stderr


def test_the_demo_writes_a_report_and_says_where(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo")

    assert result.exit_code == 0
    assert str(tmp_path / "bychance-demo.html") in result.stdout
    assert "bychance demo" in command_in(Path("bychance-demo.html").read_bytes())


def test_without_data_the_page_holds_no_values(table, tmp_path):
    plain, bare = tmp_path / "plain.html", tmp_path / "bare.html"
    with_values = run("rank", table, "--report", plain)
    without = run("rank", table, "--report", bare, "--no-data")

    assert with_values.stderr.endswith("--no-data leaves them out.\n")
    assert "This page holds the data: values of" in plain.read_text()
    assert without.exit_code == 0
    assert "none of its values" in bare.read_text()
    assert "--no-data" in command_in(bare.read_bytes())
    assert without.stdout == with_values.stdout


def test_leaving_data_out_is_about_a_page(table):
    result = run("rank", table, "--no-data")

    assert result.exit_code == 2
    assert "--no-data requires --report" in result.stderr
