"""NA among codes of two letters: Namibia where the others are countries, missing with a word elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import median
from typing import Any

__all__ = ["MOST_CODES", "NAMIBIA", "are_codes", "are_countries", "is_namibia"]

NAMIBIA = "NA"
MOST_CODES = 26 * 26 + 30
"""Distinct cells of a column of two letters, and marks for what is missing."""
_FEWEST = 5
# ISO 3166-1 alpha-2, with EL, EU, UK and XK as statistics have them.
_COUNTRIES = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW
    BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH EL ER ES ET
    EU FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL
    IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC
    MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA
    PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS
    ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UK UM US UY UZ VA VC VE VG VI VN VU
    WF WS XK YE YT ZA ZM ZW
"""
_UNASSIGNED = re.compile("AA|Q[M-Z]|X[A-Z]|ZZ")  # which ISO 3166 leaves to users: no country, and the like
# Of the codes above, those that are states or provinces as well.
_STATES = """
    AL AR AS AZ BC CA CO CT DC DE GA GU ID IL IN KY LA MA MD ME MN MO MS MT NC ND NE NL NT NU PA PE PR SC SD
    SK TN VA VI
"""


def are_countries(codes: Any) -> bool:
    """Whether these are codes of countries, five or more, and not all of them codes of states as well.

    >>> are_countries(["DE", "FR", "ZA", "US", "BW"]), are_countries(["CA", "DE", "PA", "IL", "MA"])
    (True, False)
    """
    known = {code for code in codes if code != NAMIBIA and not _UNASSIGNED.fullmatch(code)}
    return len(known) >= _FEWEST and known <= {*_COUNTRIES.split()} and not known <= {*_STATES.split()}


def is_namibia(counts: Mapping[str, int]) -> bool:
    """Whether NA is a country among others: codes of these, of which half or more are as frequent as NA.

    `counts` says in how many rows each code stands. What is missing is seldom as rare as a small country.

    >>> codes = {"DE": 9, "FR": 4, "ZA": 3, "US": 9, "BW": 1}
    >>> is_namibia({**codes, "NA": 4}), is_namibia({**codes, "NA": 5})
    (True, False)
    """
    others = [count for code, count in counts.items() if code != NAMIBIA]
    return are_countries(counts) and counts.get(NAMIBIA, 0) <= median(others)


def are_codes(codes: Any) -> bool:
    """Whether these are codes of two upper-case letters, five or more."""
    known = {*codes} - {NAMIBIA}
    return len(known) >= _FEWEST and all(
        len(code) == 2 and code.isascii() and code.isalpha() and code.isupper() for code in known
    )
