"""Ctrl-C in the middle of `bychance rank --out`, and `--resume`: the same file as without."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd


def start(*arguments):
    command = [sys.executable, "-m", "bychance", "rank", *map(str, arguments)]
    environment = os.environ | {"BYCHANCE_CACHE": "off"}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_run_stopped_by_ctrl_c_is_resumed_to_the_same_file(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(120, 16)).round(2)).add_prefix("c").to_csv(tmp_path / "t.csv", index=False)
    options = [tmp_path / "t.csv", "--measure", "mic", "--null", "permutation:99", "--out"]
    parts = tmp_path / ".stopped.parquet.parts"

    running = start(*options, tmp_path / "stopped.parquet")
    deadline = time.monotonic() + 120
    while not list(parts.glob("block-*.arrow")) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    assert re.search(r"\d+ of \d+ blocks are done; resuming goes on from them", told)
    assert not (tmp_path / "stopped.parquet").exists()
    assert list(parts.glob("block-*.arrow"))

    for resume, name in [(["--resume"], "stopped.parquet"), ([], "whole.parquet")]:
        running = start(*options, tmp_path / name, *resume)
        _, told = running.communicate(timeout=300)
        assert running.returncode == 0, told
    assert (tmp_path / "stopped.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert not parts.exists()
