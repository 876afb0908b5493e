"""Picture of a null distribution: its density in bins, and a small SVG with the observed value."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from bychance.nulls import Null

__all__ = ["NullBins", "null_bins", "null_svg"]

_BINS = 60  # bars of the histogram (taste)
_TAIL = 5e-4  # probability beyond either end of the picture
_WIDTH, _HEIGHT, _LINE = 360, 90, 14  # pixels of the picture, and of a line of text under it
_CHANCE, _REACHED, _OBSERVED = "#cccccc", "#e0a070", "#d55e00"  # those of bychance.plots


@dataclass(frozen=True, slots=True, eq=False)
class NullBins:
    """Binned density of a null distribution. `is_reached` marks bins at or above the observed value."""

    edges: NDArray[np.float64]
    density: NDArray[np.float64]
    is_reached: NDArray[np.bool_]


def null_bins(null: Null, observed: float) -> NullBins:
    """Compute the binned density of a non-degenerate null, with a bin edge at the observed value."""
    low, high = null.quantile(_TAIL), null.quantile(1 - _TAIL)
    width = (max(high, observed) - min(low, observed)) / _BINS
    # Bins start at the observed value, so that they are whole on either side of it.
    first, last = np.floor((low - observed) / width), np.ceil((high - observed) / width)
    edges = observed + width * np.arange(first, last + 2)
    # The first bin starts at the null's start, which often has most of the density.
    start = max(null.quantile(0), edges[0])
    edges = np.append(start, edges[edges > start + width / 2])
    tails = np.array([null.sf(edge) for edge in edges])
    density = (tails[:-1] - tails[1:]) / np.diff(edges)
    return NullBins(edges, density, edges[:-1] >= observed - width / 2)


def null_svg(null: Null, observed: float, measure: str) -> str:
    """Draw the null's histogram with a line at the observed value as SVG, "" if degenerate."""
    if null.is_degenerate or not np.isfinite(null.mean):
        return ""
    bins = null_bins(null, observed)
    left, right = min(bins.edges[0], observed), max(bins.edges[-1], observed)
    across = _WIDTH / (right - left)
    highest = bins.density.max()
    bars = []
    for start, end, density, is_reached in zip(
        bins.edges[:-1], bins.edges[1:], bins.density, bins.is_reached, strict=True
    ):
        height = density / highest * _HEIGHT
        bars.append(
            f'<rect x="{(start - left) * across:.1f}" y="{_HEIGHT - height:.1f}" '
            f'width="{(end - start) * across:.1f}" height="{height:.1f}" '
            f'fill="{_REACHED if is_reached else _CHANCE}"/>'
        )
    at = (observed - left) * across
    text = f"grey: {measure} by chance alone; line: observed"
    return (
        f'<svg role="img" width="{_WIDTH}" height="{_HEIGHT + _LINE}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT + _LINE}"><title>{escape(text)}</title>{"".join(bars)}'
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{_HEIGHT}" stroke="{_OBSERVED}" stroke-width="2"/>'
        f'<text x="0" y="{_HEIGHT + _LINE - 3}" font-size="11" fill="currentColor">{escape(text)}</text>'
        "</svg>"
    )
