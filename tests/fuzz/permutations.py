"""Laws over all n! permutations of at most 7 rows: two variables → a Law and which atom was observed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np

from tests.fuzz.integer_keys import keys_of
from tests.fuzz.law import Law
from tests.fuzz.variable import Variable
from tests.oracle import mic as mic_oracle


@dataclass(frozen=True)
class Answer:
    """The law of a measure on a pair, which atom was observed, and the measure's own bound."""

    law: Law
    index: int
    bound: float


@cache
def arrangements(sizes: tuple[int, ...]) -> np.ndarray:
    """List every distinct order of codes with these sizes, each as frequent among all n! permutations."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return np.unique(codes[_all_orders(len(codes))], axis=0)


@cache
def _all_orders(n: int) -> np.ndarray:
    return np.array(list(permutations(range(n))))


def answer(measure: str, x: Variable, y: Variable) -> Answer:
    """Compute the law over all permutations. The last row of the arrangements is the observed one."""
    rows = np.vstack([arrangements(tuple(y.sizes)), [y.codes]])
    if measure == "hsic":
        return _of_floats(_hsic(x, y, rows), _hsic_bound(x, y))
    if measure in ("mic", "mic_e", "tic_e"):
        return _of_floats(np.array(_mic(measure, x.codes, tuple(y.sizes), y.codes)), 1.0)
    keys, value, bound = keys_of(measure, x, y, rows)
    return Answer(law := Law.of(keys[:-1], value), law.index_of(_item(keys[-1])), bound)


def _item(key: object) -> object:
    return key.item() if isinstance(key, np.generic) else key


def _of_floats(draws: np.ndarray, bound: float) -> Answer:
    law = Law.of_floats(draws[:-1])
    return Answer(law, law.index_near(draws[-1]), bound)


def _hsic(x: Variable, y: Variable, rows: np.ndarray) -> np.ndarray:
    first, second = _kernel_of_rows(x), _kernel_of_codes(y)
    return np.einsum("ij,sij->s", _centered(first), second[rows[:, :, None], rows[:, None, :]]) / x.n**2


def _hsic_bound(x: Variable, y: Variable) -> float:
    norms = [float(np.sum(_centered(_kernel_of_rows(v)) ** 2)) for v in (x, y)]
    return math.sqrt(norms[0] * norms[1]) / x.n**2


def _kernel_of_rows(variable: Variable) -> np.ndarray:
    return _kernel_of_codes(variable)[np.ix_(variable.codes, variable.codes)]


def _kernel_of_codes(variable: Variable) -> np.ndarray:
    """Compute the kernel of every two codes: 1 for equal labels, else 0."""
    if variable.numbers is None:
        # A constant label has the kernel 0: centered, it is nothing.
        return np.eye(len(variable.sizes)) if len(variable.sizes) > 1 else np.zeros((1, 1))
    return _kernel(variable.by_code, variable.numbers)


def _kernel(values: Sequence[int], sample: Sequence[int] | None = None) -> np.ndarray:
    """Compute the Gaussian kernel of these values, its width taken from the sample."""
    sample = values if sample is None else sample
    between = sorted(abs(a - b) for a, b in combinations(sample, 2))
    double = between[(len(between) - 1) // 2] + between[len(between) // 2]
    apart = [d for d in between if d]
    if not apart:
        return np.zeros((len(values), len(values)))  # centered, a constant is nothing
    top, bottom = (double, 2) if double else (sum(apart), len(apart))
    share = np.array([[min(abs(a - b) * bottom, 40 * top) / top for b in values] for a in values])
    return np.exp(-0.5 * share**2)


def _centered(kernel: np.ndarray) -> np.ndarray:
    kernel = kernel - kernel.mean(axis=0)
    return kernel - kernel.mean(axis=1, keepdims=True)


@cache
def _mic(measure: str, x: tuple[int, ...], sizes: tuple[int, ...], y: tuple[int, ...]) -> list[float]:
    """Compute MIC of every arrangement and of the observed one, from ranks alone."""
    order = sorted(range(len(x)), key=x.__getitem__)
    return [*_mic_law(measure, tuple(x[k] for k in order), sizes), _mic_value(measure, x, y)]


@cache
def _mic_law(measure: str, x: tuple[int, ...], sizes: tuple[int, ...]) -> list[float]:
    return [_mic_value(measure, x, tuple(row)) for row in arrangements(sizes).tolist()]


@cache
def _mic_value(measure: str, x: tuple[int, ...], y: tuple[int, ...]) -> float:
    return getattr(mic_oracle, measure)(x, y)
