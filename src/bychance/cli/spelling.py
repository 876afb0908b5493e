"""Messages of the library → the same advice in options of the command line."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache

__all__ = ["in_options"]

# Arguments of the library whose option has another name.
_RENAMED = {"control": "given-control", "effect": "given-effect", "rng": "seed", "n_jobs": "jobs"}
_QUOTED = r"'[^']*'|\"[^\"]*\""
_CALLS = {
    "read_table(…, max_gib=…)": "--max-gib",
    "bc.Permutation(block=…)": "--block ROWS",
    "bc.Permutation(groups=…)": "--groups COLUMN",
    "bc.Permutation()": "--null permutation",
    "bc.MICe(exponent=0.5)": "--measure mic_e",
    "TextFormat(decimal=',')": "--decimal ,",
    "TextFormat(decimal='.')": "--decimal .",
    "sheet=…": "--sheet",
}
_PERMUTATIONS = re.compile(r"null=bc\.Permutation\((\w+)\)")
_ITEM = re.compile(rf"{_QUOTED}|[^,\s]+")


def in_options(message: str) -> str:
    """What a message of the library says of its arguments, as options of the command line.

    >>> in_options("got 'x' in 'dose' in line 3; give missing=[…] or categorical=['dose'].")
    "got 'x' in 'dose' in line 3; give --missing … or --categorical 'dose'."
    >>> in_options("missing=['tbd', 'soon'] reads the rest; header=False reads it as data")
    "--missing 'tbd' --missing 'soon' reads the rest; --no-header reads it as data"
    >>> in_options("missing=[] keeps it")
    "--missing '' keeps it"
    >>> in_options("got 7 in line 4; skip_rows=3 reads the table below")
    'got 7 in line 4; --skip-rows 3 reads the table below'
    >>> in_options("`null='normal'` is not available; `null=\\"auto\\"` always works. `min_n` is 10.")
    '--null normal is not available; --null auto always works. --min-n is 10.'
    """
    for call, option in _CALLS.items():
        message = message.replace(call, option)
    message = _PERMUTATIONS.sub(r"--null permutation:\1", message)
    lists, switches, values, counts, bare = _patterns()
    message = lists.sub(lambda found: _repeated(found[1], _ITEM.findall(found[2])), message)
    message = switches.sub(lambda found: _option(found[1], no=found[2] == "False"), message)
    message = values.sub(lambda found: f"{_option(found[1])} {_unquoted(found[2])}", message)
    message = counts.sub(lambda found: f"{_option(found[1])} ", message)
    return bare.sub(lambda found: found[2] or _option(found[1]), message)


@cache
def _patterns() -> list[re.Pattern[str]]:
    """An argument that is an option, with a list, True or False, another value or a number, and bare."""
    name = "|".join(sorted(named(), key=len, reverse=True))
    patterns = (
        rf"\b({name})=\[((?:{_QUOTED}|[^\[\]'\"])*)\]",
        rf"\b({name})=(True|False)\b",
        rf"\b({name})=({_QUOTED}|…)",
        rf"\b({name})=(?=[0-9])",
        rf"`(?:({name})|(--[^`]*))`",
    )
    return [re.compile(pattern) for pattern in patterns]


def named() -> set[str]:
    """The arguments of the library that are options of the command line."""
    # Imported here: the panels say what is wrong with them by way of this file.
    from bychance.cli.rank_options import PANELS

    return {option.name for panel in PANELS for option in fields(panel)} | set(_RENAMED)


def _option(argument: str, *, no: bool = False) -> str:
    return f"--{'no-' if no else ''}{_RENAMED.get(argument, argument).replace('_', '-')}"


def _repeated(argument: str, values: list[str]) -> str:
    return " ".join(f"{_option(argument)} {value}" for value in values or ["''"])


def _unquoted(value: str) -> str:
    """A name of one word needs no quotes in a shell."""
    return value[1:-1] if value[1:-1].replace("_", "").isalnum() else value
