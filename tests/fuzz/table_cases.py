"""Random tables with few atoms: totals, one table with these totals, and how its columns are written down."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from tests.fuzz.margins import all_tables

SIZES = np.array([12, 30, 60, 201, 1_000, 10_000, 100_000, 1_000_000])
SHARES = np.array([0.15, 0.16, 0.19, 0.21, 0.21, 0.05, 0.02, 0.01])


@dataclass(frozen=True)
class TableCase:
    """Totals a and b, the table, and the numbers that stand for its rows and columns."""

    family: str
    a: tuple[int, ...]
    b: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    is_numeric: tuple[bool, bool]
    order: int | None = None
    is_wide: bool = False

    @property
    def n(self) -> int:
        return sum(self.a)

    @property
    def is_two_by_two(self) -> bool:
        return len(self.a) == len(self.b) == 2

    @property
    def fewest_arrangements(self) -> int:
        """Distinct orders of the column that has fewer of them."""
        return (
            min(math.factorial(self.n) // math.prod(map(math.factorial, t)) for t in (self.a, self.b))
            if self.n <= 1_000
            else self.n
        )

    def is_least_known(self) -> bool:
        """Return True if dealing out one rare column of the totals gives the least possible value."""
        return self.is_two_by_two or (min(len(self.a), len(self.b)) == 2 and not any(self.is_numeric))

    def transposed(self) -> TableCase:
        return replace(
            self, a=self.b, b=self.a, table=tuple(zip(*self.table, strict=True)), x=self.y, y=self.x
        )

    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        names: dict[str, np.ndarray] = {}
        exec("\n".join(self.code()), {"np": np}, names)
        return names["x"], names["y"]

    def code(self) -> list[str]:
        """Write lines of Python that make x and y."""
        return [*(self._wide_code() if self.is_wide else self._cell_code()), *self._order_code()]

    def _wide_code(self) -> list[str]:
        """Write every label of x in turn, the last of its rows flagged."""
        ends = np.cumsum(self.a)
        flagged = [
            int(e) - 1 - k for e, (_, flags) in zip(ends, self.table, strict=True) for k in range(flags)
        ]
        sizes = " + ".join(f"[{size}] * {len(list(rows))}" for size, rows in groupby(self.a))
        no, yes = self.y if self.is_numeric[1] else ("l000", "l001")
        return [
            f'x = np.repeat([f"l{{k:03}}" for k in range({len(self.a)})], {sizes})',
            f"y = np.full({self.n}, {no!r})",
            f"y[{flagged}] = {yes!r}",
        ]

    def _order_code(self) -> list[str]:
        if self.order is None:
            return []
        rows = f"rows = np.random.default_rng({self.order}).permutation({self.n})"
        return [rows, "x, y = x[rows], y[rows]"]

    def _cell_code(self) -> list[str]:
        cells = [(i, j, c) for i, row in enumerate(self.table) for j, c in enumerate(row) if c]
        counts = [c for _, _, c in cells]
        lines = []
        for name, side, values, is_numeric in zip(
            "xy", (0, 1), (self.x, self.y), self.is_numeric, strict=True
        ):
            held = [values[cell[side]] if is_numeric else f"l{cell[side]:03}" for cell in cells]
            lines.append(f"{name} = np.repeat({held!r}, {counts!r})")
        return lines


def draw_case(rng: np.random.Generator) -> TableCase:
    """Draw a table of a random family, as labels or numbers."""
    n = int(rng.choice(SIZES, p=SHARES / SHARES.sum()))
    family = str(rng.choice(list(FAMILIES)))
    case = FAMILIES[family](rng, n)
    return replace(case, order=int(rng.integers(1000))) if rng.random() < 0.5 else case


def _case(rng: np.random.Generator, family: str, a: tuple[int, ...], b: tuple[int, ...]) -> TableCase:
    """Draw one of all tables with these totals, each as likely, because rare ones matter."""
    tables, _ = all_tables(a, b)
    table = tables[rng.integers(len(tables))]
    if rng.random() < 0.4:
        a, table = a[::-1], table[::-1]
    x, y = (_numbers(rng, len(t)) for t in (a, b))
    return TableCase(family, a, b, tuple(map(tuple, table.tolist())), x, y, _kinds(rng))


def _numbers(rng: np.random.Generator, count: int) -> tuple[int, ...]:
    if rng.random() < 0.6:
        return tuple(range(count))
    return tuple(sorted(rng.choice(np.arange(-20, 50), count, replace=False).tolist()))


def _kinds(rng: np.random.Generator) -> tuple[bool, bool]:
    return [(False, False), (False, False), (True, True), (True, True), (True, False), (False, True)][
        rng.integers(6)
    ]


def _rare_flag(rng: np.random.Generator, n: int) -> TableCase:
    k = int(rng.integers(1, 6))
    first = int(n * rng.uniform(0.02, 0.98))
    first = min(max(first, 1), n - 1)
    return _case(rng, "rare flag", (first, n - first), (n - k, k))


def _balanced(rng: np.random.Generator, n: int) -> TableCase:
    k = int(rng.integers(1, 4))
    return _case(rng, "balanced", (n // 2, n - n // 2), (n - k, k))


def _rare_twice(rng: np.random.Generator, n: int) -> TableCase:
    k, m = (int(v) for v in rng.integers(1, 6, 2))
    return _case(rng, "rare twice", (n - m, m), (n - k, k))


def _three_by_three(rng: np.random.Generator, n: int) -> TableCase:
    """Draw two rare labels of y, and x balanced or with rare labels too."""
    k, m = (int(v) for v in rng.integers(1, 4, 2))
    s, t = (int(v) for v in (rng.integers(1, 4, 2) if rng.random() < 0.5 else (n // 3, n // 4)))
    return _case(rng, "3 × 3", (n - s - t, s, t), (n - k - m, k, m))


def _wide(rng: np.random.Generator, n: int) -> TableCase:
    """Draw up to 300 labels of at most three sizes, and a flag."""
    r = int(rng.integers(3, min(300, n // 3) + 1))
    size = n // r
    small = int(rng.integers(0, 3)) if size > 1 else 0
    a = [size] * (r - small) + [max(size // 2, 1)] * small
    a[0] += n - sum(a)
    k = int(rng.integers(1, 6))
    flags = [0] * r
    for label in rng.integers(0, r if rng.random() < 0.6 else 2, k):
        open_ = [i for i in (int(label), *range(r)) if flags[i] < a[i]]
        flags[open_[0]] += 1
    table = tuple((t - f, f) for t, f in zip(a, flags, strict=True))
    kinds = (False, bool(rng.random() < 0.3))
    x, y = tuple(range(r)), (0, 1)
    return TableCase("r × 2", tuple(a), (n - k, k), table, x, y, kinds, is_wide=True)


FAMILIES: dict[str, Callable[[np.random.Generator, int], TableCase]] = {
    "rare flag": _rare_flag,
    "balanced": _balanced,
    "rare twice": _rare_twice,
    "3 × 3": _three_by_three,
    "r × 2": _wide,
}
