"""Titles, footnotes and totals of streamed text are left out as they are of a file read whole."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest

import bychance as bc
from bychance.io.dialect import TextDialect
from bychance.messages import KEEP_ALL_ROWS, Code
from tests.engine.settings import put
from tests.engine.streams import UpTo, end_of

N = 40
NUMBERS = [(k % 7 + 0.5, (3 * k) % 11) for k in range(N)]
ROWS = [f"{'abc'[k % 3]},{x},{y}" for k, (x, y) in enumerate(NUMBERS)]
X, Y = (sum(numbers) for numbers in zip(*NUMBERS, strict=True))
HEADER = "kind,x,y"


def text_of(*below, above=(), header=HEADER):
    return "\n".join([*above, header, *ROWS, *below]) + "\n"


def both_ways(path):
    """Rank the file read whole and the file streamed, and return the notes on both."""
    whole, streamed = bc.rank(path, stream=False), bc.rank(path, stream=bc.Streaming(20))
    assert streamed.notes[0].code is Code.STREAMED
    return (whole, streamed), whole.notes, streamed.notes[1:]


@pytest.mark.parametrize(
    "text",
    [
        text_of(f"Total,{X},{Y}"),
        text_of(f"Total,{X},"),
        text_of(f"Total,{X},{Y}", f"Average,{X / N},{Y / N}"),
        text_of("", "Source: office"),
        text_of("Note: b, c", "and d"),
        text_of(f"Sum,{X},{Y}", "* provisional"),
        text_of(above=["Figures of all kinds", ""]),
        text_of(header=f"{HEADER}\n,mg,kg"),
        text_of(header="kind,size,\n,x,y"),
        "\ufeff" + text_of(f"Total,{X},{Y}", "", "Source: office"),
        text_of(f"Total,{X},{Y}", "Source: office").replace("\n", "\r\n"),
        text_of(f"Total,{X},{Y}", "Quelle: Ämter").replace(",", ";").replace(".", ","),
    ],
)
def test_what_stands_around_the_rows_is_left_out_of_a_stream(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("cp1252" if "Ä" in text else "utf-8"))
    (whole, streamed), notes, streamed_notes = both_ways(path)

    assert set(streamed["n"].to_pylist()) == set(whole["n"].to_pylist()) == {N}
    assert streamed_notes == notes
    assert len(notes) > 0
    pairs = zip(
        streamed["x"].to_pylist(), streamed["y"].to_pylist(), streamed["observed"].to_pylist(), strict=True
    )
    by_pair = {(x, y): value for x, y, value in pairs}
    for x, y, value in zip(*(whole[name].to_pylist() for name in ("x", "y", "observed")), strict=True):
        assert by_pair[x, y] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("below", "n_more"),
    [
        (["Total,17,5"], 1),
        ([f"Center,{X},{Y}"], 1),
        ([f"Total,{X},{Y}", f"Total,{X},{Y}"], 2),
        (["Total,5,5", f"Total,{X + 5},{Y + 5}"], 2),
        (["Total,,"], 1),
        (['a,"3', f'*",{Y}'], 1),
    ],
)
def test_rows_that_sum_up_nothing_stay_in_a_stream(tmp_path, below, n_more):
    path = tmp_path / "t.csv"
    path.write_text(text_of(*below))
    (_, streamed), _, streamed_notes = both_ways(path)

    assert not any(note.suggestion == KEEP_ALL_ROWS for note in streamed_notes)
    assert streamed.notes[0].values["n_rows"] == N + n_more


def test_each_of_several_files_loses_its_own_end(tmp_path):
    for k, below in enumerate([[f"Total,{X},{Y}"], [], [f"Total,{X},{Y}", "Source: office"], ["Total,1,2"]]):
        (tmp_path / f"t{k}.csv").write_text(text_of(*below))

    for stream in (False, True):
        ranking = bc.rank(str(tmp_path / "*.csv"), stream=stream and bc.Streaming(20))
        ends = [(note.code, note.values["n"]) for note in ranking.notes if note.suggestion == KEEP_ALL_ROWS]
        assert set(ranking["n"].to_pylist()) == {4 * N + 1}
        assert ends == [(Code.FOOTNOTES_OF_FILES, 1), (Code.TOTALS_OF_FILES, 2)]


def test_packed_text_that_is_short_loses_its_end_too(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(text_of(f"Total,{X},{Y}", "Source: office").encode()))

    assert set(bc.rank(path, stream=bc.Streaming(20))["n"].to_pylist()) == {N}


def test_the_end_is_found_in_the_last_lines_of_a_long_file():
    data = (text_of() + "\n".join(ROWS * 300) + "\nTotal,1,2\nSource: Ämter\n").encode()
    end = end_of(io.BytesIO(data), TextDialect(",", "utf-8"), 3)

    assert data[end.n_bytes :] == "\nSource: Ämter\n".encode()
    assert end.last_rows[-1].cells == ("Total", "1", "2")
    assert data[end.last_rows[-1].start :].startswith(b"Total,1,2")
    assert end_of(io.BytesIO(data), TextDialect(",", "utf-16"), 3) == end_of(
        io.BytesIO(b""), TextDialect(",", "utf-8"), 3
    )


def test_nothing_is_known_of_the_end_of_a_file_that_only_goes_forward():
    class Forward(io.BytesIO):
        def seek(self, *_):
            raise ValueError("Cannot seek")

    assert end_of(Forward(b"a,b\n" + b"1,2\n" * 5 + b"* c\n"), TextDialect(",", "utf-8"), 2).n_bytes is None


def test_the_first_bytes_of_a_file_are_read_in_any_steps():
    file = UpTo(io.BytesIO(b"0123456789"), 7)

    assert [file.read(1), file.read(3), file.read(100), file.read(1)] == [b"0", b"123", b"456", b""]
    assert UpTo(io.BytesIO(b"0123456789"), 7).read() == b"0123456"


def test_the_last_rows_may_stand_in_several_batches(tmp_path, monkeypatch):
    put(monkeypatch, text_block_bytes=16)
    path = tmp_path / "t.csv"
    path.write_text(text_of(f"Total,{X},{Y}", f"Average,{X / N},{Y / N}"))
    ranking = bc.rank(path, stream=bc.Streaming(20))

    assert set(ranking["n"].to_pylist()) == {N}
    assert np.isfinite(ranking["observed"].to_numpy()).all()
