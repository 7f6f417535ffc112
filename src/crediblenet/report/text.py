"""Numbers and foreign text, as people can read them."""

from __future__ import annotations

import math
import re

__all__ = [
    "count",
    "decimal",
    "isolate",
    "percent",
    "probability",
    "significant",
    "superscript",
    "visible",
]

# Control characters, line separators, explicit changes of direction, lone surrogates. The
# implicit direction marks U+200E/F stay: right-to-left names need them.
_UNPRINTABLE = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")
_LARGEST_WRITTEN_OUT = 10**15
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def visible(text: str) -> str:
    r"""Return text with the characters that nobody can see made visible, and never empty.

    Column names come from files. A line feed or a lone surrogate in one must neither vanish
    nor stop the report from being written, and none may turn the writing direction round.

    Examples
    --------
    >>> visible("two\nlines"), visible("\u202eabc"), visible("")
    ('two␊lines', '⟨U+202E⟩abc', '(empty)')
    """

    def picture(match: re.Match[str]) -> str:
        code = ord(match.group())
        if code < 0x20:
            return chr(0x2400 + code)
        return "�" if code >= 0xD800 else f"⟨U+{code:04X}⟩"

    return _UNPRINTABLE.sub(picture, text) or "(empty)"


def isolate(text: str) -> str:
    """Wrap text so that its writing direction cannot disturb its surroundings.

    Where markup is possible, ``<bdi>`` does this; attributes and picture titles need
    Unicode's first strong isolate and its end mark.
    """
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


def probability(value: float) -> str:
    """Write a probability; 0 and 1 stand only for what is exactly so.

    Examples
    --------
    >>> [probability(p) for p in (0, 0.00004, 0.12345, 0.99996, 1)]
    ['0', '<0.001', '0.123', '>0.999', '1']
    """
    if value <= 0.0:
        return "0"
    # Sums of weights reach 1 only up to rounding in the last few bits.
    if value >= 1.0 - 1e-9:
        return "1"
    if value < 0.0005:
        return "<0.001"
    return ">0.999" if value >= 0.9995 else f"{value:.3f}"


def percent(value: float) -> str:
    """Write a share of the whole.

    Examples
    --------
    >>> [percent(p) for p in (0.00004, 0.12345, 0.9999, 1)]
    ['<0.1 %', '12.3 %', '>99.9 %', '100 %']
    """
    if value >= 1.0 - 1e-9:
        return "100 %"
    if 0.0 < value < 0.0005:
        return "<0.1 %"
    return ">99.9 %" if value >= 0.9995 else f"{100 * value:.1f} %"


def count(value: int) -> str:
    """Write a number of things, exactly while it fits in a line.

    Examples
    --------
    >>> count(21757427712), count(3 * 10**30)
    ('21,757,427,712', '3.00 × 10³⁰')
    """
    if value < _LARGEST_WRITTEN_OUT:
        return f"{value:,}"
    mantissa, exponent = f"{value:.2e}".split("e") if value < 10**300 else _huge(value)
    return f"{mantissa} × 10{superscript(int(exponent))}"


def superscript(number: int) -> str:
    """Write a whole number as an exponent.

    Examples
    --------
    >>> superscript(-12)
    '⁻¹²'
    """
    return str(number).translate(_SUPERSCRIPT)


def _huge(value: int) -> tuple[str, str]:
    """Split a number that no float can hold into mantissa and exponent."""
    digits = str(value)
    return f"{digits[0]}.{digits[1:3]}", str(len(digits) - 1)


def decimal(value: float, places: int = 3) -> str:
    """Write a number with thousands separators and a fixed number of places."""
    return f"{value:,.{places}f}"


def significant(value: float, digits: int = 3) -> str:
    """Write a number with so many significant digits, without an exponent if short.

    Examples
    --------
    >>> significant(20.0), significant(2.7182818), significant(1.5e9)
    ('20', '2.72', '1.50 × 10⁹')
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else "unknown"
    if value and not 1e-4 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa} × 10{superscript(int(exponent))}"
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if abs(value) >= 10**digits or "e" in text else text
