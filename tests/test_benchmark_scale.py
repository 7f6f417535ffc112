"""`python -m benchmarks.scale`: data of hundreds of variables, and the page about them."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.scale.page import render, summary
from benchmarks.scale.runs import Run, run, runs
from benchmarks.scale.structures import STRUCTURES, draw


@pytest.mark.parametrize("structure", STRUCTURES)
def test_data_are_the_same_for_a_seed(structure: str) -> None:
    """And others for another; every column varies or is rare, none is missing."""
    first = draw(structure, 100, 1000, 1)
    assert first.shape == (1000, 100)
    assert np.array_equal(first, draw(structure, 100, 1000, 1))
    assert not np.array_equal(first, draw(structure, 100, 1000, 2))
    assert first.max() <= 3


def test_neighbours_in_a_grid_depend_on_each_other() -> None:
    """More than variables far apart."""
    sample = draw("grid", 100, 2000, 3)
    assert dependence(sample[:, 44], sample[:, 45]) > 5 * dependence(sample[:, 0], sample[:, 99])


def dependence(a: np.ndarray, b: np.ndarray) -> float:
    """Return the mutual information of two columns."""
    joint = np.zeros((4, 4))
    np.add.at(joint, (a, b), 1 / len(a))
    independent = joint.sum(1, keepdims=True) * joint.sum(0)
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / independent[seen])).sum())


def test_a_run_is_measured_and_shown() -> None:
    """In a process of its own, and every column of its row reaches the page or the CSV."""
    row = run(Run("tree", 12, 2, "bic"), 60.0)
    assert (row["complete"], row["failed"], row["gap"]) == ("yes", None, 0.0)
    as_text = {name: "" if value is None else str(value) for name, value in row.items()}
    stopped = {**as_text, "complete": "no", "stopped_by": "time", "gap": "2.5"}
    assert "1 complete, 0 more" in summary([as_text, stopped])
    unscored = {**stopped, "gap": "", "stopped_by": "the time limit was reached"}
    said = summary([as_text, stopped, unscored])
    assert "1 with a stated gap, 1 that did not end scoring in time, 0 failed" in said
    lines = render([as_text, stopped]).splitlines()
    assert "| complete | 0 |" in lines[2]
    assert "| time | 2.50 | ≥ " in lines[3]
    bounds = [{**stopped, "classes_at_least": text} for text in ("", "34567", "2" + "39" * 30)]
    proved = {**bounds[1], "gap": "0.0", "classes_at_least": "34569"}
    nearly = {**bounds[2], "classes_surely": "34568"}
    said = summary([{**as_text, "classes": "34567"}, *bounds, proved, nearly])
    assert "Of the 4 others with a lower bound on their classes, 2 have more for certain" in said
    assert ", 34,568 at least, and 1 if the best network found is the optimum." in said
    all_of_these = [*bounds, proved, nearly]
    shown = [text.split(" | ")[8] for text in render(all_of_these).splitlines()[2:]]
    assert shown[:3] == ["–", "≥ 34,567", "≥ 2.3 · 10^60"]
    assert shown[3:] == ["≥ 34,569", "≥ 2.3 · 10^60 (34,568)"]


def test_all_runs() -> None:
    """Three sizes, two limits, two scores."""
    assert len(list(runs())) == 12 * len(STRUCTURES)
