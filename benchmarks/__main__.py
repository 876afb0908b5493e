"""`make bench`: ratios against peers, measured side by side in one run on the same data."""

from __future__ import annotations

import os


def main() -> None:
    # Threads are counted when the libraries load, so the limit is set before anything is imported.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    from benchmarks import core, forest, given, many_pairs, mic, report, sampled, tables
    from benchmarks.timing import print_table

    print_table("one pair", core.comparisons())
    print_table("MIC", mic.comparisons())
    for fact in mic.facts():
        print(fact, flush=True)
    print_table("whole tables", tables.comparisons())
    for fact in tables.facts():
        print(fact, flush=True)
    print_table("many pairs", many_pairs.comparisons())
    print_table("many pairs on threads", many_pairs.scaling())
    print_table("sampled tables", sampled.comparisons())
    print_table("beyond covariates", given.comparisons())
    for fact in given.facts():
        print(fact, flush=True)
    print_table("forests", forest.comparisons())
    for fact in forest.facts():
        print(fact, flush=True)
    print("\npages")
    for fact in report.facts():
        print(fact, flush=True)


if __name__ == "__main__":
    main()
