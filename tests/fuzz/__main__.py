"""make fuzz: run the differential fuzz, with exit code 1 for any difference."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ["BYCHANCE_CACHE"] = "off"  # neither read nor write the user's nulls
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_threads] = "1"

from tests.fuzz import summary  # noqa: E402  (after the environment is set)
from tests.fuzz.run import Settings, run  # noqa: E402
from tests.fuzz.state import State  # noqa: E402

BUILD = Path(__file__).resolve().parents[2] / "build" / "fuzz"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--calls", type=int, default=Settings.calls, help="random calls (100,000)")
    parser.add_argument("--tables", type=int, default=Settings.tables, help="tables of rare flags per n (20)")
    parser.add_argument(
        "--full", action="store_true", help="every measure on every table of rare flags (hours)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--fresh", action="store_true", help="neither go on from nor write build/fuzz")
    options = parser.parse_args(arguments)
    settings = Settings(options.seed, options.calls, options.tables, options.full)
    started, last = time.monotonic(), 0.0

    def report(state: State) -> None:
        nonlocal last
        if time.monotonic() - last > 15:
            last = time.monotonic()
            print(
                f"{last - started:5.0f} s  {state.units:,} units, {state.random_calls:,} random calls, "
                f"{len(state.outcome.differences):,} differences",
                flush=True,
            )

    path = None if options.fresh else BUILD / "state.json"
    outcome = run(settings, jobs=options.jobs, path=path, report=report)
    where = "nothing is written" if options.fresh else "all are in build/fuzz/differences.txt"
    if not options.fresh:
        (BUILD / "differences.txt").write_text("\n\n".join([*outcome.differences, ""]), encoding="utf-8")
    print(f"\n{summary.tried(outcome)}\n\n{summary.found(outcome, where)}")
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if outcome.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
