"""Work on more than one machine: scoring and search on an existing Dask cluster.

Nothing here decides what is found. The search hands out the same parts with the same
knowledge, in the same order, to whoever works on them (`crediblenet.enumeration`), and a
candidate's cost does not depend on who scored it; so a result is the same, bit for bit, as
on one machine. Needs ``crediblenet[distributed]``.
"""

from __future__ import annotations

from .connection import check, connect
from .crew import ClusterCrew
from .scoring import score_on

__all__ = ["ClusterCrew", "check", "connect", "score_on"]
