"""`python -m benchmarks.width`: the core that has no width to choose."""

from __future__ import annotations

import pytest
from benchmarks.width import one_width


def test_both_must_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Medians of each, and an error if one of them finds something else."""
    monkeypatch.setattr(one_width, "build", lambda _: None)

    def row(seconds: float, networks: str = "7") -> dict[str, dict[str, object]]:
        figures = {"candidates": 3, "networks": networks, "scores": seconds, "search": 1.0}
        return {"zoo": figures}

    times = iter([2.0, 1.0] * 4 + [9.0, 9.0])
    monkeypatch.setattr(one_width, "measured_with", lambda _: row(next(times)))
    (found,) = one_width.compare()
    assert (found["scores_chosen"], found["scores_only_one"]) == (2.0, 1.0)
    assert "| 2.00 |" in one_width.describe([{k: str(v) for k, v in found.items()}])
    answers = iter(["7"] * 9 + ["8"])
    monkeypatch.setattr(one_width, "measured_with", lambda _: row(1.0, next(answers)))
    with pytest.raises(AssertionError, match="zoo"):
        list(one_width.compare())
