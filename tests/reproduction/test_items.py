"""Every item of the paper runs at reduced size, and what is known from elsewhere is found again."""

from __future__ import annotations

import csv
import subprocess
import sys

import pytest

from reproduction import ITEMS, load_item
from reproduction.reproduce import reproduce
from tools.pages import ROOT


@pytest.mark.statistical
@pytest.mark.parametrize("name", ITEMS)
def test_a_quick_run_writes_its_files_and_passes_independent_checks(name, tmp_path, request):
    item = load_item(name)
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


def test_items_have_the_names_of_their_files():
    assert [load_item(name).name for name in ITEMS] == list(ITEMS)


def test_an_item_is_loaded_without_the_others():
    code = "import sys, reproduction as p; p.load_item('example_1'); print('sklearn' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT).stdout

    assert shown == "False\n"
