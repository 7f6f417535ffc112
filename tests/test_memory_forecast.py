"""How much memory scoring needs is said before, kept with the table, and held against the limit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import crediblenet as cn
from crediblenet.cli.display import LogDisplay
from crediblenet.memory_forecast import MemoryForecast
from crediblenet.report.account import facts


def columns(variables: int, rows: int, seed: int = 1) -> np.ndarray:
    """Return columns that each depend on two before them."""
    random = np.random.default_rng(seed)
    table = [random.integers(0, 2, rows), random.integers(0, 2, rows)]
    while len(table) < variables:
        first, second = random.integers(0, len(table), 2)
        table.append((table[first] | table[second]) ^ (random.random(rows) < 0.2))
    return np.array(table).T


UNPRUNED: list[dict[str, Any]] = [
    {"epsilon": math.inf},
    {"epsilon": math.inf, "max_parents": 3},
    {"rules": ["R1"]},
    {"rules": [], "forbid": ["V0->V1", "V3->V2"], "max_parents": 4},
    {"rules": ["R1"], "require": ["V0->V1"], "tiers": [["V0", "V1", "V2"], ["V3", "V4", "V5"]]},
    {"score": "qnml", "threads": 2},
]
PRUNED: list[dict[str, Any]] = [
    {},
    {"score": "aic", "bayes_factor": 3},
    {"score": "bdeu", "threads": 2},
    {"rules": ["R1", "R3"]},
    {"rules": ["R1", "C4"]},
    {"rules": ["R2"], "bayes_factor": 1000},
    {"require": ["V0->V1", "V2->V1", "V3->V4"], "forbid": ["V1->V5"]},
    {"max_parents": 2},
    {"max_parents": 1},
    {"max_parents": 0},
]


def named(variables: int, rows: int) -> dict[str, Any]:
    """Return the same columns with names."""
    return {f"V{v}": column for v, column in enumerate(columns(variables, rows).T)}


@pytest.mark.parametrize("options", [*UNPRUNED, *PRUNED], ids=str)
@pytest.mark.parametrize(("variables", "rows"), [(6, 40), (12, 300)])
def test_bounds_hold(variables: int, rows: int, options: dict[str, Any]) -> None:
    """What was taken lies between the bounds that were known before."""
    if "tiers" in options:
        rest = [f"V{v}" for v in range(6, variables)]
        options = {**options, "tiers": [options["tiers"][0], options["tiers"][1] + rest]}
    table = cn.score(named(variables, rows), **options)
    forecast, taken = table.memory_forecast, table.metadata["peak_memory"]
    assert forecast is not None
    assert forecast.expected is not None
    assert 0 < forecast.least <= taken <= forecast.most
    assert forecast.least <= forecast.expected <= forecast.most
    if options in UNPRUNED:
        assert forecast.expected >= taken
    if options.get("epsilon") == math.inf:  # nothing depends on the data
        assert forecast.most < 1.6 * taken + 50_000
        assert forecast.least > 0.7 * taken


def test_expected_with_pruning() -> None:
    """Where rules prune, the expected figure is far nearer to the truth than the bound."""
    table = cn.score(columns(22, 1000))
    forecast, taken = table.memory_forecast, table.metadata["peak_memory"]
    assert forecast is not None
    assert forecast.expected is not None
    assert taken / 3 < forecast.expected < 20 * taken
    assert forecast.expected < forecast.most / 5


@pytest.mark.parametrize(("variables", "most"), [(30, 3), (70, 2)])
@pytest.mark.parametrize("require", [[], ["V0->V1", "V2->V3"]])
def test_candidates_are_foreseen(variables: int, most: int, require: list[str]) -> None:
    """Where nearly all sets are kept, they are what takes memory, most of all at the end."""
    table = cn.score(
        named(variables, 100), score="aic", max_parents=most, epsilon=1e5, require=require
    )
    forecast, taken = table.memory_forecast, table.metadata["peak_memory"]
    assert len(table) > 100_000
    assert forecast is not None
    assert forecast.expected == pytest.approx(taken, rel=0.02)
    in_the_core, in_the_result, in_order = 24, 16, 16
    assert taken >= len(table) * (in_the_core + in_the_result + in_order)


def test_error_before_the_start() -> None:
    """Where the least that is needed exceeds the limit, nothing is counted."""
    heard: list[cn.Progress] = []
    with pytest.raises(
        cn.LimitError, match=r"22 variables needs at least \d+ MB .* limit of 102 MB"
    ):
        cn.score(columns(22, 1000), epsilon=math.inf, memory_limit=0.1, progress=heard.append)
    assert all(report.visited == 0 for report in heard)


def test_warning_and_going_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """More expected than allowed is a warning: the work may still fit."""
    forecast = MemoryForecast(least=1e6, expected=3e9, most=1e30)
    assert forecast.warning(4e9) == ""
    assert "about 3 GB of memory expected, and the limit is 1.0 GB" in forecast.warning(2**30)
    assert str(forecast).endswith("at least, more than any machine has at most")
    data, heard = columns(22, 1000), list[cn.Progress]()
    free = cn.score(data).metadata
    limit = (free["memory_forecast"]["expected"] + free["peak_memory"]) / 2
    # Not as memory_limit: so small a limit would be used up by what Python itself takes.
    monkeypatch.setattr("crediblenet.scores.memory_limit_bytes", lambda _: limit)
    table = cn.score(data, progress=heard.append)
    notes = [report.note for report in heard if report.note]
    assert any(note.startswith("memory: about") for note in notes)
    assert any(note.startswith("warning: about") for note in notes)
    assert table.metadata["peak_memory"] <= limit
    monkeypatch.setattr("crediblenet.scores.memory_limit_bytes", lambda _: limit / 4)
    with pytest.raises(cn.LimitError, match=r"exceeds the memory limit .* \(about \d+ MB were exp"):
        cn.score(data)


def test_said_in_the_log_and_in_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    """Even the shortest run says what it expected."""
    with LogDisplay() as display:
        result = cn.find(columns(6, 100), progress=display)
    assert "Scoring parent sets" in (log := capsys.readouterr().err)
    assert ": memory: about 0.1 MB expected, 0.1 MB at least, " in log
    stated = {fact.label: fact.value for group in facts(result) for fact in group.facts}
    assert stated["Memory foreseen"].startswith("about 0.1 MB expected")
    assert stated["Memory taken"] == "0.1 MB"


def test_live_display_keeps_the_note() -> None:
    """A note is a line of its own above the moving ones."""
    from rich.console import Console

    from crediblenet.cli.display import LiveDisplay

    console = Console(record=True, force_terminal=True, width=120)
    with LiveDisplay(console) as display:
        display(cn.Progress("scores", 0.1, note="memory: [about] 3 GB expected"))
        display(cn.Progress("scores", 0.2, visited=7))
    assert "memory: [about] 3 GB expected\n" in console.export_text()


def test_tables_from_elsewhere_have_none() -> None:
    """Nothing was foreseen for a table that was not scored here."""
    table = cn.ScoreTable.from_candidates(["a"], [{frozenset(): 1.0}])
    assert table.memory_forecast is None
    nothing = {"least": 0.0, "expected": None, "most": 0.0}  # the workers of a cluster scored
    assert replace(table, metadata={"memory_forecast": nothing}).memory_forecast is None
