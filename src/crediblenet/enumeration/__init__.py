"""The search: from candidate parent sets to every network within the limit.

The search space is worked on part by part (`part_work`), each part for itself, in this
process or another; `parts_search` decides which parts come next and joins what they gave.
"""

from __future__ import annotations

from .result import SearchResult
from .search_table import search

__all__ = ["SearchResult", "search"]
