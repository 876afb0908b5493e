"""The code that a page shows makes the ranking that it shows."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo
from bychance.report import summarize


@pytest.mark.parametrize(
    "options",
    [
        {"target": "yield"},
        {"target": "yield", "null": bc.Auto(tails="none", cap=999)},
        {"measure": bc.MIC(0.5), "null": bc.Permutation(19), "x": "rainfall", "alpha": 0.2, "rng": 3},
        {"measure": {"numeric": "r2", "mixed": "eta2"}, "null": "moments", "by": "p_value", "fdr": "by"},
    ],
)
@pytest.mark.filterwarnings("ignore:19 permutations are too few")
def test_the_code_on_the_page_makes_the_same_ranking(options, tmp_path):
    ranking = bc.rank(make_demo(), **options)
    code = summarize(ranking, alphas=[0.3], path=tmp_path / "page.html")["command"]
    names = {"table": make_demo()}
    exec(code, names)

    assert repr(names["ranking"]._plan.job.null) == repr(ranking._plan.job.null)
    np.testing.assert_array_equal(names["ranking"]._place, ranking._place)
    np.testing.assert_array_equal(names["ranking"]._q_value, ranking._q_value)
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize("name", ["harvest.csv", "harvest.tab"])
def test_files_are_read_again(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("a\tb\n" + "\n".join(f"{k}\t{k * k}" for k in range(30)))
    ranking = bc.rank(name)
    names = {}
    exec(summarize(ranking, alphas=[0.1])["command"], names)

    np.testing.assert_array_equal(names["ranking"]._q_value, ranking._q_value)


def test_settings_and_versions_are_there(ranking):
    settings = dict(summarize(ranking)["settings"])

    assert settings["measure"] == "explained"
    assert settings["null"] == "moments"
    assert settings["seed"] == "0"
    assert settings["bychance"] == bc.__version__
    assert settings["numpy"] == np.__version__
