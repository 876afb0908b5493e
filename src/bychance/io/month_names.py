"""Names of months in other languages than English: cells → the same with the English ones."""

from __future__ import annotations

from typing import Any

__all__ = ["in_english"]

# German, French, Spanish, Portuguese, Italian and Dutch; what is English as well is left out.
_NAMES = {
    "Jan": "januar|jänner|janvier|janv|enero|ene|janeiro|gennaio|gen|januari",
    "Feb": "februar|feber|février|fevrier|févr|fév|febrero|fevereiro|fev|febbraio|februari",
    "Mar": "märz|maerz|mär|mrz|mars|marzo|março|marco|maart|mrt",
    "Apr": "avril|avr|abril|abr|aprile",
    "May": "mai|mayo|maio|maggio|mag|mei",
    "Jun": "juni|juin|junio|junho|giugno|giu",
    "Jul": "juli|juillet|juil|julio|julho|luglio|lug",
    "Aug": "août|aout|agosto|ago|augustus",
    "Sep": "septembre|septiembre|setiembre|setembro|set|settembre",
    "Oct": "oktober|okt|octobre|octubre|outubro|out|ottobre|ott",
    "Nov": "novembre|noviembre|novembro",
    "Dec": "dezember|dez|décembre|decembre|déc|diciembre|dic|dezembro|dicembre",
}
_START = 1000
_OTHERS = "|".join(_NAMES.values())
_ANY = rf"(?i)\d(?:er)?\.?[ -](?:de )?(?:{_OTHERS})\b|^(?:{_OTHERS})\.?[ -](?:de )?\d"


def in_english(texts: Any) -> Any:
    """The cells with English names of months, where the first ones have others beside numbers.

    >>> from bychance.arrow_values import strings_of
    >>> in_english(strings_of(["1er février 2024", "4. März 2024", "12 de marzo de 2024"])).to_pylist()
    ['1 Feb 2024', '4. Mar 2024', '12 Mar 2024']
    """
    import pyarrow.compute as pc

    start = pc.drop_null(texts).slice(0, _START)
    if not pc.any(pc.match_substring_regex(start, _ANY)).as_py():
        return texts
    texts = pc.replace_substring_regex(texts, r"(?i)^(\d)er ", r"\1 ")
    texts = pc.replace_substring_regex(texts, r"(?i) (?:de|del|di) ", " ")
    for name, others in _NAMES.items():
        texts = pc.replace_substring_regex(texts, rf"(?i)(^|[ .-])(?:{others})\.?([ -]|$)", rf"\1{name}\2")
    return texts
