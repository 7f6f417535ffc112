"""`python -m benchmarks.limits`: the whole command against its time limit."""

from __future__ import annotations

import numpy as np
from benchmarks.limits.runs import DATA, LIMITS, LONG, is_kept, measure, noise, render


def test_a_command_is_measured() -> None:
    """How it ended, and how long it took from start to end."""
    row = measure(noise()[:, :5], ("--bayes-factor", "3"), 100)
    assert (row["exit_code"], row["stopped_by"]) == (0, "")
    assert int(row["networks"]) >= 1
    assert 0.1 < row["cpu"] < 100


def test_late_commands_stand_out() -> None:
    """A second, or two per cent, is allowed."""
    row = {"data": "x", "limit": "10", "seconds": "10.9", "networks": "1"}
    late = {**row, "limit": "30", "seconds": "31.2"}
    long = {**row, "limit": "100", "seconds": "101.9"}
    assert [is_kept(r) for r in (row, late, long)] == [True, False, True]
    assert render([row, late]).splitlines()[-1] == "| x | – | – | +0.90 | **+1.20** | – |"
    assert LIMITS == (1, 3, 10, 30, 60)
    assert set(LONG) <= set(DATA)
    assert 0.02 * max(LIMITS) > 1  # so that two per cent are tried out, too


def test_data_are_the_same_every_time() -> None:
    """Every set of data, of the size that its name says."""
    for name, (make, _) in DATA.items():
        codes = make()
        assert str(codes.shape[1]) in name
        assert np.array_equal(codes, make())
