"""Ctrl-C in the middle of `bychance rank --out`, and `--resume`: the same file as without."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd

from tests.cli.interrupted import run_interrupted


def test_a_run_stopped_by_ctrl_c_is_resumed_to_the_same_file(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(120, 16)).round(2)).add_prefix("c").to_csv(tmp_path / "t.csv", index=False)
    options = [tmp_path / "t.csv", "--measure", "mic", "--null", "permutation:99", "--out"]
    parts = tmp_path / ".stopped.parquet.parts"

    written = f"{parts.name}/block-*.arrow"
    stopped = run_interrupted(tmp_path, written, 0, "rank", *options, tmp_path / "stopped.parquet")
    assert stopped.returncode == 130
    assert re.search(r"\d+ of \d+ blocks are done; resuming goes on from them", stopped.stderr)
    assert not (tmp_path / "stopped.parquet").exists()
    assert list(parts.glob("block-*.arrow"))

    for resume, name in [(["--resume"], "stopped.parquet"), ([], "whole.parquet")]:
        command = [sys.executable, "-m", "bychance", "rank", *map(str, [*options, tmp_path / name, *resume])]
        environment = os.environ | {"BYCHANCE_CACHE": "off"}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "stopped.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert not parts.exists()
