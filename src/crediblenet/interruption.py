"""Ctrl-C in the command: it ends the loading at once, and later it is never forgotten.

Loading the package takes half a second, and Python turns Ctrl-C in the middle of an import into
a long traceback, or into an error of the library that is being loaded. ``python -m crediblenet``
loads the package before any other code of it can say what is to be done then. So the package does
so itself where the process is the command; any other program keeps its own way.

Later, Ctrl-C is an exception, and an exception can get lost: Python drops those that are raised
while an object is finalized, and a library may catch one that it did not expect. So the command
also remembers that it was pressed, until somebody has acted upon it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import NoReturn

__all__ = [
    "INTERRUPTED",
    "NOTHING_KEPT",
    "end_at_once",
    "hear",
    "is_the_command",
    "raise_again",
    "raise_unheard",
    "raises_interrupt",
    "remember",
]

INTERRUPTED = 130
NOTHING_KEPT = "interrupted before there was a result to keep"


def is_the_command() -> bool:
    """Return whether this process is the command, and not a program that uses the package."""
    program = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""  # noqa: PTH119
    if program == "-m":  # so Python calls it until the package is loaded
        return sys.orig_argv[-len(sys.argv)] in ("crediblenet", "-mcrediblenet")
    return program in ("crediblenet", "crediblenet.exe")


#: Whether Ctrl-C was pressed and nobody has acted upon it yet.
_unheard = False


def end_at_once() -> None:
    """Let Ctrl-C end the process, until `raise_again`; unless it is ignored, or others hear it."""
    if threading.current_thread() is threading.main_thread() and raises_interrupt(
        signal.getsignal(signal.SIGINT)
    ):
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, if `end_at_once` has changed that; and remember it."""
    hear()
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, remember)


def raises_interrupt(handler: object) -> bool:
    """Tell whether a handler of Ctrl-C just raises KeyboardInterrupt."""
    return handler in (signal.default_int_handler, remember)


def remember(*_: object) -> NoReturn:
    """Handle Ctrl-C as Python does, and remember it until `hear`."""
    global _unheard
    _unheard = True
    raise KeyboardInterrupt


def raise_unheard() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and nobody has acted upon it yet."""
    if _unheard:
        raise KeyboardInterrupt


def hear() -> None:
    """Say that all presses so far have been acted upon."""
    global _unheard
    _unheard = False


def _end(*_: object) -> None:
    os.write(2, f"crediblenet: error: {NOTHING_KEPT}\n".encode())
    os._exit(INTERRUPTED)


if is_the_command():
    end_at_once()
