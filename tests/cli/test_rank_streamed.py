"""`bychance rank` on files that are read in batches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.running import error_of, run, tabbed
from tests.engine.settings import put


@pytest.fixture(autouse=True)
def few_rows_are_sampled(monkeypatch):
    put(monkeypatch, rows_sampled=(50,))


@pytest.fixture
def folder(tmp_path):
    rng, folder = np.random.default_rng(0), tmp_path / "events"
    folder.mkdir()
    for k in range(4):
        x = rng.normal(size=300)
        columns = {"x": x, "churn": x + rng.normal(size=300) > 1, "site": rng.choice(["a", "b"], 300)}
        pq.write_table(pa.table(columns), folder / f"{k}.parquet")
    return folder


def observed(result):
    assert result.exit_code == 0, result.output
    return {(row["x"], row["y"]): float(row["observed"]) for row in tabbed(result.stdout)}


def test_several_files_a_directory_and_a_glob_are_one_table(folder):
    whole = observed(run(folder, "--no-stream"))
    assert len(whole) == 6
    for source in (sorted(folder.iterdir()), [folder], [folder / "*.parquet"]):
        streamed = observed(run(*source, "--stream"))
        assert streamed == pytest.approx(whole, rel=1e-9)


def test_lines_beyond_a_covariate_are_of_all_rows(tmp_path):
    rng = np.random.default_rng(1)
    z, e, d = rng.normal(size=(3, 400))
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"x": z + e, "y": z + e + d, "z": z}), path)
    options = ("--measure", "r2", "--given", "z", "--control", "linear")

    streamed = observed(run(path, "--stream", *options))

    assert streamed == pytest.approx(observed(run(path, "--no-stream", *options)), rel=1e-9)


def test_the_notes_say_that_rows_were_streamed(folder):
    result = run(folder, "--stream", "--target", "churn")
    assert "1,200 rows were streamed" in result.stderr


def test_all_pairs_go_to_a_file_and_nothing_else_is_left(folder, tmp_path):
    out = tmp_path / "pairs.csv"
    result = run(folder, "--stream", "--out", out)
    assert result.exit_code == 0, result.output
    assert len(out.read_text().splitlines()) == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events", "pairs.csv"]


def test_an_output_that_is_there_is_replaced_whatever_the_source_is_called(folder, tmp_path):
    out = tmp_path / "pairs.csv"
    for source in (folder / "*.parquet", f"file://{folder}"):
        out.write_text("old")
        result = run(source, "--out", out)
        assert result.exit_code == 0, result.output
        assert len(out.read_text().splitlines()) == 7


def test_a_report_tells_all_rows(folder, tmp_path):
    page = tmp_path / "page.html"
    assert run(folder, "--stream", "--report", page).exit_code == 0
    assert "1,200 rows, 3 columns" in page.read_text(encoding="utf-8")


def test_a_broken_part_is_one_line_and_leaves_no_output(folder, tmp_path):
    part = folder / "2.parquet"
    part.write_bytes(part.read_bytes()[:100])
    out = tmp_path / "pairs.csv"
    assert "2.parquet could not be read" in error_of(folder, "--stream", "--out", out)
    assert not out.exists()


def test_nothing_that_matches_is_one_line(tmp_path):
    assert "No file matches" in error_of(tmp_path / "*.parquet")
    assert "holds no Parquet" in error_of(tmp_path)


def test_a_column_that_is_named_like_an_option_is_no_option_in_errors(tmp_path, monkeypatch):
    put(monkeypatch, head_rows=100)
    path = tmp_path / "rows.csv"
    lines = [*(f"{k % 50},{k % 7}" for k in range(300)), "oops,3"]
    path.write_text("\n".join(["x,y", *lines]))
    error = error_of(path, "--stream")
    assert error.startswith("bychance: 'x' changes its type")
    assert "--categorical 'x' keeps categories" in error
