"""`rank` and `adjust` with device="cuda": the CPU's figures, on the emulator and on a GPU."""

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceWarning
from bychance.gpu import mic, traces
from bychance.gpu.device import DeviceError
from tests.engine.settings import put

EXACT = ["rank", "x", "y", "n", "observed", "p_value", "q_value", "p_kind", "engine", "n_resamples", "note"]
FEW = dict(null=bc.Permutation(19), alpha=0.1, fdr_level=0.9)  # draws, and no word that they are few
CLOSE = ["adjusted", "standardized", "adjusted_at", "null_mean", "null_std"]


@pytest.fixture(autouse=True)
def no_store(monkeypatch):
    monkeypatch.setenv("BYCHANCE_CACHE", "off")


def make_table(n_columns=4, n=24):
    rng = np.random.default_rng(0)
    table = {f"c{k}": np.round(rng.normal(size=n), 1) for k in range(n_columns)}
    table["c1"][3] = np.nan
    table[f"c{n_columns - 1}"] = table["c0"] ** 2
    return table


def assert_same(found, expected):
    found, expected = found.to_pandas(), expected.to_pandas()
    for name in EXACT:
        assert found[name].equals(expected[name]), name
    for name in CLOSE:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-5, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [FEW, dict(), dict(measure="tic_e", **FEW)], ids=["draws", "auto", "tic_e"]
)
def test_rank_on_a_gpu_gives_the_cpus_figures(emulated, options):
    options = {"measure": "mic", "null": bc.Auto(tails="none"), **options}
    before = emulated.n_launches
    ranking = bc.rank(make_table(), device="cuda", **options)

    assert ranking.device == "cuda"
    assert emulated.n_launches > before
    assert_same(ranking, bc.rank(make_table(), **options))


@pytest.mark.slow
def test_draws_that_equal_the_observed_value_count_on_a_gpu_too(emulated):
    """MIC of few values takes few values, and a GPU's differ from the CPU's in their last digits."""
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(size=19)} | {name: rng.integers(0, 3, 19).astype(float) for name in "abc"}
    options = dict(measure="mic", null=bc.Auto(tails="none"))

    assert_same(bc.rank(table, device="cuda", **options), bc.rank(table, **options))


@pytest.mark.slow
def test_rank_to_file_on_a_gpu_is_the_same_file(emulated, tmp_path):
    options = dict(measure="mic", **FEW)
    best = bc.rank_to_file(make_table(), tmp_path / "gpu.csv", device="cuda", **options)

    assert best.device == "cuda"
    assert_same(best, bc.rank_to_file(make_table(), tmp_path / "cpu.csv", **options))


@pytest.mark.slow
def test_adjust_on_a_gpu_gives_the_cpus_null(emulated):
    x, y = np.random.default_rng(0).normal(size=(2, 24))
    expected = bc.adjust("mic", x, y, null=bc.Permutation(19))
    found = bc.adjust("mic", x, y, null=bc.Permutation(19), device="cuda")

    assert (found.device, expected.device) == ("cuda", "cpu")
    assert found.p_value == expected.p_value
    np.testing.assert_allclose(found.null.draws, expected.null.draws, atol=2e-7)


def test_what_the_gpu_has_no_kernel_for_is_computed_on_the_cpu(emulated):
    table = make_table()
    for options in (
        dict(measure="kendall"),
        dict(measure="mic", **{**FEW, "null": bc.Permutation("auto", rtol=1.0)}),
        dict(measure="mic", **{**FEW, "null": bc.Permutation(19, block=3)}),
        dict(measure="mic", **{**FEW, "null": bc.Permutation(19, groups=np.arange(24) % 2)}),
        dict(measure="dcor", **{**FEW, "null": bc.Permutation(19, block=3)}),
        dict(measure="r2", **{**FEW, "null": bc.Permutation(19, groups=np.arange(24) % 2)}),
    ):
        ranking = bc.rank(table, device="cuda", **options)
        assert ranking.device == "cpu"
        assert_same(ranking, bc.rank(table, **options))


@pytest.mark.parametrize("measure", ["mic", "dcor", "r2"])
def test_auto_leaves_little_work_to_the_cpu(emulated, measure):
    before = emulated.n_launches
    ranking = bc.rank(make_table(), measure=measure, **FEW, device="auto")

    assert (ranking.device, emulated.n_launches) == ("cpu", before)


def break_down(*_arguments, **_options):
    raise DeviceError("The GPU failed (out of order); `device='cpu'` gives the same answer.", "device")


def test_a_gpu_that_fails_is_an_error(emulated, monkeypatch):
    monkeypatch.setattr(mic, "draw_mic", break_down)
    with pytest.raises(DeviceError, match="out of order"):
        bc.rank(make_table(), measure="mic", **FEW, device="cuda")


@pytest.mark.parametrize("measure", ["mic", "dcor"])
def test_with_auto_the_cpu_answers_where_the_gpu_fails(emulated, monkeypatch, measure):
    monkeypatch.setattr(mic, "draw_mic", break_down)
    monkeypatch.setattr(traces, "draw_traces", break_down)
    put(monkeypatch, seconds_worth_a_gpu=0.0)
    options = dict(measure=measure, **FEW)
    with pytest.warns(BychanceWarning, match="out of order.* The CPU is used instead"):
        ranking = bc.rank(make_table(), device="auto", n_jobs=1, **options)

    assert ranking.device == "cpu"
    assert_same(ranking, bc.rank(make_table(), **options))
    x, y = np.random.default_rng(0).normal(size=(2, 24))
    with pytest.warns(BychanceWarning, match="The CPU is used instead"):
        found = bc.adjust(measure, x, y, null=bc.Permutation(19), device="auto")
    assert found.device == "cpu"
    assert found.p_value == bc.adjust(measure, x, y, null=bc.Permutation(19)).p_value


def test_with_auto_the_cpu_answers_where_the_gpu_cannot_say_what_it_holds(emulated, monkeypatch):
    monkeypatch.setattr(traces, "gpu", break_down)
    put(monkeypatch, seconds_worth_a_gpu=0.0)
    x, y = np.random.default_rng(0).normal(size=(2, 24))
    with pytest.warns(BychanceWarning, match="out of order.* The CPU is used instead"):
        found = bc.adjust("r2", x, y, null=bc.Permutation(19), device="auto")

    assert found.device == "cpu"
    assert found.p_value == bc.adjust("r2", x, y, null=bc.Permutation(19)).p_value
    with pytest.raises(DeviceError, match="out of order"):
        bc.adjust("r2", x, y, null=bc.Permutation(19), device="cuda")


def test_a_failed_run_leaves_no_file(emulated, monkeypatch, tmp_path):
    monkeypatch.setattr(mic, "draw_mic", break_down)
    with pytest.raises(DeviceError):
        bc.rank_to_file(make_table(), tmp_path / "f.csv", measure="mic", **FEW, device="cuda")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.gpu
@pytest.mark.parametrize("measure", ["mic", "mic_e", "tic_e"])
@pytest.mark.parametrize("null", [bc.Permutation(1_999), "auto"], ids=["draws", "auto"])
def test_a_real_gpu_gives_the_cpus_figures(a_real_gpu, measure, null):
    """A draw within the tolerance below an observed value counts: p may be larger by one or two draws."""
    table = make_table(n_columns=12, n=90)
    options = dict(measure=measure, null=null)
    ranking = bc.rank(table, device="cuda", **options)

    assert ranking.device == "cuda"
    found, expected = (
        r.to_pandas().set_index(["x", "y"]).sort_index() for r in (ranking, bc.rank(table, **options))
    )
    for name in ("n", "observed", "engine", "p_kind", "n_resamples"):
        assert found[name].equals(expected[name]), name
    n_more = (found["p_value"] - expected["p_value"]) * (expected["n_resamples"] + 1)
    assert n_more.min() > -0.5
    assert n_more.max() < 2.5
    for name in CLOSE:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-5, err_msg=name)
