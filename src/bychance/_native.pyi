"""C++ kernels of bychance: arrays and scalars in, arrays out."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Stop:
    """A flag with which one thread ends the calls of others."""

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    @property
    def is_set(self) -> bool: ...

class LabelColumns:
    """Columns of labels, prepared for contingency tables."""

    def __init__(self) -> None: ...

    def add(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add a column. A negative code is missing."""

class NumberColumns:
    """Columns of numbers, prepared for sums over groups."""

    def __init__(self) -> None: ...

    def add(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add a column. NaN is missing."""

class BentColumns:
    """Columns of numbers, prepared for bent lines."""

    def __init__(self, most_pieces: int = 5, is_ranked: bool = False) -> None: ...

    def add(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add a column, of midranks if columns are ranked. NaN is missing."""

class BentLine:
    """The projector on all lines that may bend at the quantiles of a column."""

    @staticmethod
    def of(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pieces: int) -> BentLine:
        """Fit the line to values without NaN."""

    @property
    def n(self) -> int: ...

    @property
    def bends(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Knots, separate values, and the mean share of each slot."""

    @property
    def rank(self) -> int: ...

    @property
    def has_groups_only(self) -> bool:
        """True if it is the projector on groups."""

    @property
    def invariants(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """T, T2, T3, S2, S3, B1, R, U."""

    def basis(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Return the orthonormal basis, one row per value."""

def slot_columns(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], knots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Return a row per value: 1 in its slot, and the share of the way to the next knot less the mean share.
    """

def bent_trace(powers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], knots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], int, int]:
    """
    Return tr(A B), A's invariants and rank, and its smallest group, from sums of powers of slot columns and of their products with the columns of B = YY'.
    """

def pieces_for(n: int) -> int:
    """Return the number of pieces of a bent line through n rows."""

@overload
def bent_traces(x: BentColumns, y: NumberColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def bent_traces(x: BentColumns, y: LabelColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Return the results of table_traces for bent lines of x. In place of x's groups: the rank plus one, or at rank 1 the distinct values up to 10. Smallest groups are 0 unless the line is groups alone.
    """

def table_traces(x: LabelColumns, y: LabelColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_weights: str) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Return tr(A B) of each pair, A the projector on x, and the invariants of A and B. Then rows, groups of x and y, and smallest groups of x and y.
    """

def group_traces(x: LabelColumns, y: NumberColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_weights: str) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Return the results of table_traces for categories x and numbers y, whose distinct values are counted up to 10.
    """

def table_information(x: LabelColumns, y: LabelColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_operations: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Return n times mutual information of each pair in nats, its bound, mean and variance (NaN if too costly). Then rows, groups of x and y, and smallest groups of x and y.
    """

def trace_moments(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Return mean, variance and third central moment of tr(A B) over all permutations, and the variance under a normal margin. Each pair is a row of x and a row of y.
    """

def line_invariants(line: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Return the eight invariants of cc', c centered and of unit norm."""

def partition_invariants(sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Return the eight invariants of a centered, weighted group indicator."""

def distance_invariants(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Return the eight invariants of the U-centered distances of ascending values.
    """

def kendall_distribution(tie_groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Return the probabilities of 0, 1, … discordant pairs, with ties in at most one variable.
    """

def table_distribution(function: str, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_operations: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Return the values and probabilities of all tables with these totals, or raise OverflowError if that is too much.
    """

def information_moments(rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_operations: float) -> tuple[float, float, float]:
    """
    Return mean and variance of n times mutual information in nats over all tables with these totals, and the operations that the variance takes. It is NaN if these are too many.
    """

class MicVariable:
    """A numeric variable prepared for MIC, MIC_e or TIC_e."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exponent: float = 0.6, clumps: float = 15.0, kind: str = 'mic') -> None: ...

    @property
    def n(self) -> int: ...

    @property
    def budget(self) -> float:
        """Largest number of cells of a grid."""

    @property
    def n_groups(self) -> int: ...

    @property
    def order(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def tie_groups(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Number of rows of each value, in ascending order."""

def mic(x: MicVariable, y: MicVariable) -> float:
    """Compute the statistic of the observed rows."""

def mic_grid(x: MicVariable, y: MicVariable) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None, None))], bool, Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None, None))]]:
    """
    Return the largest cell of the characteristic matrix, the matrix, True if y is equipartitioned, and the cuts of x and y and the counts of its grid.
    """

def mic_cost(n: int, exponent: float = 0.6, clumps: float = 15.0, kind: str = 'mic') -> tuple[float, float, float]:
    """
    Estimate operations, bytes of a variable and bytes of a workspace for n rows.
    """

def mic_pairs(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], like: MicVariable) -> tuple[list[MicVariable], list[MicVariable], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Prepare both variables of each pair on its shared rows, with the settings of `like`, and compute the statistic.
    """

def mic_layout(variables: Sequence[MicVariable], most_n: int) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None, None))], Annotated[NDArray[numpy.uint32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Lay out variables of one budget for the GPU. Per partition: the row of each sorted position, the number of rows (shifted by 16 bits, 1 + the earlier partition with the same cuts) and the entropy. Per variable: where tie groups start, 32 positions per word.
    """

class Permutations:
    """Numbered permutations: row k of x meets row pairing[k] of y."""

    @staticmethod
    def free(key: tuple[int, int], n: int) -> Permutations:
        """
        Draw random permutations by a key: number s does not depend on earlier draws.
        """

    @staticmethod
    def within(key: tuple[int, int], strata: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Permutations:
        """Draw random permutations within strata."""

    @staticmethod
    def blocks(key: tuple[int, int], n: int, block: int) -> Permutations:
        """Draw random permutations of blocks of consecutive rows."""

    @staticmethod
    def listed(rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Permutations:
        """Take these permutations, one per row."""

    @property
    def n(self) -> int: ...

    @property
    def key(self) -> tuple[int, int] | None:
        """Key of random permutations without restrictions, else None."""

    def rows(self, first: int, count: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Return permutations first, first + 1, … as rows of indices."""

class Arrangements:
    """All distinct arrangements of a sample with ties."""

    def __init__(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def next(self, capacity: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Return the next arrangements, at most `capacity`, none at the end."""

class Finish:
    """The steps from a kernel's sum to the measure."""

    def __init__(self, *, squared: bool = False, scale: float = 1.0, divisor: float = 1.0, offset: float = 0.0, low: float = float('-inf'), high: float = float('inf'), root_factor: float | None = None) -> None: ...

class Statistic:
    """A measure of one pair as a function of the pairing."""

    @staticmethod
    def lines(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """Make the inner product, y permuted."""

    @staticmethod
    def group_sums(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], line: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_line_permuted: bool, finish: Finish) -> Statistic:
        """Make weighted squared group sums, the line or the groups permuted."""

    @staticmethod
    def matrices(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """Make the inner product of symmetric matrices, y permuted."""

    @staticmethod
    def cells(function: str, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, n_columns: int, finish: Finish) -> Statistic:
        """Make a sum over the cells of the table of x and y, y permuted."""

    @staticmethod
    def bent_line(x: BentLine, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """
        Make the squared length of a line's projection on bent lines, the line permuted.
        """

    @staticmethod
    def bent_classes(x: BentLine, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, finish: Finish) -> Statistic:
        """
        Make the squared length of the projections of class indicators on bent lines, the classes permuted.
        """

    @staticmethod
    def kendall(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tie_groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_codes: int, finish: Finish) -> Statistic:
        """Make the number of concordant minus discordant pairs, y permuted."""

    @staticmethod
    def rank_steps(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tie_groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """
        Make the rank steps in the order of x, averaged over the orders of tied rows, y permuted.
        """

    @staticmethod
    def distances(x_order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_row_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_positions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_row_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """Make the inner product of U-centered distances, y permuted."""

    @staticmethod
    def mic(x: MicVariable, y: MicVariable) -> Statistic:
        """Make MIC, MIC_e or TIC_e, y permuted."""

    @staticmethod
    def weighted_sum(weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Sequence[Statistic | None], constants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], n: int, finish: Finish) -> Statistic:
        """
        Make a weighted sum of statistics, each on some of the n rows, or of constants if a part has no statistic.
        """

    @property
    def n(self) -> int: ...

    @property
    def steps(self) -> int:
        """Number of steps of one draw, some nanoseconds each."""

    def value(self) -> float:
        """Compute the value of the observed rows."""

    def draw(self, permutations: Permutations, first: int, count: int, stop: Stop | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Draw the values under permutations first, first + 1, …"""

    def split(self, permutations: Permutations, threshold: float, n_particles: int, least_log_p: float, stop: Stop | None = None) -> TailRun:
        """Run splitting once, with the key of the permutations."""

def draw_block(statistics: Sequence[Statistic], permutations: Sequence[Permutations], first: int, count: int, stop: Stop | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Draw values first, first + 1, … of each statistic under its own permutations, one row per statistic.
    """

def sample_summaries(draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], observed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], std: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_mean_exact: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], is_std_exact: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_paper_rule: bool = False) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Return the number of draws at or above `least`, and standard errors of the standard deviation and the standardized score, one row per null with ascending draws. Then quantiles and their errors, one row per null and probability.
    """

class TailRun:
    """One run of splitting: the tail down to a threshold."""

    @property
    def log_p(self) -> float:
        """
        Natural logarithm of P(D >= threshold), or of P(D >= the last level) if the threshold was not reached.
        """

    @property
    def is_reached(self) -> bool: ...

    @property
    def levels(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def log_tail(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Logarithms of P(D >= level)."""

class Splitting:
    """One run of splitting whose values the caller computes."""

    def __init__(self, permutations: Permutations, threshold: float, n_particles: int, least_log_p: float) -> None: ...

    @property
    def is_done(self) -> bool: ...

    @property
    def result(self) -> TailRun: ...

    def pairings(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Return the permutations to evaluate, one per particle."""

    def feed(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Continue with the values of these permutations."""

def kernel_of(statistic: Statistic) -> str:
    """
    Return "lines", "groups", "cells" or "distances" if the GPU has a kernel for the statistic, else "".
    """

def scratch_bytes(statistic: Statistic) -> int:
    """Return the bytes that a draw on a GPU needs beside its permutation."""

def kernel_arrays(statistics: Sequence[Statistic], most_n: int) -> tuple[Any, ...]:
    """
    Return the arrays that the GPU kernel of these statistics reads, one row per statistic and array.
    """

def finish_sums(statistics: Sequence[Statistic], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Turn the sums of a GPU into values in place, as `draw` does."""

def ascending_order(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Return the numbers of the values in ascending order, ties by number, and the sizes of tie groups.
    """

def are_distinct(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
    """Return True if no value occurs twice. None may be NaN."""

def line_scalings(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Return before, center and after of each column: (value * before - center) * after lies in [-1, 1].
    """

def scaled_lines(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], scalings: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write the scaled values of each column to a row."""

def line_sums(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], scalings: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Sum powers 1 to 6 of the scaled values of each column."""

def scaled_rows(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], scalings: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write the scaled values of all columns to z, 0 if missing, one row of z per row.
    """

def add_power_sums(z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add the sums of powers 1 to 6 of every column over the rows that each mask has.
    """

def add_shared_counts(is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], others: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Add the number of rows that every mask shares with each of the others, which may be the same masks.
    """

def add_group_sums(codes: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], sums: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]], missing: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]], sizes: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]]) -> None:
    """
    Add the sums of z within the groups of each labeling, missing rows per group and column, and group sizes.
    """

def add_table(x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Count the rows of every two labels. A negative code is missing."""

def unit_line(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Center the values and scale them to unit norm. All are 0 if they are equal.
    """

def line_pairs(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Return r of each pair on its shared rows, then sums of third, fourth and sixth powers of x and of y at unit norm. If a column is constant, r is NaN.
    """

def distinct_pairs(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
    """
    Count the distinct values of x and of y of each pair on its shared rows, up to `limit`.
    """

def line_statistics(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_ranked: bool) -> tuple[list[Statistic], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Return r² of each pair on its shared rows as a statistic, of values or midranks, and the observed correlations. It is None if a column is constant.
    """

class RankedColumns:
    """
    Columns by their rows in ascending order, with the tie group of each row.
    """

    def __init__(self, orders: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], groups: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_present: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def pairs(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None, None))]]:
        """
        Return the results of `line_pairs` for midranks, and the numbers of shared rows and of distinct values of x and of y.
        """

class CompleteLines:
    """Columns without missing values, as lines."""

    def __init__(self, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], invariants: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_sound: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Leaders:
    """The best scores among all that threads have met."""

    def __init__(self, size: int) -> None: ...

    @property
    def least(self) -> float:
        """Smallest of the best scores, -inf until there are enough."""

def screen_lines(x: CompleteLines, y: CompleteLines, n: int, products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_limits: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y_limits: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_automatic: bool, close: float, by: str, alpha: float, least: float, leaders: Leaders, p_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], bool]:
    """
    Write p of each pair, NaN if others have to compute it. Return the pairs that may be among the best, their scores (infinity if they are kept at any score), and True if all of these are computed.
    """

def put_runs(into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """Write the values of each run of equal `first` from starts[first] on."""

def descending_order(first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Return the numbers of the values in descending order, NaN last, ties by `second`, then by number.
    """

def false_discovery_rates(p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], factor: float) -> None:
    """Turn p-values into q-values in place. NaN stays."""

class Tests:
    """Count, smallest and largest of many p-values without NaN."""

    def __init__(self, p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> None: ...

    @property
    def count(self) -> int: ...

    @property
    def least(self) -> float:
        """Smallest p-value, inf if there is none."""

def some_false_discovery_rates(p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tests: Tests, factor: float, level: float, wanted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> int:
    """
    Turn the wanted p-values into q-values in place, as false_discovery_rates would, and count all q-values below the level. `tests` describe the same p-values.
    """

def lower_hull(p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Count the p-values that are not NaN, and return ranks and values of the corners of the lower convex hull of (rank, p).
    """

def match_traces(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_invariants: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y_invariants: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], x_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], outside: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], distribution: str, is_whole_table: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Match distributions to scale tr(A B) and return the fields of NullDistributions. x_at and y_at make pairs of rows of invariants.
    """

def match_information(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], smallest: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_whole_table: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Match distributions to mutual information and return the fields of NullDistributions. Arrays have one entry per pair, or one for all.
    """

def match_shares(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], third: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], third_cumulants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: float, is_numeric: bool, distinct: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Match distributions to shares of variation within cells and return the fields of NullDistributions. Arrays have one entry per pair, or one for all.
    """

def match_signs(mean: float, variance: float, n: float, distinct: tuple[float, float], others: tuple[float, float], upper: float, is_in_strata: bool = False) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Match a distribution to Kendall's tau^2 of one pair and return the fields of NullDistributions.
    """

def match_normal(mean: float, variance: float, n: float, others: tuple[float, float], low: float, upper: float, rule: str, value: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Match a normal distribution to one pair and return the fields of NullDistributions. The rule of xi, of agreement, or none judges it.
    """

def match_sum(summand: str, mean: float, variance: float, third: float, n: float, least: float, upper: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Match a distribution to a sum over strata (trace, dense, information, pairs or other) and return the fields of NullDistributions.
    """

def scaled_trace_moments(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: float, scale: float) -> tuple[float, float, float]:
    """
    Return mean, variance and third central moment of scale tr(A B). A variance that is only rounding is 0.
    """

def judge_beta(n: float, distinct: tuple[float, float], others: tuple[float, float], rank: float, third: float, variance_ratio: float, skew_ratio: float) -> tuple[int, float, float]:
    """
    Return the caveat of a Beta distribution, the value behind it, and the smallest p that is valid.
    """

def judge_gamma(n: float, distinct: tuple[float, float], others: tuple[float, float], rank: float, third: float, fourth: float, skew: float, skew_ratio: float) -> tuple[int, float, float]:
    """
    Return the caveat of a Pearson III distribution, the value behind it, and the smallest p that is valid.
    """

def judge_information(min_expected: float) -> tuple[int, float, float]:
    """
    Return the caveat of a gamma distribution of mutual information, the value behind it, and the smallest p that is valid.
    """

def finest_p(n: float, group_rows: float, outside: float, squared_skew: float, kurtosis: float) -> float:
    """Return the p below which a smooth distribution misses atoms."""

def most_rare_others(n: float) -> float:
    """
    Return an upper bound on the rows that differ from the most common value if values may be rare.
    """

def largest_cluster(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """
    Return the largest number of values within 0.3 standard deviations of each other.
    """

FEW_ROWS: int = 200

TWO_VALUES: float = 1e-07

def beta_parameters(moments: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Return a and b of the Beta distributions with these means and variances, one row each.
    """

def beta_quantiles(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Compute the p-quantile of each Beta(a, b)."""

def beta_tails(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Compute P(X >= value) of each Beta(a, b), with one value per distribution or one for all.
    """

def fourfold_quantiles(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, value: str) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Compute the p-quantile of phi squared or mutual information (bits) of 2 x 2 tables with these totals.
    """

def fourfold_tails(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: str) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Compute P(D >= value) of 2 x 2 tables with these totals."""

class Target:
    """The values that trees predict."""

    @staticmethod
    def of_classes(y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Target:
        """Make a target of class numbers."""

    @staticmethod
    def of_numbers(y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Target:
        """Make a target of finite numbers."""

    @property
    def n_outputs(self) -> int: ...

class FeatureTable:
    """Training columns as codes."""

    def __init__(self, n_rows: int, n_columns: int) -> None: ...

    def set_numbers(self, column: int, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Rank the numbers. NaN is missing."""

    def set_ranks(self, column: int, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Set the ranks of ascending distinct values. -1 is missing."""

    def set_categories(self, column: int, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_categories: int) -> None:
        """Set category numbers. -1 is missing."""

    def codes(self, column: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Return the codes of a column. -1 is missing."""

    def values(self, column: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Return the distinct values of a numeric column in ascending order."""

    @property
    def n_rows(self) -> int: ...

class FeatureRows:
    """New rows, columns as those of a FeatureTable."""

    def __init__(self, n_rows: int, n_columns: int) -> None: ...

    def add_numeric(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add numbers without a copy. NaN is missing."""

    def add_categorical(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_categories: int) -> None:
        """
        Add category numbers without a copy. -1 is missing, -2 unseen in training.
        """

    @property
    def n_rows(self) -> int: ...

class Tree:
    """A grown tree."""

    def apply(self, rows: FeatureRows) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Return the node in which each row ends."""

    def add_out_of_bag(self, rows: FeatureTable, shrinkages: Sequence[str], step: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Add the answers for out-of-bag rows, and count them."""

    def copy(self) -> Tree: ...

    def shrink(self, shrinkage: str) -> None:
        """Shrink the answers of the nodes."""

    def add_importances(self, rows: FeatureTable, target: Target, importance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], freedom: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], by_block: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        Add the gains of splits on out-of-bag rows: by feature, with the weight and the degrees of freedom of the fit, and by block of rows.
        """

    def roles(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        Return 0 for training rows grown on, 1 for rows that order categories, 2 for rows out of bag.
        """

    def arrays(self) -> dict[str, Any]:
        """Return the whole tree as flat arrays."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def is_shrunk(self) -> bool: ...

def add_answers(trees: Sequence[Tree], rows: FeatureRows, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Add the class shares, or the mean, of each row's leaf in each tree."""

def leaf_quantiles(trees: Sequence[Tree], rows: FeatureRows, sorted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, levels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Compute quantiles over the training rows that share leaves with each row.
    """

class TreeSettings:
    """Settings of a tree."""

    def __init__(self, settings: object) -> None: ...

def grow_trees(features: FeatureTable, target: Target, settings: TreeSettings, keys: Sequence[tuple[int, int]], shrinkages: Sequence[str], step: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], stop: Stop | None = None) -> list[Tree]:
    """Grow one tree per key, and add their out-of-bag votes."""

def category_positions(cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Return the positions of categories ordered by class, from one row of class weights each.
    """
