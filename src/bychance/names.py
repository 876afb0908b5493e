"""Safe display of names and foreign messages on terminals and in spreadsheets, and nouns with counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

__all__ = [
    "LISTED",
    "count_of",
    "display_name",
    "first_line",
    "in_words",
    "inert",
    "known_as",
    "listed",
    "short_name",
    "shown",
]

# Controls, invisible marks and direction overrides, surrogates, line and paragraph separators.
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_CELL_WIDTH = 40  # characters of a cell in a message (taste)
LISTED = 3  # names, cells or reasons that a line lists before it counts the others (taste)
_BREAK = re.compile(r"\s*[\r\n\t]+\s*")
# What a spreadsheet may run, and the same behind apostrophes, so that no two names become one.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def display_name(name: str, width: int | None = None) -> str:
    r"""Escape control and direction characters in a name, and cut it to `width` characters.

    Only the displayed name changes. Markup (HTML, rich) is left alone, because it does no harm on a
    terminal and pages escape it themselves.

    >>> print(display_name("income\x1b[2J (\u202e$)"))
    income\x1b[2J (\u202e$)
    >>> display_name("Gross national income", width=10)
    'Gross nat…'
    """
    shown = "".join(_escaped(c) if unicodedata.category(c) in _HARMFUL else c for c in name)
    if width is not None and len(shown) > width:
        shown = shown[: max(width - 1, 0)] + "…"
    return shown


def short_name(name: str, width: int) -> str:
    r"""Escape a name for a terminal, and replace its middle by … if it exceeds `width` characters.

    >>> short_name("Breast_cancer_number_of_female_deaths", 16)
    'Breast_c…_deaths'
    >>> short_name(" ", 16)
    "' '"
    >>> short_name("a\x1b[31m", 16)
    'a\\x1b[31m'
    """
    shown = display_name(name)
    if not shown.strip():
        return repr(shown)
    if len(shown) <= width:
        return shown
    tail = (width - 1) // 2
    return f"{shown[: width - 1 - tail]}…{shown[len(shown) - tail :]}"


def known_as(name: str, known: Collection[str]) -> str:
    r"""Return the known name equal to `name`, or the only one equal but for line breaks and tabs.

    Nobody can type these in a shell, and messages show them as escapes. If no known name is meant, `name` is
    returned.

    >>> known_as("Are you satisfied?", ["Are you\nsatisfied?", "age"]), known_as("age", ["age "])
    ('Are you\nsatisfied?', 'age')
    """
    if name in known:
        return name
    broken = (one for one in known if _BREAK.search(one))
    meant = [one for one in broken if name in (display_name(one), _BREAK.sub(" ", one))]
    return meant[0] if len(meant) == 1 else name


def inert(name: str) -> str:
    """Put an apostrophe before a name that a spreadsheet would take for a formula.

    Different names stay different: a name with apostrophes before such a character gets one more.

    >>> inert("=1+1"), inert("'=1+1"), inert("body mass")
    ("'=1+1", "''=1+1", 'body mass')
    """
    return f"'{name}" if _FORMULA.match(name) else name


def count_of(number: int, noun: str) -> str:
    """Return the number with its noun, which gets an s unless the number is one.

    >>> count_of(1, "pair"), count_of(62_835, "pair")
    ('1 pair', '62,835 pairs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def in_words(names: tuple[str, ...]) -> str:
    """Join names with commas and a last "and".

    >>> in_words(("age", "sex", "site"))
    'age, sex and site'
    """
    shown = [display_name(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def listed(names: Sequence[str], width: int) -> str:
    """Join the first three names, cut to `width` characters, and the number of further ones.

    >>> listed(["age", "sex"], 40), listed(["a", "b", "c", "d", "e"], 40)
    ('age and sex', 'a, b, c and 2 more')
    """
    n_more = len(names) - LISTED
    first = (short_name(name, width) for name in names[:LISTED])
    return in_words((*first, f"{n_more:,} more") if n_more > 0 else tuple(first))


def shown(value: str) -> str:
    """Quote a cell's text for a message."""
    return repr(value if len(value) <= _CELL_WIDTH else value[: _CELL_WIDTH - 1] + "…")


def first_line(error: BaseException, width: int = 200) -> str:
    r"""Return the first line of another library's error, shortened for a message.

    >>> first_line(ValueError("no footer: \x1b[2J.\nat byte 7"))
    'no footer: \\x1b[2J'
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return display_name(lines[0].rstrip("."), width)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
