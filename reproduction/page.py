"""Results of `python -m reproduction` → docs/paper.md, its figures, and the tables beside it.

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
    """Return the page of the items that the directory has results of."""
    verdicts = read_records(directory / "verdicts.csv")
    done = [load_item(name) for name in ITEMS if (directory / f"{name}.csv").is_file()]
    parts = [
        TEXT["introduction"].replace("{counts}", counts(verdicts)),
        folded("How verdicts are computed", TEXT["verdicts"]),
    ]
    for item in done:
        rows = [record for record in verdicts if record["item"] == item.name]
        shown = [f"![{item.title}](paper/{item.name}.png)\n", f"{TEXT['captions'][item.name]}\n"]
        parts.append(folded(f"{item.title}: {tally(rows)}", *shown, exceptions(rows)))
    parts.append(folded("Where our defaults differ, and why", TEXT["differences"]))
    return "\n".join(parts)


def folded(title: str, *content: str) -> str:
    """Fold content behind a title. It holds no headings, because a section would end after the fold does."""
    inside = "\n".join(content)
    return f"<details><summary>{title}</summary>\n\n{inside}\n</details>\n"


def counts(verdicts: list[Record]) -> str:
    """Return all verdicts in a sentence."""
    return f"Of {len(verdicts)} claims checked: {tally(verdicts)}."


def tally(rows: list[Record]) -> str:
    """Return the number of claims with each verdict that occurs."""
    count = Counter(row["verdict"] for row in rows)
    words = {"holds": "hold", "does not hold": "do not hold", "undecided": "undecided"}
    return ", ".join(f"{count[verdict]} {words[verdict]}" for verdict in VERDICTS if count[verdict])


def exceptions(rows: list[Record]) -> str:
    """Return the claims of one item that do not hold, if they are at most half of its claims."""
    other = [row for row in rows if row["verdict"] == "does not hold"]
    if not 0 < len(other) <= len(rows) // 2:
        return ""
    hidden = ("item", "verdict")
    return f"{markdown([{k: v for k, v in row.items() if k not in hidden} for row in other])}\n"


def forest_table(records: list[Record]) -> list[Record]:
    """Return the paper's table: our AUC in percent ± standard error, and the paper's in brackets."""
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
    return rows


def errata(records: list[Record]) -> list[Record]:
    """Return the errata, each with the figures that were computed."""
    rows = []
    for number, text in TEXT["errata"].items():
        shown = "; ".join(
            f"{r['what']}: printed {_short(r['printed'])}, computed {_short(r['right'])}"
            for r in records
            if r["erratum"] == number
        )
        rows.append({"erratum": number, "text": text.replace("\n", " "), "computed": shown})
    return rows


def write_records(path: Path, records: list[Record]) -> None:
    """Write records of the same fields as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, list(records[0]), lineterminator="\n")
        rows.writeheader()
        rows.writerows(records)


def compress(source: Path, target: Path) -> None:
    """Write a figure in few colors."""
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
    """Write docs/paper.md, its figures and its tables from the directory that the command line names."""
    directory = Path(sys.argv[1])
    (DOCS / "paper").mkdir(exist_ok=True)
    for name in ITEMS:
        if (directory / f"{name}.png").is_file():
            compress(directory / f"{name}.png", DOCS / "paper" / f"{name}.png")
    for name in ("verdicts", "timing"):
        shutil.copyfile(directory / f"{name}.csv", DOCS / "paper" / f"{name}.csv")
    for name, table in {"forest_table": forest_table, "errata": errata}.items():
        if (directory / f"{name}.csv").is_file():
            write_records(DOCS / "paper" / f"{name}.csv", table(read_records(directory / f"{name}.csv")))
    (DOCS / "paper.md").write_text(page(directory), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
