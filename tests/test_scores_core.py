"""The core checks what it is given: no call can crash the interpreter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from crediblenet import _core

N = 3


def discrete(**changes: Any) -> dict[str, Any]:
    """Return good arguments, but for the changes."""
    codes = np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 2, 1]], dtype=np.uint16)
    return {
        "codes": codes,
        "arities": [2, 2, 3],
        "weights": np.array([1, 2, 1, 5], dtype=np.int64),
        "score": "bic",
        "ess": 1.0,
        "epsilon": 3.0,
        "max_parents": N,
        "constant": [False] * N,
        "required": [[], [], []],
        "forbidden": [[], [], []],
        "rules": ["R1"],
        "threads": 1,
        "control": _core.Control(),
        **changes,
    }


def continuous(**changes: Any) -> dict[str, Any]:
    """Return good arguments, but for the changes."""
    common = discrete(score="bge", alpha_mu=1.0, values=np.arange(15.0).reshape(5, 3) ** 2)
    for name in ("codes", "arities", "weights", "ess"):
        del common[name]
    return {**common, **changes}


def test_good_arguments() -> None:
    """The arguments that the tests below spoil are good."""
    assert len(_core.score_discrete(**discrete())["costs"]) >= N
    assert len(_core.score_continuous(**continuous())["costs"]) >= N


SHARED: list[dict[str, Any]] = [
    {"epsilon": -1.0},
    {"epsilon": math.nan},
    {"constant": [False]},
    {"required": [[], []]},
    {"required": [[3], [], []]},
    {"required": [[0], [], []]},
    {"forbidden": [[], [], [9]]},
    {"rules": ["R9"]},
    {"threads": 0},
    {"threads": 5000},
    {"score": "nonsense"},
]
DISCRETE: list[dict[str, Any]] = [
    {"codes": np.zeros((0, 4), dtype=np.uint16)},
    {"codes": np.zeros((513, 4), dtype=np.uint16)},
    {"codes": np.zeros((N, 0), dtype=np.uint16), "weights": np.zeros(0, dtype=np.int64)},
    {"codes": np.full((N, 4), 7, dtype=np.uint16)},
    {"arities": [2, 2]},
    {"arities": [0, 0, 0]},
    {"weights": np.array([1, 2, 1], dtype=np.int64)},
    {"weights": np.array([1, 0, 1, 1], dtype=np.int64)},
    {"weights": np.array([1, -4, 1, 1], dtype=np.int64)},
    {"weights": np.full(4, 2**31 - 1, dtype=np.int64)},
    {"ess": 0.0},
    {"ess": math.inf},
    {"ess": math.nan},
]
CONTINUOUS: list[dict[str, Any]] = [
    {"values": np.zeros((0, 3))},
    {"values": np.zeros((4, 0))},
    {"values": np.full((4, 3), math.nan)},
    {"alpha_mu": 0.0},
    {"alpha_mu": math.nan},
]


@pytest.mark.parametrize("spoiled", [*SHARED, *DISCRETE], ids=lambda spoiled: next(iter(spoiled)))
def test_spoiled_discrete_arguments(spoiled: dict[str, Any]) -> None:
    """A plain ValueError."""
    with pytest.raises(ValueError, match=r"."):
        _core.score_discrete(**discrete(**spoiled))


@pytest.mark.parametrize("spoiled", [*SHARED, *CONTINUOUS], ids=lambda spoiled: next(iter(spoiled)))
def test_spoiled_continuous_arguments(spoiled: dict[str, Any]) -> None:
    """A plain ValueError."""
    with pytest.raises(ValueError, match=r"."):
        _core.score_continuous(**continuous(**spoiled))


@pytest.mark.parametrize(
    "spoiled",
    [
        {"codes": [[0, 1]]},
        {"codes": None},
        {"arities": [-1, 2, 3]},
        {"max_parents": -1},
        {"control": None},
        {"rules": [1]},
    ],
    ids=lambda spoiled: next(iter(spoiled)),
)
def test_wrong_types(spoiled: dict[str, Any]) -> None:
    """A TypeError, as for any Python function."""
    with pytest.raises(TypeError):
        _core.score_discrete(**discrete(**spoiled))
