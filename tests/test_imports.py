"""Imports point one way, and heavy packages stay in the places that need them (the design's §1)."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import bychance
from tools.pages import ROOT

PACKAGE = Path(bychance.__file__).parent
STAGES = [
    "array_types",
    "names",
    "messages",
    "errors",
    "validation",
    "scores",
    "wording",
    "kinds",
    "seeding",
    "progress",
    "parallel",
    "sealed_files",
    "arrow_values",
    "ticks",
    "columns",
    "read_column",
    "io",
    "pairs",
    "measures",
    "influence",
    "intervals",
    "pair",
    "gpu",
    "nulls",
    "covariates",
    "estimate",
    "sample_size",
    "moments",
    "streaming",
    "ranking",
    "report",
    "estimators",
    "selection",
    "forest",
    "plots",
    "datasets",
    "cli",
]
HOME_OF = {
    "cupy": {"gpu"},
    "narwhals": {"io"},
    "sklearn": {"estimators", "selection", "forest"},
    "jinja2": {"report"},
    "plotly": set(),  # only its script is used, read as a file
    "rich": {"progress", "cli"},
    "typer": {"cli"},
    "pyarrow": {"arrow_values", "columns", "read_column", "io", "streaming", "ranking"},
    "matplotlib": {"plots"},
    "platformdirs": {"nulls"},
    "pandas": set(),
    "polars": set(),
}

# Folders of a clone, each with those that it imports besides the library.
FOLDERS = {
    "src": (),
    "reproduction": (),
    "studies": ("reproduction",),
    "tools": ("tests",),  # the emulator of a GPU, on which calls are recorded
    "benchmarks": ("reproduction", "tests"),
}
# These import inside a method: what it needs is loaded when a figure is drawn or a page is written.
INSIDE_METHODS = {
    ("ranking.py", "bychance.plots.rankings"),
    ("ranking.py", "bychance.report"),
    ("curve.py", "bychance.plots.forests"),
}


def stage_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_names(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "bychance":
                yield from (f"bychance.{alias.name}" for alias in node.names)


MODULES = sorted(
    p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE or p.name not in ("__init__.py", "__main__.py")
)


@cache
def modules_of(stage):
    """Return the modules of a stage, each with the names it imports."""
    return [(path, list(imported_names(path))) for path in MODULES if stage_of(path) == stage]


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_imports_a_later_one(stage):
    later = {f"bychance.{name}" for name in STAGES[STAGES.index(stage) + 1 :]}
    found = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path, names in modules_of(stage)
        for name in names
        if ".".join(name.split(".")[:2]) in later and (path.name, name) not in INSIDE_METHODS
    ]

    assert found == []


def room_of(name):
    """Return the package of a module, or within ranking its room, or the module itself."""
    parts = name.split(".")[1:3]
    return ".".join(parts) if parts[0] == "ranking" else parts[0]


def imports_between_rooms():
    """Return the rooms that each room imports when it is loaded."""
    found = {}
    for path in MODULES:
        name = ".".join(["bychance", *path.relative_to(PACKAGE).with_suffix("").parts])
        room = room_of(name.removesuffix(".__init__"))
        for node in ast.parse(path.read_text()).body:
            if room != "ranking" and isinstance(node, ast.ImportFrom) and node.module.startswith("bychance."):
                found.setdefault(room, set()).add(room_of(node.module))
    return {room: others - {room} for room, others in found.items()}


def test_no_packages_import_each_other_in_a_circle():
    left = imports_between_rooms()
    while free := {room for room, others in left.items() if not others & left.keys()}:
        left = {room: others for room, others in left.items() if room not in free}

    assert not left, "these import each other"


def test_ranking_has_rooms():
    assert {"ranking.arrays", "ranking.display", "ranking.block"} <= imports_between_rooms().keys()


@pytest.mark.parametrize(("folder", "used"), FOLDERS.items())
def test_no_folder_imports_another_than_those_it_may(folder, used):
    others = {*FOLDERS, "tests"} - {folder, *used}
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in imported_names(path)
        if name.split(".")[0] in others
    ]

    assert found == []


@pytest.mark.parametrize("stage", STAGES)
def test_packages_stay_where_they_belong(stage):
    elsewhere = {package for package, homes in HOME_OF.items() if stage not in homes}
    found = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path, names in modules_of(stage)
        for name in names
        if name.split(".")[0] in elsewhere
    ]

    assert found == []


def test_every_stage_is_known():
    found = {stage_of(p) for p in MODULES}

    assert found == set(STAGES)


HEAVY = [
    "numpy",
    "scipy.special",
    "pyarrow",
    "cupy",
    "pandas",
    "polars",
    "sklearn",
    "matplotlib",
    "rich",
    "scipy.stats",
    "cupy",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "light"),
    [
        ("import bychance", HEAVY),
        ("from bychance import adjust, rank", HEAVY[3:]),
        (
            "import bychance as bc, numpy as np; r = bc.rank(np.eye(20, 3)); repr(r); r.top()",
            ["joblib", *HEAVY[3:]],
        ),
    ],
)
def test_no_heavy_package_is_loaded_that_is_not_needed(program, light):
    code = f"import sys; {program}; print([m for m in {light!r} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--sort"], ["--target", "a"], ["--measure", "mic", "--jobs", "2"]])
def test_a_ranking_of_a_file_to_a_file_imports_no_pandas(tmp_path, options):
    rows = [f"{k},{k * k % 7},{'xy'[k % 2]}" for k in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c", *rows]))
    program = """
import sys
from bychance.cli import app
try:
    app(["rank", "t.csv", "--out", "pairs.csv", *sys.argv[1:]])
finally:
    print("pandas" in sys.modules)
"""
    command = [sys.executable, "-c", program, *options]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "False"


@pytest.mark.slow
def test_reading_arrow_data_imports_no_pandas(tmp_path):
    """Arrow imports it at its first conversion, and loses a Ctrl-C that comes meanwhile."""
    words = [f"it is a long story of {k} words that nobody will read" for k in range(40)]
    rows = [f"{k},{k / 3},{'ab'[k % 2]},{k % 3 == 0},2020-01-{k % 28 + 1:02},{words[k]}" for k in range(40)]
    rows[3] = "-,,NA,,,"
    (tmp_path / "t.csv").write_text("\n".join(["n,x,label,flag,day,words", *rows]))
    program = """
import sys
import pyarrow.csv, pyarrow.parquet
from bychance.cli import app
from bychance.io import read_table
pyarrow.parquet.write_table(pyarrow.csv.read_csv("t.csv"), "t.parquet")
read_table(pyarrow.csv.read_csv("t.csv"))
read_table("t.parquet")
read_table("t.csv")
try:
    read_table("t.csv", numeric="label")
except ValueError as error:
    assert "'a'" in str(error)
print("pandas" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)

    assert (ran.returncode, ran.stdout) == (0, "False\n"), ran.stderr
