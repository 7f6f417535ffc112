"""Pictures of a credible set, as matplotlib figures that are returned and not shown.

They are made without pyplot, so nothing piles up in the background and no window opens.
Save one with ``picture.savefig("network.pdf")``; a notebook displays it by itself.
"""

from __future__ import annotations

from ..exceptions import CredibleNetError

try:
    import matplotlib  # noqa: F401
except ModuleNotFoundError as error:
    raise CredibleNetError(
        "plots need matplotlib: pip install 'crediblenet[plots]' (the report does without)"
    ) from error

from .charts import plot_edges as plot_edges
from .charts import plot_levels as plot_levels
from .charts import plot_scores as plot_scores
from .network import Kind as Kind
from .network import plot as plot
from .style import Picture as Picture

__all__ = ["Kind", "Picture", "plot", "plot_edges", "plot_levels", "plot_scores"]
