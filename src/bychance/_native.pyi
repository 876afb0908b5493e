"""C++ kernels of bychance: arrays and scalars in, arrays out."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Stop:
    """Ends the calls that are given it, from another thread."""

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    @property
    def is_set(self) -> bool: ...

    @property
    def n_at_work(self) -> int: ...

    def __reduce__(self) -> tuple[Any, Any]: ...

class Arrangements:
    """Every distinct arrangement of a sample with ties."""

    def __init__(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def next(self, capacity: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """The next arrangements, at most `capacity`; none at the end."""

def trace_moments(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Mean, variance and third central moment of tr(A B) over all pairings, and the variance if one margin were normal, of pairs of rows of invariants.
    """

def line_invariants(line: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The eight invariants of cc', c centered and of unit norm."""

def partition_invariants(sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The eight invariants of a centered, weighted group indicator."""

def distance_invariants(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The eight invariants of the U-centered distances of ascending values."""

def kendall_law(tie_groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Probabilities of 0, 1, … discordant pairs, ties in one variable at most.
    """

def table_law(function: str, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_operations: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Values and probabilities over all tables with these totals; OverflowError past the budget.
    """

def information_mean(rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    Mean of n times mutual information in nats over all tables with these totals.
    """

def information_moments(rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_operations: float) -> tuple[float, float]:
    """That mean, and the variance; OverflowError past the budget."""

class MicVariable:
    """A numeric variable made ready for MIC, MIC_e or TIC_e."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exponent: float = 0.6, clumps: float = 15.0, kind: str = 'mic') -> None: ...

    @property
    def n(self) -> int: ...

    @property
    def budget(self) -> float:
        """How many cells a grid may have."""

    @property
    def n_groups(self) -> int: ...

    @property
    def order(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def tie_groups(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """How many rows have each value, from the smallest."""

def mic(x: MicVariable, y: MicVariable, plain: bool = False) -> float:
    """The statistic for the pairing as it is; `plain` never uses AVX2."""

def mic_grid(x: MicVariable, y: MicVariable) -> dict[str, Any]:
    """The characteristic matrix and the grid behind its largest cell."""

def mic_cost(n: int, exponent: float = 0.6, clumps: float = 15.0, kind: str = 'mic') -> tuple[float, float, float]:
    """
    Operations, bytes of a variable and bytes of a workspace that n rows would take.
    """

def mic_uses_avx2() -> bool:
    """Whether AVX2 is compiled in and this processor has it."""

def mic_pairs(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], like: MicVariable) -> tuple[list[MicVariable], list[MicVariable], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Both variables of each pair on the rows that both columns have, prepared as `like` is, and the statistic of each pairing as it is.
    """

def mic_layout(variables: Sequence[MicVariable], most_n: int) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None, None))], Annotated[NDArray[numpy.uint32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Of each variable, all of one budget: the row of every sorted position for 2, 3, … rows; where tie groups start, 32 positions per word; how many rows there are, and shifted by 16 bits one more than the number of an earlier partition with the same cuts; the entropy of the rows.
    """

class LabelColumns:
    """Columns of labels, made ready to be counted against others."""

    def __init__(self) -> None: ...

    def add(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """One more column; a negative code is missing."""

class NumberColumns:
    """Columns of numbers, made ready to be summed over groups."""

    def __init__(self) -> None: ...

    def add(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """One more column; NaN is missing."""

class BentColumns:
    """Columns of numbers, made ready for lines that bend with them."""

    def __init__(self, most_pieces: int = 5, is_ranked: bool = False) -> None: ...

    def add(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """One more column, of midranks where they are ranked; NaN is missing."""

class BentLine:
    """The projector on all lines that may bend at the quantiles of a column."""

    @staticmethod
    def of(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pieces: int) -> BentLine:
        """That of these values, of which none is NaN."""

    @property
    def n(self) -> int: ...

    @property
    def rank(self) -> int: ...

    @property
    def has_groups_only(self) -> bool:
        """Whether it is the projector on groups."""

    @property
    def invariants(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """T, T2, T3, S2, S3, B1, R, U."""

    def basis(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Its orthonormal basis, one row per value."""

def pieces_for(n: int) -> int:
    """Pieces of a bent line through so many rows."""

@overload
def bent_traces(x: BentColumns, y: NumberColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def bent_traces(x: BentColumns, y: LabelColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    As table_traces, A the projector on bent lines of x: its rank and one more take the place of x's groups (of rank 1 the distinct values, up to 10), and smallest groups are 0 where there are no groups alone.
    """

def table_traces(x: LabelColumns, y: LabelColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_weights: str) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Of each pair tr(A B), A the projector on x, the invariants of both; then rows, groups and smallest groups.
    """

def group_traces(labels: LabelColumns, numbers: NumberColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: str) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    The same of labels and numbers, whose distinct values are counted up to 10.
    """

def table_information(x: LabelColumns, y: LabelColumns, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_operations: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Of each pair n times mutual information in nats, its bound, mean and variance (NaN past the budget); then rows, groups and smallest groups.
    """

class Repairings:
    """Numbered re-pairings: row k of x meets row pairing[k] of y."""

    @staticmethod
    def free(key: tuple[int, int], n: int) -> Repairings:
        """
        Random ones, by a key: number s is the same whatever was drawn before it.
        """

    @staticmethod
    def within(key: tuple[int, int], strata: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Repairings:
        """The same, within strata."""

    @staticmethod
    def blocks(key: tuple[int, int], n: int, block: int) -> Repairings:
        """The same, of blocks of consecutive rows."""

    @staticmethod
    def listed(rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Repairings:
        """These, one per row."""

    @property
    def n(self) -> int: ...

    @property
    def key(self) -> tuple[int, int] | None:
        """Of random ones that nothing restricts, else None."""

    def rows(self, first: int, count: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Re-pairings first, first + 1, … as rows of indices."""

class Finish:
    """What turns a kernel's sum into the measure."""

    def __init__(self, *, squared: bool = False, scale: float = 1.0, divisor: float = 1.0, offset: float = 0.0, low: float = float('-inf'), high: float = float('inf'), root_factor: float | None = None) -> None: ...

class Statistic:
    """A measure of one pair as a function of the pairing."""

    @staticmethod
    def lines(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """The inner product, y permuted."""

    @staticmethod
    def group_sums(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], line: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_line_permuted: bool, finish: Finish) -> Statistic:
        """Weighted squared group sums, the line or the groups permuted."""

    @staticmethod
    def matrices(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """The inner product of symmetric matrices, y permuted."""

    @staticmethod
    def cells(function: str, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, n_columns: int, finish: Finish) -> Statistic:
        """A sum over the cells of the table of x and y, y permuted."""

    @staticmethod
    def bent_line(x: BentLine, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """
        The squared length of a line's projection on bent lines, the line permuted.
        """

    @staticmethod
    def bent_classes(x: BentLine, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, finish: Finish) -> Statistic:
        """The same of all indicators of classes, the classes permuted."""

    @staticmethod
    def kendall(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tie_groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_codes: int, finish: Finish) -> Statistic:
        """Concordant minus discordant pairs, y permuted."""

    @staticmethod
    def rank_steps(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tie_groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """
        Rank steps in the order of x, averaged over the orders of tied rows, y permuted.
        """

    @staticmethod
    def distances(x_order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_row_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_positions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_row_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finish: Finish) -> Statistic:
        """The inner product of U-centered distances, y permuted."""

    @staticmethod
    def mic(x: MicVariable, y: MicVariable, plain: bool = False) -> Statistic:
        """MIC, MIC_e or TIC_e, y permuted; `plain` never uses AVX2."""

    @staticmethod
    def weighted_sum(weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Sequence[Statistic | None], constants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], n: int, finish: Finish) -> Statistic:
        """
        A weighted sum of statistics, each of its rows of n; of constants where there is no statistic.
        """

    @property
    def n(self) -> int: ...

    @property
    def steps(self) -> int:
        """Of one draw, some nanoseconds each."""

    def value(self) -> float:
        """The value of the pairing as it is."""

    def draw(self, repairings: Repairings, first: int, count: int, stop: Stop | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Values under re-pairings first, first + 1, …"""

def draw_block(statistics: Sequence[Statistic], repairings: Sequence[Repairings], first: int, count: int, stop: Stop | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Draws first, first + 1, … of each statistic under its own re-pairings, one row per statistic.
    """

class TailRun:
    """One run of splitting: the tail down to a threshold."""

    @property
    def log_p(self) -> float:
        """
        Natural logarithm of P(D >= threshold), or of the last level's where that was not reached.
        """

    @property
    def is_reached(self) -> bool: ...

    @property
    def n_evaluations(self) -> float:
        """n single swaps count as one."""

    @property
    def levels(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def log_tail(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Logarithms of P(D >= level)."""

class Splitting:
    """One run whose values somebody else gives, until it is done."""

    def __init__(self, repairings: Repairings, threshold: float, n_particles: int, least_log_p: float) -> None: ...

    @property
    def is_done(self) -> bool: ...

    @property
    def result(self) -> TailRun: ...

    def pairings(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Pairings of which the values are wanted, one per particle."""

    def feed(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Goes on with the values of the pairings."""

def split_block(statistics: Sequence[Statistic], repairings: Sequence[Repairings], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_particles: int, least_log_p: float, stop: Stop | None = None) -> list[TailRun]:
    """One run of splitting per statistic, with the key of its re-pairings."""

def line_scalings(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Factor, center and factor that bring each column to [-1, 1]: (value * before - center) * after.
    """

def scaled_lines(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], scalings: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Writes the scaled values of each column to a row."""

def line_sums(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], scalings: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Sums of powers 1 to 6 of the scaled values of each column."""

def scaled_rows(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], scalings: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Writes the scaled values of every column, 0 where missing, one row of z a row.
    """

def unit_line(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The values, centered, at unit norm; all 0 where they are equal."""

def line_pairs(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Of each pair on the rows that both have: r, then the sums of third, fourth and sixth powers of x and of y at unit norm; r is NaN where a column is constant.
    """

def distinct_pairs(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
    """
    Of each pair on the rows that both have: distinct values of x and of y, counting up to `limit`.
    """

def line_statistics(values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_ranked: bool) -> tuple[list[Statistic], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    r² of each pair on the rows that both have, y permuted, of values or of midranks, and the correlations of the pairings as they are; None where a column is constant.
    """

class RankedColumns:
    """
    Columns by the rows that they have, smallest first, and the tie group of each.
    """

    def __init__(self, orders: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], groups: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_present: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def pairs(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None, None))]]:
        """
        Of each pair on the rows that both have: the figures of `line_pairs` for midranks, and the numbers of rows, of distinct values of x and of y.
        """

def kernel_of(statistic: Statistic) -> str:
    """
    The kind of the statistic, "lines", "groups", "cells" or "distances", where a GPU has a kernel for it.
    """

def scratch_bytes(statistic: Statistic) -> int:
    """
    What a draw on a GPU keeps beside its permutation: a sum per group, a count per column.
    """

def line_arrays(statistics: Sequence[Statistic], most_n: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """Of statistics of lines, one row each: both lines."""

def group_arrays(statistics: Sequence[Statistic], most_n: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Of statistics of groups, one row each: how many groups and whether the line is permuted, codes, the line, weights.
    """

def cell_arrays(statistics: Sequence[Statistic], most_n: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]:
    """
    Of statistics of cells, one row each: numbers of rows and columns and whether the function is 'contingency', rows of data by the label of x, labels of y, where each label of x starts, column totals.
    """

def distance_arrays(statistics: Sequence[Statistic], most_n: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Of statistics of distances, one row each: the order of x, x in that order, its row sums; positions of y, y, its row sums; the products of all row sums.
    """

def finish_sums(statistics: Sequence[Statistic], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Makes values of the sums that a GPU formed, in place, as `draw` does."""

def add_power_sums(z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Adds the sums of powers 1 to 6 of every column over the rows that each mask has.
    """

def add_shared_counts(is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], others: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Adds how many rows every mask shares with each of the others, which may be the same masks.
    """

def add_group_sums(codes: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_missing: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], sums: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]], missing: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]], sizes: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]]) -> None:
    """
    Adds of each labeling the sums of z within groups, how many rows of each every column misses, and the groups' sizes.
    """

def add_table(x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Counts the rows of every two labels; a negative code is missing."""

def ascending_order(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Numbers of the values from the smallest to the largest, ties by number, and the sizes of the groups that tie.
    """

def are_distinct(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
    """Whether no value occurs twice; none is NaN."""

def descending_order(first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Numbers of the values from the largest to the smallest, NaN last; ties by `second`, then by number.
    """

def false_discovery_rates(p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], factor: float) -> None:
    """Turns p-values into q-values in place; NaN stays."""

class Tests:
    """What is known of many p-values, NaN aside."""

    def __init__(self, p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> None: ...

    @property
    def count(self) -> int: ...

    @property
    def least(self) -> float:
        """inf where there is none."""

def some_false_discovery_rates(p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tests: Tests, factor: float, level: float, wanted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> int:
    """
    Turns some of the p-values into q-values in place, as false_discovery_rates would. Returns how many of all q-values are below the level; `tests` are those of the same p-values.
    """

def lower_hull(p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Number of p-values that are not NaN, and ranks and values of the corners of the lower convex hull of the points (rank, p).
    """

class CompleteLines:
    """Columns that miss nothing, as lines."""

    def __init__(self, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], invariants: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_sound: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def line_correlations(x: CompleteLines, y: CompleteLines, n: int, products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Correlations of pairs of lines of n rows, from the sums of products of all x with all y.
    """

class Leaders:
    """The best scores among all that threads have met."""

    def __init__(self, size: int) -> None: ...

    @property
    def least(self) -> float:
        """The last of them, -inf until there are as many."""

def screen_lines(x: CompleteLines, y: CompleteLines, n: int, products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y_counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], x_floor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_floor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_automatic: bool, close: float, by: str, alpha: float, least: float, leaders: Leaders, p_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], bool]:
    """
    Writes p of each pair, NaN where it is left to others. Returns the pairs that can be wanted, their scores (infinity where they are wanted whatever they score), and whether none of these is left.
    """

def put_runs(into: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """
    Writes the values of each run of equal `first` to where starts[first] says.
    """

def match_traces(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], x_invariants: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y_invariants: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], x_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], others: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], apart: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], law: str, is_whole_table: bool) -> dict[str, Any]:
    """
    The fields of Laws of scale tr(A B), one row of invariants per matrix, of which x_at and y_at make pairs.
    """

def match_information(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], smallest: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], others: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], is_whole_table: bool) -> dict[str, Any]:
    """
    The fields of Laws of mutual information, one entry per pair, or one for all.
    """

def match_shares(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], third: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], third_cumulants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_numeric: bool, distinct: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], others: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> dict[str, Any]:
    """
    The fields of Laws of shares of variation within cells, one entry per pair, or one for all.
    """

def match_signs(mean: float, variance: float, n: float, distinct: tuple[float, float], others: tuple[float, float], upper: float, is_in_strata: bool = False) -> dict[str, Any]:
    """The fields of Laws of Kendall's tau^2 of one pair."""

def match_normal(mean: float, variance: float, n: float, others: tuple[float, float], low: float, upper: float, rule: str, figure: float) -> dict[str, Any]:
    """
    The fields of Laws of a normal null of one pair, judged by the rule of xi, of agreement, or none.
    """

def match_sum(summand: str, mean: float, variance: float, third: float, n: float, least: float, upper: float) -> dict[str, Any]:
    """
    The fields of Laws of a sum over strata: trace, dense, information, pairs or other.
    """

def scaled_trace_moments(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: float, scale: float) -> tuple[float, float, float]:
    """
    Mean, variance and third central moment of scale tr(A B); a variance that is only rounding is 0.
    """

def judge_beta(n: float, x_distinct: float, y_distinct: float, x_others: float, y_others: float, rank: float, third: float, variance_ratio: float, skew_ratio: float) -> tuple[int, float]:
    """The caveat of a Beta law, and its figure."""

def judge_gamma(n: float, x_distinct: float, y_distinct: float, x_others: float, y_others: float, rank: float, third: float, fourth: float, skew: float, skew_ratio: float) -> tuple[int, float]:
    """The caveat of a Pearson III law, and its figure."""

def judge_information(min_expected: float) -> tuple[int, float]:
    """The caveat of a gamma law of mutual information, and its figure."""

def reach_of_beta(n: float, rank: float, third: float, variance_ratio: float) -> float:
    """Down to which p a Beta law holds."""

def reach_of_gamma(n: float, rank: float, third: float) -> float:
    """Down to which p a Pearson III law holds."""

def reach_of_information(min_expected: float) -> float:
    """Down to which p a gamma law of mutual information holds."""

def finest_p(n: float, group_rows: float, apart: float, squared_skew: float, kurtosis: float) -> float:
    """The p below which atoms show."""

def coarser_reach(reach: float, finest: float) -> float:
    """Down to which p a law with atoms holds."""

def has_rare_values(n: float, x_others: float, y_others: float) -> bool: ...

def most_rare_others(n: float) -> float:
    """
    At most how many rows differ from the most common value where values may be rare.
    """

def largest_lump(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """
    At most how many values lie within 0.3 standard deviations of each other.
    """

FEW_ROWS: int = 200

TWO_VALUES: float = 1e-07

def beta_parameters(moments: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """a and b of the Beta laws with these means and variances, one row each."""

def beta_skew(a: float, b: float) -> float:
    """Skewness of Beta(a, b)."""

def beta_quantiles(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The p-quantile of each Beta(a, b)."""

def beta_tails(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """P(X >= value) of each Beta(a, b)."""

def fourfold_quantiles(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, value: str) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The p-quantile of phi squared or of mutual information (bits) of 2 x 2 tables with these totals.
    """

def fourfold_tails(n: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: str) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """P(D >= value) of 2 x 2 tables with these totals."""

class Target:
    """What trees are to predict."""

    @staticmethod
    def of_classes(y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Target:
        """Class numbers."""

    @staticmethod
    def of_numbers(y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Target:
        """Numbers, all of them finite."""

    @property
    def n_outputs(self) -> int: ...

class FeatureTable:
    """Training columns as codes."""

    def __init__(self, n_rows: int, n_columns: int) -> None: ...

    def set_numbers(self, column: int, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Ranks the numbers; NaN is missing."""

    def set_ranks(self, column: int, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Ranks of ascending distinct values; -1 is missing."""

    def set_categories(self, column: int, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_categories: int) -> None:
        """Category numbers; -1 is missing."""

    def codes(self, column: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The codes of a column; -1 is missing."""

    def values(self, column: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The distinct values of a numeric column, ascending."""

    @property
    def n_rows(self) -> int: ...

class FeatureRows:
    """New rows, columns as those of a FeatureTable."""

    def __init__(self, n_rows: int, n_columns: int) -> None: ...

    def add_numeric(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """NaN is missing. They are not copied."""

    def add_categorical(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_categories: int) -> None:
        """
        Category numbers; -1 is missing, -2 unseen in training. They are not copied.
        """

    @property
    def n_rows(self) -> int: ...

class Tree:
    """A grown tree."""

    def apply(self, rows: FeatureRows) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The node where each row ends."""

    def add_out_of_bag(self, rows: FeatureTable, shrinkages: Sequence[str], step: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Adds the answers for out-of-bag rows, and counts them."""

    def copy(self) -> Tree: ...

    def shrink(self, shrinkage: str) -> None:
        """Lets the nodes answer so."""

    def add_importances(self, rows: FeatureTable, target: Target, importance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], freedom: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], by_block: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        Adds what splits are worth on out-of-bag rows: by feature, with the weight and the degrees of freedom of what they fit, and by block of rows.
        """

    def roles(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Per training row: 0 grown on, 1 orders categories, 2 out of bag."""

    def arrays(self) -> dict[str, Any]:
        """The whole tree as flat arrays."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def is_shrunk(self) -> bool: ...

def add_answers(trees: Sequence[Tree], rows: FeatureRows, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Adds the class shares, or the mean, of the leaf of each row in each tree.
    """

def split_kinds() -> dict[str, int]:
    """The numbers in the array `kind` of a tree, by name."""

def leaf_quantiles(trees: Sequence[Tree], rows: FeatureRows, sorted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, levels: Sequence[float]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Quantiles by the training rows that share leaves with each row."""

class TreeSettings:
    """How a tree is grown."""

    def __init__(self, settings: object) -> None: ...

def grow_trees(features: FeatureTable, target: Target, settings: TreeSettings, keys: Sequence[tuple[int, int]], shrinkages: Sequence[str], step: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], stop: Stop | None = None) -> list[Tree]:
    """Trees, one for each of the keys, and their out-of-bag votes."""

def category_positions(cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Positions of categories ordered by class, from one row of class weights each.
    """

def split_null(children: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], null: str) -> tuple[float, float]:
    """Mean and variance of the Gini gain of a split."""

def number_null(children: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: float, variance: float, fourth: float) -> tuple[float, float]:
    """
    Mean and variance of a split's reduction of variance, from central moments.
    """
