"""Make the pictures of the report that the documentation shows.

Needs Chromium, and the packages of the ``test`` extra. Run from anywhere::

    python docs/images/make.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import crediblenet as cn

HERE = Path(__file__).parent
WIDTH = 1180


def shoot(page: Page, name: str, first: str, last: str | None = None) -> None:
    """Save the page from the top of one element to the bottom of another."""
    top = page.locator(first).bounding_box()
    end = page.locator(last or first).bounding_box()
    if top is None or end is None:
        raise RuntimeError(f"{first} or {last} is not on the page")
    clip: Any = {
        "x": 0.0,
        "y": max(0.0, top["y"] - 12),
        "width": float(WIDTH),
        "height": end["y"] + end["height"] - top["y"] + 24,
    }
    target = HERE / f"{name}.png"
    page.screenshot(path=target, clip=clip, full_page=True)
    # Few colours are in it: a palette makes the file a third as large.
    Image.open(target).convert("RGB").quantize(128).save(target, optimize=True)


def main() -> None:
    """Find the credible set of the built-in example, and photograph its report."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("Chromium is not installed")
    result = cn.find(cn.example("asia").data, bayes_factor=150)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        report = result.report(Path(directory) / "report.html", title="asia")
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, device_scale_factor=1.25)
        page.goto(report.as_uri())
        page.locator("#variable").select_option(label="either")
        shoot(page, "report", ".masthead", "#consensus")
        shoot(page, "report-edges", "#edges")
        shoot(page, "report-levels", "#levels h3", "#levels tbody tr:nth-child(6) >> nth=-1")
        shoot(page, "report-scores", "#scores")
        browser.close()


if __name__ == "__main__":
    main()
