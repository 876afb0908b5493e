"""Two Dask workers that read the files of `benchmarks.rows`: the bytes that the client receives of them.

    python -m benchmarks.rows_on_dask FOLDER --rows 10000000 [--kill]

starts a scheduler and two worker processes, ranks all columns through them, and compares the
figures with those of this process alone. With `--kill` one worker is killed in the middle.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import joblib
from distributed import Client
from distributed.comm.tcp import TCP

import bychance as bc
from benchmarks.rows import PART_ROWS, write_parts

PORT = 8799


def main() -> None:
    """Rank there and here, and print what came back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--alone", action="store_true", help="compare with this process alone")
    told = parser.parse_args()
    write_parts(told.folder, told.rows)
    n_files = -(-told.rows // PART_ROWS)
    files = [str(path) for path in sorted(told.folder.glob("part-*.parquet"))[:n_files]]
    n_bytes = sum(Path(file).stat().st_size for file in files)
    run = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen([*run, "scheduler", "--port", str(PORT), "--no-dashboard"])
    worker = [*run, "worker", f"tcp://127.0.0.1:{PORT}", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    workers = [subprocess.Popen(worker) for _ in range(2)]
    try:
        received = _count_received()
        with Client(f"tcp://127.0.0.1:{PORT}", timeout=120) as client, joblib.parallel_config("dask"):
            client.wait_for_workers(2, timeout=120)
            if told.kill:
                threading.Thread(target=_kill_in_the_middle, args=(client, workers[0]), daemon=True).start()
            start = time.monotonic()
            there = bc.rank(files, stream=True, null=bc.Auto(tails="none"))
            print(f"{told.rows:,} rows, {n_bytes:,} bytes in files, {time.monotonic() - start:.0f} s")
        share = received[0] / n_bytes
        print(f"bytes received by the client: {received[0]:,}, {share:.2%} of the data")
    finally:
        for process in (*workers, scheduler):
            process.terminate()
            process.wait()
    if told.alone:
        print(f"largest difference from one process: {_difference(there, bc.rank(files, stream=True)):.1e}")


def _count_received() -> list[int]:
    """Count the bytes that this process reads from other processes from now on."""
    received, own = [0], TCP.read

    async def read(self: Any, deserializers: Any = None) -> Any:
        stream = self.stream
        fill = stream.read_from_fd

        def counted(buffer: Any) -> Any:
            n_read = fill(buffer)
            received[0] += n_read or 0
            return n_read

        if not hasattr(stream, "is_counted"):
            stream.is_counted, stream.read_from_fd = True, counted
        return await own(self, deserializers)

    TCP.read = read
    return received


def _kill_in_the_middle(client: Any, worker: subprocess.Popen[bytes]) -> None:
    """Kill one worker once the scheduler has some parts in memory."""
    while not any(client.has_what().values()):
        time.sleep(0.1)
    worker.send_signal(signal.SIGKILL)
    print("one worker was killed")


def _difference(one: Any, other: Any) -> float:
    here, there = (
        {(r["x"], r["y"]): (r["observed"], r["adjusted"], r["p_value"]) for r in rows}
        for rows in (one, other)
    )
    assert here.keys() == there.keys()
    pairs = ((a, b) for pair in here for a, b in zip(here[pair], there[pair], strict=True))
    return max(abs(a - b) for a, b in pairs)


if __name__ == "__main__":
    main()
