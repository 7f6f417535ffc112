"""Names that other programs can read back."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["safe_labels", "safe_names"]

# Words that mean something in a BIF file.
_RESERVED = frozenset(
    {"default", "discrete", "network", "probability", "property", "table", "type", "variable"}
)


def safe_names(names: Iterable[str]) -> list[str]:
    """Return names of ASCII letters, digits and underscores that begin with a letter.

    R's bnlearn finds a variable in a BIF file as one word of such characters and treats
    the name as a regular expression elsewhere; pgmpy does not tell upper from lower case.
    So names become distinct words in that sense, each as close to the original as can be.

    Examples
    --------
    >>> safe_names(["age", "Age", "2nd visit", "größe", "table"])
    ['age', 'Age_2', 'v2nd_visit', 'gr__e', 'table_2']
    """
    cleaned = []
    for name in names:
        word = re.sub(r"[^A-Za-z0-9_]", "_", name)
        cleaned.append(word if re.match(r"[A-Za-z]", word) else f"v{word}")
    return _distinct(cleaned, taken=_RESERVED)


def safe_labels(labels: Iterable[str]) -> list[str]:
    """Return state labels that are whole numbers or words of ASCII letters, digits, ``_.-``.

    bnlearn and pgmpy cut a list of states at its commas and end it at a brace or a
    parenthesis; two slashes begin a comment; quotes vanish; pyAgrum wants a word that
    begins with a letter, or a whole number.

    Examples
    --------
    >>> safe_labels(["-1", "1.5", "[1.5, 2)", "(1.5, 2]", "yes", "", "table"])
    ['-1', 's1.5', 's_1.5__2_', 's_1.5__2__2', 'yes', 's', 'table_2']
    """
    cleaned = []
    for label in labels:
        word = re.sub(r"[^A-Za-z0-9_.-]", "_", label)
        plain = re.fullmatch(r"-?[0-9]+|[A-Za-z][A-Za-z0-9_.-]*", word)
        cleaned.append(word if plain else f"s{word}")
    return _distinct(cleaned, taken=_RESERVED)


def _distinct(words: list[str], taken: frozenset[str]) -> list[str]:
    """Give a number to each word that is taken already, whatever its case."""
    used = set(taken)
    result: list[str] = []
    for word in words:
        candidate, number = word, 1
        while candidate.lower() in used:
            number += 1
            candidate = f"{word}_{number}"
        used.add(candidate.lower())
        result.append(candidate)
    return result
