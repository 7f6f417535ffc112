"""Constants with which even small tables are split many times; workers preload this file."""

from __future__ import annotations

import importlib

CONSTANTS = {
    "crediblenet.bounds.bounder.SUBSET_SECONDS": 1e6,
    "crediblenet.bounds.bounder.SMALL_BLOCK": 0,
    "crediblenet.bounds.bounder.HOPEFUL_GAP": -1.0,
    "crediblenet.enumeration.part_work.TIGHT": 0.0,
    "crediblenet.enumeration.part_work.LOOSE_ATTEMPT": 2,
    "crediblenet.enumeration.part_work.TIGHT_ATTEMPT": 2,
    "crediblenet.enumeration.part_work.EXACT_ATTEMPT": 4,
}


def dask_setup(_: object) -> None:
    """Set the constants in this process: Dask calls it when a worker starts."""
    for name, value in CONSTANTS.items():
        module, _, constant = name.rpartition(".")
        setattr(importlib.import_module(module), constant, value)
