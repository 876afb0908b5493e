"""How Sphinx builds the guide: `make docs` writes it to build/docs, with warnings as errors."""

from __future__ import annotations

from typing import Any

import bychance

project = "bychance"
author = "The bychance developers"
copyright = "the bychance developers, BSD-3-Clause"
version = release = bychance.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # types are in the docstrings
autosummary_generate = True
numpydoc_show_class_members = False  # the template of a class lists them

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "bychance"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "navbar_start": ["navbar-logo"],
    "navbar_center": ["navbar-nav"],
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "search_bar_text": "Search the guide",
}

# Results are made by functions, so that what their constructors take is of no use to a reader.
_RESULTS = {
    *("AlphaCurve", "AtLeastTrue", "Estimate", "ImportanceTest", "MicGrid", "Null", "Ranking"),
    *("Sweep", "Table"),
}


def setup(app: Any) -> None:
    """Change the signatures that autodoc shows."""
    app.connect("autodoc-process-signature", _without_constructor)


def _without_constructor(app: Any, what: str, name: str, *_: Any) -> tuple[str, None] | None:
    return ("", None) if what == "class" and name.rpartition(".")[2] in _RESULTS else None
