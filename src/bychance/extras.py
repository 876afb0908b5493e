"""Optional packages, and the error that names the extra to install."""

from __future__ import annotations

from importlib.util import find_spec

from bychance.errors import BychanceError

__all__ = ["MissingExtraError", "require"]

# Extra → the modules it brings, and the feature that needs them.
_EXTRAS = {
    "cli": (("typer", "rich"), "The command line needs typer and rich"),
    "excel": (("openpyxl",), "Reading Excel files needs openpyxl"),
    "forest": (("sklearn",), "Trees, forests and selectors need scikit-learn"),
    "plot": (("matplotlib",), "Plots need matplotlib"),
    "report": (("jinja2", "plotly"), "Reports need jinja2 and plotly"),
}


class MissingExtraError(BychanceError, ImportError):
    """Error for a feature whose optional packages are not installed."""


def require(extra: str) -> None:
    """Raise an error that names the extra to install, unless its packages are installed.

    >>> require("plot")
    """
    modules, need = _EXTRAS[extra]
    if any(find_spec(module) is None for module in modules):
        raise MissingExtraError(f"{need}: pip install 'bychance[{extra}]'.")
