"""Tables in Markdown, and numbers in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["count", "networks", "seconds", "table"]

NOTHING = "–"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a table; the first `left` columns are text, the others are set to the right.

    Examples
    --------
    >>> print(table(["data", "n"], [["wine", "14"]]))
    | data | n |
    |---|---:|
    | wine | 14 |
    """
    rule = "".join("---|" if column < left else "---:|" for column in range(len(head)))
    lines = [f"| {' | '.join(head)} |", f"|{rule}"]
    lines += [f"| {' | '.join(cell or NOTHING for cell in row)} |" for row in rows]
    return "\n".join(lines)


def count(text: str | None) -> str:
    """Return a whole number with commas; a dash where there is none.

    >>> count("891813888"), count("")
    ('891,813,888', '–')
    """
    return f"{int(text):,}" if text else NOTHING


def seconds(*parts: str | None) -> str:
    """Return the sum of times with two digits after the point; a dash where one is missing.

    >>> seconds("0.25", "1.5"), seconds("")
    ('1.75', '–')
    """
    if not all(parts):
        return NOTHING
    return f"{sum(float(part) for part in parts if part):,.2f}"


def networks(row: Mapping[str, str]) -> str:
    """Return a number of networks, "at least" where the search did not end."""
    if not row["networks"]:
        return NOTHING
    return count(row["networks"]) if row["complete"] == "yes" else f"≥ {count(row['networks'])}"
