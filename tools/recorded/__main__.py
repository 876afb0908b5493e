"""Writes the file of recorded results, or compares this version with it call by call."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from threadpoolctl import threadpool_limits

from tools.recorded.comparison import compare
from tools.recorded.figures import Call
from tools.recorded.file import RESULTS, all_calls, machine, read, run, small_calls, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.recorded", description=__doc__)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument(
        "--part", choices=["all", "small"], default="all", help="compare only the quick calls"
    )
    parser.add_argument("--times", action="store_true", help="print the seconds of each call")
    arguments = parser.parse_args()
    is_whole = arguments.part == "all"
    calls = all_calls() if is_whole else small_calls()
    with threadpool_limits(1):
        if arguments.what == "write":
            return write_results(calls, is_whole=is_whole, times=arguments.times)
        return compare_results(calls, is_whole=is_whole, times=arguments.times)


def write_results(calls: list[Call], *, is_whole: bool, times: bool) -> int:
    lines = [(call, timed(call, times=times)) for call in calls]
    missing = [f"{call.name} needs {call.needs}" for call, figures in lines if figures is None]
    if missing or not is_whole:
        print(f"nothing written: {'; '.join(missing) or 'a part only'}")
        return 1
    write((call, figures) for call, figures in lines if figures is not None)
    print(f"{len(lines)} calls, {RESULTS.stat().st_size / 1024:.0f} KiB in {RESULTS}")
    return 0


def compare_results(calls: list[Call], *, is_whole: bool, times: bool) -> int:
    written_on, records = read()
    if written_on != machine():
        print(f"written on {written_on}, this is {machine()}: bits may differ")
    tally: Counter[str] = Counter()
    for call in calls:
        figures = timed(call, times=times)
        if figures is None:
            outcome = verdict = f"left out: it needs {call.needs}"
        elif call.name not in records:
            outcome = verdict = "not on file"
        else:
            agreement = compare(records[call.name].figures, figures, call.promise)
            outcome = str(agreement)
            verdict = agreement.verdict.name.lower() + (
                ", better was promised" if agreement.is_broken else ""
            )
        tally[verdict] += 1
        print(f"{call.name}: {outcome}", flush=True)
    print("\n" + "\n".join(f"{count:4} {verdict}" for verdict, count in tally.most_common()))
    gone = records.keys() - {call.name for call in calls} if is_whole else set()
    if gone:
        print(f"on file, but no longer called: {', '.join(sorted(gone))}")
    return int(bool(gone) or any("promised" in verdict or verdict == "not on file" for verdict in tally))


def timed(call: Call, *, times: bool) -> dict[str, object] | None:
    started = time.perf_counter()
    figures = run(call)
    if times:
        print(f"{time.perf_counter() - started:8.2f} s  {call.name}", file=sys.stderr)
    return figures


if __name__ == "__main__":
    sys.exit(main())
