"""README.md → the description on a package index, which has none of the files that README links to.

scikit-build-core calls this while it builds. Pictures of the project are left out, and links within it become
plain text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https:)[^)]*\)\n*")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https:)[^)]*\)")


def dynamic_metadata(field: str, settings: Mapping[str, Any]) -> dict[str, str]:
    if field != "readme" or settings:
        raise ValueError(f"This provides `readme` without settings, got {field!r} and {dict(settings)!r}.")
    text = Path("README.md").read_text(encoding="utf-8")
    return {"content-type": "text/markdown", "text": without_links(text)}


def without_links(text: str) -> str:
    return _LINK.sub(r"\1", _PICTURE.sub("", text))
