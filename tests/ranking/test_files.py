"""Files of any size: the same rows as in memory, whole or not at all, stopped and resumed."""

from __future__ import annotations

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.errors import BychanceError
from tests.engine.ranking import fingerprint_of, measured, parts_of, plan_of, ranked, ranked_to_file
from tests.engine.settings import own, put
from tests.ranking.conftest import make_table

OPTIONS = {"null": "moments", "block_size": 11}


def rows_of(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".json":
        return json.loads(path.read_text())
    return pa.csv.read_csv(path, convert_options=_as_written()).to_pylist()


def _as_written():
    return pa.csv.ConvertOptions(strings_can_be_null=False, null_values=[""])


def without_limits(ranking):
    """Return the rows in order, without the columns that files do not hold."""
    limits = {"adjusted_low", "adjusted_high"}
    return [{name: row[name] for name in row if name not in limits} for row in ranking.best()]


def in_canonical_order(ranking):
    names = list(ranking._plan.table.names)
    return sorted(without_limits(ranking), key=lambda row: (names.index(row["x"]), names.index(row["y"])))


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
@pytest.mark.parametrize("by", ["adjusted_at", "p_value"])
@pytest.mark.slow
def test_the_file_holds_what_memory_would_in_canonical_order(table, tmp_path, suffix, by):
    path = tmp_path / f"pairs{suffix}"
    ranked_to_file(table, path, by=by, **OPTIONS)

    assert rows_of(path) == in_canonical_order(ranked(table, by=by, **OPTIONS))
    assert os.listdir(tmp_path) == [path.name]


def test_sorted_the_best_comes_first(table, tmp_path):
    ranked_to_file(table, tmp_path / "pairs.parquet", sort=True, **OPTIONS)

    assert rows_of(tmp_path / "pairs.parquet") == without_limits(ranked(table, **OPTIONS))


@pytest.mark.parametrize("by", ["adjusted_at", "p_value"])
@pytest.mark.parametrize("fdr", ["bh", "by"])
@pytest.mark.slow
def test_the_top_is_that_of_all(table, tmp_path, by, fdr):
    everything = ranked(table, by=by, fdr=fdr, **OPTIONS)
    from_file = ranked_to_file(table, tmp_path / "pairs.csv", top=6, by=by, fdr=fdr, **OPTIONS)
    in_memory = ranked(table, top=6, by=by, fdr=fdr, **OPTIONS)

    assert list(from_file.best(6)) == list(in_memory.best(6)) == list(everything.best(6))
    assert from_file.n_tested == in_memory.n_tested == everything.n_tested
    assert len(from_file) == 6 < from_file.n_pairs == everything.n_pairs


def test_the_top_has_as_many_rows_beside_near_duplicates(rng, tmp_path):
    x = rng.normal(size=40)
    columns = {f"copy{k}": x * k + k for k in range(1, 6)} | {
        f"noise{k}": rng.normal(size=40) for k in range(4)
    }
    everything = ranked(columns, **OPTIONS)
    for ranking in (
        ranked(columns, top=3, **OPTIONS),
        ranked_to_file(columns, tmp_path / "pairs.csv", top=3, **OPTIONS),
    ):
        assert list(ranking.best(3, fold=True)) == list(everything.best(3, fold=True))
        assert ranking.n_duplicates == everything.n_duplicates == 10


class Stopped(KeyboardInterrupt):
    pass


@pytest.fixture
def stop_after(monkeypatch):
    """Stop the run after this many blocks, as Ctrl-C does."""

    def arrange(n_blocks):
        write = own("write_block")

        def counted(self, number, rows):
            if len(self.finished()) == n_blocks:
                raise Stopped
            write(self, number, rows)

        put(monkeypatch, write_block=counted)

    return arrange


def test_a_run_stopped_before_its_first_block_says_that_there_is_nothing_to_resume(
    table, tmp_path, stop_after
):
    stop_after(0)
    with pytest.raises(
        KeyboardInterrupt, match=r"^0 of \d+ blocks are done, so that there is nothing to resume$"
    ):
        ranked_to_file(table, tmp_path / "stopped.csv", **OPTIONS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_a_stopped_run_goes_on_to_the_same_file(table, tmp_path, monkeypatch, stop_after, suffix):
    whole, stopped = tmp_path / f"whole{suffix}", tmp_path / f"stopped{suffix}"
    ranked_to_file(table, whole, **OPTIONS)
    stop_after(3)
    with pytest.raises(KeyboardInterrupt, match=r"3 of \d+ blocks are done; resuming goes on"):
        ranked_to_file(table, stopped, **OPTIONS)
    assert not stopped.exists()
    monkeypatch.undo()
    numbers, run_tasks = [], own("run_blocks")
    put(
        monkeypatch,
        run_blocks=lambda tasks, **options: numbers.extend(tasks) or run_tasks(tasks, **options),
    )
    ranked_to_file(table, stopped, resume=True, **OPTIONS)

    assert stopped.read_bytes() == whole.read_bytes()
    assert sorted(numbers)[0] == 3, "finished blocks are not measured again"
    assert sorted(os.listdir(tmp_path)) == sorted([whole.name, stopped.name])


@pytest.mark.parametrize(
    "change", [{"alpha": 0.1}, {"min_n": 11}, {"rng": 1}, {"measure": "r2"}, {"fdr": "by"}]
)
def test_other_options_are_not_resumed(table, tmp_path, stop_after, change, monkeypatch):
    stop_after(2)
    with pytest.raises(KeyboardInterrupt):
        ranked_to_file(table, tmp_path / "pairs.csv", **OPTIONS)
    monkeypatch.undo()

    with pytest.raises(BychanceError, match="another input, other options or another version"):
        ranked_to_file(table, tmp_path / "pairs.csv", resume=True, **(OPTIONS | change))


def test_one_other_value_makes_another_fingerprint(table):
    marks = set()
    for k in range(3):
        changed = make_table()
        changed["a"][5] += k
        marks.add(fingerprint_of(changed))
    renamed = {("A" if name == "a" else name): values for name, values in table.items()}
    marks.add(fingerprint_of(renamed))

    assert len(marks) == 4
    assert fingerprint_of(make_table()) in marks


def test_another_function_is_not_resumed(table, tmp_path, stop_after, monkeypatch):
    few = {name: table[name] for name in ("a", "b", "c", "skewed")}
    options = {"null": bc.Permutation(19), "block_size": 2}
    stop_after(1)
    with pytest.raises(KeyboardInterrupt):
        ranked_to_file(few, tmp_path / "x.csv", measure=lambda x, y: float(x @ y) ** 2, **options)
    monkeypatch.undo()

    with pytest.raises(BychanceError, match="another input, other options or another version"):
        ranked_to_file(few, tmp_path / "x.csv", measure=lambda x, y: 0.123, resume=True, **options)


def test_misspelled_options_are_named(table, tmp_path):
    with pytest.raises(
        TypeError, match="there is no option 'mesure'; there are target, x, y, given, measure"
    ):
        ranked_to_file(table, tmp_path / "x.csv", mesure="r2")


def test_without_resuming_it_starts_over(table, tmp_path, stop_after, monkeypatch):
    stop_after(2)
    with pytest.raises(KeyboardInterrupt):
        ranked_to_file(table, tmp_path / "pairs.csv", **OPTIONS, alpha=0.2)
    monkeypatch.undo()
    ranked_to_file(table, tmp_path / "pairs.csv", **OPTIONS)

    assert rows_of(tmp_path / "pairs.csv") == in_canonical_order(ranked(table, **OPTIONS))


def test_an_error_leaves_nothing_behind(table, tmp_path):
    def broken(x, y):
        raise RuntimeError("no")

    with pytest.raises(bc.MeasureError):
        ranked_to_file(table, tmp_path / "pairs.csv", measure=broken, block_size=3)
    assert os.listdir(tmp_path) == []


def test_a_resumed_run_counts_what_the_earlier_one_measured(rng, tmp_path, stop_after, monkeypatch):
    """Their function fails on all blocks but the first."""
    few = {name: rng.normal(size=20) for name in ("a", "b", "c", "y")}
    few["a"][7] = 50.0

    def picky(x, y):
        if max(x.max(), y.max()) < 50:
            raise RuntimeError("no")
        return float(np.corrcoef(x, y)[0, 1] ** 2)

    options = {"measure": picky, "null": bc.Permutation(19), "block_size": 1, "x": ["a", "b", "c"]}
    stop_after(1)
    with pytest.raises(KeyboardInterrupt):
        ranked_to_file(few, tmp_path / "x.csv", y="y", **options)
    monkeypatch.undo()
    found = ranked_to_file(few, tmp_path / "x.csv", y="y", resume=True, **options)

    assert np.isfinite(found._rows.observed).sum() == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pairs.xlsx", r"must end in .parquet, .csv or .json, got .*pairs.xlsx"),
        ("pairs", r"must end in"),
        ("absent/pairs.csv", r"cannot be written: No such file or directory"),
        ("folder.csv", r"cannot be written: it is a directory"),
    ],
)
def test_an_output_that_cannot_be_written_is_named_at_once(table, tmp_path, name, message):
    (tmp_path / "folder.csv").mkdir()

    with pytest.raises(BychanceError, match=message):
        ranked_to_file(table, tmp_path / name, **OPTIONS)
    assert os.listdir(tmp_path) == ["folder.csv"]


def test_an_older_file_stays_until_the_new_one_is_whole(table, tmp_path, stop_after):
    path = tmp_path / "pairs.csv"
    path.write_text("older")
    stop_after(1)
    with pytest.raises(KeyboardInterrupt):
        ranked_to_file(table, path, **OPTIONS)

    assert path.read_text() == "older"


def test_names_are_data_in_every_format(tmp_path, rng):
    names = ['quo"te', "new\nline", "<b>", "\x1b[31mred", "comma,"]
    columns = {name: rng.normal(size=20) for name in names}
    for suffix in (".parquet", ".csv", ".json"):
        ranked_to_file(columns, tmp_path / f"pairs{suffix}")
        assert {row["x"] for row in rows_of(tmp_path / f"pairs{suffix}")} == set(names[:-1])


@pytest.mark.parametrize("sort", [False, True])
def test_csv_keeps_spreadsheets_from_running_names_and_leaves_numbers(tmp_path, rng, sort):
    x = rng.normal(size=20)
    columns = {"=cmd": x, "-down": -x + 0.1 * rng.normal(size=20), "'@both": rng.normal(size=20)}
    for name, options in (("raw.csv", {"raw_names": True}), ("safe.csv", {}), ("pairs.parquet", {})):
        ranked_to_file(columns, tmp_path / name, sort=sort, measure="spearman", **options)
    raw, safe, binary = (rows_of(tmp_path / name) for name in ("raw.csv", "safe.csv", "pairs.parquet"))

    assert {row["x"] for row in binary} == {"=cmd", "-down"}
    assert [(row["x"], row["y"]) for row in raw] == [(row["x"], row["y"]) for row in binary]
    assert any(row["sign"] < 0 for row in raw)
    assert safe == [{**row, "x": f"'{row['x']}", "y": f"'{row['y']}"} for row in raw]


def test_to_csv_keeps_spreadsheets_from_running_names(tmp_path, rng):
    ranking = ranked({"=cmd": rng.normal(size=20), "b": rng.normal(size=20)}, measure="r2")
    ranking.to_csv(tmp_path / "safe.csv")
    ranking.to_csv(tmp_path / "raw.csv", raw_names=True)

    assert [row["x"] for row in rows_of(tmp_path / "safe.csv")] == ["'=cmd"]
    assert [row["x"] for row in rows_of(tmp_path / "raw.csv")] == ["=cmd"]


def test_a_ranking_in_memory_is_written_whole(table, tmp_path):
    ranking = ranked(table, **OPTIONS)
    for write, suffix in [
        (ranking.to_csv, ".csv"),
        (ranking.to_parquet, ".parquet"),
        (ranking.to_json, ".json"),
    ]:
        write(tmp_path / f"ranked{suffix}")
        assert rows_of(tmp_path / f"ranked{suffix}") == list(ranking.best())
    with pytest.raises(BychanceError, match="cannot be written"):
        ranking.to_csv(tmp_path / "absent" / "x.csv")


def test_swept_levels_survive_the_parts(table, tmp_path):
    plan = plan_of(table, alpha=[0.05, 0.4, 0.1], **OPTIONS)
    parts = parts_of(tmp_path / "x.csv", plan)
    rows = measured(plan, 0).rows
    parts.write(0, rows)
    again = parts.read(0)

    assert again.texts == rows.texts
    for name, array in rows.arrays().items():
        np.testing.assert_array_equal(getattr(again, name), array)


def test_the_table_itself_is_never_written_over(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "".join(f"{k},{k * k % 7}\n" for k in range(40)))
    before = path.read_bytes()
    with pytest.raises(BychanceError, match="is the table itself"):
        ranked_to_file(path, path)

    assert path.read_bytes() == before
