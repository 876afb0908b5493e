"""An outline of a tree → SVG: boxes from the root down, edges with their labels. Names are never markup."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from bychance.forest.outline import Outline

__all__ = ["as_svg"]

_CHARACTER, _LINE, _PAD, _GAP, _LEVEL = 7.0, 16, 8, 14, 96
_LONGEST = 28

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}"
    ".edge{stroke:#999;fill:none}.label{fill:#555;font-size:11px}"
    "rect{stroke:#888;rx:4}.split{fill:#f4f4f4}.leaf{fill:#e3eefa}"
)


def as_svg(outline: Outline) -> str:
    """The drawing, as wide as its leaves need."""
    boxes: list[_Box] = []
    width = _place(outline, "", 0.0, 0, boxes)
    height = (1 + max(box.level for box in boxes)) * _LEVEL
    body = [part for box in boxes for part in box.edges] + [part for box in boxes for part in box.shapes]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
            f'viewBox="0 0 {width:.0f} {height}" role="img">',
            f"<style>{_STYLE}</style>",
            *body,
            "</svg>",
        ]
    )


@dataclass(slots=True)
class _Box:
    """A node where it stands, as SVG."""

    x: float
    level: int
    edges: list[str]
    shapes: list[str]


def _place(outline: Outline, label: str, left: float, level: int, boxes: list[_Box]) -> float:
    """Stand a node above its children, which follow each other from `left`; gives their right end."""
    own = max(_width(outline), len(_cut(label)) * _CHARACTER + _GAP)
    right, middles = left, []
    for edge, child in outline.children:
        right = _place(child, edge, right, level + 1, boxes)
        middles.append(boxes[-1].x)
    right = max(right, left + own)
    middle = (middles[0] + middles[-1]) / 2 if middles else left + own / 2
    middle = min(max(middle, left + own / 2), right - own / 2)
    edges = [
        part
        for (edge, _), x in zip(outline.children, middles, strict=True)
        for part in _edge(middle, x, level, edge)
    ]
    boxes.append(_Box(middle, level, edges, _shapes(outline, middle, level)))
    return right


def _width(outline: Outline) -> float:
    return max(len(_cut(outline.title)), len(_cut(outline.rows))) * _CHARACTER + 2 * _PAD + _GAP


def _edge(x: float, child_x: float, level: int, label: str) -> list[str]:
    top, bottom = level * _LEVEL + 2 * _LINE + 2 * _PAD, (level + 1) * _LEVEL + _PAD
    path = f'<path class="edge" d="M{x:.1f} {top}L{child_x:.1f} {bottom}"/>'
    return [path, _text(child_x, bottom - 6, label, "label")]


def _shapes(outline: Outline, x: float, level: int) -> list[str]:
    width, top = _width(outline) - _GAP, level * _LEVEL + _PAD
    kind = "split" if outline.children else "leaf"
    place = f'x="{x - width / 2:.1f}" y="{top}" width="{width:.1f}" height="{2 * _LINE + _PAD}"'
    return [
        f'<rect class="{kind}" {place}/>',
        _text(x, top + _LINE, outline.title),
        _text(x, top + 2 * _LINE, outline.rows, "label"),
    ]


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    css = f' class="{kind}"' if kind else ""
    title = f"<title>{escape(text)}</title>" if len(text) > _LONGEST else ""
    return f'<text x="{x:.1f}" y="{y}" text-anchor="middle"{css}>{title}{escape(_cut(text))}</text>'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
