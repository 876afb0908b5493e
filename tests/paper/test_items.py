"""Every item of the paper runs at reduced size, and what is known from elsewhere is found again."""

from __future__ import annotations

import csv

import pytest

from bychance.paper import ITEMS
from bychance.paper.reproduce import reproduce


@pytest.mark.statistical
@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_a_quick_run_writes_its_files_and_passes_independent_checks(item, tmp_path, request):
    data = request.getfixturevalue("data_directory") if item.needs else tmp_path
    if missing := [name for name in item.needs if not (data / name).is_file()]:
        pytest.skip(f"{', '.join(missing)} not in {data}")
    found = reproduce([item.name], out=tmp_path, data=data, quick=True)

    assert (tmp_path / f"{item.name}.png").stat().st_size > 10_000
    assert (tmp_path / f"{item.name}.svg").stat().st_size > 10_000
    with (tmp_path / f"{item.name}.csv").open(encoding="utf-8") as file:
        assert list(csv.DictReader(file))
    assert {record["item"] for record in found.verdicts} == {item.name}
    assert all(record["size"] for record in found.verdicts)
    checks = [record for record in found.verdicts if record["source"] == "independent check"]
    assert [record["claim"] for record in checks if record["verdict"] != "holds"] == []


def test_names_are_those_of_files_and_unique():
    names = [item.name for item in ITEMS]

    assert len(set(names)) == len(names)
    assert all(name.replace("_", "").isalnum() and name == name.lower() for name in names)
