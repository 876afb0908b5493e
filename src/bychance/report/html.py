"""HTML page of a report: templates, styles, scripts, the charting library and the packed data in one text.

The data are the length of a JSON header (4 bytes, little-endian), the header, and all arrays one after the
other, each at a multiple of 8 bytes. In the header, {"$array": [type, offset, length, width]} stands for an
array, with width 0 if it has one dimension. The bytes are compressed and in base 64, so that nothing in the
data can end a script or begin one.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from bychance.errors import require

__all__ = ["render"]

_STYLES = ("base", "table", "charts", "media")
_SCRIPTS = (
    *("text", "data", "ticks", "listed", "table", "charts"),
    *("bump", "pair", "given", "null", "bias", "heat", "main"),
)
_ALIGNMENT = 8  # bytes, the size of the largest type, as typed arrays of JavaScript require


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


def pack(summary: dict[str, Any]) -> str:
    """Encode the dict and its arrays as compressed base64 text.

    >>> pack({"n": np.array([1, 2], dtype=np.int32)})[:8]
    'H4sIAAAA'
    """
    arrays: list[bytes] = []
    header = json.dumps(_outline(summary, arrays), allow_nan=False).encode("ascii")
    start = struct.pack("<I", len(header)) + header
    return compressed_text(_padded(start) + b"".join(arrays))


def compressed_text(data: bytes) -> str:
    """Compress bytes to base64 text. Equal bytes give equal text."""
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode("ascii")


def _outline(value: Any, arrays: list[bytes]) -> Any:
    """Replace each array in nested dicts and lists by a reference, and append its bytes to `arrays`."""
    if isinstance(value, dict):
        return {key: _outline(entry, arrays) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_outline(entry, arrays) for entry in value]
    if not isinstance(value, np.ndarray):
        return value
    offset = sum(map(len, arrays))
    arrays.append(_padded(value.astype(value.dtype.newbyteorder("<"), order="C").tobytes()))
    kind = f"{value.dtype.kind}{value.dtype.itemsize}"
    return {"$array": [kind, offset, value.size, value.shape[1] if value.ndim == 2 else 0]}


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)
