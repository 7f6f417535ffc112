"""Checkpoints: what a run has found so far, so that a killed one can go on.

A run that saves its result in ``DIR`` keeps in ``DIR/checkpoint`` what it would be a pity
to lose: the score tables, and for each search the networks found and the parts that are
still open. The same command finds it there and goes on; the result is the same, bit for
bit, because nothing is stored but what stands between two parts of the search, where a
run that was never stopped passes too. A finished run leaves no checkpoint.

===============  =====================================================================
`bundle`         one file: named arrays and plain values, with a digest; no pickle
`fingerprint`    what makes two commands the same: data, options, version
`checkpoint`     the directory of one run: its tables and its searches
`search_state`   the state of one search, written little by little
===============  =====================================================================
"""

from __future__ import annotations

from .checkpoint import FOLDER, Checkpoint
from .fingerprint import Fingerprint, fingerprint
from .search_state import SearchCheckpoint

__all__ = ["FOLDER", "Checkpoint", "Fingerprint", "SearchCheckpoint", "fingerprint"]
