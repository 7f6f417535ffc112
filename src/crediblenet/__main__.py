"""``python -m crediblenet`` is the command ``crediblenet``."""

from __future__ import annotations

from typing import NoReturn

from . import interruption

__all__ = ["main"]


def main() -> NoReturn:
    """Load the command, and run it with the arguments of the process."""
    interruption.end_at_once()
    from .cli import main as command

    command()


if __name__ == "__main__":
    main()
