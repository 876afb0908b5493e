"""Interactive HTML report of a ranking: ranking → summarize (plain dict) → html (one file).

`values` samples the values to plot, `charts` computes charts of all pairs, and `repeat` writes code that
repeats the ranking. `html` packs the dict into the page, and templates/ holds HTML, styles and scripts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bychance.messages import Dialect
from bychance.ranking import Ranking
from bychance.ranking.files import replacing
from bychance.report.html import render
from bychance.report.summarize import LEVELS, summarize

__all__ = ["LEVELS", "render", "summarize", "write_report"]


def write_report(
    ranking: Ranking,
    path: str | os.PathLike[str],
    *,
    alphas: Sequence[float] | None = None,
    title: str | None = None,
    command: str | None = None,
    dialect: Dialect = Dialect.PYTHON,
) -> Path:
    """Write a ranking's interactive HTML report to a file and return its path.

    `Ranking.report` describes the options. In the page, options of bychance are written in `dialect`: as
    Python arguments or as command-line flags.
    """
    summary = summarize(ranking, alphas=alphas, title=title, command=command, path=path, dialect=dialect)
    page = render(summary)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return Path(path)
