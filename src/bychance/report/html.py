"""HTML page of a report: templates, styles, scripts, the charting library and the data in one text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from bychance.errors import require
from bychance.report.pack import compressed_text, pack

__all__ = ["render"]

_STYLES = ("base", "controls", "table", "columns", "charts", "media")
_SCRIPTS = (
    *("unpack", "text", "state", "ticks", "order", "table", "csv", "charts"),
    *("bump", "pair", "beyond", "null", "bias", "heat", "controls", "main"),
)


def render(summary: dict[str, Any]) -> str:
    """Render the HTML page from the report's content. All values from the data are escaped or packed."""
    require("report")
    # Loaded here: the command line imports this module at every start.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bychance.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("page.html").render(
        summary=summary,
        style="\n".join(_template(f"styles/{name}.css") for name in _STYLES),
        script="\n".join(_template(f"scripts/{name}.js") for name in _SCRIPTS),
        library=_library(),
        data=pack(summary),
    )


def _template(name: str) -> str:
    return files("bychance.report").joinpath("templates", *name.split("/")).read_text(encoding="utf-8")


@cache
def _library() -> str:
    """Return the compressed script of Plotly from its Python package."""
    return compressed_text(files("plotly").joinpath("package_data", "plotly.min.js").read_bytes())
