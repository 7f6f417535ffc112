"""Two names on a disk that change places in one step."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["exchange"]

# From <fcntl.h> and <linux/fs.h>: relative to the working directory; swap the two names.
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
# What a kernel or a file system says that cannot do it.
_UNKNOWN = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def exchange(first: Path, second: Path) -> bool:
    """Exchange two names, so that each always names one of the two; False where that cannot be.

    ``renameat2`` of Linux does it; the Python library has no function for it.

    Raises
    ------
    OSError
        When the disk refuses.
    """
    rename = _renameat2()
    if rename is None:
        return False
    names = os.fsencode(first), os.fsencode(second)
    if rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNKNOWN:
        return False
    raise OSError(code, os.strerror(code), str(second))


@cache
def _renameat2() -> Any:
    """Return the function of the C library, None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is not None:
        path, number = ctypes.c_char_p, ctypes.c_int
        function.argtypes = (number, path, number, path, ctypes.c_uint)
    return function
