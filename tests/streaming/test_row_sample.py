"""A sample of rows that depends on the rows alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.engine.streams import RowSample


def sampled(n, size, step, seed=0):
    table, sample = pa.table({"row": np.arange(n)}), RowSample(size, seed)
    for start in range(0, n, step):
        sample = sample.add(table.slice(start, step), 0, start)
    return sample.table()["row"].to_pylist()


@pytest.mark.parametrize("step", [1, 7, 100, 1000])
def test_the_sample_does_not_depend_on_batches(step):
    assert sampled(1000, 50, step) == sampled(1000, 50, 333)


def test_all_rows_are_kept_in_order_where_they_are_few():
    assert sampled(40, 50, 7) == list(range(40))


def test_another_seed_gives_another_sample():
    assert sampled(1000, 50, 100, seed=1) != sampled(1000, 50, 100, seed=2)


def test_every_row_has_the_same_chance():
    # 400 samples of 50 of 500 rows: each row is in 40 on average, standard deviation 6.
    counts = np.zeros(500)
    for seed in range(400):
        counts[sampled(500, 50, 500, seed)] += 1
    assert counts.sum() == 400 * 50
    assert abs(counts - 40).max() < 6 * 5
    assert abs(counts[:250].sum() - 10_000) < 5 * 75


def test_samples_of_parts_merge_to_that_of_all():
    tables = [pa.table({"row": np.arange(300) + 1000 * part}) for part in range(3)]
    parts = [RowSample(40, 5).add(table, part, 0) for part, table in enumerate(tables)]
    one = parts[0].merge(parts[1]).merge(parts[2])
    other = parts[2].merge(parts[0].merge(parts[1]))
    assert one.table()["row"].to_pylist() == other.table()["row"].to_pylist()
    assert one.table().num_rows == 40
