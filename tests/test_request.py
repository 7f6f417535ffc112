"""Which networks a user asks for, and the clock that watches the stages."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest

from crediblenet.exceptions import LimitError, ParameterError
from crediblenet.request import Request
from crediblenet.stopwatch import Stopwatch, peak_memory_mb


@pytest.mark.parametrize(
    ("given", "kind", "value"),
    [
        ({}, "epsilon", math.log(20)),
        ({"bayes_factor": 3}, "epsilon", math.log(3)),
        ({"bayes_factor": 1}, "epsilon", 0.0),
        ({"bayes_factor": math.inf}, "epsilon", math.inf),
        ({"epsilon": 0}, "epsilon", 0.0),
        ({"epsilon": 2.5}, "epsilon", 2.5),
        ({"factor": 1.01}, "factor", 1.01),
        ({"k": 7}, "k", 7),
        ({"k_classes": 1}, "k_classes", 1),
    ],
)
def test_one_way_to_say_it(given: dict[str, Any], kind: str, value: float) -> None:
    """Each option has its meaning, and a Bayes factor of 20 is the default."""
    assert Request.parse(**given) == Request(kind, value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        {"bayes_factor": 0.5},
        {"bayes_factor": math.nan},
        {"epsilon": -1e-9},
        {"epsilon": math.nan},
        {"factor": 0.99},
        {"factor": math.inf},
        {"factor": math.nan},
        {"k": 0},
        {"k": True},
        {"k": 2.5},
        {"k_classes": -3},
    ],
)
def test_nonsense_is_refused_by_name(given: dict[str, Any]) -> None:
    """The message names the option and its value."""
    ((name, value),) = given.items()
    with pytest.raises(ParameterError, match=rf"{name} .*not {value}"):
        Request.parse(**given)


def test_two_ways_at_once_are_refused() -> None:
    """The message names both options."""
    with pytest.raises(ParameterError, match=r"give epsilon or k, not both"):
        Request.parse(epsilon=1.0, k=2)


def test_the_clock_adds_up_stages() -> None:
    """Entering a stage twice adds to its time, and the total covers all."""
    clock = Stopwatch()
    for _ in range(2):
        with clock.stage("scores"):
            time.sleep(0.01)
    clock.add("bounds", 1.5)
    seconds = clock.seconds()
    assert seconds["scores"] >= 0.02
    assert seconds["bounds"] == 1.5
    assert seconds["total"] >= seconds["scores"]
    assert clock.remaining() is None


def test_the_clock_runs_out() -> None:
    """What is left falls, and nothing left is an error that names the limit."""
    clock = Stopwatch(0.05)
    assert 0 < (clock.remaining() or 0) <= 0.05
    time.sleep(0.06)
    with pytest.raises(LimitError, match=r"time limit of 0\.05 s"):
        clock.remaining()


@pytest.mark.parametrize("limit", [0.0, -1.0, math.nan])
def test_a_time_limit_is_positive(limit: float) -> None:
    """No time at all is no limit but a mistake."""
    with pytest.raises(ParameterError, match="time_limit"):
        Stopwatch(limit)


def test_peak_memory_counts_megabytes() -> None:
    """A Python process with numpy holds some dozens of megabytes, and never fewer later."""
    before = peak_memory_mb()
    block = bytearray(b"x") * 300_000_000
    assert 10 < before < 100_000
    assert peak_memory_mb() >= max(before, 300)
    del block
