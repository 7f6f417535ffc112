"""Predictions of the average on held-out data; it must not be worse than the best network."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from .prediction import SOURCES, study


@pytest.mark.parametrize("name", SOURCES)
def test_average_against_best(benchmark: BenchmarkFixture, name: str) -> None:
    """The log loss of the average is at most that of the best network, beyond noise."""
    found = benchmark.pedantic(study, (name, 60, 8), rounds=1)  # type: ignore[no-untyped-call]
    assert found.difference <= 2.5 * found.standard_error + 1e-9
    assert found.accuracy["average"] > 0.5
