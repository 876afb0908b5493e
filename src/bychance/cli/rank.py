"""`bychance rank`: a file → its pairs, best first, on stdout or to a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from bychance.cli import complete, reading
from bychance.cli.error_lines import usage_errors
from bychance.cli.reading import option
from bychance.cli.same_command import command_line
from bychance.cli.show import RAW_NAMES, show_ranking, show_sweep
from bychance.errors import BychanceError, unknown_name
from bychance.extras import require
from bychance.given.settings import CONTROLS, EFFECTS, Given
from bychance.names import display_name
from bychance.nulls import Permutation
from bychance.nulls.choose import MANY_ROWS, NULL_NAMES, NullSpec
from bychance.ranking import rank as rank_table
from bychance.ranking import rank_to_file
from bychance.ranking.enough_rows import check_measurable
from bychance.ranking.forecast import forecast
from bychance.ranking.job import Loading, MeasureChoice, make_job
from bychance.ranking.loading import load, sums_beside
from bychance.ranking.memory import check_memory
from bychance.ranking.output import check_output, file_format
from bychance.ranking.run import plan_ranking
from bychance.report import LEVELS, write_report
from bychance.table import MAX_GIB, Table
from bychance.validation import whole_number

__all__ = ["rank"]

Names = list[str] | None

_PAIRS, _RANKING, _OUTPUT = "Which pairs", "How they are ranked", "What comes out"


def _column(help_text: str, panel: str) -> Any:
    """An option that names a column."""
    return option(help_text, panel, metavar="COLUMN")


def _name(help_text: str, panel: str, offered: Callable[[str], list[str]] | None = None) -> Any:
    """An option that names one of several things; `offered` are those that a shell completes."""
    return option(help_text, panel, metavar="NAME", autocompletion=offered)


def rank(
    context: typer.Context,
    file: reading.Files,
    target: Annotated[
        Names, _column("Rank all other columns by what they say about this one.", _PAIRS)
    ] = None,
    x: Annotated[Names, _column("Pair this column (repeatable) …", _PAIRS)] = None,
    y: Annotated[Names, _column("… with this one (repeatable).", _PAIRS)] = None,
    given: Annotated[
        Names, _column("Look beyond this column, which leaves the pairs (repeatable).", _PAIRS)
    ] = None,
    given_control: Annotated[
        str, _name("How to control what is given: smooth, linear or strata.", _PAIRS, complete.control_names)
    ] = "smooth",
    given_effect: Annotated[
        str,
        _name(
            "Whether strata share one effect, common, or have separate ones.", _PAIRS, complete.effect_names
        ),
    ] = "common",
    measure: Annotated[
        list[str],
        _name(
            "A measure, or one for a kind of pair, repeatable: numeric=mic, mixed=eta2, categorical=mi.",
            _RANKING,
            complete.measure_names,
        ),
    ] = ["auto"],  # noqa: B006 typer never changes it
    null: Annotated[
        str,
        _name(
            "auto, moments, exact, normal, multinomial, paper, or permutation:9999.",
            _RANKING,
            complete.null_names,
        ),
    ] = "auto",
    block: Annotated[
        int | None,
        option(
            "Permute blocks of ROWS consecutive rows: for rows in order of time.", _RANKING, metavar="ROWS"
        ),
    ] = None,
    groups: Annotated[
        str | None, _column("Permute rows only within the groups of this column.", _RANKING)
    ] = None,
    by: Annotated[
        str,
        _name(
            "Order by observed, adjusted, standardized, adjusted_at or p_value.", _RANKING, complete.by_names
        ),
    ] = "adjusted_at",
    alpha: Annotated[float, option("The alpha of adjusted_at, in (0, 1].", _RANKING)] = 0.05,
    min_n: Annotated[int, option("Fewest rows that a pair must share.", _RANKING)] = 10,
    fdr: Annotated[
        str, _name("q-values after bh (Benjamini, Hochberg) or by (Benjamini, Yekutieli).", _RANKING)
    ] = "bh",
    fdr_level: Annotated[
        float, option("False discovery rate below which a pair counts as found.", _RANKING)
    ] = 0.05,
    intervals: Annotated[
        bool,
        option("Give all pairs that are kept 95% limits, whatever the measure.", _RANKING, "--intervals"),
    ] = False,
    seed: Annotated[int, option("Same seed, same answer.", _RANKING, min=0)] = 0,
    top: Annotated[int, option("How many pairs to show.", _OUTPUT)] = 20,
    sweep: Annotated[
        str | None,
        option("Show ranks at these values of alpha too: 0.4,0.1,0.05.", _OUTPUT, metavar="ALPHAS"),
    ] = None,
    out: Annotated[
        Path | None,
        option("Write all pairs to this .parquet, .csv or .json.", _OUTPUT, metavar="FILE"),
    ] = None,
    report: Annotated[
        Path | None, option("Write a page to explore to this .html.", _OUTPUT, metavar="FILE")
    ] = None,
    no_data: Annotated[
        bool, option("With --report: leave the table's values out of the page.", _OUTPUT, "--no-data")
    ] = False,
    sort: Annotated[bool, option("With --out: the best pair first.", _OUTPUT, "--sort")] = False,
    resume: Annotated[bool, option("With --out: resume an interrupted run.", _OUTPUT, "--resume")] = False,
    dry_run: Annotated[
        bool,
        option("Say how many pairs, which nulls and about how long, and stop.", _OUTPUT, "--dry-run"),
    ] = False,
    raw_names: Annotated[bool, option(RAW_NAMES, _OUTPUT, "--raw-names")] = False,
    notes: Annotated[bool, option("Name every column that a note is about.", _OUTPUT, "--notes")] = False,
    jobs: Annotated[int, option("Threads; -1 for one per core.", _OUTPUT)] = 1,
    device: Annotated[
        str,
        _name(
            "Where nulls are sampled: cpu, cuda, or auto for a GPU where there is one.",
            _OUTPUT,
            complete.device_names,
        ),
    ] = "cpu",
    numeric: reading.Numeric = None,
    categorical: reading.Categorical = None,
    drop: reading.Drop = None,
    missing: reading.Missing = None,
    merge: reading.Merge = None,
    day_first: reading.DayFirst = None,
    header: reading.Header = True,
    skip_rows: reading.SkipRows = 0,
    sheet: reading.Sheet = None,
    delimiter: reading.Delimiter = None,
    decimal: reading.Decimal = None,
    encoding: reading.Encoding = None,
    max_gib: reading.MaxGib = MAX_GIB,
    stream: reading.Stream = None,
    sample_rows: reading.SampleRows = MANY_ROWS,
) -> None:
    """Rank the pairs of columns of FILE by what chance does not explain.

    On a terminal the best pairs are shown as a table. Through a pipe they
    are tab-separated values, one line per pair under a line of names.
    Notes and warnings go to stderr.

    Exit codes: 0 success, 1 data error, 2 usage error, 130 interrupted.

    For example:

      bychance rank WHO.csv --target Life_expectancy_at_birth --drop CountryID

      bychance rank WHO.csv --measure r2 --null moments --out pairs.parquet

      bychance rank survey.csv --measure numeric=mic --measure mixed=eta2

      bychance rank survey.csv --target income --given age --given sex

      bychance rank WHO.csv --sweep 0.4,0.1,0.05 --top 10

      bychance rank WHO.csv --measure r2 --null moments --report who.html

      bychance rank big.parquet --dry-run --jobs 8

      bychance rank WHO.csv --measure r2 | cut -f 2,3,10

      bychance rank shop.db::orders --target amount --notes

      bychance rank events/*.parquet --target churn --jobs 2
    """
    with usage_errors():
        options: dict[str, Any] = dict(
            measure=_measure(measure), null=_restricted(_null(null), block, groups), by=by, alpha=alpha,
            min_n=min_n, fdr=fdr, fdr_level=fdr_level, rng=seed, intervals=intervals, device=device,
            sweep=(*_levels(sweep), *(LEVELS if report else ())),
        )  # fmt: skip
        job, top = make_job(**options), whole_number(top, "top")
        _check_output(out, report, sort=sort, resume=resume, sweep=sweep, jobs=jobs)
        if no_data and report is None:
            raise BychanceError("--no-data requires --report.")
        options.update(target=reading.once(target, "--target"), x=x, y=y)
        options["given"] = _given(given, given_control, given_effect)
    if report is not None:
        require("report")
    read_options = reading.reading_options(context)
    for written in filter(None, (out, report)):
        for each in filter(Path.exists, file):
            check_output(written, each)
    running: dict[str, Any] = dict(n_jobs=jobs, progress=sys.stderr.isatty())
    keeps_all = bool(sweep or report)  # a report and a sweep need all pairs in memory
    kept = None if out is None or keeps_all else sums_beside(out, resume=resume)
    loading = Loading(stream=stream, sample_rows=sample_rows, kept=kept, **running)
    source = load(reading.source_of(file), job, loading, read_options, options["target"])
    if groups is not None:
        options["null"] = replace(options["null"], groups=_strata(source.table, groups))
    plan = plan_ranking(source, **options)
    check_memory(plan, keeps_all=keeps_all, to_file=out is not None and not keeps_all)
    check_measurable(plan)
    if dry_run:
        typer.echo(forecast(plan, jobs))
        return
    if out is None or keeps_all:
        ranking = rank_table(source, top=None if keeps_all else top, **options, **running)
    else:
        ranking = rank_to_file(
            source, out, top=top, sort=sort, resume=resume, raw_names=raw_names, **options, **running
        )
    show_ranking(ranking, top, raw_names=raw_names, all_names=notes)
    if out is not None:
        if keeps_all:
            ranking._write(out, file_format(out), raw_names=raw_names, limits=intervals)
        print(f"All pairs are in {display_name(str(out))}.", file=sys.stderr)
    if sweep is not None:
        show_sweep(ranking.sweep(_levels(sweep), k=top), raw_names=raw_names)
    if report is not None:
        shown = ranking.without_data() if no_data else ranking
        write_report(shown, report, command=command_line(context))
        print(f"The report is in {display_name(str(report))}.", file=sys.stderr)
        if not no_data:
            print("It holds the table's values, for its plots; --no-data leaves them out.", file=sys.stderr)


def _measure(values: list[str]) -> MeasureChoice:
    """One name, or names by the kind of pair."""
    chosen = dict(value.split("=", 1) for value in values if "=" in value)
    if not chosen and len(values) == 1:
        return values[0]
    if len(chosen) < len(values):
        raise BychanceError(
            f"--measure must be one name, or kind=name once per kind, got {', '.join(values)}."
        )
    return chosen


def _given(names: Names, control: str, effect: str) -> Given | None:
    """The columns to look beyond, and how."""
    for argument, value, known in (("given_control", control, CONTROLS), ("given_effect", effect, EFFECTS)):
        if value not in known:
            raise unknown_name(argument, value, known)
    settings = Given(names or (), control=control, effect=effect)
    if not names and (control, effect) != ("smooth", "common"):
        raise BychanceError("--given-control and --given-effect require --given.")
    return settings if names else None


def _null(value: str) -> NullSpec:
    """A name, or how many permutations: permutation:9999."""
    name, _, count = value.partition(":")
    if name != "permutation":
        if value not in NULL_NAMES:
            raise unknown_name("null", value, (*NULL_NAMES, "permutation"))
        return value
    if count and count != "auto" and not count.isdecimal():
        raise BychanceError(
            f"--null permutation: must be followed by a number of permutations, got {value!r}."
        )
    if not count:
        return Permutation()
    return Permutation("auto" if count == "auto" else int(count))


def _restricted(null: NullSpec, block: int | None, groups: str | None) -> NullSpec:
    """The null with the permutations that --block and --groups allow."""
    if block is None and groups is None:
        return null
    if block is not None and groups is not None:
        raise BychanceError("--block and --groups cannot be combined.")
    if null == "auto":
        null = Permutation()
    if not isinstance(null, Permutation):
        raise BychanceError(f"--block and --groups require permutations, got --null {null}.")
    return replace(null, block=block)


def _strata(table: Table, name: str) -> NDArray[np.int64]:
    """The group of each row; rows with a missing group form one more group."""
    column = table.columns[table.position(name, "groups")]
    codes = np.unique(column.values, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return codes if column.is_missing is None else np.where(column.is_missing, -1, codes)


def _levels(value: str | None) -> tuple[float, ...]:
    try:
        return () if value is None else tuple(float(level) for level in value.split(","))
    except ValueError:
        raise BychanceError(f"--sweep must be values of alpha such as 0.4,0.1,0.05, got {value!r}.") from None


def _check_output(
    out: Path | None, report: Path | None, *, sort: bool, resume: bool, sweep: str | None, jobs: int
) -> None:
    if out is not None:
        file_format(out)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise BychanceError(f"--report must end in .html, got {report}.")
    for name, is_given in (("--sort", sort), ("--resume", resume)):
        if is_given and out is None:
            raise BychanceError(f"{name} requires --out.")
    if resume and (report is not None or sweep is not None):
        other = "--sweep" if report is None else "--report"
        raise BychanceError(f"--resume cannot be combined with {other}, which needs all pairs at once.")
    if jobs == 0:
        raise BychanceError("--jobs must be a number of threads, or -1 for one per core, got 0.")
