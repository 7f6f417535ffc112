"""Check a result against the data, without searching.

Whether a network that should be in the set is missing cannot be told without a search. What
can be told is whether everything that is there deserves to be: costs are recomputed from
the data with the plain formulas of `crediblenet.reference`, and cycles, equivalence, sizes
and weights with its plain algorithms. None of the code that made the result has a part.
"""

from __future__ import annotations

from .report import Check, Verification
from .verify import verify, verify_run

__all__ = ["Check", "Verification", "verify", "verify_run"]
