"""``python -m benchmarks.scoring``: measure the growth, draw it, and print the powers."""

from __future__ import annotations

from ..paper.published import ROOT
from .growth import draw, exponents, measure_growth

measure_growth()
draw(ROOT / "docs" / "images" / "scoring-growth.png")
for (axis, file), (sets, seconds) in exponents().items():
    print(f"{axis:10} {file:14} sets {sets:.2f}  seconds {seconds:.2f}")
