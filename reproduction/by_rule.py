"""Public classification sets that a rule gives: the monks' problems, tic-tac-toe and the faulty display.

Each is a dict of columns of categories, the last of which, "class" or "Class", holds the classes.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["make_led7", "make_monks", "make_tic_tac_toe"]

Labels = dict[str, NDArray[np.str_]]

_MONKS_VALUES = (3, 3, 2, 3, 4, 2)
_SQUARES = [
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
]
_LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])
# The segments of the digits 0 to 9: top, upper left, upper right, middle, lower left, lower right, bottom.
_DIGITS = [
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
]


def make_monks(problem: int) -> Labels:
    """Make all 432 robots of a monk's problem (Thrun et al. 1991) with the classes of its rule.

    The published sets have training rows besides, drawn at random from these (and for the third problem with
    six wrong classes): no rule gives them.

    Parameters
    ----------
    problem : {1, 2, 3}
        1: head and body have the same shape, or the jacket is red. 2: exactly two attributes have their
        first value. 3: a green jacket and a sword, or no blue jacket and no octagonal body.

    Examples
    --------
    >>> {problem: int((make_monks(problem)["class"] == "1").sum()) for problem in (1, 2, 3)}
    {1: 216, 2: 142, 3: 228}
    """
    if problem not in (1, 2, 3):
        raise ValueError(f"`problem` must be 1, 2 or 3, got {problem!r}.")
    a = np.array(list(product(*(range(1, size + 1) for size in _MONKS_VALUES)))).T
    is_monk = {
        1: (a[0] == a[1]) | (a[4] == 1),
        2: (a == 1).sum(axis=0) == 2,
        3: ((a[4] == 3) & (a[3] == 1)) | ((a[4] != 4) & (a[1] != 3)),
    }[problem]
    columns = {f"attr{k + 1}": values.astype(str) for k, values in enumerate(a)}
    return {**columns, "class": is_monk.astype(int).astype(str)}


def make_tic_tac_toe() -> Labels:
    """Make the 958 final boards of tic-tac-toe, "positive" if x, who begins, has won.

    The rows are in the order of the published file.

    Examples
    --------
    >>> classes = make_tic_tac_toe()["Class"]
    >>> len(classes), int((classes == "positive").sum())
    (958, 626)
    """
    boards = np.array(list(product("xob", repeat=9)))
    x_wins, o_wins = ((boards[:, _LINES] == player).all(axis=2).any(axis=1) for player in "xo")
    n_x, n_o = ((boards == player).sum(axis=1) for player in "xo")
    # The winner moved last, and is one move ahead or level. Without a winner the board is full.
    ended_by_x = x_wins & ~o_wins & (n_x == n_o + 1)
    ended_by_o = o_wins & ~x_wins & (n_x == n_o)
    drawn = ~x_wins & ~o_wins & (n_x == 5) & (n_o == 4)
    ends = np.concatenate([np.flatnonzero(way) for way in (ended_by_x, ended_by_o, drawn)])
    columns = dict(zip(_SQUARES, boards[ends].T, strict=True))
    return {**columns, "Class": np.where(x_wins[ends], "positive", "negative")}


def make_led7(n: int = 3200, *, flip: float = 0.1, seed: int = 0) -> Labels:
    """Draw digits on a display of seven segments, each of which is wrong with some probability.

    The published set of 3,200 rows is a sample from this law, so that the two agree in distribution only.

    Parameters
    ----------
    n : int
        How many displays.
    flip : float
        How likely a segment is wrong.
    seed : int
        Same seed, same rows.

    Examples
    --------
    >>> table = make_led7(4, flip=0.0)
    >>> [str(table[f"attribute#{k}"][0]) for k in range(1, 8)], str(table["Class"][0])
    (['1', '1', '1', '1', '1', '1', '1'], '8')
    """
    rng = np.random.default_rng(seed)
    segments = np.array([[int(segment) for segment in digit] for digit in _DIGITS])
    digits = rng.integers(10, size=n)
    shown = segments[digits] ^ (rng.random((n, 7)) < flip)
    columns = {f"attribute#{k + 1}": shown[:, k].astype(str) for k in range(7)}
    return {**columns, "Class": digits.astype(str)}
