"""Virtual environments beside the one for development: all of its packages, and a few more."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path


def make_beside(venv: Path, *, has_editable_installs: bool) -> Path:
    """Create an environment that sees this one's packages, and return its python."""
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    shared = str(site_packages(Path(sys.prefix)))
    # A plain path line does not run the .pth files in that directory, but addsitedir does.
    line = f"import site; site.addsitedir({shared!r})" if has_editable_installs else shared
    (site_packages(venv) / "development.pth").write_text(f"{line}\n")
    return python


def site_packages(prefix: Path) -> Path:
    return Path(sysconfig.get_path("purelib", vars={"base": str(prefix), "platbase": str(prefix)}))
