"""The look that all pictures share, for print: thin lines, one hue, no decoration."""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from ..report.text import visible

__all__ = [
    "ACCENT",
    "FAINT",
    "INK",
    "LEVEL_MARKS",
    "LINE",
    "PAPER",
    "SHADES",
    "SOFT",
    "Picture",
    "frame",
    "label",
    "number",
]

INK, SOFT, FAINT, LINE, PAPER = "#1b2026", "#4d5866", "#b9c1cb", "#dfe3e8", "#ffffff"
ACCENT = "#1d5a9e"
# Pale to deep in one hue: told apart by lightness alone, in print and by every eye. The
# same shades as the report's.
SHADES = LinearSegmentedColormap.from_list(
    "probability", ["#e9eff5", "#a3c1df", "#6899c8", "#356fa8", "#15467c", "#0b3262"]
)
LEVEL_MARKS = (("o", "#15467c"), ("s", "#b8650f"), ("^", "#66717f"), ("D", "#2f7d4f"))

_LONGEST_NAME = 22


class Picture(Figure):
    """A matplotlib figure that a notebook displays without pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def label(name: str) -> str:
    """Shorten a name, and keep matplotlib from reading dollar signs as mathematics."""
    text = visible(name)
    text = text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
    return text.replace("$", r"\$")


def number(probability: float) -> str:
    """Write a probability in two places; 1 only when it is certain."""
    if probability >= 1 - 1e-9:
        return "1"
    if probability < 0.005:
        return "<.01"
    return ">.99" if probability >= 0.995 else f"{probability:.2f}"[1:]


def frame(axes: Axes) -> None:
    """Give a chart thin lines and quiet text."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(colors=SOFT, labelsize=9)
    axes.xaxis.label.set_color(SOFT)
    axes.yaxis.label.set_color(SOFT)
