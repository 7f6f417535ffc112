"""Ctrl-C while the command is being loaded: one line and exit code 130, as later.

Loading the package takes half a second, and Python turns Ctrl-C in the middle of an import into
a long traceback, or into an error of the library that is being loaded. ``python -m crediblenet``
loads the package before any other code of it can say what is to be done then. So the package does
so itself where the process is the command; any other program keeps its own way.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

__all__ = ["INTERRUPTED", "NOTHING_KEPT", "end_at_once", "is_the_command", "raise_again"]

INTERRUPTED = 130
NOTHING_KEPT = "interrupted before there was a result to keep"


def is_the_command() -> bool:
    """Return whether this process is the command, and not a program that uses the package."""
    program = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""  # noqa: PTH119
    if program == "-m":  # so Python calls it until the package is loaded
        return sys.orig_argv[-len(sys.argv)] in ("crediblenet", "-mcrediblenet")
    return program in ("crediblenet", "crediblenet.exe")


def end_at_once() -> None:
    """Let Ctrl-C end the process, until `raise_again`; unless it is ignored, or others hear it."""
    if (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, if `end_at_once` has changed that."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(*_: object) -> None:
    os.write(2, f"crediblenet: error: {NOTHING_KEPT}\n".encode())
    os._exit(INTERRUPTED)


if is_the_command():
    end_at_once()
