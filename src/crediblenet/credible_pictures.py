"""What people look at: the methods of a credible set that make its report and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .credible_set import CredibleSet
    from .plotting import Kind, Picture

__all__ = ["CrediblePictures"]


class CrediblePictures:
    """The report and the pictures of a credible set.

    Jinja2 and matplotlib are imported when they are needed, and not before.
    """

    @property
    def _result(self) -> CredibleSet:
        return cast("CredibleSet", self)

    def report(self, path: str | PathLike[str], *, title: str | None = None) -> Path:
        """Write the report: one HTML file that opens offline and needs no other.

        Parameters
        ----------
        path
            Where to; an existing file is replaced.
        title
            What the data are called; the name of their file, unless given.

        Returns
        -------
        Path
            The file that was written.
        """
        from .report import report_data, write_report

        return write_report(report_data(self._result, title=title), path)

    def plot(self, threshold: float = 0.5, *, kind: Kind = "directed") -> Picture:
        """Draw the edges that are at least as probable as a threshold.

        See `crediblenet.plotting.plot`. Needs matplotlib, as all pictures do:
        ``pip install 'crediblenet[plots]'``.
        """
        from . import plotting

        return plotting.plot(self._result, threshold, kind=kind)

    def plot_edges(self) -> Picture:
        """Draw the matrix of edge probabilities; see `crediblenet.plotting.plot_edges`."""
        from . import plotting

        return plotting.plot_edges(self._result)

    def plot_scores(self) -> Picture:
        """Draw deviation from the optimum against rank, with Bayes factors as dashed lines.

        See `crediblenet.plotting.plot_scores`.
        """
        from . import plotting

        return plotting.plot_scores(self._result)

    def plot_levels(self, levels: Sequence[float] | None = None, *, edges: int = 20) -> Picture:
        """Draw how edge probabilities move between Bayes factors.

        See `crediblenet.plotting.plot_levels`.
        """
        from . import plotting

        return plotting.plot_levels(self._result, levels, edges=edges)
