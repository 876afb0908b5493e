"""`bychance` in a process of its own that is stopped by Ctrl-C at a known moment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, sys
from pathlib import Path
from bychance.__main__ import main
from tests.interrupting import interrupted

def leave(code, exit=os._exit):
    Path(folder, "used").write_text(str(used()))
    exit(code)

os._exit = leave  # a program that is stopped ends by it
folder, awaited, cpu_s, *sys.argv[1:] = sys.argv[1:]
with interrupted(lambda: any(Path(folder).glob(awaited)), float(cpu_s)) as used:
    main()
"""


def run_interrupted(folder, awaited, cpu_s, *arguments):
    """Return the output of a command that gets a Ctrl-C some CPU seconds after a file is in the folder.

    The CPU seconds that it used from then on are in the folder's file "used".
    """
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, (folder, awaited, cpu_s, *arguments))],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"BYCHANCE_CACHE": "off"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
