"""An outline of a tree → SVG: boxes from the root down, edges with what leads along them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from bychance.errors import BychanceError
from bychance.forest.outline import Outline

__all__ = ["as_svg"]

_CHARACTER, _LINE, _PAD, _GAP, _LEVEL = 7.0, 16, 8, 14, 96
_LONGEST = 28
_DEEPEST = 200

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}"
    ".edge{stroke:#999;fill:none}.rows,.way{fill:#555;font-size:11px}"
    ".way{stroke:#fff;stroke-width:3px;paint-order:stroke}"
    "rect{stroke:#888;rx:4}.split{fill:#f4f4f4}.leaf{fill:#e3eefa}"
)


def as_svg(outline: Outline) -> str:
    """The drawing, as wide as its leaves need."""
    boxes: list[_Box] = []
    width = _place(outline, "", 0.0, 0, boxes)
    height = max(box.level for box in boxes) * _LEVEL + 2 * _LINE + 3 * _PAD
    # Boxes and words are on top of all edges.
    edges = [f'<path class="edge" d="{path}"/>' for box in boxes for path in box.paths]
    shapes = [shape for box in boxes for shape in box.shapes()]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
            f'viewBox="0 0 {width:.0f} {height}" role="img">',
            f"<style>{_STYLE}</style>",
            *edges,
            *shapes,
            "</svg>",
        ]
    )


@dataclass(frozen=True, slots=True)
class _Box:
    """A node where it stands, what leads to it, and the paths to its children."""

    node: Outline
    way: str
    x: float
    level: int
    paths: tuple[str, ...]

    def shapes(self) -> list[str]:
        """The box and its words as SVG."""
        width, top = _width(self.node), self.level * _LEVEL + _PAD
        kind = "split" if self.node.children else "leaf"
        place = f'x="{self.x - width / 2:.1f}" y="{top}" width="{width:.1f}" height="{2 * _LINE + _PAD}"'
        way = [_text(self.x, top - 6, self.way, "way")] if self.way else []
        return [
            f'<rect class="{kind}" {place}/>',
            _text(self.x, top + _LINE, self.node.title, "title"),
            _text(self.x, top + 2 * _LINE, self.node.rows, "rows"),
            *way,
        ]


def _place(node: Outline, way: str, left: float, level: int, boxes: list[_Box]) -> float:
    """Stand a node above its children, which follow each other from `left`; gives their right end."""
    if level > _DEEPEST:
        raise BychanceError(f"The tree is too deep to be drawn: give `max_depth` up to {_DEEPEST}.")
    own = max(_width(node), len(_cut(way)) * _CHARACTER) + _GAP
    right, middles = left, []
    for edge, child in node.children:
        right = _place(child, edge, right, level + 1, boxes)
        middles.append(boxes[-1].x)
    right = max(right, left + own)
    middle = (middles[0] + middles[-1]) / 2 if middles else left + own / 2
    middle = min(max(middle, left + own / 2), right - own / 2)
    top, bottom = level * _LEVEL + 2 * _LINE + 2 * _PAD, (level + 1) * _LEVEL + _PAD
    paths = tuple(f"M{middle:.1f} {top}L{x:.1f} {bottom}" for x in middles)
    boxes.append(_Box(node, way, middle, level, paths))
    return right


def _width(node: Outline) -> float:
    return max(len(_cut(node.title)), len(_cut(node.rows))) * _CHARACTER + 2 * _PAD


def _text(x: float, y: float, text: str, kind: str) -> str:
    whole = f"<title>{escape(text)}</title>" if len(text) > _LONGEST else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y}" text-anchor="middle">{whole}{escape(_cut(text))}</text>'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
