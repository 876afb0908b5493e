"""`bychance columns`: what the columns of a file were read as."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import bychance as bc
from bychance.cli import app
from bychance.cli.reading import _grid
from tests.cli.running import tabbed, write_csv


@pytest.fixture
def path(tmp_path):
    rows = [[k, f"id{k}", 2.5 * (k % 7), "" if k % 4 else "q", f"2020-01-{k % 28 + 1:02}"] for k in range(60)]
    return write_csv(tmp_path / "t.csv", ["row", "id", "dose", "flag", "day"], rows)


def run(*arguments):
    return CliRunner().invoke(app, ["columns", *map(str, arguments)])


def test_a_pipe_gets_the_overview_of_the_library(path):
    result = run(path)
    expected = bc.read_table(path).overview()

    assert result.exit_code == 0
    lines = tabbed(result.stdout)
    assert [(line["column"], line["kind"], line["typical"]) for line in lines] == [
        (column.name, column.kind, column.typical) for column in expected
    ]
    assert {line["column"]: line["missing"] for line in lines}["flag"] == "0.75"
    assert "Table of 60 rows and 4 columns" in result.stderr
    assert "Note: 'row': it counts the rows" in result.stderr


def test_a_directory_is_read_as_rank_reads_it(path, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / name).write_bytes(path.read_bytes())
    whole, several = run(folder), run(folder / "a.csv", folder / "b.csv")

    assert "Table of 120 rows and 5 columns" in whole.stderr
    assert whole.stdout == several.stdout


def test_options_change_how_columns_are_read(path):
    lines = {
        line["column"]: line for line in tabbed(run(path, "--categorical", "dose", "--drop", "id").stdout)
    }

    assert lines["dose"]["kind"] == "categories"
    assert "id" not in lines


@pytest.fixture
def coded(tmp_path):
    """Make numbers with a code for missing ones, and numbers with a word among them."""
    rows = [[999 if k % 9 == 0 else k % 9, "tbd" if k == 3 else k * 1.25] for k in range(90)]
    return write_csv(tmp_path / "coded.csv", ["score", "dose"], rows)


def test_advice_names_options_of_the_command_line(coded):
    lines = {line["column"]: line for line in tabbed(run(coded).stdout)}

    assert "--missing 999 reads it as missing" in lines["score"]["notes"]
    assert "--missing 'tbd' reads the rest, --categorical 'dose' keeps categories" in lines["dose"]["why"]


def test_advice_on_a_terminal_names_options_of_the_command_line(coded):
    (cell,) = [cell for cell in _grid(bc.read_table(coded)).columns[4].cells if "mixed" in str(cell)]

    assert "--missing 'tbd' reads the rest" in str(cell)


def test_a_terminal_gets_a_table_that_fits(path):
    import io

    from rich.console import Console

    for width in (60, 80, 120):
        out = io.StringIO()
        Console(file=out, width=width).print(_grid(bc.read_table(path)))
        lines = out.getvalue().splitlines()
        assert max(map(len, lines)) <= width
        assert all(
            any(line.startswith(name) for line in lines) for name in ("row", "id", "dose", "flag", "day")
        )
        assert any("█" in line for line in lines)


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    result = run(tmp_path / "none.csv")

    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
