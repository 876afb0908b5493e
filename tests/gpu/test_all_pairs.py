"""All pairs of two arrays on an emulated GPU: the backend's own lines, the kernel's own source, and NumPy."""

import pytest

from bychance.errors import BychanceError, BychanceWarning
from tests.engine.screens import matched_arrays, matched_arrays_to_file
from tests.engine.settings import put
from tests.gpu.emulator.fake_cupy import Failure, OutOfMemory
from tests.ranking.arrays.arrays import by_pair, mixed_arrays

FIGURES = ("rank", "n", "sign", "observed", "adjusted_at", "p_value", "q_value")


@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_the_ranking_is_that_of_the_cpu_and_was_the_gpus(fake, emulator, measure):
    x, y = mixed_arrays(60)
    before = emulator.n_launches

    found = matched_arrays(x, y, measure=measure, top=30, device="cuda")

    assert (found.device, fake.n_frees) == ("cuda", 1)
    assert emulator.n_launches > before
    expected = by_pair(matched_arrays(x, y, measure=measure, top=30), FIGURES)
    for pair, values in by_pair(found, FIGURES).items():
        assert values == pytest.approx(expected.pop(pair), rel=1e-8)
    assert not expected


def test_a_file_is_that_of_the_cpu(fake, tmp_path):
    x, _ = mixed_arrays(60)

    found = matched_arrays_to_file(x, tmp_path / "a.csv", x, threshold=0.05, device="cuda")
    expected = matched_arrays_to_file(x, tmp_path / "b.csv", x, threshold=0.05)

    assert (found.device, expected.device) == ("cuda", "cpu")
    assert (tmp_path / "a.csv").read_text().count("\n") == (tmp_path / "b.csv").read_text().count("\n") > 5


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Failure("unspecified launch failure"), "The GPU failed \\(unspecified launch failure\\)"),
        (OutOfMemory("out of memory"), "The GPU has too little memory left \\(out of memory\\)"),
    ],
)
def test_what_a_gpu_raises_is_a_sentence_and_auto_goes_on(fake, monkeypatch, tmp_path, error, message):
    def fail(*arguments, **options):
        raise error

    put(monkeypatch, screen_on_gpu=fail)
    put(monkeypatch, pairs_worth_a_gpu=0)
    x, y = mixed_arrays(60)

    with pytest.raises(BychanceError, match=message):
        matched_arrays_to_file(x, tmp_path / "a.csv", y, threshold=0.05, device="cuda")
    assert not list(tmp_path.iterdir())
    with pytest.warns(BychanceWarning, match=f"{message}.* The CPU does it instead"):
        assert matched_arrays(x, y, top=3, device="auto").device == "cpu"


def test_too_little_memory_for_any_block_says_how_much_there_is(fake):
    fake.cuda.runtime.memGetInfo = lambda: (1000, 1000)

    with pytest.raises(BychanceError, match="GPU memory is too small: columns of 60 rows need about"):
        matched_arrays(mixed_arrays(60)[0], mixed_arrays(60)[1], device="cuda")
