"""Results of all pairs as arrays with one entry per pair, their order and q-values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, Int32Array, IntArray
from bychance.arrow_values import arrow_of_numpy, strings_of
from bychance.nulls.sequential import Stated
from bychance.ranking.options import BY
from bychance.scores import adjust_at

__all__ = [
    "DUPLICATES",
    "NO_SIGN",
    "NUMBERS",
    "P_KINDS",
    "Cut",
    "Measured",
    "PKind",
    "PairResults",
    "TextNumbers",
    "fdr_factor",
    "is_hopeless",
    "join_results",
    "level_note",
    "mirrors_of",
    "one_per_pair",
    "p_values_of_tests",
    "pair_keys",
    "places",
    "q_values",
    "ranking_columns",
    "rates_of",
    "scores_of",
    "sign_code",
    "stated_of",
    "text_array",
]


NO_SIGN = -128  # code of a missing sign: the least int8
# Difference of results that count as equal, relative to them and to the null's standard deviation (rounding).
_ROUNDING = 1e-9
_MANY_TESTS = 10**6  # tests from which the asymptotic formula of Σ 1/k is accurate to 1e-13 (proof)

NUMBERS = (
    "observed",
    "adjusted",
    "standardized",
    "adjusted_at",
    "p_value",
    "null_mean",
    "null_std",
    "adjusted_se",
    "standardized_se",
    "adjusted_at_se",
    "p_se",
)


class PKind(IntEnum):
    """Method by which a p-value was computed, from the strongest to the weakest guarantee."""

    NONE = 0
    EXACT = 1
    MONTE_CARLO = 2
    SEQUENTIAL = 3
    SPLITTING = 4
    MATCHED = 5
    BOUND = 6  # only of p-values as they are stated: a row keeps the way in which its bound was found


DUPLICATES = "near-duplicates"
"""The note on a pair of them."""

P_KINDS = ("", "exact", "monte carlo", "sequential", "splitting", "matched", "bound")


# Values of results before they are measured.
_UNKNOWN: dict[str, Any] = {
    **dict.fromkeys(("measure", "engine", "note"), np.int32(0)),
    **dict.fromkeys((*NUMBERS, "matched_p"), np.nan),
    "sign": np.int8(NO_SIGN),
    "p_kind": np.int8(PKind.NONE),
    **dict.fromkeys(("is_bound", "is_duplicate", "is_approximate", "still_follow"), np.False_),
    **dict.fromkeys(("has_exact_mean", "has_exact_std"), np.True_),
    **dict.fromkeys(("exceedances", "n_resamples"), np.int32(-1)),
}


class TextNumbers(dict[str, int]):
    """Dict from texts to integer codes. A lookup of a new text assigns the next code.

    >>> texts = TextNumbers({"": 0})
    >>> texts["beta"], texts[""], texts["beta"], tuple(texts)
    (1, 0, 1, ('', 'beta'))
    """

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextNumbers:
        """Return a dict from these distinct texts to their positions, 0 for the first."""
        return cls({text: number for number, text in enumerate(texts)})

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def joined(self, *notes: str) -> int:
        """Join the non-empty notes by semicolons, and return the integer code of the joined text."""
        return self["; ".join(filter(None, notes))]


def sign_code(sign: int | None) -> int:
    """Return a sign as an integer, NO_SIGN (−128) for None."""
    return NO_SIGN if sign is None else sign


def level_note(caveat: str) -> str:
    """Return a note such as "its level is approximate (outliers)", or "" without a caveat.

    >>> level_note("outliers"), level_note("")
    ('its level is approximate (outliers)', '')
    """
    return f"its level is approximate ({caveat})" if caveat else ""


@dataclass(frozen=True, slots=True, eq=False)
class PairResults:
    """Results of pairs as arrays. `x` and `y` are column positions in the table.

    `sign` is NO_SIGN where the measure has none, `n_resamples` is −1 where nothing was sampled, and
    `exceedances` is how many draws reach the observed value. `p_kind` is a PKind, `p_se` the standard error
    of log10 p. `is_bound` marks a p-value that is only a bound, and `matched_p` holds the digits of a matched
    distribution below its end, NaN elsewhere. `measure`, `engine` and `note` are numbers into `texts`.
    `swept` holds adjusted_at for further levels, one column per level. `is_duplicate` marks near-duplicates,
    `is_approximate` matched distributions whose level is approximate, and `still_follow` pairs that still
    follow the covariates.
    """

    x: Int32Array
    y: Int32Array
    measure: Int32Array
    n: IntArray
    sign: NDArray[np.int8]
    observed: FloatArray
    adjusted: FloatArray
    standardized: FloatArray
    adjusted_at: FloatArray
    p_value: FloatArray
    null_mean: FloatArray
    null_std: FloatArray
    adjusted_se: FloatArray
    standardized_se: FloatArray
    adjusted_at_se: FloatArray
    p_se: FloatArray
    p_kind: NDArray[np.int8]
    is_bound: BoolArray
    matched_p: FloatArray
    has_exact_mean: BoolArray
    has_exact_std: BoolArray
    exceedances: Int32Array
    engine: Int32Array
    n_resamples: Int32Array
    note: Int32Array
    is_duplicate: BoolArray
    is_approximate: BoolArray
    still_follow: BoolArray
    swept: FloatArray
    texts: tuple[str, ...]

    @classmethod
    def unknown(cls, x: IndexArray, y: IndexArray, n: IntArray, n_levels: int) -> PairResults:
        """Return results with only x, y and n filled in, and NaN for all other numbers."""
        size = len(x)
        return cls(
            x=x.astype(np.int32),
            y=y.astype(np.int32),
            n=n.astype(np.int64),
            swept=np.full((size, n_levels - 1), np.nan),
            texts=("",),
            **{name: np.full(size, value) for name, value in _UNKNOWN.items()},
        )

    def __len__(self) -> int:
        return len(self.x)

    @property
    def is_open(self) -> BoolArray:
        """Flag p-values that more draws may change: adaptively sampled, or too small for a matched null."""
        is_open: BoolArray = (self.p_kind == PKind.SEQUENTIAL) | ~np.isnan(self.matched_p)
        return is_open

    @property
    def stated_kind(self) -> NDArray[np.int8]:
        """Method (`PKind`) of each reported p-value, BOUND if the p-value is only an upper bound."""
        return np.where(self.is_bound, np.int8(PKind.BOUND), self.p_kind)

    def put(self, at: IndexArray, quantiles: FloatArray, **columns: Any) -> None:
        """Write result columns of the rows `at`, and their `adjusted_at` from one null quantile per level."""
        for name, values in columns.items():
            getattr(self, name)[at] = values
        excess = adjust_at(self.observed[at][:, np.newaxis], quantiles)
        self.adjusted_at[at], self.swept[at] = excess[:, 0], excess[:, 1:]

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays by field name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "texts"}

    def pick(self, index: IndexArray | slice) -> PairResults:
        """Return the rows at these positions, in that order."""
        picked: dict[str, Any] = {name: array[index] for name, array in self.arrays().items()}
        return PairResults(**picked, texts=self.texts)

    def replaced(self, index: IndexArray, others: PairResults) -> PairResults:
        """Return a copy with the rows at `index` replaced by `others`."""
        order = np.arange(len(self))
        order[index] = len(self) + np.arange(len(others))
        return join_results([self, others]).pick(order)

    def text(self, name: str) -> NDArray[np.object_]:
        """Return the texts of `measure`, `engine` or `note`, one per row."""
        texts: NDArray[np.object_] = np.array(self.texts, dtype=object)[getattr(self, name)]
        return texts


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Results of a block: rows of the pairs to keep, and the p-value of every pair.

    `at` says which of the block's pairs the rows are, ascending; `p_values` are NaN where there is no test.
    `failure` says how a pair could not be measured first, and which.
    """

    rows: PairResults
    at: IndexArray
    p_values: FloatArray
    failure: str = ""

    def __len__(self) -> int:
        return len(self.p_values)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Filter that keeps the best `size` rows, and none with a score below `least`.

    Threads of one process share the p-values of all pairs, by pair number, and the best scores.
    """

    size: int
    least: float
    p_values: FloatArray | None = None
    leaders: _native.Leaders | None = None

    def __reduce__(self) -> tuple[type[Cut], tuple[int, float]]:
        """Pickle only `size` and `least`, since threads of one process share the p-values."""
        return Cut, (self.size, self.least)


def join_results(parts: Sequence[PairResults]) -> PairResults:
    """Join results one after the other, and merge their lists of texts."""
    texts = TextNumbers({"": 0})
    numbers = [np.array([texts[t] for t in part.texts], dtype=np.int32) for part in parts]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in parts[0].arrays()}
    for name in ("measure", "engine", "note"):
        renumbered = [by_text[getattr(part, name)] for part, by_text in zip(parts, numbers, strict=True)]
        joined[name] = np.concatenate(renumbered)
    return PairResults(**joined, texts=tuple(texts))


def places(order: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the rank of each pair from the order of all pairs, 1 for the best.

    >>> places(np.array([2, 0, 1], dtype=np.uint32)).tolist()
    [2, 3, 1]
    """
    place = np.empty(len(order), dtype=np.uint32)
    place[order] = np.arange(1, len(order) + 1, dtype=np.uint32)
    return place


def scores_of(rows: PairResults, by: str) -> tuple[FloatArray, NDArray[np.float32] | None]:
    """Return the scores that order rows, larger first, and secondary scores that break ties.

    Monte Carlo gives many equal p-values: the standardized score decides between them. A pair with a
    degenerate null has no score: ranked at 0 it would outrank noise with negative scores.
    """
    if by == "p_value":
        return -p_values_of_tests(rows), rows.standardized.astype(np.float32)
    return np.where(is_hopeless(rows), np.nan, getattr(rows, by)), None


def p_values_of_tests(rows: PairResults) -> FloatArray:
    """Return the p-values, NaN for pairs with a degenerate null, which do not count as tests."""
    return np.where(is_hopeless(rows), np.nan, rows.p_value)


def is_hopeless(rows: PairResults) -> BoolArray:
    """Flag pairs with a degenerate null: every permutation gives the same value."""
    same: BoolArray = (rows.null_std == 0) & (rows.p_value == 1)
    return same


def q_values(rates: FloatArray, rows: PairResults) -> FloatArray:
    """Return false discovery rates as q-values. NaN, for a pair that is not a test, becomes its p-value."""
    return np.where(np.isnan(rates), rows.p_value, rates)


def mirrors_of(rows: PairResults, is_symmetric: BoolArray) -> IndexArray:
    """Return the index of each row's reverse pair (y, x) if its results are equal, else -1.

    Rows with a symmetric measure have no other direction. Other measures are symmetric for some columns, such
    as a numeric one and one of two categories. Untested rows have no figures to compare.
    """
    mirrors = np.full(len(rows), -1)
    index = np.flatnonzero(~is_symmetric & (rows.null_std > 0))
    first, second = np.minimum(rows.x, rows.y)[index], np.maximum(rows.x, rows.y)[index]
    index = index[np.lexsort((second, first))]
    one, other = index[:-1], index[1:]
    is_same = (rows.x[one] == rows.y[other]) & (rows.y[one] == rows.x[other])
    for name in ("observed", "null_mean", "null_std"):
        figures = getattr(rows, name)
        is_same &= np.isclose(
            figures[one], figures[other], rtol=_ROUNDING, atol=_ROUNDING * rows.null_std[one]
        )
    mirrors[one[is_same]], mirrors[other[is_same]] = other[is_same], one[is_same]
    return mirrors


def stated_of(rows: PairResults) -> Stated:
    """Return reported p-values (NaN if not a test) with the permutation counts or matched p behind each."""
    sizes = rows.exceedances.astype(np.int64), rows.n_resamples.astype(np.int64)
    return Stated(p_values_of_tests(rows), rows.matched_p, *sizes)


def fdr_factor(fdr: str, n_known: int, n_tested: int | None = None) -> float:
    """Return the multiplier of q-values: 1 for Benjamini–Hochberg ("bh"), Σ 1/k for Yekutieli ("by").

    If p-values are known of only some of `n_tested` tests, it is larger by n_tested / n_known.

    >>> fdr_factor("bh", 3), round(fdr_factor("by", 3), 3), fdr_factor("bh", 3, 6)
    (1.0, 1.833, 2.0)
    """
    n_tests = n_known if n_tested is None else n_tested
    share = max(n_tests, 1) / max(n_known, 1)
    if fdr == "bh":
        return share
    if n_tests < _MANY_TESTS:
        return share * float(np.sum(1 / np.arange(1, n_tests + 1)))
    return share * float(np.log(n_tests) + np.euler_gamma + 0.5 / n_tests)


def rates_of(p_values: FloatArray, fdr: str, n_tested: int | None = None) -> FloatArray:
    """Return q-values, NaN for each NaN p-value. `n_tested` tests without a p-value make them larger.

    >>> rates_of(np.array([0.01, 0.04, np.nan, 0.03]), "bh").round(3).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    rates = p_values.copy()
    _native.false_discovery_rates(rates, fdr_factor(fdr, int(np.count_nonzero(~np.isnan(rates))), n_tested))
    return rates


def pair_keys(x: NDArray[np.integer[Any]], y: NDArray[np.integer[Any]]) -> IntArray:
    """Return an integer key per pair of columns, equal for both directions.

    >>> pair_keys(np.array([0, 1]), np.array([1, 0])).tolist()
    [1, 1]
    """
    keys: IntArray = (np.minimum(x, y).astype(np.int64) << 32) + np.maximum(x, y)
    return keys


def one_per_pair(rows: PairResults, index: IndexArray) -> IndexArray:
    """Return one row of `index` per column pair: of two directions, the one with the smaller p-value."""
    x, y = rows.x[index], rows.y[index]
    if not (x > y).any():
        return index
    order = np.argsort(p_values_of_tests(rows)[index], kind="stable")
    return index[order[np.unique(pair_keys(x[order], y[order]), return_index=True)[1]]]


def ranking_columns(
    rows: PairResults,
    index: IndexArray | slice,
    place: NDArray[np.uint32],
    q_value: FloatArray,
    column_names: Sequence[str],
    limits: tuple[FloatArray, FloatArray] | None = None,
) -> dict[str, Any]:
    """Return the result columns of the rows `index` by public name, with nulls for unknown values.

    `place` and `q_value` belong to all rows, as `index` does; `limits`, where given, to the picked ones.
    """
    picked = rows.pick(index)
    names, texts = text_array(column_names), text_array(picked.texts)
    figures = {name: _known(array) for name, array in picked.arrays().items() if array.ndim == 1}
    return {
        "rank": arrow_of_numpy(place[index].astype(np.int64)),
        "x": names.take(figures["x"]),
        "y": names.take(figures["y"]),
        "measure": texts.take(figures["measure"]),
        "n": figures["n"],
        "sign": arrow_of_numpy(picked.sign, picked.sign == NO_SIGN),
        **{name: figures[name] for name in BY},
        "q_value": _known(q_value[index]),
        "p_kind": text_array(P_KINDS).take(arrow_of_numpy(picked.stated_kind)),
        "p_se": figures["p_se"],
        **{name: figures[name] for name in ("null_mean", "null_std")},
        "engine": texts.take(figures["engine"]),
        "n_resamples": arrow_of_numpy(picked.n_resamples, picked.n_resamples < 0),
        **{name: figures[name] for name in ("adjusted_se", "standardized_se", "adjusted_at_se")},
        **{
            name: _known(side)
            for name, side in zip(("adjusted_low", "adjusted_high"), limits or (), strict=False)
        },
        "note": texts.take(figures["note"]),
    }


def text_array(texts: Sequence[str]) -> Any:
    """Convert texts to an Arrow array of type string, the type in all output files."""
    return strings_of(texts).cast(pa.string())


def _known(values: NDArray[Any]) -> Any:
    """Convert values to an Arrow array, with NaN as null."""
    is_unknown = np.isnan(values)
    return arrow_of_numpy(values, is_unknown if is_unknown.any() else None)
