"""One page, whole and safe: nothing in the data ends a script, and its size stays small."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

import bychance as bc
from bychance.report import LEVELS, render, summarize
from bychance.report.html import pack
from tests.report.conftest import SCRIPT, make_hostile


class Elements(HTMLParser):
    """The tags of a page with the texts of its scripts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts, self.links = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script":
            self.scripts[-1] += data


def unpacked(text):
    data = gzip.decompress(base64.b64decode(text))
    (length,) = struct.unpack_from("<I", data)
    start = -(-(4 + length) // 8) * 8

    def array(entry):
        if "$array" not in entry:
            return entry
        kind, offset, size, width = entry["$array"]
        values = np.frombuffer(data, kind, size, start + offset)
        return values.reshape(-1, width) if width else values

    return json.loads(data[4 : 4 + length], object_hook=array)


@pytest.fixture(scope="module")
def hostile_page():
    ranking = bc.rank(make_hostile(), null="moments", alpha=[0.05, *LEVELS])
    return render(summarize(ranking, title=f"A {SCRIPT} title", command=f"echo '{SCRIPT}'"))


def test_packing_keeps_everything(ranking):
    summary = summarize(ranking)
    back = unpacked(pack(summary))

    assert back["names"] == summary["names"]
    for name, array in summary["pairs"].items():
        np.testing.assert_array_equal(back["pairs"][name], array)
        assert back["pairs"][name].dtype == array.dtype
    np.testing.assert_array_equal(back["places"]["levels"], summary["places"]["levels"])


@pytest.mark.slow
def test_the_same_ranking_makes_the_same_page(ranking):
    assert render(summarize(ranking)) == render(summarize(ranking))


def test_hostile_names_end_no_script(hostile_page):
    elements = Elements(hostile_page)

    assert elements.tags.count("script") == 4
    assert len(elements.scripts) == 4
    assert "alert(1)" not in "".join(elements.scripts)
    assert "A &lt;script&gt;alert(1)&lt;/script&gt; title" in hostile_page
    assert SCRIPT not in hostile_page


def test_hostile_names_are_in_the_data_as_they_are(hostile_page):
    text = re.search(r'id="data">([^<]+)<', hostile_page)[1]

    assert unpacked(text)["names"] == list(make_hostile())


def test_nothing_comes_from_elsewhere(hostile_page):
    assert all(link.startswith("#") for link in Elements(hostile_page).links)
    assert "default-src 'none'" in hostile_page


def luminance(color):
    shares = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("text", ["ink", "quiet", "accent", "mark"])
def test_text_stands_out_from_its_ground(theme, text):
    """WCAG asks for a contrast of 4.5."""
    style = files("bychance.report").joinpath("templates", "styles", "base.css").read_text(encoding="utf-8")
    lists = dict(zip(["light", "dark"], re.findall(r":root \{([^}]*)\}", style), strict=False))
    colors = dict(re.findall(r"--([\w-]+): (#\w{6});", lists[theme]))
    for ground in ("page", "surface", "hover"):
        darker, lighter = sorted([luminance(colors[text]), luminance(colors[ground])])
        assert (lighter + 0.05) / (darker + 0.05) > 4.5


def test_our_own_scripts_do_not_end_early():
    for script in files("bychance.report").joinpath("templates", "scripts").iterdir():
        assert "</script" not in script.read_text(encoding="utf-8").lower()


@pytest.mark.slow
def test_a_page_of_ten_thousand_pairs_is_small(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1_000, 142))
    ranking = bc.rank(table, measure="r2", null="moments", alpha=[0.05, *LEVELS])
    page = ranking.report(tmp_path / "page.html")

    assert len(ranking) == 10_011
    assert page.stat().st_size < 8e6


@pytest.mark.slow
def test_a_page_of_ten_thousand_columns_is_small(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(500, 10_001))
    ranking = bc.rank(table, target="x1", measure="r2", null="moments", alpha=[0.05, *LEVELS])

    assert ranking.report(tmp_path / "page.html").stat().st_size < 8e6


def test_a_page_that_cannot_be_written_is_told_and_leaves_nothing(ranking, tmp_path):
    with pytest.raises(bc.BychanceError, match="cannot be written"):
        ranking.report(tmp_path / "nowhere" / "page.html")
    assert list(tmp_path.iterdir()) == []
