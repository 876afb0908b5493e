"""Amounts taken apart: cells such as ($1,200.50) or 12 kg → digits, powers of ten, signs and units."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, is_true, null_mask, numpy_of, text_scalar
from bychance.io.amount_marks import are_flags
from bychance.io.unit_names import one_name_each

__all__ = ["MINUSES", "MINUS_BEHIND", "AmountParts", "begin_like_amounts"]

_CODES = (
    "AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES|KRW|MXN|MYR|"
    "NGN|NOK|NZD|PEN|PHP|PKR|PLN|RON|RSD|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
_SYMBOL = "[$€£¥¢₡₦₩₪₫₭₮₱₲₴₵₸₹₺₽₾₿฿]"
_HEAD = re.compile(
    rf"(?P<limit>[<>≤≥]=?\s?)?(?P<open>\()?(?P<sign>[+-])?\s?"
    rf"(?P<unit>[A-Z]{{0,3}}{_SYMBOL}|{_CODES}|Rs\.?|Fr\.?|kr\.?)?\s?(?P<inner>[+-])?"
)
_START = re.compile(rf"{_HEAD.pattern}[.,]?[0-9]")
_WORD = rf"(?:[^\W\d_]|[%‰°µ]|{_SYMBOL})"
_TAIL = re.compile(
    rf"\s?(?P<unit>{_WORD}(?:(?:{_WORD}|[²³/·. -]){{0,18}}(?:{_WORD}|[²³23.]))?)?(?P<close>\))?"
)
_PER = re.compile(r"/ ?(?:[^\W\d_]{2}|[hsdLl](?![^\W\d_]))")  # 49.8/km2, 3/h; 12/A is a code
# What is cut by Arrow in one go; heads and tails are few, and looked at one by one.
_CUT = (
    r"^(?P<head>(?:[A-Za-z]\.|[^0-9.,])*)(?P<digits>[.,]?[0-9](?:[0-9.,' ]*[0-9.,])?)"
    r"(?P<power>[eE][+-]?[0-9]+)?(?P<tail>.*)$"
)
_LISTED = r"[0-9]\. ?\pL{2}"  # 2. West and 97.mat are no numbers
_DIGITS = "^(?:{})$".format(
    "|".join(
        [
            r"[0-9]+(?:[.,][0-9]*)?",
            r"[.,][0-9]+",
            r"[1-9][0-9]{0,2}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]*)?",
            r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]*)?",
            r"[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]*)?",
            r"[1-9][0-9]{0,2}(?:'[0-9]{3})+(?:[.,][0-9]*)?",
        ]
    )
)
# As ledgers write it, and only behind decimals: 2- is a grade.
MINUS_BEHIND = r"^([^0-9(+-]*[0-9][0-9.,' ]*[.,][0-9][0-9])-(\s?[^0-9]*)$"
_NO_CENTS = r"([0-9])[.,](?:--?|[\x{2013}\x{2014}])(\s?[^0-9]*)$"
MINUSES = "^[\u2212\u2013\ufe63\uff0d]"
_SPACES = "[\u00a0\u2009\u202f]"
_ODD = "[\u2212\u2013\ufe63\uff0d\u00a0\u2009\u202f\u2019]"


@dataclass(frozen=True, slots=True, eq=False)
class AmountParts:
    """Cells taken apart: digits and powers of ten, null where a cell is no amount; signs and units.

    `powers` is None where there are none, `usual` what stands before and behind most digits. Limits are cells
    such as <0.5.
    """

    is_read: NDArray[np.bool_]
    digits: Any
    powers: Any
    is_negative: NDArray[np.bool_]
    is_bare: NDArray[np.bool_]
    units: tuple[str, ...]
    has_parentheses: bool
    is_limit: NDArray[np.bool_]
    usual: tuple[str, str] | None

    @staticmethod
    def of(texts: Any, usual: tuple[str, str] | None = None) -> AmountParts:
        """The parts of these cells; the usual head and tail are cut off without a search."""
        cut = _Cut.of(_as_usual(_even(texts)), usual)
        around = [_Around.of(head, tail) for head, tail in cut.ends]
        is_read = cut.is_cut & _picked([end is not None for end in around], cut.codes)
        counts = np.bincount(cut.codes[is_read], minlength=len(around))
        used = [end for end, count in zip(around, counts, strict=True) if end is not None and count]
        return AmountParts(
            is_read,
            cut.digits if is_read.all() else _null_unless(is_read, cut.digits),
            cut.powers,
            _picked([end is not None and end.is_negative for end in around], cut.codes),
            _picked([end is not None and not end.unit for end in around], cut.codes) & is_read,
            one_name_each(end.unit for end in used if end.unit),
            any(end.has_parentheses for end in used),
            _picked([end is not None and end.is_limit for end in around], cut.codes) & is_read,
            cut.ends[int(counts.argmax())] if counts.any() else None,
        )

    def without_flags(self) -> tuple[AmountParts, tuple[str, ...]]:
        """The amounts without the flags of statistics behind fewer than half of them, and these."""
        n_bare, n_read = np.count_nonzero(self.is_bare), np.count_nonzero(self.is_read)
        if not are_flags(self.units) or 2 * n_bare <= n_read:
            return self, ()
        return replace(self, units=(), is_bare=self.is_read), self.units

    def only(self, is_kept: NDArray[np.bool_]) -> AmountParts:
        """Those of some cells, which have no unit."""
        digits = _null_unless(is_kept, self.digits)
        return replace(self, is_read=is_kept, digits=digits, units=(), is_limit=self.is_limit & is_kept)


def begin_like_amounts(texts: Any) -> int:
    """How many of these cells begin as amounts do: no others can be any."""
    return sum(_START.match(text) is not None for text in _texts(_even(texts)))


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """Cells as head, digits, power of ten and tail; of each cell which of the distinct ends it has."""

    is_cut: NDArray[np.bool_]
    digits: Any
    powers: Any
    ends: list[tuple[str, str]]
    codes: NDArray[np.int64]

    @staticmethod
    def of(texts: Any, usual: tuple[str, str] | None) -> _Cut:
        import pyarrow.compute as pc

        if usual is None:
            return _Cut._by_regex(texts)
        head, tail = usual
        is_usual = np.ones(len(texts), dtype=np.bool_)
        if head:
            is_usual &= is_true(pc.starts_with(texts, head))
        if tail:
            is_usual &= is_true(pc.ends_with(texts, tail))
        digits = pc.utf8_slice_codeunits(texts, len(head), -len(tail) or None)
        is_usual &= is_true(pc.match_substring_regex(digits, _DIGITS))
        if is_usual.all():
            return _Cut(is_usual, digits, None, [usual], np.zeros(len(texts), dtype=np.int64))
        others = arrow_of_numpy(~is_usual)
        rest = _Cut._by_regex(texts.filter(others))
        codes = np.zeros(len(texts), dtype=np.int64)
        codes[~is_usual] = rest.codes + 1
        is_usual[~is_usual] = rest.is_cut
        return _Cut(
            is_usual,
            pc.replace_with_mask(digits, others, rest.digits),
            None if rest.powers is None else _spread(rest.powers, others),
            [usual, *rest.ends],
            codes,
        )

    @staticmethod
    def _by_regex(texts: Any) -> _Cut:
        import pyarrow.compute as pc

        cut = pc.extract_regex(texts, _CUT)
        digits, powers = cut.field("digits"), cut.field("power")
        is_cut = ~null_mask(cut) & is_true(pc.match_substring_regex(digits, _DIGITS))
        is_cut &= ~is_true(pc.match_substring_regex(texts, _LISTED))
        has_powers = pc.any(pc.not_equal(powers, text_scalar(""))).as_py()
        return _Cut(is_cut, digits, powers if has_powers else None, *_ends_of(cut, is_cut))


def _spread(values: Any, where: Any) -> Any:
    """The values at the rows where that is true, and nothing elsewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.replace_with_mask(pa.repeat(text_scalar(""), len(where)), where, values)


def _null_unless(is_kept: NDArray[np.bool_], strings: Any) -> Any:
    import pyarrow.compute as pc

    return pc.if_else(arrow_of_numpy(is_kept), strings, text_scalar(None))


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands before and behind the digits of a cell."""

    unit: str
    is_negative: bool
    has_parentheses: bool
    is_limit: bool

    @staticmethod
    def of(head: str, tail: str) -> _Around | None:
        """None where it is more than a sign, parentheses and a unit."""
        before = _HEAD.fullmatch(head)
        has_unit = before is not None and bool(before["unit"])
        is_rate = tail.startswith("/") and (has_unit or _PER.match(tail) is not None)
        behind = _TAIL.fullmatch(tail[is_rate:])
        if before is None or behind is None:
            return None
        signs = [sign for sign in (before["open"], before["sign"], before["inner"]) if sign]
        if len(signs) > 1 or bool(before["open"]) != bool(behind["close"]):
            return None
        unit = f"{before['unit'] or ''}{' /'[is_rate]}{behind['unit'] or ''}".strip().rstrip(".")
        is_negative = bool(signs) and signs[0] in "(-"
        return _Around(unit, is_negative, bool(before["open"]), bool(before["limit"]))


def _ends_of(cut: Any, is_cut: NDArray[np.bool_]) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
    """The distinct pairs of heads and tails, and which of them each cell has."""
    heads, tails = (cut.field(part).dictionary_encode() for part in ("head", "tail"))
    both = numpy_of(heads.indices).astype(np.int64) * (len(tails.dictionary) + 1) + numpy_of(tails.indices)
    pairs, codes = np.unique(np.where(is_cut, both, -1), return_inverse=True)
    texts = [_texts(column.dictionary) for column in (heads, tails)]
    ends = [
        ("?", "?")
        if pair < 0
        else (texts[0][pair // (len(texts[1]) + 1)], texts[1][pair % (len(texts[1]) + 1)])
        for pair in pairs.tolist()
    ]
    return ends, codes.reshape(-1)


def _texts(strings: Any) -> list[str]:
    found: list[str] = strings.to_pylist()
    return found


def _picked(flags: list[bool], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    by_cell: NDArray[np.bool_] = np.array(flags, dtype=np.bool_)[codes]
    return by_cell


def _even(texts: Any) -> Any:
    """One kind of minus, of blank and of apostrophe."""
    import pyarrow.compute as pc

    if pc.all(pc.string_is_ascii(texts)).as_py() or not pc.any(pc.match_substring_regex(texts, _ODD)).as_py():
        return texts
    texts = pc.replace_substring_regex(texts, MINUSES, "-")
    texts = pc.replace_substring_regex(texts, "([\\p{Sc}(])[\u2212\u2013]", r"\1-")
    texts = pc.replace_substring_regex(texts, _SPACES, " ")
    return pc.replace_substring(texts, "\u2019", "'")


def _as_usual(texts: Any) -> Any:
    """12,50- as -12,50, and 12,- as 12."""
    import pyarrow.compute as pc

    if not any(pc.any(pc.match_substring(texts, mark)).as_py() for mark in "-\u2013\u2014"):
        return texts
    if not pc.any(pc.match_substring_regex(texts, f"{MINUS_BEHIND}|{_NO_CENTS}")).as_py():
        return texts
    texts = pc.replace_substring_regex(texts, MINUS_BEHIND, r"-\1\2")
    return pc.replace_substring_regex(texts, _NO_CENTS, r"\1\2")
