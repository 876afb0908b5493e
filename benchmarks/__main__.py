"""`make bench`: ratios against peers, and peak memory, each the median of five runs beside the record.

    make bench                       # all rows, then facts that are not ratios
    make bench ROWS="WHO adjust"     # rows whose names contain one of these words
    make bench RECORD=1              # also writes benchmarks/recorded.json (with ROWS those rows only)

Seconds are CPU seconds, in turns with the peer on the same data. Threads beside one are measured in
wall-clock seconds. The last lines name rows that are worse than 0.90 of the record.
"""

from __future__ import annotations

import argparse
import os
import sys

RUNS = 5
WORSE = 0.9  # of the recorded value


def main() -> int:
    # Threads are counted when the libraries load, so the limit is set before anything is imported.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    os.environ["BYCHANCE_CACHE"] = "off"  # nulls that an earlier run stored would make this one faster
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("words", nargs="*", help="only rows whose names contain one of these")
    parser.add_argument("--record", action="store_true", help="write benchmarks/recorded.json")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs per row")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    told = parser.parse_args()
    from benchmarks import recorded
    from benchmarks.groups import facts, groups
    from benchmarks.table import heading, line
    from benchmarks.timing import measure, share_of

    on_file, machine = recorded.read(), recorded.machine()
    names, worse = [], []
    for title, rows in groups():
        picked = [row for row in rows if _is_picked(row.name, told.words)]
        names += [row.name for row in rows]
        if told.list:
            print(*(row.name for row in picked), sep="\n")
            continue
        if picked:
            print(heading(title), flush=True)
        for row in picked:
            if row.lacks:
                print(f"{row.name}: left out, for want of {row.lacks}", flush=True)
                continue
            figure, values = measure(row, told.runs)
            before = on_file.get(row.name, {}).get("value")
            print(line(row, figure, before), flush=True)
            if before is not None and (share := share_of(figure, before)) < WORSE:
                worse.append(f"{row.name}: {share:.2f} of the record")
            if told.record:
                recorded.write({row.name: recorded.entry(figure, values, machine)})
    if told.list:
        return 0
    if not told.words:
        for fact in facts():
            print(fact, flush=True)
    print(f"\nmeasured on {machine}")
    for text in sorted({row["machine"] for row in on_file.values()}):
        print(f"recorded on {text}")
    for name in sorted(on_file.keys() - set(names)):
        print(f"recorded, but no longer a row: {name}")
    print("\n".join([f"worse than {WORSE:.2f} of the record:", *worse]) if worse else "", end="\n")
    return 0


def _is_picked(name: str, words: list[str]) -> bool:
    return not words or any(word.lower() in name.lower() for word in words)


if __name__ == "__main__":
    sys.exit(main())
