"""The command ``crediblenet``: a thin shell over the public functions.

Parsing and printing live here, no algorithms. Exit codes: 0 complete; 2 bad input or
usage; 3 stopped by a limit; 130 interrupted; 1 a defect of the program itself.
"""

from __future__ import annotations

from . import find as _find  # noqa: F401 - adds commands
from . import results as _results  # noqa: F401 - adds commands
from . import score as _score  # noqa: F401 - adds a command
from .main import app, main

__all__ = ["app", "main"]
