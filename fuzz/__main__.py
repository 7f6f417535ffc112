"""Fuzz one reader, guided by what it executes: ``python -m fuzz csv -runs=100000``.

Needs atheris (``pip install atheris``). What follows the name goes to libFuzzer; new inputs
that reach new code are kept in a directory of one's own, if one is named.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import sys
import tempfile
from pathlib import Path

import atheris

# Readers are imported when they are needed, which would be too late for atheris to see into them.
PACKAGES = ("checkpoints", "data", "formats", "network_formats", "report")

with atheris.instrument_imports(include=["crediblenet"]):
    for package in PACKAGES:
        found = importlib.import_module(f"crediblenet.{package}")
        for module in pkgutil.iter_modules(found.__path__, f"{found.__name__}."):
            importlib.import_module(module.name)
    from fuzz.mutation import change_case
    from fuzz.readers import LONGEST, TARGETS, bounded_memory, check

CORPUS = Path(__file__).parent / "corpus"


def main() -> None:
    """Fuzz until libFuzzer ends it."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m fuzz {{{','.join(TARGETS)}}} [options of libFuzzer]")
    name = sys.argv[1]
    target = TARGETS[name]
    options = ["-timeout=10", "-rss_limit_mb=2048", f"-max_len={LONGEST}", *sys.argv[2:]]
    if not any(not option.startswith("-") for option in sys.argv[2:]):
        # The first directory gets what is new; the kept corpus stays small.
        options += [tempfile.mkdtemp(prefix="crediblenet-fuzz."), str(CORPUS / name)]

    def mutate(content: bytes, most: int, seed: int) -> bytes:
        changed = change_case(
            name,
            content,
            lambda c: bytes(atheris.Mutate(c, most)),
            random.Random(seed),  # noqa: S311 - not a secret
        )
        return changed[:most]

    atheris.Setup(
        [sys.argv[0], *options], lambda content: check(target, content), custom_mutator=mutate
    )
    with bounded_memory():
        atheris.Fuzz()


if __name__ == "__main__":
    main()
