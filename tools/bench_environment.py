"""The environment of `make bench`: that of development plus the peers, kept apart from it.

minepy and pingouin are GPL: both are used as black boxes, here only. minepy does not build as it is on
current Pythons: its sdist needs its own .pyx compiled first.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

from tools.environments import make_beside

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "build" / "bench"
PYTHON = VENV / "bin" / "python"
PEERS = ["dcor>=0.6", "lightgbm>=4", "pingouin>=0.5", "statsmodels>=0.14", "cython>=3", "setuptools", "wheel"]
MINEPY = "minepy==1.2.6"


def pip(*arguments: str, cwd: Path = ROOT) -> None:
    command = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, cwd=cwd, check=True)


def install_minepy() -> None:
    sources = VENV / "sources"
    sources.mkdir(exist_ok=True)
    pip("download", "--no-deps", "--no-build-isolation", "--no-binary", "minepy", "-d", str(sources), MINEPY)
    archive = next(sources.glob("minepy-*.tar.gz"))
    with tarfile.open(archive) as packed:
        packed.extractall(sources, filter="data")
    unpacked = archive.with_name(archive.name.removesuffix(".tar.gz"))
    cython = [str(PYTHON), "-m", "cython", "-3", "minepy/mine.pyx"]
    subprocess.run(cython, cwd=unpacked, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pip("install", "--no-build-isolation", "--no-deps", str(unpacked))


def main() -> int:
    # With the editable install, so that the kernels as built are the ones that are measured.
    make_beside(VENV, has_editable_installs=True)
    pip("install", *PEERS)
    try:
        install_minepy()
    except (subprocess.CalledProcessError, StopIteration) as error:
        print(f"minepy could not be built ({error}); MIC will be timed without a peer", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
