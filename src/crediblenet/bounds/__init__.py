"""Bounds: which candidates can be in a credible network, and how good the optimum is.

The search space is cut into *parts*, each a set of candidates, so that every credible
network lies in exactly one part, and each part is tight enough to be compiled.
"""

from __future__ import annotations

from .partition import Part, Partition, partition

__all__ = ["Part", "Partition", "partition"]
