"""Kernels with AddressSanitizer and UBSan in a separate environment: build, test and fuzz."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.environments import make_beside

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "build" / "sanitize" / "venv"
FAMILIES = ("pearson", "ranks", "tables", "groups")
KERNEL_TESTS = (
    "tests/native",
    "tests/nulls/test_splitting.py",
    *(f"tests/moments/test_{family}.py" for family in FAMILIES),
)


def main() -> int:
    # Without the editable install, so that the kernels built here are the ones that are tested.
    python = str(make_beside(VENV, has_editable_installs=False))
    install = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-build-isolation",
        "--no-deps",
        "--force-reinstall",
    ]
    install += ["-C", "cmake.define.BYCHANCE_SANITIZE=ON", "-C", "build-dir=build/sanitize/cmake", str(ROOT)]
    subprocess.run(install, check=True)
    compiler = os.environ.get("CXX", "c++")
    runtimes = [
        subprocess.run(
            [compiler, f"-print-file-name={lib}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for lib in ("libasan.so", "libubsan.so", "libstdc++.so.6")
    ]
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(runtimes),
        "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter itself never frees everything
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    commands = [
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *KERNEL_TESTS],
        [python, "-m", "tests.fuzz", "--fresh", "--jobs", "1", "--calls", "4000", "--tables", "0"],
    ]
    codes = [subprocess.run(c, cwd=ROOT, env=environment, check=False).returncode for c in commands]
    return max(map(abs, codes))


if __name__ == "__main__":
    sys.exit(main())
