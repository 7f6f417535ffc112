"""Verification of a run directory: what its files say is checked as well."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from alterations import COLUMNS, true_result
from crediblenet.credible_set import CredibleSet
from crediblenet.exceptions import RunDirectoryError, VerificationError
from crediblenet.verification import verify, verify_run


@pytest.fixture(scope="module")
def result() -> CredibleSet:
    """Return a true result."""
    return true_result()


@pytest.fixture
def run(result: CredibleSet, tmp_path: Path) -> Path:
    """Return the directory of a saved run."""
    result.save(tmp_path / "run")
    return tmp_path / "run"


def edit(run: Path, name: str, change: Callable[[Path], None]) -> None:
    """Change a file of a run, and its digest with it, as a faulty program would."""
    change(run / name)
    summary = json.loads((run / "summary.json").read_text())
    if name != "summary.json":
        content = (run / name).read_bytes()
        digest = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        summary["files"][name] = digest
        (run / "summary.json").write_text(json.dumps(summary))


def in_summary(**changes: Any) -> Callable[[Path], None]:
    """Return a change of summary.json."""

    def change(path: Path) -> None:
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


def in_classes(column: str, values: Callable[[list[Any]], list[Any]]) -> Callable[[Path], None]:
    """Return a change of one column of classes.parquet."""

    def change(path: Path) -> None:
        table = pq.read_table(path)
        index = table.column_names.index(column)
        changed = pa.array(values(table.column(column).to_pylist()), table.schema.types[index])
        pq.write_table(table.set_column(index, table.schema.field(index), changed), path)

    return change


def in_text(pattern: str, replacement: str) -> Callable[[Path], None]:
    """Return a change of the first place in a text that matches."""

    def change(path: Path) -> None:
        changed, found = re.subn(pattern, replacement, path.read_text(), count=1)
        assert found
        path.write_text(changed)

    return change


def failed_checks_of_run(run: Path) -> set[str]:
    """Return the names of the checks that fail."""
    try:
        verify_run(run, COLUMNS)
    except VerificationError as error:
        return {check.name for check in error.verification.checks if not check.passed}
    return set()


def test_a_true_run_passes(run: Path, result: CredibleSet) -> None:
    """A saved run passes every check, as the result in memory does."""
    saved, in_memory = verify_run(run, COLUMNS), verify(result, COLUMNS)
    assert [c.checked for c in saved.checks] == [c.checked for c in in_memory.checks]
    assert saved.notes == ()


RUN_ALTERATIONS: dict[str, tuple[str, Callable[[Path], None], set[str]]] = {
    "number of networks": ("summary.json", in_summary(networks=12), {"counts"}),
    "number of classes": ("summary.json", in_summary(classes=4), {"counts"}),
    "optimal cost": ("summary.json", in_summary(optimal_cost=1.0), {"optimum"}),
    "epsilon": ("summary.json", in_summary(epsilon=0.5), {"within", "counts"}),
    "size": (
        "classes.parquet",
        in_classes("networks", lambda x: ["5", *x[1:]]),
        {"size", "counts"},
    ),
    "cost": ("classes.parquet", in_classes("cost", lambda x: [x[0] + 1, *x[1:]]), {"cost"}),
    "weight": ("classes.parquet", in_classes("weight", lambda x: [0.5, *x[1:]]), {"weights"}),
    "parents": (
        "classes.parquet",
        in_classes("parents", lambda x: [x[1], *x[1:]]),
        {"cost", "distinct", "size", "weights"},
    ),
    "cycle": (
        "classes.parquet",
        in_classes("parents", lambda x: [[["V1"], ["V0"], []], *x[1:]]),
        {"acyclic", "cost"},
    ),
    "edge": ("edges.csv", in_text(r"(?m)^V0,V1,[^,]+", "V0,V1,0.123"), {"edges"}),
    "adjacency": ("edges.csv", in_text(r"(?m)^(V0,V1,[^,]+,[^,]+),[^,]+", r"\1,0.5"), {"edges"}),
}


@pytest.mark.parametrize("what", RUN_ALTERATIONS)
def test_what_the_files_say_is_checked(run: Path, what: str) -> None:
    """A wrong entry in a file of the run fails its check, though the networks are right."""
    name, change, expected = RUN_ALTERATIONS[what]
    edit(run, name, change)
    assert expected <= failed_checks_of_run(run)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("classes.parquet", in_classes("parents", lambda x: [[["what"], [], []], *x[1:]])),
        ("classes.parquet", in_classes("networks", lambda x: ["many", *x[1:]])),
        ("edges.csv", in_text("V0", "what")),
        ("edges.csv", in_text("probability", "chance")),
        ("edges.csv", in_text(r"(?m)^V0,V1,[^,]+", "V0,V1,high")),
    ],
)
def test_files_that_cannot_be_used(run: Path, name: str, change: Callable[[Path], None]) -> None:
    """A file that makes no sense is an error of the run directory."""
    edit(run, name, change)
    with pytest.raises(RunDirectoryError, match=f"{name} cannot be used"):
        verify_run(run, COLUMNS)


def test_classes_that_were_not_counted_are_checked(run: Path) -> None:
    """Where nobody says how many there are, those in the file are looked at all the same."""
    edit(run, "summary.json", in_summary(classes=None))
    verification = verify_run(run, COLUMNS)
    assert verification["size"].checked > 0
    assert verification["weights"].checked > 0
    assert any("how many there are is not known" in note for note in verification.notes)
    edit(run, "classes.parquet", in_classes("cost", lambda costs: [cost - 1 for cost in costs]))
    assert "cost" in failed_checks_of_run(run)
    edit(run, "classes.parquet", in_classes("weight", lambda weights: weights[::-1]))
    assert "weights" in failed_checks_of_run(run)
