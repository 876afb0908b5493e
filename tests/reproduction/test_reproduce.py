"""Files of a reproduction, with items made for the test."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from matplotlib.figure import Figure

import reproduction.reproduce
from bychance.errors import BychanceError, UnknownNameError
from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.reproduce import reproduce


def compute(run):
    value = float(run.piece("squares", squares, n=run.size(10, 3))["total"])
    claims = [
        Claim(text="the total", source="Example 0", paper=285, ours=value, size=f"{run.size(10, 3)} numbers"),
        Claim(text="it is large", source="Example 0", paper=100, ours=value, size="", kind="above"),
    ]
    return Outcome({"total": [value]}, claims)


def squares(seed, n):
    return {"total": sum(k * k for k in range(n))}


def draw(outcome):
    figure = Figure()
    figure.subplots().plot([0, outcome.table["total"][0]])
    return figure


def put_in_place(monkeypatch, *items):
    monkeypatch.setattr(reproduction.reproduce, "ITEMS", tuple(item.name for item in items))
    monkeypatch.setattr(reproduction.reproduce, "load_item", {item.name: item for item in items}.get)


@pytest.fixture(autouse=True)
def items(monkeypatch):
    put_in_place(
        monkeypatch,
        Item("squares", "Squares", compute, draw),
        Item("countries", "Countries", compute, draw, needs=("WHO.csv",)),
    )


def records_of(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_an_item_writes_its_figure_its_numbers_and_its_verdicts(tmp_path):
    found = reproduce(["squares"], out=tmp_path / "new" / "place", data=tmp_path)
    out = tmp_path / "new" / "place"

    assert (out / "squares.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "squares.svg").read_text()
    assert records_of(out / "squares.csv") == [{"total": "285"}]
    assert [record["verdict"] for record in records_of(out / "verdicts.csv")] == ["holds", "holds"]
    assert found.verdicts == records_of(out / "verdicts.csv")
    assert (out / "verdicts.md").read_text().startswith("| item | source | claim |")
    assert records_of(out / "timing.csv")[0]["item"] == "squares"
    assert (out / "timing.md").is_file()


def test_a_quick_run_reports_its_own_numbers(tmp_path):
    found = reproduce(["squares"], out=tmp_path, quick=True)

    assert [(r["ours"], r["verdict"], r["size"]) for r in found.verdicts] == [
        ("5", "does not hold", "3 numbers"),
        ("5", "does not hold", ""),
    ]


def test_too_few_permutations_are_refused(tmp_path):
    with pytest.raises(BychanceError, match="`permutations` must be an integer of at least 99, got 9"):
        reproduce(["squares"], out=tmp_path, permutations=9)


def test_items_run_one_by_one_end_in_one_table(tmp_path):
    (tmp_path / "WHO.csv").write_text("x\n1\n")
    reproduce(["countries"], out=tmp_path, data=tmp_path)
    found = reproduce(["squares"], out=tmp_path, quick=True)

    items = [record["item"] for record in records_of(tmp_path / "verdicts.csv")]
    assert items == ["squares", "squares", "countries", "countries"]
    assert {record["item"] for record in found.verdicts} == {"squares"}
    assert [record["item"] for record in records_of(tmp_path / "timing.csv")] == ["squares", "countries"]


def test_an_item_run_again_replaces_its_verdicts(tmp_path):
    reproduce(["squares"], out=tmp_path, quick=True)
    found = reproduce(["squares"], out=tmp_path)

    assert records_of(tmp_path / "verdicts.csv") == found.verdicts


def test_an_item_without_its_data_is_reported_and_the_others_go_on(tmp_path):
    found = reproduce(out=tmp_path / "out", data=tmp_path)

    assert list(found.missing) == ["countries"]
    assert f"WHO.csv is not in {tmp_path}" in found.missing["countries"]
    assert {record["item"] for record in found.verdicts} == {"squares"}
    assert not (tmp_path / "out" / "countries.png").exists()


def test_an_item_with_part_of_its_data_is_computed_and_says_what_is_missing(tmp_path, monkeypatch):
    def partly(run):
        return replace(compute(run), left_out="flags.arff is not here")

    put_in_place(monkeypatch, Item("squares", "Squares", partly, draw))
    found = reproduce(out=tmp_path)

    assert found.missing == {"part of squares": "flags.arff is not here"}
    assert len(found.verdicts) == 2


def test_figures_are_the_same_every_time(tmp_path):
    for name in ("one", "two"):
        reproduce(["squares"], out=tmp_path / name)

    for suffix in ("png", "svg"):
        one, two = ((tmp_path / name / f"squares.{suffix}").read_bytes() for name in ("one", "two"))
        assert one == two


def test_an_unknown_item_is_named_with_those_there_are(tmp_path):
    with pytest.raises(UnknownNameError, match=r"Did you mean 'squares'.*countries, squares; got 'square'"):
        reproduce(["square"], out=tmp_path)
