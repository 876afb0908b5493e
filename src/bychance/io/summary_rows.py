"""Rows of statistics below the data of a file: Mean, SD, Min, Max, … → how many there are, and a note."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.io.below import SUMS
from bychance.io.cells import MISSING_AMONG_NUMBERS, MISSING_IN_TEXT, TextCells
from bychance.kinds import Kind
from bychance.messages import KEEP_ALL_ROWS, Code, Note

__all__ = ["SummaryRows", "summary_rows"]

_WORDS = {
    "mean": "mean|average|avg|ave|arithmetic mean|mittelwert|mittel|durchschnitt|ø|moyenne|moy|media|"
    "promedio|prom|gemiddelde|média",
    "sd": "sd|s.d|std|std dev|std. dev|std.dev|st dev|st. dev|st.dev|stdev|stddev|stdev.s|stdev.p|"
    "standard deviation|standardabweichung|std.-abw|stabw|stdabw|écart-type|écart type|ecart-type|ecart type|"
    "desviación estándar|desviacion estandar|desviación típica|desviacion tipica|"
    "desv. est|desv. típica|desvest",
    "se": "se|s.e|sem|s.e.m|std err|std. err|std error|std. error|standard error|standard error of the mean|"
    "standardfehler|erreur-type|erreur type|erreur standard|error estándar|error estandar|error típico",
    "min": "min|minimum|minimo|mínimo",
    "max": "max|maximum|maximo|máximo",
    "median": "median|médiane|mediane|mediana",
    "variance": "variance|var|varianz|varianza",
    "count": "n|count|anzahl|nombre|effectif|effectifs|recuento|cuenta|conteo",
    "cv": "cv|cv%|cv %|cv (%)|%cv|% cv|rsd|rsd%|rsd %|rsd (%)|%rsd|% rsd|relative sd|"
    "coefficient of variation|relative standard deviation|variationskoeffizient|vk|"
    "coefficient de variation|coeficiente de variación",
    "total": "|".join(SUMS),
    "other": "25%|50%|75%|q1|q2|q3|p25|p50|p75|iqr|range|mode|skewness|kurtosis|geometric mean|"
    "spannweite|modus|étendue|rango|moda|5%|95%|p5|p95|1st qu|3rd qu|lower quartile|upper quartile",
}
_NO_STATISTICS = frozenset(["total", "other"])  # by themselves
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split("|")}
# Compass points, states, countries and first names are written so as well.
_ALSO_NAMES = frozenset({
    "n", "se", "sd", "s.e", "min", "max", "std", "sem", "cv", "vk", "var", "media", "ave", "nombre", "prom",
    "moda",
})  # fmt: skip
_FEWEST_ROWS = 4
_FEWEST_DISTINCT = 20  # values of a column in which the greatest is hardly met by chance
_BEGINS_LIKE_NUMBER = re.compile(r"^\W*[.,]?\d")
_PLAIN = re.compile(r"^\s*([+\-−]?\d*[.,]?\d+(?:[eE][+-]?\d+)?)\s*%?\s*$")
_SIZE = re.compile(r"\s*\(n\s*=\s*\d+\)$")


@dataclass(frozen=True, slots=True)
class SummaryRows:
    """The last rows of a table that are called statistics: what they are called, and their cells by column.

    `n_rows` counts empty rows above them as well. They are `sure` where two different statistics stand there,
    one of them by a word that is no name; otherwise only the numbers above can tell.
    """

    called: tuple[str, ...]
    cells: Mapping[str, tuple[str, ...]]
    n_rows: int

    @property
    def is_sure(self) -> bool:
        """Whether their names tell."""
        kinds = {_kind(name) for name in self.called} - _NO_STATISTICS
        return len(kinds) > 1 and any(not _is_name(name) for name in self.called if _kind(name) in kinds)

    @property
    def note(self) -> Note:
        """That they were left out."""
        called = tuple(name.strip() for name in self.called)
        return Note.on_table(Code.STATISTICS_LEFT_OUT, n=len(called), called=called, option=KEEP_ALL_ROWS)

    def agrees(self, columns: Sequence[Column]) -> bool:
        """Whether each row holds what its name says of these columns, which are those above it.

        Of a word that may be a name, all numbers of its row must, in two columns or in one that has more than
        20 distinct values.
        """
        return all(self._row_agrees(row, name, columns) for row, name in enumerate(self.called))

    def _row_agrees(self, row: int, name: str, columns: Sequence[Column]) -> bool:
        told = []
        for column in columns:
            value = _number(self.cells[column.name][row]) if column.name in self.cells else None
            if value is None or column.kind is not Kind.NUMERIC or column.clock is not None:
                continue
            numbers = column.present.astype(np.float64)
            if len(numbers) >= _FEWEST_ROWS - 1 and len(np.unique(numbers)) > 1:
                told.append((_is_met(_kind(name), *value, numbers, len(column)), len(np.unique(numbers))))
        if not _is_name(name):
            return any(is_met for is_met, _ in told)
        is_many = len(told) > 1 or any(n_distinct > _FEWEST_DISTINCT for _, n_distinct in told)
        return is_many and all(is_met for is_met, _ in told)


def summary_rows(columns: Mapping[str, object]) -> SummaryRows | None:
    """The last rows that are called statistics in the first column that has a word there; None for none.

    No row above is called so, and there are four of them or more, and as many as are below. Each of the last
    rows has a number, and no two of them are the same statistic.
    """
    last = [_last_cells(values, 1) for values in columns.values()]
    place = next((k for k, cells in enumerate(last) if cells and _is_word(cells[-1])), None)
    if place is None or _kind(last[place][-1]) is None:
        return None
    labels = _texts(list(columns.values())[place])
    count = next((k for k, label in enumerate(reversed(labels)) if _kind(label) is None), len(labels))
    called = tuple(labels[len(labels) - count :])
    above = labels[: len(labels) - count]
    if len(above) < max(_FEWEST_ROWS, count) or len(set(map(_bare, called))) < count:
        return None
    if any(map(_kind, above)) or {_kind(name) for name in called} <= _NO_STATISTICS:
        return None
    cells = {name: _last_cells(values, count) for name, values in columns.items()}
    others = [own for k, own in enumerate(cells.values()) if k != place]
    if not all(any(_BEGINS_LIKE_NUMBER.match(own[row]) for own in others) for row in range(count)):
        return None
    return SummaryRows(called, cells, count + _n_empty_above(columns, count))


def _kind(name: str) -> str | None:
    """Which statistic a cell names.

    >>> _kind("Std. Dev.:"), _kind("Moyenne"), _kind("Maxine")
    ('sd', 'mean', None)
    """
    return _KIND_OF.get(_bare(name))


def _is_name(name: str) -> bool:
    return _bare(name) in _ALSO_NAMES


def _bare(name: str) -> str:
    return _SIZE.sub("", name.strip()).rstrip(":").rstrip(".").casefold()


def _is_word(cell: str) -> bool:
    cell = cell.strip()
    usual = cell in MISSING_IN_TEXT or cell in MISSING_AMONG_NUMBERS
    return not usual and (_kind(cell) is not None or not _BEGINS_LIKE_NUMBER.match(cell))


def _texts(values: Any) -> list[str]:
    cells = values.values.to_pylist() if isinstance(values, TextCells) else list(values)
    return ["" if cell is None else str(cell) for cell in cells]


def _last_cells(values: Any, count: int) -> tuple[str, ...]:
    if isinstance(values, TextCells):
        return tuple(_texts(values.values.slice(max(len(values.values) - count, 0)).to_pylist()))
    return tuple(_texts(values[-count:]))


def _n_empty_above(columns: Mapping[str, object], count: int) -> int:
    """How many empty rows stand right above the last so many."""
    n_empty = 0
    while all(not _last_cells(values, count + n_empty + 1)[0].strip() for values in columns.values()):
        n_empty += 1
    return n_empty


def _number(cell: str) -> tuple[float, float] | None:
    """A number as it is written, and half of its last digit; None where it is none.

    >>> _number("499.8")
    (499.8, 0.05)
    """
    found = _PLAIN.match(cell)
    if found is None:
        return None
    digits = found[1].replace(",", ".").replace("−", "-")
    mantissa, _, power = digits.lower().partition("e")
    n_decimals = len(mantissa.partition(".")[2])
    return float(digits), 0.5 * 10.0 ** (int(power or 0) - n_decimals)


def _is_met(
    kind: str | None, value: float, rounding: float, numbers: NDArray[np.float64], n_rows: int
) -> bool:
    """Whether the value is this statistic of the numbers, up to rounding, and few of them are as near."""
    makes = _STATISTICS.get(kind or "")
    if makes is None:
        return False
    found = [*makes(numbers), *([n_rows] if kind == "count" else [])]
    is_equal = any(abs(value - own) <= rounding + 1e-9 * abs(own) for own in found)
    return bool(is_equal and 2 * np.count_nonzero(np.abs(numbers - value) <= rounding) <= len(numbers))


def _spreads(numbers: NDArray[np.float64]) -> tuple[float, float]:
    return float(np.std(numbers)), float(np.std(numbers, ddof=1))


def _ratios(numbers: NDArray[np.float64]) -> list[float]:
    mean = float(np.mean(numbers))
    return [by * spread / abs(mean) for spread in _spreads(numbers) for by in (1, 100)] if mean else []


_STATISTICS: dict[str, Callable[[NDArray[np.float64]], Sequence[float]]] = {
    "mean": lambda numbers: [float(np.mean(numbers))],
    "sd": _spreads,
    "se": lambda numbers: [spread / len(numbers) ** 0.5 for spread in _spreads(numbers)],
    "min": lambda numbers: [float(np.min(numbers))],
    "max": lambda numbers: [float(np.max(numbers))],
    "median": lambda numbers: [float(np.median(numbers))],
    "variance": lambda numbers: [spread**2 for spread in _spreads(numbers)],
    "count": lambda numbers: [len(numbers)],
    "cv": _ratios,
    "total": lambda numbers: [float(np.sum(numbers))],
}
