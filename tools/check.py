"""The parts of `make test` and `make test-fast`, each with its budget, and the time they took.

    python tools/check.py [PART …]

Without a name all parts but "fast" run. A part over its budget is pointed out but does not fail: machines
are shared. The budgets together stay under twenty minutes on two cores.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Part:
    """A command and its budget. `cores` is the number of cores that it keeps busy."""

    name: str
    budget_s: int
    command: tuple[str, ...]
    cores: int = 1


def kernels() -> list[str]:
    return [str(p) for p in sorted((ROOT / "src" / "native").glob("*/*.[ch]pp"))]


_TWO_AT_ONCE = ("-q", "-n", "2", "--dist", "worksteal")
_QUICK = ("-m", "not slow and not statistical", "--hypothesis-profile", "fast")
# slipcover stops watching code that it has seen. The tracer of coverage would double the time.
COVERAGE = Path("build/coverage.json")
_COVERED = ("python", "-m", "slipcover", "--source", "src/bychance", "--json", "--out", str(COVERAGE), "-m")
_SLIPCOVER_IS_LOADED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
# Tests that start other programs or take seconds each (CONTRIBUTING.md lists their kinds).
SLOW = (
    "src/bychance/plots",
    "tests/cli",
    "tests/forest/test_curve.py",
    "tests/forest/test_interrupt.py",
    "tests/forest/test_selection.py",
    "tests/fuzz",
    "tests/gpu",
    "tests/nulls/test_levels.py",
    "tests/nulls/test_rare_values.py",
    "tests/nulls/test_cache_survives.py",
    "tests/nulls/test_tail_curves.py",
    "tests/reproduction",
    "tests/plots",
    "tests/ranking/arrays/test_api.py",
    "tests/ranking/test_execute.py",
    "tests/ranking/test_forecast.py",
    "tests/ranking/test_process_memory.py",
    "tests/ranking/test_on_dask.py",
    "tests/ranking/test_resume.py",
    "tests/ranking/test_rounds.py",
    "tests/report/test_given.py",
    "tests/report/test_browser.py",
    "tests/report/test_layout.py",
    "tests/report/test_repeat.py",
    "tests/selection/test_frames.py",
    "tests/streaming/test_read.py",
    "tests/studies/test_forest_criteria.py",
    "tests/io/test_unpacked.py",
    "tests/test_docs.py",
    "tests/test_extras.py",
    "tests/test_fuzz.py",
    "tests/test_paper_numbers.py",
    "tests/test_real_tables.py",
)

PARTS = [
    Part("lint", 20, ("ruff", "check", ".")),
    Part("lint", 20, ("ruff", "format", "--check", "--quiet", ".")),
    Part("lint", 20, ("clang-format", "--dry-run", "-Werror", *kernels())),
    Part("lint", 20, ("python", "-m", "tools.words")),
    Part("types", 90, ("mypy",)),
    Part("docs", 60, ("sphinx-build", "-W", "--keep-going", "-n", "-q", "docs", "build/docs")),
    Part("tests", 600, (*_COVERED, "pytest", *_TWO_AT_ONCE, "-W", _SLIPCOVER_IS_LOADED), cores=2),
    Part("fast", 50, ("pytest", *_TWO_AT_ONCE, *_QUICK, *(f"--ignore={path}" for path in SLOW)), cores=2),
]


@dataclass(frozen=True)
class Outcome:
    part: Part
    seconds: float
    passed: bool


def run(part: Part) -> Outcome:
    """Run a part. Its output is shown as it comes, or in the end if others run beside it."""
    program = shutil.which(part.command[0], path=str(BIN)) or part.command[0]
    started = time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    said = f"── {part.name}: {' '.join(part.command[:3])}"
    whole = part.cores > 1
    if whole:
        print(said, flush=True)
    done = subprocess.run(
        [program, *part.command[1:]],
        cwd=ROOT,
        env=environment,
        check=False,
        stdout=None if whole else subprocess.PIPE,
        stderr=None if whole else subprocess.STDOUT,
    )
    if not whole:
        print("\n".join(filter(None, [said, done.stdout.decode(errors="replace").rstrip()])), flush=True)
    return Outcome(part, time.perf_counter() - started, done.returncode == 0)


def run_all(parts: list[Part]) -> list[Outcome]:
    """Run parts that keep one core busy two at a time, then the others."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(run, (part for part in parts if part.cores == 1)))
    return outcomes + [run(part) for part in parts if part.cores > 1]


def covered_percent(report: Path) -> float:
    """Return the share of lines that slipcover saw, without what runs in processes that tests start."""
    return float(json.loads(report.read_text())["summary"]["percent_covered"])


def main(names: list[str]) -> int:
    known = {part.name for part in PARTS}
    if unknown := set(names) - known:
        print(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
        return 2
    names = names or [name for name in known if name != "fast"]
    report = ROOT / COVERAGE
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    started = time.perf_counter()
    outcomes = run_all([part for part in PARTS if part.name in names])
    print("\nwhere the time went")
    for o in outcomes:
        over = "  over budget" if o.seconds > o.part.budget_s else ""
        verdict = "passed" if o.passed else "FAILED"
        label = f"{o.part.name}: {'pytest' if o.part.name == 'tests' else Path(o.part.command[0]).name}"
        print(f"  {label:24} {verdict}  {o.seconds:7.1f} s of {o.part.budget_s} s{over}")
    if report.exists():
        print(f"  {'coverage of src/bychance':33} {covered_percent(report):7.1f} % of lines")
    print(f"  {'all':24}         {time.perf_counter() - started:7.1f} s")
    return 0 if all(o.passed for o in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
