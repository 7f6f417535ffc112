"""Every stage says how much memory it is going to need, and what it takes bears that out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core
from crediblenet.cli.display import LogDisplay
from crediblenet.enumeration.space import SearchSpace
from crediblenet.report.account import facts
from crediblenet.stage_memory import StageMemory, bounds_memory

MEGABYTE = 2**20

# Runs search and averages, and says what was foreseen and what the process took, stage by stage.
MEASURING = """
import json, sys
from pathlib import Path

import numpy as np

import crediblenet as cn
import crediblenet.bounds.method as method
from crediblenet.enumeration import search
from crediblenet.libraries import load_libraries
from crediblenet.memory import resident_bytes
from crediblenet.stage_memory import averages_memory

case, folder = json.loads(sys.argv[1]), Path(sys.argv[2])

def begin():
    Path("/proc/self/clear_refs").write_text("5")  # the peak is what is held now
    return resident_bytes()

def taken(before):
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return 1024 * peak - before

load_libraries()
cn.find(cn.example("cancer").data).save(folder / "first")  # what is loaded on first use
random = np.random.default_rng(3)
columns = [random.integers(0, 2, 200)]
while len(columns) < case["variables"]:
    copied = random.random(200) < 0.7
    columns.append(np.where(copied, columns[-1], random.integers(0, 2, 200)))
table = cn.score(np.array(columns).T, **case["options"])
for name, value in case["constants"].items():
    setattr(method, name, value)
before = begin()
found = search(table, 1.0)
searched = taken(before)
result = cn.CredibleSet(table, found.network_set, 1.0, representatives=found.representatives)
result.statistics.update(found.statistics)
foreseen = averages_memory(result, sys.maxsize)
before = begin()
result.save(folder / "run")
result.report(folder / "report.html")
print(json.dumps({
    "bounds": found.memory_foreseen["bounds"],
    "enumeration": found.memory_foreseen["enumeration"],
    "averages": foreseen.to_dict(),
    "programs": found.statistics["subset_programs"],
    "searched": searched,
    "averaged": taken(before),
}))
"""

SUBSETS, LINES = {"LINEAR_SECONDS": 1e9}, {"SUBSET_SECONDS": 1e9}
CASES: list[dict[str, Any]] = [
    # A large table of subsets for few candidates, and the other way round.
    {"variables": 20, "options": {"max_parents": 2, "bayes_factor": 3}, "constants": SUBSETS},
    {"variables": 15, "options": {"max_parents": 5, "rules": []}, "constants": SUBSETS},
    {"variables": 13, "options": {"max_parents": 5, "rules": []}, "constants": LINES},
]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux only")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['variables']} variables")
def test_against_the_measured_peak(case: dict[str, Any], tmp_path: Path) -> None:
    """The process takes no less than what was surely needed, and no more than the most."""
    command = [sys.executable, "-c", MEASURING, json.dumps(case), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    bounds, averages = StageMemory(**said["bounds"]), StageMemory(**said["averages"])
    least = max(bounds.least, said["enumeration"]["least"])
    # Some of it may be had from what was freed before: a megabyte.
    assert least <= said["searched"] + MEGABYTE
    if bounds.expected is not None:
        assert said["programs"] > 0
        assert least <= bounds.expected
        assert said["searched"] <= bounds.expected + 4 * MEGABYTE
    else:
        assert said["programs"] == 0
    assert averages.most is not None
    assert averages.least <= averages.most
    assert said["averaged"] <= averages.most


def columns(variables: int = 6, rows: int = 100) -> np.ndarray[Any, Any]:
    """Return columns that each depend on the one before."""
    random = np.random.default_rng(1)
    steps = random.integers(0, 2, (rows, variables)) & random.integers(0, 2, (rows, variables))
    return np.bitwise_xor.accumulate(steps, axis=1)


def test_said_in_the_log_the_result_and_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before each stage, and kept: a run that is read back still knows."""
    with LogDisplay() as display:
        result = cn.find(columns(), progress=display)
    lines = [line for line in capsys.readouterr().err.splitlines() if "memory: " in line]
    stages = [line.removeprefix("crediblenet: ").partition(",")[0] for line in lines]
    assert [stage.partition(":")[0] for stage in stages] == [
        "Scoring parent sets",
        "Proving the optimum",
        "Finding all networks",
        "Averaging over them",
    ]
    result.save(tmp_path / "run")
    for found in (result, cn.load(tmp_path / "run")):
        assert list(found.statistics["memory_foreseen"]) == ["bounds", "enumeration", "averages"]
        stated = {fact.label: fact.value for group in facts(found) for fact in group.facts}
        assert "for the subset program over" in stated["Memory foreseen: bounds"]
        assert stated["Memory foreseen: enumeration"].startswith("0.1 MB at least")
        assert stated["Memory foreseen: averages"].endswith("files and the report")


def test_a_table_that_does_not_fit_is_said() -> None:
    """Linear programs take the place of the subset program, and the note says why."""
    space = SearchSpace.within(cn.score(columns()), 1.0)
    free, tight = _core.Control(), _core.Control(memory_limit=2**19)
    assert bounds_memory(space, free).purpose.startswith("for the subset program over")
    foreseen = bounds_memory(space, tight)
    assert foreseen.expected is None
    assert foreseen.purpose.startswith("for linear programs, because the table of the subset")
    assert foreseen.purpose.endswith("would take 1.0 MB, which is more than the limit allows")


def test_notes_are_not_repeated() -> None:
    """The k best take several searches, and each note is heard once."""
    heard: list[cn.Progress] = []
    cn.find(columns(), k=200, progress=heard.append)
    notes = [(report.stage, report.note) for report in heard if report.note]
    assert len(notes) == len(set(notes))


def test_words_and_warning() -> None:
    """What cannot be known is left out, and what cannot fit is said."""
    known = StageMemory(3e6, 5e6, 8e6, "for a test")
    assert str(known).startswith("memory: about 5 MB expected, 3 MB at least, 8 MB at most, for")
    assert known.warning(4e6) == ""
    assert "at least 3 MB of memory needed, and the limit leaves 1.0 MB" in known.warning(2**20)
    assert StageMemory.from_dict(json.loads(json.dumps(known.to_dict()))) == known
    for other in ("much", {}, {**known.to_dict(), "least": None}, {**known.to_dict(), "most": "x"}):
        assert StageMemory.from_dict(other) is None
