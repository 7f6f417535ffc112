"""Score files of other programs: candidate parent sets with their scores.

======  ===================================================  =====================
suffix  what it is                                           module
======  ===================================================  =====================
.jkl    scores as in Jaakkola et al. (2010), GOBNILP, blip   `jkl`
.pss    "parent set scores" of URLearning                    `pss`
======  ===================================================  =====================

Both hold log scores, which are negated costs. A file is untrusted input: whatever is wrong
with it ends in a `FormatError` that names the line, and nothing is ever allocated because
a file announces a large number.
"""

from __future__ import annotations

from .jkl import read_jkl, write_jkl
from .pss import read_pss, write_pss

__all__ = ["read_jkl", "read_pss", "write_jkl", "write_pss"]
