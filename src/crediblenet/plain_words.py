"""Texts from elsewhere, made fit for a message."""

from __future__ import annotations

__all__ = ["one_line", "printable"]


def printable(text: str) -> str:
    r"""Return a text with a question mark for each character that cannot be printed.

    Examples
    --------
    >>> printable("9\x00 parent sets")
    '9? parent sets'
    """
    return "".join(c if c.isprintable() else "?" for c in text)


def one_line(error: BaseException) -> str:
    r"""Return what an error of another library says, as one printable line.

    Examples
    --------
    >>> one_line(ValueError("two\nlines\x00"))
    'two lines?'
    """
    return printable(" ".join(str(error).split()) or type(error).__name__)
