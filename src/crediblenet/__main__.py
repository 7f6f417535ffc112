"""``python -m crediblenet`` is the command ``crediblenet``."""

from __future__ import annotations

from .cli import main

main()
