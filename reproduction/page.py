"""What `python -m reproduction` wrote → docs/paper.md and its figures.

python -m reproduction.page build/paper
"""

from __future__ import annotations

import csv
import shutil
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from reproduction import ITEMS, load_item
from reproduction.tables import markdown

DOCS = Path(__file__).resolve().parent.parent / "docs"
TEXT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
VERDICTS = ("holds", "does not hold", "undecided")
LARGEST = 150_000

Record = dict[str, Any]


def page(directory: Path) -> str:
    """The page of the items that the directory has results of."""
    verdicts, timing = (read_records(directory / f"{name}.csv") for name in ("verdicts", "timing"))
    done = [load_item(name) for name in ITEMS if (directory / f"{name}.csv").is_file()]
    parts = [
        TEXT["introduction"].replace("{counts}", counts(verdicts)),
        folded("How verdicts are computed, and how many there are", TEXT["verdicts"], summary(verdicts)),
    ]
    for item in done:
        rows = [record for record in verdicts if record["item"] == item.name]
        shown = [f"![{item.title}](paper/{item.name}.png)\n", f"{TEXT['captions'][item.name]}\n"]
        if item.name == "forest_table":
            shown.append(forest_table(read_records(directory / "forest_table.csv")))
        if item.name == "errata":
            shown.append(errata(read_records(directory / "errata.csv")))
        parts.append(folded(f"{item.title}: {tally(rows)}", *shown, exceptions(rows)))
    parts.append(folded("Where our defaults differ, and why", TEXT["differences"]))
    parts.append(folded("Where the time went", TEXT["times"], time_table(timing)))
    return "\n".join(parts)


def folded(title: str, *content: str) -> str:
    """Content behind its title. It holds no headings: a section would end after the fold does."""
    inside = "\n".join(content)
    return f"<details><summary>{title}</summary>\n\n{inside}\n</details>\n"


def counts(verdicts: list[Record]) -> str:
    """All verdicts in a sentence."""
    return f"Of {len(verdicts)} claims checked: {tally(verdicts)}."


def tally(rows: list[Record]) -> str:
    """How many claims have each verdict that occurs."""
    count = Counter(row["verdict"] for row in rows)
    words = {"holds": "hold", "does not hold": "do not hold", "undecided": "undecided"}
    return ", ".join(f"{count[verdict]} {words[verdict]}" for verdict in VERDICTS if count[verdict])


def summary(verdicts: list[Record]) -> str:
    """How many claims of each item hold."""
    by_item = {name: Counter(r["verdict"] for r in verdicts if r["item"] == name) for name in ITEMS}
    rows = [
        {"item": name, **{verdict: count[verdict] for verdict in VERDICTS}}
        for name, count in by_item.items()
        if count
    ]
    total = {"item": "all", **{verdict: sum(c[verdict] for c in by_item.values()) for verdict in VERDICTS}}
    return f"{markdown([*rows, total])}\n"


def exceptions(rows: list[Record]) -> str:
    """Return the claims of one item that do not simply hold, if they are at most half of its claims."""
    other = [row for row in rows if row["verdict"] != "holds"]
    if not 0 < len(other) <= len(rows) // 2:
        return ""
    return f"{markdown([{key: value for key, value in row.items() if key != 'item'} for row in other])}\n"


def forest_table(records: list[Record]) -> str:
    """The paper's table with our figures, and the paper's in brackets."""
    rows = []
    for name in dict.fromkeys(record["set"] for record in records):
        cells = {"set": name}
        for record in (record for record in records if record["set"] == name):
            mark, paper_mark = (
                f" ({m.replace('-', '−')})" if m else "" for m in (record["mark"], record["paper's mark"])
            )
            ours = f"{float(record['AUC']):.2f} ± {float(record['standard error']):.2f}{mark}"
            cells[record["forest"]] = f"{ours} [{float(record['paper']):.2f}{paper_mark}]"
            if record["forest"] == "AGini(tuned)":
                cells["α"] = record["level"]
        rows.append(cells)
    return (
        "AUC in percent ± standard error, marks of the one-sided paired t-test against Gini at 0.05, and in "
        f"brackets the paper's. α is the tuned level.\n\n{markdown(rows)}\n"
    )


def errata(records: list[Record]) -> str:
    """The list, each with what its computation gave."""
    lines = []
    for number, text in TEXT["errata"].items():
        found = [record for record in records if record["erratum"] == number]
        shown = "; ".join(
            f"{r['what']}: printed {_short(r['printed'])}, computed {_short(r['right'])}" for r in found
        )
        one_line = text.replace("\n", " ")
        lines.append(f"{number}. {one_line}" + (f" *{shown}.*" if shown else ""))
    return "\n".join(lines) + "\n"


def time_table(timing: list[Record]) -> str:
    """Seconds of work, an item a line."""
    rows = [
        {"item": r["item"], "pieces": int(r["pieces"]), "seconds of work": round(float(r["seconds of work"]))}
        for r in timing
    ]
    total = {
        "item": "all",
        "pieces": sum(r["pieces"] for r in rows),
        "seconds of work": sum(r["seconds of work"] for r in rows),
    }
    return markdown([*rows, total]) + "\n"


def compress(source: Path, target: Path) -> None:
    """The figure in few colors."""
    from PIL import Image

    with Image.open(source) as image:
        image.convert("RGB").quantize(64).save(target, optimize=True)
    if target.stat().st_size > LARGEST:
        raise ValueError(f"{target} has {target.stat().st_size:,} bytes, more than {LARGEST:,}.")


def read_records(path: Path) -> list[Record]:
    """Read a CSV file as one record per row."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _short(text: str) -> str:
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


def main() -> int:
    """Write docs/paper.md, its figures and its claims from the directory that the command line names."""
    directory = Path(sys.argv[1])
    (DOCS / "paper").mkdir(exist_ok=True)
    for name in ITEMS:
        if (directory / f"{name}.png").is_file():
            compress(directory / f"{name}.png", DOCS / "paper" / f"{name}.png")
    shutil.copyfile(directory / "verdicts.csv", DOCS / "paper" / "verdicts.csv")
    (DOCS / "paper.md").write_text(page(directory), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
