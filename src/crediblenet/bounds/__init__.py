"""Bounds: which candidates can be in a credible network, and how good the optimum is.

The search space is cut into *parts*, each a set of candidates. A part is tightened, and
where that does not suffice split in two, so that every credible network lies in exactly
one part, and each part is small enough to be compiled.
"""

from __future__ import annotations

from .bounder import FEW_VARIABLES, Bounder
from .clusters import Clusters
from .guide import Guide, guide
from .local_cuts import LocalCuts
from .multipliers import proof
from .part import Part, Strong

__all__ = [
    "FEW_VARIABLES",
    "STATE_CLASSES",
    "Bounder",
    "Clusters",
    "Guide",
    "LocalCuts",
    "Part",
    "Strong",
    "guide",
    "proof",
]

#: What the state of a search consists of, besides arrays and plain values.
STATE_CLASSES = (Part, Strong, Clusters, LocalCuts)
