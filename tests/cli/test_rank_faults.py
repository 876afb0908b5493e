"""`bychance rank`: one clear line for every kind of bad input, and nothing half done after a stop."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import bychance as bc
from bychance.cli import app
from bychance.errors import unknown_name
from tests.cli.interrupted import run_interrupted
from tests.cli.running import error_of, run, write_csv
from tests.engine.settings import put

MODULE = sys.modules["bychance.cli.rank"]  # the package calls its function by the same name


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv is empty"),
        (b"a,b\n", "has a header and no rows"),
        (b"a,b\n1,2\n3,4,5\n", "got 3 in line 3"),
        (
            b"a,b\n1,2\ninf,3\n",
            "'a' was set aside: it has infinite values: inf in line 3; --missing 'inf' reads",
        ),
        (
            b"a,b\n" + b"".join(b"%d,%d\n" % (k, k) for k in range(50)) + b"broken,1\n",
            "mixed: 50 of 51 values are numbers or dates, not 'broken' in line 52; --missing",
        ),
        (b"\x00\x01\x02\x03" * 99, "it is a binary file, or"),
        (b"a,b\n" + b"1,\n,2\n" * 20, "No pair can be measured: two columns share no rows; --min-n is 10."),
        (b"a,b\n" + b"1,1\n2,4\n1,\n,2\n" * 2, "two columns share 4 rows at most; --min-n is 10."),
        (b"a\n" + b"1\n2\n" * 20, "Pairs need two columns"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_tables_are_told_in_one_line(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content)

    assert message in error_of(path)


def test_a_wrong_encoding_is_told_with_its_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,2\nä,3\n".encode("latin-1"))

    assert "must be text in utf-8, got the byte 0xe4 in line 3" in error_of(path, "--encoding", "utf-8")


def test_paths_that_are_no_files_are_told(tmp_path):
    assert "There is no file" in error_of(tmp_path / "none.csv")
    assert "holds no Parquet, Feather, Arrow or CSV files" in error_of(tmp_path)
    assert "must end in one of" in error_of(write_csv(tmp_path / "t.foo", {"a": [1]}))


def test_a_target_that_cannot_serve_is_told(harvest, tmp_path):
    constant = write_csv(tmp_path / "t.csv", {"a": range(20), "b": [7] * 20})

    assert "Did you mean 'rainfall'?" in error_of(harvest, "--target", "ranfall")
    assert "--target must vary: 'b' is constant" in error_of(constant, "--target", "b")
    assert "must stand alone" in error_of(harvest, "--target", "yield", "--x", "soil")


def test_an_output_that_cannot_be_written_is_told(harvest, tmp_path):
    (tmp_path / "taken.csv").mkdir()

    assert "cannot be written" in error_of(harvest, "--out", tmp_path / "none" / "pairs.csv")
    assert "cannot be written" in error_of(harvest, "--null", "moments", "--out", tmp_path / "taken.csv")
    assert os.listdir(tmp_path) == ["taken.csv"]


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_the_table_itself_is_never_written_over(harvest, tmp_path, option):
    ending = ".csv" if option == "--out" else ".html"
    table = tmp_path / f"table{ending}"
    table.write_bytes(harvest.read_bytes())
    (tmp_path / f"link{ending}").symlink_to(table)

    for name in ("table", "link"):
        assert "is the table itself" in error_of(table, option, tmp_path / f"{name}{ending}")
    assert table.read_bytes() == harvest.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "2"], "--alpha must lie in (0, 1], got 2.0"),
        (["--alpha", "x"], "--alpha"),
        (["--top", "0"], "--top must be a positive integer, got 0."),
        (["--block", "0"], "--block must be a positive integer, got 0."),
        (["--target", "a", "--target", "b"], "--target must be given once, got 'a' and 'b'."),
        (["--skip-rows", "-1"], "--skip-rows"),
        (["--by", "ajusted"], "Did you mean 'adjusted'?"),
        (["--measure", "mick"], "Did you mean 'mic'?"),
        (["--measure", "numbers=mic"], "--measure must be one of"),
        (["--measure", "categorical=mic"], "which takes numeric ones"),
        (["--measure", "r2", "--measure", "mic"], "--measure must be one name"),
        (["--null", "papr"], "Did you mean 'paper'?"),
        (["--null", "permutations"], "Did you mean 'permutation'? --null must be one of auto, exact"),
        (["--null", "permutation:many"], "must be followed by a number of permutations"),
        (["--null", "permutation:0"], "must be a positive integer"),
        (["--null", "permutation:9"], "9 permutations are too few for alpha = 0.05: it takes 19"),
        (["--min-n", "2"], "--min-n must be an integer of at least 3"),
        (["--fdr", "no"], "--fdr must be one of bh, by"),
        (["--fdr-level", "5"], "--fdr-level must lie in (0, 1], got 5.0"),
        (["--top", "0"], "--top"),
        (["--jobs", "0"], "--jobs must be"),
        (["--alpha", "much"], "unable to parse string as a number"),
        (["--alpha", "0.1", "--alpha", "7"], "--alpha must lie in (0, 1]"),
        (
            ["--alpha", "0.1", "--alpha", "0.2", "--out", "t.csv", "--resume"],
            "--resume cannot be combined with a second --alpha, which needs all pairs at once",
        ),
        (["--out", "pairs.txt"], "must end in .parquet, .csv or .json"),
        (["--sort"], "--sort requires --out"),
        (["--resume"], "--resume requires --out"),
        (["--delimiter", ";;"], "--delimiter must be one character"),
        (["--encoding", "no-such"], "--encoding must be"),
        (["--nonsense"], "No such option"),
        ([], "Missing argument"),
    ],
)  # fmt: skip
def test_wrong_usage_is_told_before_anything_is_read(arguments, message):
    files = ["there-is-no-such-file.csv"] if arguments else []

    assert message in error_of(*files, *arguments, code=2)


def test_warnings_are_one_line_each(harvest):
    result = run(harvest, "--target", "yield", "--null", "permutation:9", "--by", "p_value")
    warned = [line for line in result.stderr.splitlines() if "warning" in line]

    assert len(warned) == 1
    assert warned[0].startswith("bychance: warning: 9 permutations are too few: no q-value can fall to 0.05")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(28, "No space left on device", "/tmp/x"), "/tmp/x: No space left on device"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "invalid start byte"),
    ],
)
def test_errors_of_the_system_are_one_line_each(harvest, monkeypatch, error, message):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(MODULE, "rank_table", fail)

    assert message in error_of(harvest)


def test_being_stopped_says_what_is_done(harvest, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt("3 of 16 blocks are done; resuming goes on from them")

    monkeypatch.setattr(MODULE, "rank_to_file", stop)
    result = run(harvest, "--out", "pairs.parquet")

    assert result.exit_code == 130
    assert result.stderr == "bychance: stopped; 3 of 16 blocks are done; resuming goes on from them\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_stops_at_once_and_leaves_nothing_half_written(slow, tmp_path, jobs):
    options = ["rank", slow, "--measure", "mic", "--null", "permutation:9999", "--jobs", jobs]
    stopped = run_interrupted(tmp_path, ".pairs.csv.parts", 0.5, *options, "--out", tmp_path / "pairs.csv")

    assert float((tmp_path / "used").read_text()) < 2
    assert stopped.returncode == 130
    assert stopped.stderr.startswith("bychance: stopped; ")
    assert len(stopped.stderr.splitlines()) == 1
    assert stopped.stdout == ""
    assert not (tmp_path / "pairs.csv").exists()


def test_a_closed_pipe_is_silent(harvest):
    command = f"{sys.executable} -m bychance rank {harvest} --top 96 --null moments | head -n 1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)

    assert result.stdout.startswith("rank\tx\ty")
    assert "Broken" not in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_silent(harvest, closed):
    command = f"{sys.executable} -m bychance rank {harvest} --top 3 --null moments {closed}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)

    assert "fault" not in result.stderr
    assert result.stdout.startswith("rank\tx\ty") is (closed == "2>&-")


def test_errors_speak_of_options(tmp_path):
    mixed = write_csv(tmp_path / "m.csv", {"a": [*range(50), "broken"], "b": [1, 2, 3] * 17})
    words = write_csv(
        tmp_path / "w.csv", {"who": [f"P{k}" for k in range(40)], "b": [1, 2] * 20, "c": [2, 1, 2, 3] * 10}
    )

    assert "in line 52; --missing 'broken' reads the rest, --categorical 'a' keeps categories." in error_of(
        mixed
    )
    assert "--numeric must name columns of numbers" in error_of(mixed, "--numeric", "a")
    assert "--target names a column that was set aside." in error_of(words, "--target", "who")
    assert "--categorical 'who' keeps it." in error_of(words, "--target", "who")


def test_columns_that_are_called_like_options_are_no_options(tmp_path):
    path = write_csv(tmp_path / "t.csv", {"x": [1, "inf", 3], "target": [1, 2, 3]})

    assert "'x' was set aside: it has infinite values: inf in line 3" in error_of(path, "--target", "target")


def test_an_error_is_still_about_its_argument_once_it_has_travelled():
    error = pickle.loads(pickle.dumps(unknown_name("target", "incme", ["income"])))

    assert (type(error), error.arguments) == (bc.errors.UnknownNameError, ("target",))


def test_a_fault_of_the_program_is_one_line_too():
    code = (
        "import sys; from bychance.cli import main; sys.argv = ['bychance', 'demo'];"
        "sys.modules['bychance.cli.library'].make_demo = lambda: 1 / 0; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert result.returncode == 1
    assert (
        result.stderr == "bychance: internal error (please report it): ZeroDivisionError: division by zero\n"
    )


def test_a_closed_standard_input_is_one_line():
    closed = ["sh", "-c", '"$0" -m bychance rank - <&-', sys.executable]
    result = subprocess.run(closed, capture_output=True, text=True, check=False)

    assert (result.returncode, result.stderr) == (
        1,
        "bychance: standard input is closed: pipe a table into it, or name a file.\n",
    )


@pytest.mark.parametrize(
    ("options", "n_bytes"),
    [((), 8), (("--dry-run",), 8), (("--out", "pairs.csv"), 16)],
    ids=["shown", "dry", "file"],
)
def test_more_pairs_than_the_memory_has_room_for_are_refused(
    harvest, monkeypatch, tmp_path, options, n_bytes
):
    monkeypatch.chdir(tmp_path)
    put(monkeypatch, memory_of_process=lambda: 100)

    assert f"of memory ({n_bytes} bytes per pair), and there is" in error_of(harvest, *options)
    assert not list(tmp_path.iterdir())


def test_a_name_without_its_quotes_is_told_as_such(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,Total revenue\n" + "".join(f"{k},{k % 7}\n" for k in range(30)))
    result = CliRunner().invoke(app, ["rank", str(path), "--target", "Total", "revenue"])

    assert result.exit_code == 1
    assert "There is no file revenue; names with blanks need quotes." in result.stderr
