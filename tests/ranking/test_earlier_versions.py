"""Files of an earlier version: unfinished runs are refused, nulls and sums are made anew."""

from __future__ import annotations

import pytest

import bychance as bc
import bychance.measures.mic
from bychance.errors import BychanceError
from tests.engine.settings import put
from tests.ranking.conftest import make_table


def interrupted(patch: pytest.MonkeyPatch, run, *given: object, **options: object) -> None:
    """Run as version 0.0.9, up to the moment when the output is written."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with patch.context() as earlier:
        earlier.setattr(bychance, "__version__", "0.0.9")
        put(earlier, write_output=stop, columns_of_arrays=stop)
        with pytest.raises(KeyboardInterrupt):
            run(*given, **options)


def test_unfinished_runs_are_refused(tmp_path, monkeypatch):
    path, table = tmp_path / "p.csv", make_table()
    interrupted(monkeypatch, bc.rank_to_file, table, path, null="moments")

    with pytest.raises(BychanceError, match="another version; start over without resuming"):
        bc.rank_to_file(table, path, null="moments", resume=True)
    bc.rank_to_file(table, path, null="moments")
    assert [entry.name for entry in tmp_path.iterdir()] == ["p.csv"]


def test_unfinished_runs_over_arrays_are_refused(tmp_path, monkeypatch, rng):
    x, options = rng.normal(size=(50, 9)), {"path": tmp_path / "p.csv", "threshold": 0.2}
    interrupted(monkeypatch, bc.rank_arrays, x, **options)

    with pytest.raises(BychanceError, match="another version; start over without resuming"):
        bc.rank_arrays(x, resume=True, **options)


def test_nulls_of_another_kernel_are_not_used(tmp_path, monkeypatch, rng):
    monkeypatch.setenv("BYCHANCE_CACHE", str(tmp_path / "nulls"))
    x, y = rng.normal(size=(2, 60))

    def stored() -> int:
        put(monkeypatch, default_stores={})
        bc.adjust("mic", x, y, null=bc.Permutation(99))
        return len(list((tmp_path / "nulls").rglob("*.null")))

    with monkeypatch.context() as earlier:
        earlier.setattr(bychance.measures.mic, "KERNEL_VERSION", bychance.measures.mic.KERNEL_VERSION - 1)
        assert stored() == 1
    assert stored() == 2
    assert stored() == 2
