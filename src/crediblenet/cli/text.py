"""Making text from files safe to print: names of columns and files are hostile."""

from __future__ import annotations

import unicodedata

from rich.text import Text

__all__ = ["plain", "safe", "shorten"]


def safe(text: object) -> str:
    r"""Return text with control and direction-changing characters made visible.

    A column name may hold terminal escape sequences, line breaks or characters that
    reverse the direction of writing; printed as they are, they could forge output.

    Examples
    --------
    >>> print(safe("a\x1b[31mb\nc"))
    a\x1b[31mb\nc
    """
    return "".join(
        character
        if character == " " or unicodedata.category(character)[0] not in "CZ"
        else character.encode("unicode_escape").decode("ascii")
        for character in str(text)
    )


def shorten(text: object, width: int = 40) -> str:
    """Return safe text of at most `width` characters.

    Examples
    --------
    >>> shorten("a very long column name", 10)
    'a very lo…'
    """
    shown = safe(text)
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def plain(text: object, style: str = "") -> Text:
    """Return safe text that rich prints as it is, square brackets included."""
    return Text(safe(text), style=style)
