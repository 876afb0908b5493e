"""`bychance rank`: what it prints and writes, and one clear line for every kind of bad input."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from typer.testing import CliRunner

import bychance as bc
from bychance.cli import app
from bychance.cli.one_line import in_options
from bychance.cli.show import _table, show_ranking
from bychance.datasets import make_demo
from bychance.ranking.display import summarize

HOSTILE = ["\x1b[31mred", "[red]x[/red]", "<script>alert(1)</script>", "two\nlines", "tab\tbed", "w" * 500]
COMMAND = [sys.executable, "-m", "bychance"]
MODULE = sys.modules["bychance.cli.rank"]  # the package calls its function by the same name


def run(*arguments):
    return CliRunner().invoke(app, ["rank", *map(str, arguments)])


def tabbed(text):
    header, *lines = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(header, line, strict=True)) for line in lines]


def error_of(*arguments, code=1):
    """The only line that the run leaves: on stderr, and nothing on stdout."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if code == 1:
        assert result.stderr.startswith("bychance: ")
        assert len(result.stderr.splitlines()) == 1
    return " ".join(result.stderr.replace("│", " ").split())


def write_csv(path, columns, rows=None):
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows if rows is not None else zip(*columns.values(), strict=True))
    return path


def _cell(value):
    """Labels stay labels, and nothing stands for NaN."""
    if isinstance(value, str):
        return f"no. {value}"
    return "" if value != value else value


@pytest.fixture(scope="module")
def harvest(tmp_path_factory):
    table = {name: [_cell(value) for value in column.tolist()] for name, column in make_demo().items()}
    return write_csv(tmp_path_factory.mktemp("tables") / "harvest.csv", table)


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    values = np.random.default_rng(1).normal(size=(300, 12))
    path = tmp_path_factory.mktemp("tables") / "slow.csv"
    return write_csv(path, [f"c{k}" for k in range(12)], values.round(1).tolist())


def test_a_pipe_gets_the_best_pairs_as_the_library_gives_them(harvest):
    """Tab-separated, figures in full, the columns of to_frame()."""
    result = run(harvest, "--target", "yield", "--top", 4)
    expected = list(bc.rank(harvest, target="yield").best(4, fold=True))

    assert result.exit_code == 0
    assert [
        {name: "" if value is None else str(value) for name, value in record.items()} for record in expected
    ] == tabbed(result.stdout)
    assert "11 columns against yield by explained" in result.stderr


def test_options_reach_the_ranking(harvest):
    result = run(
        harvest, "--x", "rainfall", "--x", "survey_1", "--y", "yield", "--y", "sunshine",
        "--measure", "numeric=r2", "--measure", "mixed=eta2", "--null", "permutation:99",
        "--by", "p_value", "--alpha", "0.2", "--min-n", "12", "--fdr", "by", "--seed", "3", "--jobs", "2",
    )  # fmt: skip
    ranking = bc.rank(
        harvest, x=["rainfall", "survey_1"], y=["yield", "sunshine"],
        measure={"numeric": "r2", "mixed": "eta2"}, null=bc.Permutation(99),
        by="p_value", alpha=0.2, min_n=12, fdr="by", rng=3,
    )  # fmt: skip

    assert [line["q_value"] for line in tabbed(result.stdout)] == [str(r["q_value"]) for r in ranking.best()]


def test_columns_are_read_as_told(tmp_path):
    path = tmp_path / "t.csv"
    rows = [[k % 3, f"id{k}", -1 if k % 5 == 0 else k % 7, k % 4] for k in range(60)]
    write_csv(path, ["group", "id", "code", "extra"], rows)

    noticed = run(path, "--target", "code")
    told = run(
        path,
        "--target",
        "code",
        "--categorical",
        "group",
        "--drop",
        "id",
        "--missing",
        "-1",
        "--drop",
        "extra",
    )

    assert "'id' was set aside" in noticed.stderr
    assert [(line["x"], line["n"], line["sign"]) for line in tabbed(told.stdout)] == [("group", "48", "")]


def test_text_formats_can_be_told(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("größe|b\n".encode("cp1252") + b"".join(b"%d,5|%d\n" % (k, k * k) for k in range(20)))

    told = run(path, "--delimiter", "|", "--decimal", ",", "--encoding", "cp1252")

    assert [(line["x"], line["y"], line["n"], line["sign"]) for line in tabbed(told.stdout)] == [
        ("größe", "b", "20", "1")
    ]


def test_a_sweep_follows_the_ranking_after_a_blank_line(harvest):
    result = run(harvest, "--target", "yield", "--top", 3, "--sweep", "0.4,0.05")
    ranked, swept = result.stdout.split("\n\n")

    assert len(tabbed(ranked)) == 3
    assert {"rank at 0.4", "rank at 0.05", "stable"} <= set(tabbed(swept)[0])


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_all_pairs_go_to_a_file(harvest, tmp_path, suffix):
    path = tmp_path / f"pairs.{suffix}"
    result = run(harvest, "--out", path, "--null", "moments", "--top", 2)

    assert result.exit_code == 0, result.stderr
    assert len(tabbed(result.stdout)) == 2
    assert os.listdir(tmp_path) == [path.name]
    if suffix == "parquet":
        assert pq.read_table(path).num_rows == 96


def test_resuming_ends_with_the_same_file(harvest, tmp_path):
    options = ["--null", "moments", "--sort", "--top", 1]
    first = run(harvest, "--out", tmp_path / "first.csv", *options)
    second = run(harvest, "--out", tmp_path / "second.csv", *options, "--resume")

    assert first.exit_code == second.exit_code == 0
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "second.csv").read_bytes()


def test_a_dry_run_tells_and_writes_nothing(harvest, tmp_path):
    result = run(harvest, "--out", tmp_path / "pairs.parquet", "--dry-run")

    assert result.exit_code == 0
    assert "96 pairs in 1 block" in result.stdout
    assert "numeric and numeric: explained" in result.stdout
    assert "about 1 second on 1 thread" in result.stdout
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv is empty"),
        (b"a,b\n", "has a header and no rows"),
        (b"a,b,a\n1,2,3\n", "Column names must differ, got 'a' as columns 1 and 3"),
        (b"a,b\n1,2\n3,4,5\n", "got 3 in line 3"),
        (b"a,b\n1,2\ninf,3\n", "`a` must be finite, got inf in line 3"),
        (
            b"a,b\n" + b"".join(b"%d,%d\n" % (k, k) for k in range(50)) + b"broken,1\n",
            "got 'broken' in 'a' in line 52",
        ),
        (b"\x00\x01\x02\x03" * 99, "is it a binary file"),
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
    assert "is a directory" in error_of(tmp_path)
    assert "must end in one of" in error_of(write_csv(tmp_path / "t.foo", {"a": [1]}))


def test_a_target_that_cannot_serve_is_told(harvest, tmp_path):
    constant = write_csv(tmp_path / "t.csv", {"a": range(20), "b": [7] * 20})

    assert "Did you mean 'rainfall'?" in error_of(harvest, "--target", "ranfall")
    assert "--target must vary: 'b' is constant" in error_of(constant, "--target", "b")
    assert "must stand alone" in error_of(harvest, "--target", "yield", "--x", "soil")


def test_a_column_of_very_many_strings_is_set_aside(tmp_path):
    n = 50_000
    rng = np.random.default_rng(0)
    columns = {
        "who": [f"{k:x}" for k in range(n)],
        "a": rng.integers(9, size=n),
        "b": rng.integers(9, size=n),
    }
    path = write_csv(tmp_path / "t.csv", columns)
    result = run(path)

    assert result.exit_code == 0
    assert "'who' was set aside: an identifier" in result.stderr
    assert len(tabbed(result.stdout)) == 1


@pytest.mark.parametrize("name", ["😀" * 50, "収入" * 30, "w" * 60])
def test_wide_characters_leave_room_for_figures(name):
    rng = np.random.default_rng(0)
    ranking = bc.rank({name: rng.normal(size=40), name[::-1] + "!": rng.normal(size=40)})
    console = Console(width=80, file=io.StringIO())
    console.print(_table(summarize(ranking, 1, 1_000), 80))
    heading, line = console.file.getvalue().splitlines()

    assert all(text in heading for text in ("rank", "observed", "at 0.05"))
    assert line.count("…") == 2


def test_where_all_pairs_are_is_said(harvest, tmp_path):
    result = run(harvest, "--null", "moments", "--out", tmp_path / "pairs.csv")

    assert result.stderr.splitlines()[-1] == f"All pairs are in {tmp_path / 'pairs.csv'}."


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
        (["--by", "ajusted"], "Did you mean 'adjusted'?"),
        (["--measure", "mick"], "Did you mean 'mic'?"),
        (["--measure", "numbers=mic"], "--measure must be one of"),
        (["--measure", "categorical=mic"], "which takes numeric ones"),
        (["--measure", "r2", "--measure", "mic"], "--measure must be one name"),
        (["--null", "papr"], "Did you mean 'paper'?"),
        (["--null", "permutation:many"], "must be followed by a number of draws"),
        (["--null", "permutation:0"], "must be a positive integer"),
        (["--min-n", "2"], "--min-n must be an integer of at least 3"),
        (["--fdr", "no"], "--fdr must be one of bh, by"),
        (["--top", "0"], "--top"),
        (["--jobs", "0"], "--jobs must be"),
        (["--sweep", "0.1,much"], "--sweep must be levels"),
        (["--sweep", "0.1,7"], "--sweep must lie in (0, 1]"),
        (["--sweep", "0.1", "--out", "t.csv"], "run one after the other"),
        (["--out", "pairs.txt"], "must end in .parquet, .csv or .json"),
        (["--sort"], "--sort is about a file"),
        (["--resume"], "--resume is about a file"),
        (["--delimiter", ";;"], "--delimiter must be one character"),
        (["--encoding", "no-such"], "--encoding must be"),
        (["--nonsense"], "No such option"),
        ([], "Missing argument"),
    ],
)  # fmt: skip
def test_wrong_usage_is_told_before_anything_is_read(arguments, message):
    files = ["there-is-no-such-file.csv"] if arguments else []

    assert message in error_of(*files, *arguments, code=2)


def test_hostile_names_do_no_harm(tmp_path):
    """They are escaped through a pipe and on a terminal, and break no line."""
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "t.csv", {name: rng.normal(size=30).round(3) for name in HOSTILE})
    result = run(path, "--sweep", "0.4,0.1")

    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.output
    assert len(tabbed(result.stdout.split("\n\n")[0])) == 15
    assert "two\\nlines" in result.stdout
    assert "[red]x[/red]" in result.stdout
    assert "\x1b" not in error_of(path, "--target", "\x1b[2J")

    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100, color_system=None, markup=False)
    console.print(_table(summarize(bc.rank(path), 20), 100))
    assert "\x1b[31m" not in shown.getvalue()
    assert "[red]x[/red]" in shown.getvalue()
    assert max(map(len, shown.getvalue().splitlines())) <= 100


@pytest.mark.parametrize("width", [72, 80, 100, 200])
def test_the_table_fits_the_terminal(harvest, width):
    shown = io.StringIO()
    ranking = bc.rank(harvest, measure="r2", null=bc.Permutation(999))
    Console(file=shown, width=width).print(_table(summarize(ranking, 5), width))
    lines = shown.getvalue().splitlines()

    assert max(map(len, lines)) <= width
    assert len(lines) == 6
    assert {"rank", "x", "y", "observed", "q"} <= set(lines[0].split())


def test_warnings_are_one_line_each(harvest):
    result = run(harvest, "--target", "yield", "--null", "permutation:9")
    warned = [line for line in result.stderr.splitlines() if "warning" in line]

    assert len(warned) == 1
    assert warned[0].startswith("bychance: warning: With 9 draws a null no q-value can reach 0.05")


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
    options = ["rank", str(slow), "--measure", "mic", "--null", "permutation:9999", "--jobs", jobs]
    environment = {**os.environ, "BYCHANCE_CACHE": "off"}
    process = subprocess.Popen(
        [*COMMAND, *options, "--out", str(tmp_path / "pairs.csv")],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (tmp_path / ".pairs.csv.parts").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    stdout, stderr = process.communicate(timeout=30)

    assert time.monotonic() - started < 2
    assert process.returncode == 130
    assert stderr.startswith("bychance: stopped; ")
    assert len(stderr.splitlines()) == 1
    assert stdout == ""
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


@pytest.mark.parametrize("width", [1, 20, 59])
def test_a_narrow_terminal_gets_no_empty_lines(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show_ranking(bc.rank(make_demo(), null="moments"), 3)
    _, heading, *rows = capsys.readouterr().out.splitlines()

    assert heading.split()[:3] == ["rank", "x", "y"]
    assert len(rows) == 3
    assert all(len(row.split()) >= 5 and "…" not in row for row in rows)


def test_errors_speak_of_options(tmp_path):
    mixed = write_csv(tmp_path / "m.csv", {"a": [*range(50), "broken"], "b": [1, 2, 3] * 17})
    words = write_csv(
        tmp_path / "w.csv", {"who": [f"P{k}" for k in range(40)], "b": [1, 2] * 20, "c": [2, 1, 2, 3] * 10}
    )

    assert "in line 52; give --missing … or --categorical 'a'." in error_of(mixed)
    assert "--numeric must name columns of numbers" in error_of(mixed, "--numeric", "a")
    assert "--target names a column that is not used." in error_of(words, "--target", "who")
    assert "--categorical 'who' keeps it." in error_of(words, "--target", "who")


def test_notes_speak_of_options(tmp_path):
    cells = [*(f"{k}.5" for k in range(30)), *["low", "high", "none"] * 10]
    path = write_csv(tmp_path / "t.csv", {"dose": cells, "b": [1, 2, 3, 5] * 15})

    assert "Note: 'dose': labels, though 30 of 60 values are numbers; --missing …" in run(path).stderr


@pytest.mark.parametrize(
    "message",
    ["`x` must be finite, got inf in line 3.", "`target` must hold values of one type, numbers or labels."],
)
def test_columns_that_are_called_like_options_are_no_options(message):
    assert in_options(message) == message


def test_a_fault_of_the_program_is_one_line_too():
    code = (
        "import sys; from bychance.cli import main; sys.argv = ['bychance', 'demo'];"
        "sys.modules['bychance.cli.demo'].make_demo = lambda: 1 / 0; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert result.returncode == 1
    assert result.stderr == "bychance: a fault of bychance itself: ZeroDivisionError: division by zero\n"


def offered(*words):
    """What bash is offered for the last word."""
    line = {"COMP_WORDS": " ".join(["bychance", *words]), "COMP_CWORD": str(len(words))}
    environment = {"_BYCHANCE_COMPLETE": "complete_bash", **line}
    return CliRunner().invoke(app, [], prog_name="bychance", env=environment).stdout.split()


def test_the_shell_is_offered_names(harvest):
    assert offered("rank", str(harvest), "--measure", "mi") == ["mi", "mic", "mic_e", "mixed="]
    assert offered("rank", str(harvest), "--measure", "numeric=sp") == ["numeric=spearman"]
    assert offered("rank", str(harvest), "--by", "adj") == ["adjusted", "adjusted_at"]
    assert offered("rank", str(harvest), "--null", "p") == ["paper", "permutation:9999"]
    assert offered("rank", str(harvest), "--target", "survey_") == [f"survey_{k}" for k in range(1, 7)]
    assert offered("rank", str(harvest), "--top", "3", "--drop", "soi") == ["soil"]
    assert offered("rank", "--target", "survey_") == []


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", b""), ("t.csv", b"\x00\xff\x00"), ("t.parquet", b"no"), ("t.arff", b"@")]
)
def test_the_shell_is_offered_nothing_of_files_that_cannot_be_read(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)

    assert offered("rank", str(tmp_path / name), "--target", "a") == []


def test_completion_can_be_installed():
    result = CliRunner().invoke(app, ["--help"])

    assert "--install-completion" in result.stdout
