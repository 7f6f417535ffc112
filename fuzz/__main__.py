"""Fuzz one reader, guided by what it executes: ``python -m fuzz csv -runs=100000``.

Needs atheris (``pip install atheris``). What follows the name goes to libFuzzer; new inputs
that reach new code are kept in a directory of one's own, if one is named.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["crediblenet"]):
    from fuzz.readers import TARGETS, check

CORPUS = Path(__file__).parent / "corpus"


def main() -> None:
    """Fuzz until libFuzzer ends it."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m fuzz {{{','.join(TARGETS)}}} [options of libFuzzer]")
    name = sys.argv[1]
    target = TARGETS[name]
    options = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=2000", *sys.argv[2:]]
    if not any(not option.startswith("-") for option in sys.argv[2:]):
        # The first directory gets what is new; the kept corpus stays small.
        options += [tempfile.mkdtemp(prefix="crediblenet-fuzz."), str(CORPUS / name)]
    atheris.Setup([sys.argv[0], *options], lambda content: check(target, content))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
