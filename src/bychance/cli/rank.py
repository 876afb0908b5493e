"""`bychance rank`: all pairs of columns of a file, best first, on stdout or in a file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import typer

from bychance.cli import reading
from bychance.cli.error_lines import usage_errors
from bychance.cli.panels import TYPED, with_panels
from bychance.cli.rank_options import Output, Pairing, Scoring
from bychance.cli.show import show_ranking, show_sweep
from bychance.errors import BychanceError, require
from bychance.messages import Dialect
from bychance.names import display_name
from bychance.parallel import Workers
from bychance.ranking import Ranking, rank_to_file
from bychance.ranking import rank as rank_table
from bychance.ranking.api import DEFAULTS, all_options, plan_ranking
from bychance.ranking.files import check_output, file_format
from bychance.ranking.limits_of_work import check_measurable, check_memory, forecast
from bychance.ranking.load import load, sums_beside
from bychance.ranking.options import make_job
from bychance.report import LEVELS, write_report

__all__ = ["rank"]

_FEWEST_KEPT = 20  # pairs, so that statements about all pairs do not depend on how many are shown


@with_panels
def rank(
    context: typer.Context,
    file: reading.Files,
    pairing: Pairing,
    scoring: Scoring,
    output: Output,
    how: reading.ReadOptions,
    batches: reading.Batches,
) -> None:
    """Rank the pairs of columns of FILE by what chance does not explain.

    On a terminal the best pairs are shown as a table. Through a pipe they
    are tab-separated values, one line per pair under a line of names.
    Notes and warnings go to stderr.

    Exit codes: 0 success, 1 data error, 2 usage error, 130 interrupted.

    For example:

      bychance rank WHO.csv --target Life_expectancy_at_birth --drop CountryID
      bychance rank survey.csv --target income --given age --given sex
    """
    with usage_errors():
        typed = {**pairing.options(), **scoring.options(), **output.options(), **vars(batches)}
        if output.report is not None:
            typed["alpha"] = [*scoring.alpha, *LEVELS]
        options = all_options(**{name: typed[name] for name in typed if name in DEFAULTS})
        job = make_job(options)
        output.check()
        keeps_all = output.report is not None or len(scoring.alpha) > 1
        if output.resume and keeps_all:
            raise BychanceError(
                "--resume cannot be combined with a second --alpha, which needs all pairs at once."
            )
    if output.report is not None:
        require("report")
    read_options = how.options()
    for written in filter(None, (output.out, output.report)):
        for each in filter(Path.exists, file):
            check_output(written, each)
    running: dict[str, Any] = dict(n_jobs=output.jobs, progress=sys.stderr.isatty())
    to_file = None if keeps_all else output.out
    kept = None if to_file is None else sums_beside(to_file, resume=output.resume)
    source = load(reading.source_of(file), job, options, read_options, Workers(**running), kept)
    plan = plan_ranking(source, **options)
    check_memory(plan, keeps_all=keeps_all, to_file=to_file is not None)
    check_measurable(plan)
    if output.dry_run:
        typer.echo(forecast(plan, output.jobs))
        return
    top = max(output.top, _FEWEST_KEPT)
    if to_file is None:
        ranking = rank_table(source, top=None if keeps_all else top, **options, **running)
    else:
        written_how = {name: typed[name] for name in ("sort", "resume")}
        ranking = rank_to_file(source, to_file, top=top, **written_how, **options, **running)
    if scoring.intervals:
        ranking = ranking._with_limits()
    _show(
        ranking,
        output,
        scoring,
        is_written=to_file is not None,
        command=shlex.join(["bychance", "rank", *context.meta[TYPED]]),
    )


def _show(ranking: Ranking, output: Output, scoring: Scoring, *, is_written: bool, command: str) -> None:
    """Print the best pairs, and write the output file (unless `is_written`) and the report."""
    show_ranking(ranking, output.top)
    if output.out is not None:
        if not is_written:
            ranking._write(output.out, file_format(output.out), limits=scoring.intervals)
        print(f"All pairs are in {display_name(str(output.out))}.", file=sys.stderr)
    if len(scoring.alpha) > 1:
        show_sweep(ranking.sweep(scoring.alpha, k=output.top))
    if output.report is not None:
        shown = ranking.without_data() if output.no_data else ranking
        write_report(shown, output.report, command=command, dialect=Dialect.COMMAND_LINE)
        print(f"The report is in {display_name(str(output.report))}.", file=sys.stderr)
        if not output.no_data:
            print("It holds the table's values, for its plots; --no-data leaves them out.", file=sys.stderr)
