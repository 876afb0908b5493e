"""Sources of the sets of the forest table: a file, a rule, or OpenML on request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from reproduction.data import Data, MissingDataError
from reproduction.known_auc import FORESTS, KNOWN
from reproduction.public_sets import PUBLIC_SETS, columns_and_classes
from reproduction.sets import ON_OPENML, find_sets, load_set


def fetched(known, *, extra=(), n_rows=None):
    """Return what OpenML would give for a set of this shape: categories and numbers without meaning."""
    n = n_rows or known.n_rows
    columns = {f"c{k}": pd.Categorical(np.arange(n) % 3) for k in range(known.n_categorical)}
    columns |= {f"x{k}": np.arange(n) / 7 for k in range(known.n_numeric)}
    columns |= {name: [f"row {k}" for k in range(n)] for name in extra}
    target = pd.Series(pd.Categorical(np.arange(n) % known.n_classes))
    return Bunch(data=pd.DataFrame(columns), target=target)


@pytest.fixture
def openml(monkeypatch):
    """Serve sets by their OpenML names, and record every question."""
    sets, asked = {}, []

    def fetch(name, *, version, target_column, as_frame, parser):
        asked.append((name, version, target_column))
        if name not in sets:
            raise ValueError(f"No active dataset {name} found.")
        return sets[name]

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    return sets, asked


def test_what_is_known_covers_the_same_sets():
    assert set(KNOWN) == set(PUBLIC_SETS)
    assert set(PUBLIC_SETS) - set(ON_OPENML) == {"HIV", "mito", "c-to-u"}
    assert all(len(known.paper) == len(known.study) == len(FORESTS) for known in KNOWN.values())
    assert all(len(known.marks) == 3 and set(known.marks) <= set("+=-") for known in KNOWN.values())


def test_a_set_with_a_rule_needs_no_file(tmp_path):
    assert len(load_set("tic-tac-toe", Data(tmp_path))) == 958
    assert len(load_set("led7", Data(tmp_path))) == 3200


def test_nothing_is_fetched_unless_asked_for(tmp_path, openml):
    sets = find_sets(["lymph", "tic-tac-toe"], Data(tmp_path))

    assert sets.names == ("tic-tac-toe",)
    assert sets.left_out.startswith(f"lymph.arff is not in {tmp_path}: put it there, or name")
    assert openml[1] == []


@pytest.mark.parametrize("name", ["lymph", "flags", "kr-vs-kp"])
def test_a_set_is_fetched_by_its_name_and_version(name, tmp_path, openml):
    known, there = PUBLIC_SETS[name], ON_OPENML[name]
    openml[0][there.name] = fetched(known, extra=there.drop)
    X, y = columns_and_classes(load_set(name, Data(tmp_path, download=True)))

    assert X.shape == (known.n_rows, known.n_categorical + known.n_numeric)
    assert len(np.unique(y)) == known.n_classes
    assert openml[1] == [(there.name, there.version, there.target)]


def test_another_number_of_rows_is_said_and_not_used(tmp_path, openml):
    openml[0]["solar-flare"] = fetched(PUBLIC_SETS["solar-flare"], n_rows=1066)
    sets = find_sets(["solar-flare"], Data(tmp_path, download=True))

    assert sets.names == ()
    assert "has 1066 rows, 11 categorical and 0 numeric columns and 6 classes" in sets.left_out
    assert "the paper's solar-flare 323 rows" in sets.left_out


def test_several_files_are_asked_for_in_one_sentence(tmp_path):
    sets = find_sets(["lymph", "tae"], Data(tmp_path))

    assert sets.left_out.startswith(f"lymph.arff, tae.arff are not in {tmp_path}: put them there")


def test_numbers_in_place_of_categories_are_said_and_not_used(tmp_path, openml):
    known = PUBLIC_SETS["tae"]
    openml[0]["tae"] = fetched(replace(known, n_categorical=0, n_numeric=5))

    assert "0 categorical and 5 numeric" in find_sets(["tae"], Data(tmp_path, download=True)).left_out


def test_what_is_not_on_openml_says_so(tmp_path, openml):
    data = Data(tmp_path, download=True)
    with pytest.raises(
        MissingDataError, match=r"HIV is not on OpenML: put HIV\.arff into the data directory"
    ):
        load_set("HIV", data)
    with pytest.raises(MissingDataError, match="'tae', version 1, of OpenML could not be fetched: No active"):
        load_set("tae", data)


def test_files_come_before_downloads(data_directory, openml):
    assert len(load_set("lymph", Data(data_directory, download=True))) == 148
    assert openml[1] == []
