"""docs/validation.md: its figures are those of the tables beside it."""

from pathlib import Path

import pytest

from studies.csv_files import read_rows

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/validation.md").read_text()
TABLES = ROOT / "docs/validation"
LEVELS = read_rows(TABLES / "levels.csv")
FEWEST_DATA_SETS, DATA_SETS = 5, 80


def spread(values: list[float], form: str) -> str:
    return f"{min(values):{form}} to {max(values):{form}}"


def page_row(first: str) -> list[str]:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines()]
    (found,) = (row for row in rows if row and row[0] == first)
    return found[1:]


@pytest.mark.parametrize("measure", dict.fromkeys(row["measure"] for row in LEVELS))
def test_levels_are_those_of_the_table(measure):
    rows = [
        row
        for row in LEVELS
        if row["measure"] == measure and round(float(row["matched"]) * DATA_SETS) >= FEWEST_DATA_SETS
    ]
    levels = [[float(row[f"at_{a}"]) for row in rows if row[f"at_{a}"]] for a in ("0.05", "0.01", "0.001")]

    assert page_row(measure) == [str(len(rows)), *(spread(found, ".2f") for found in levels)]


def test_counts_of_levels_are_those_of_the_table():
    judged = [row for row in LEVELS if round(float(row["matched"]) * DATA_SETS) >= FEWEST_DATA_SETS]

    assert f"In {len(LEVELS)} cells a matched distribution was used" in PAGE
    assert f"The {len(judged)} cells with at least five" in PAGE
    assert not [row for row in LEVELS if row["verdict"] == "outside"]


def test_tails_are_those_of_the_table():
    rows = read_rows(TABLES / "tails.csv")
    held = [
        (float(row[f"mean_{p}"]), float(row[f"largest_{p}"]))
        for row in rows
        for p in ("1e-4", "1e-6", "1e-8")
        if row[f"largest_{p}"] and float(p) >= float(row["holds_to"]) * 0.99
    ]

    largest = max(largest for _, largest in held)
    words = " ".join(PAGE.split())
    assert f"at most {largest:.1f} times the stated one in any data set, for {len(held)} tail" in words
    assert f"it was at most {max(mean for mean, _ in held):.1f} times the stated one" in words


@pytest.mark.parametrize("is_long", [False, True])
def test_coverage_is_that_of_the_table(is_long):
    rows = [row for row in read_rows(TABLES / "coverage.csv") if row["data"].startswith("log") == is_long]
    name = f"{len(rows)} cells of log-normal numbers" if is_long else f"{len(rows)} cells without long tails"

    columns = ([100 * float(row[n]) for row in rows] for n in ("n_30", "n_100", "n_1000"))
    assert page_row(name) == [f"{spread(shares, '.1f')}%" for shares in columns]


@pytest.mark.parametrize("peer", ["scikit-learn", "ranger", "LightGBM", "XGBoost", "CatBoost"])
def test_forests_are_those_of_the_table(peer):
    looks = [
        row
        for group in ("New, the first look", "New, the seventh look")
        for row in read_rows(TABLES / "forests.csv")
        if (row["tables"], row["against"], row["score"]) == (group, peer, "AUC")
    ]

    shown = [(row["median"], f"{row['won']} / {row['tied']} / {row['lost']}") for row in looks]
    assert page_row(peer) == [looks[0]["n_tables"], *shown[0], *shown[1]]
