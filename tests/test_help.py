"""The help of the package: one example and the first steps come first."""

from __future__ import annotations

import pydoc

import bychance as bc


def test_help_starts_with_an_example_and_where_to_start():
    page = pydoc.plain(pydoc.render_doc(bc))
    start = page[: page.index("PACKAGE CONTENTS")]

    assert "Start with `bc.rank`" in "\n".join(start.splitlines()[:4])
    assert start.index("Start with `bc.rank`") < start.index(">>> ") < start.index("The stages of the source")
    assert start.count(">>> import bychance as bc") == 1
