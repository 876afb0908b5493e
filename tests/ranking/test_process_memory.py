"""More pairs than the memory has room for are refused at once, with the numbers and a way out."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError
from tests.engine.ranking import bytes_of_row, check_sums, memory_of_process, plan_of, rows_of_nothing
from tests.engine.settings import put

TABLE = {f"c{k}": np.arange(12.0) ** (1 + k / 40) for k in range(40)}  # 780 pairs
# As many columns as ended in "Unable to allocate 9.31 GiB", and not more memory than a small machine has.
PROGRAM = """
import resource, numpy as np, bychance as bc
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))
columns = {f"c{k}": row for k, row in enumerate(np.random.default_rng(0).normal(size=(50_000, 12)))}
try:
    bc.rank(columns, measure="r2", null="moments", top=20)
except bc.BychanceError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are set in another way")
def test_fifty_thousand_columns_are_refused_where_memory_is_short():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)

    assert result.stdout == (
        "1,249,975,000 pairs take about 9.31 GiB of memory (8 bytes per pair), and there is 4 GiB: "
        "name a target, or x and y, to rank fewer.\n"
    )


@pytest.fixture
def asks_of_few_pairs(monkeypatch):
    """Ask about few pairs, which are never too many for a process that holds Python."""
    put(monkeypatch, few_pairs=0)


@pytest.mark.usefixtures("asks_of_few_pairs")
def test_the_best_pairs_need_less_than_all(monkeypatch):
    options = {"measure": "r2", "null": "moments"}
    put(monkeypatch, memory_of_process=lambda: 780 * 8)

    best = bc.rank(TABLE, top=5, **options)
    assert best.n_pairs == 780
    with pytest.raises(BychanceError, match=r"420 bytes per pair.*; with top=… it is 8\.$"):
        bc.rank(TABLE, **options)
    with pytest.raises(BychanceError, match="492 bytes per pair"):
        best.sweep([0.4, 0.2, 0.1])


@pytest.mark.parametrize(
    ("call", "n_bytes"),
    [(lambda path: bc.rank(TABLE, top=5), 8), (lambda path: bc.rank_to_file(TABLE, path), 16)],
)
@pytest.mark.usefixtures("asks_of_few_pairs")
def test_no_work_is_begun(monkeypatch, tmp_path, call, n_bytes):
    put(monkeypatch, memory_of_process=lambda: 780 * n_bytes - 1)
    put(monkeypatch, run_blocks=lambda *_, **__: pytest.fail("it began"))

    with pytest.raises(BychanceError, match="780 pairs take about"):
        call(tmp_path / "pairs.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("asks_of_few_pairs")
def test_places_have_room_for_all_pairs(monkeypatch):
    put(monkeypatch, most_pairs=779)

    with pytest.raises(BychanceError, match="A ranking has at most 779 pairs, got 780: name a target"):
        bc.rank(TABLE, top=5)


def test_the_bytes_of_a_row_are_counted_as_they_are():
    rows = rows_of_nothing(len(plan_of(TABLE, alpha=[0.05, 0.4]).job.levels))
    n_bytes = sum(array.dtype.itemsize * int(np.prod(array.shape[1:])) for array in rows.arrays().values())

    assert n_bytes == bytes_of_row(1)


def test_what_a_container_may_take_counts(monkeypatch, tmp_path):
    told = tmp_path / "memory.max"
    put(monkeypatch, memory_of_container=told)
    told.write_text("max\n")
    without = memory_of_process()
    told.write_text("1000\n")

    assert memory_of_process() == 1000
    assert without is None or without > 1000


def test_sums_of_very_many_columns_are_refused_with_the_numbers(monkeypatch):
    put(monkeypatch, memory_of_process=lambda: 1 << 30)
    check_sums(1_000)
    with pytest.raises(
        BychanceError, match=r"The sums of 20,000 columns take up to 47.7 GiB .* 1 GiB: drop="
    ):
        check_sums(20_000)
