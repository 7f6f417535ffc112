"""Every Bayesian network structure that the data cannot rule out."""

from __future__ import annotations

__version__ = "0.1.0"
