"""Each feature without its packages: one sentence names the extra, and the core needs none of them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bychance
from bychance.cli import app
from bychance.errors import _EXTRAS, MissingExtraError, require
from tests.cli.running import error_of

ROOT = Path(__file__).parents[1]
OPTIONAL = ("jinja2", "matplotlib", "openpyxl", "pandas", "plotly", "polars", "rich", "sklearn", "typer")
MAKE_ABSENT = f"""
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = classmethod(
    lambda cls, name, *where: None if name.split(".")[0] in {OPTIONAL!r} else find(name, *where)
)
"""
CORE = """
import bychance as bc
table = bc.read_table("t.csv")
ranking = bc.rank(table, target="y", progress=True)
print(ranking.verdict(), ranking, table, ranking._repr_html_()[:0])
estimate = bc.adjust("spearman", [1, 2, 3, 4, 5], [1, 2, 3, 5, 4], null=bc.Permutation(99), rng=0)
print(estimate.summary())
bc.rank_to_file(table, "pairs.csv", n_jobs=2)
print(ranking.top(1).column("x")[0])
"""


def run_without_extras(program, cwd):
    return subprocess.run(
        [sys.executable, "-c", MAKE_ABSENT + program], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_the_core_reads_measures_and_ranks(tmp_path):
    rows = [f"{k},{k % 7},{k * k},{'ab'[k % 2]}" for k in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["x,noise,y,label", *rows]))
    ran = run_without_extras(CORE, tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "x"
    assert (tmp_path / "pairs.csv").exists()


@pytest.mark.parametrize(
    ("extra", "use"),
    [
        ("forest", "bychance.RandomForestClassifier"),
        ("forest", "bychance.ChanceSelector"),
        ("forest", "from bychance.forest.tree import Tree"),
        ("plot", "bychance.plot_null"),
        ("plot", "bychance.rank({'x': [1, 2, 3, 4], 'y': [1, 2, 4, 3]}).plot()"),
        ("report", "bychance.rank({'x': [1, 2, 3, 4], 'y': [1, 2, 4, 3]}).report('page.html')"),
        ("excel", "open('t.xlsx', 'w').write('PK'); bychance.read_table('t.xlsx')"),
    ],
)
def test_a_feature_without_its_packages_names_the_extra(extra, use, tmp_path):
    ran = run_without_extras(f"import bychance\n{use}", tmp_path)
    said = ran.stderr.splitlines()[-1]

    assert ran.returncode == 1
    assert re.fullmatch(rf".*MissingExtraError: [^.]+: pip install 'bychance\[{extra}\]'\.", said), said
    assert not (tmp_path / "page.html").exists()


def test_the_command_without_its_packages_is_one_sentence(tmp_path):
    ran = run_without_extras("import runpy; runpy.run_module('bychance', run_name='__main__')", tmp_path)

    assert ran.returncode == 1
    assert ran.stderr == "bychance: The command line needs typer and rich: pip install 'bychance[cli]'.\n"


@pytest.mark.parametrize("missing", ["jinja2", "plotly"])
def test_reports_are_refused_before_the_work(missing, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, missing, None)
    (tmp_path / "t.csv").write_text("x,y\n1,2\n2,3\n3,1\n4,4\n")
    said = error_of(tmp_path / "t.csv", "--report", tmp_path / "page.html")

    assert said == "bychance: Reports need jinja2 and plotly: pip install 'bychance[report]'."


def test_the_demo_without_reports_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "plotly", None)
    ran = CliRunner().invoke(app, ["demo", "--report", str(tmp_path / "page.html")])

    assert ran.exit_code == 0
    assert "rainfall" in ran.stdout
    assert "bychance[report]" in ran.stdout


def test_the_error_is_an_import_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(ImportError, match="Plots need matplotlib"):
        require("plot")
    assert issubclass(MissingExtraError, bychance.BychanceError)


def test_every_extra_installs_what_it_is_required_for():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    packages = {"sklearn": "scikit-learn"}
    for extra, (modules, _) in _EXTRAS.items():
        installed = {re.split(r"[\[>]", requirement)[0] for requirement in extras[extra]}
        assert {packages.get(module, module) for module in modules} == installed
    assert extras["all"] == [f"bychance[{','.join(sorted(_EXTRAS))}]"]
