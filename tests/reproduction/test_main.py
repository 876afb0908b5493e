"""`python -m reproduction`: what it prints and writes, and one clear line for bad input."""

from __future__ import annotations

import csv
import io

import pytest
from typer.testing import CliRunner

import reproduction.reproduce
from reproduction import ITEMS
from reproduction.__main__ import _show, app
from reproduction.item import Item


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_a_quick_item_prints_verdicts_and_times_and_writes_all_of_it(tmp_path):
    result = run("example_1", "--quick", "--out", tmp_path)
    verdicts, timing = (
        list(csv.DictReader(io.StringIO(block), delimiter="\t"))
        for block in result.stdout.strip().split("\n\n")
    )

    assert result.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "example_1.csv",
        "example_1.png",
        "example_1.svg",
        "pieces",
        "timing.csv",
        "timing.md",
        "verdicts.csv",
        "verdicts.md",
    ]
    assert list(verdicts[0]) == ["item", "source", "claim", "paper", "ours", "tolerance", "verdict", "size"]
    assert {row["size"] for row in verdicts} == {"400 simulations"}
    assert [row["item"] for row in timing] == ["example_1"]
    assert f"{len(verdicts)} claims: " in result.stderr


def test_a_second_run_takes_its_pieces_from_the_first(tmp_path, monkeypatch):
    first = run("example_1", "--quick", "--out", tmp_path)
    for path in tmp_path.glob("example_1.*"):
        path.unlink()
    monkeypatch.setattr("reproduction.simulate.bc.measure", None)
    second = run("example_1", "--quick", "--out", tmp_path)

    assert second.exit_code == 0
    assert second.stdout.split("\n\n")[0] == first.stdout.split("\n\n")[0]
    assert (tmp_path / "example_1.png").is_file()


def test_another_seed_gives_other_numbers(tmp_path):
    one, other = (run("example_1", "--quick", "--out", tmp_path, "--seed", seed).stdout for seed in (0, 1))

    assert one.split("\n\n")[0] != other.split("\n\n")[0]


def test_an_unknown_item_is_an_error_of_usage_with_the_names_there_are(tmp_path):
    result = run("noise_r3", "--out", tmp_path)

    assert result.exit_code == 2
    text = " ".join(result.stderr.replace("│", " ").split())
    assert "Did you mean 'noise_r2'? ITEM must be one of" in text
    assert ITEMS[0] in text


@pytest.mark.parametrize("width", [80, 100, 130])
def test_a_terminal_shows_claims_by_their_whole_words(monkeypatch, capsys, width):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    claim = "Cantelli's bound on the 0.95-quantile of 2 categories"
    record = {"item": "example_2", "source": "independent check", "claim": claim, "paper": "0.03567"}
    figures = {
        "ours": "-0.004753",
        "tolerance": "0.0005",
        "verdict": "does not hold",
        "size": "1,000 simulations",
    }
    _show("Verdicts", [record | figures])
    shown = capsys.readouterr().out

    assert all(word in shown for word in [*claim.split(), "independent", "does not hold"])
    assert "…" not in shown
    assert ("simulations" in shown) == (width == 130)


def test_no_jobs_are_an_error_of_usage(tmp_path):
    result = run("example_1", "--jobs", 0, "--out", tmp_path)

    assert result.exit_code == 2
    assert "--jobs must be a number of processes" in " ".join(result.stderr.split())


@pytest.mark.parametrize("jobs", ["two", "1.5"])
def test_jobs_must_be_a_number(jobs, tmp_path):
    assert run("example_1", "--jobs", jobs, "--out", tmp_path).exit_code == 2


def test_nothing_but_missing_data_fails_and_says_what_to_put_where(tmp_path, monkeypatch):
    item = Item("countries", "Countries", compute=None, draw=None, needs=("WHO.csv",))
    monkeypatch.setattr(reproduction.reproduce, "ITEMS", ("countries",))
    monkeypatch.setattr(reproduction.reproduce, "load_item", lambda name: item)
    result = run("--data", tmp_path, "--out", tmp_path / "out")

    assert result.exit_code == 1
    assert f"countries was left out: WHO.csv is not in {tmp_path}: put it there" in result.stderr


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("example_1", "--quick", "--out", tmp_path / "file")

    assert result.exit_code == 1
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_stopped_run_says_where_its_pieces_are(tmp_path, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("reproduction.__main__.reproduce", stop)
    result = run("--out", tmp_path)

    assert result.exit_code == 130
    assert f"what is finished is in {tmp_path / 'pieces'}; run again to go on" in result.stderr
