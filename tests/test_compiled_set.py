"""A compiled set from a file: whatever the file says, it is refused or it is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import crediblenet as cn
from crediblenet.compiled_set import CompiledSet
from crediblenet.counted_set import stored_set
from crediblenet.exceptions import RunDirectoryError

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def found() -> cn.CredibleSet:
    """Return a set whose circuit has choices and products."""
    return cn.find(cn.example("cancer").data, bayes_factor=150)


def stored(lines: Lines, schema: pa.Schema, max_cost: int) -> dict[str, pa.Table]:
    """Return lines as the table that a run directory holds."""
    table = pa.Table.from_pylist(lines, schema=schema)
    return {"circuit": table.replace_schema_metadata({"max_cost": str(max_cost)})}


def some(lines: Lines, kind: int) -> dict[str, Any]:
    """Return the last node of a kind."""
    return next(line for line in reversed(lines) if line["kind"] == kind)


def repeat_a_factor(lines: Lines) -> None:
    """Make a product of the same node twice."""
    node = some(lines, 2)
    node["children"] = [node["children"][0]] * 2


FORGERIES: dict[str, Callable[[Lines], object]] = {
    "do not match each other": lambda lines: lines.clear(),
    "unknown kind": lambda lines: lines[-1].update(kind=3),
    "unknown candidate": lambda lines: some(lines, 0).update(candidate=10**9),
    "without its children": lambda lines: some(lines, 1).update(children=[]),
    "a node without": lambda lines: some(lines, 2)["children"].pop(),
    "not in order": lambda lines: some(lines, 1)["children"].append(len(lines)),
    "mixes up its variables": repeat_a_factor,
    "does not cover all": lambda lines: lines.__delitem__(slice(1, None)),
    "no network within its limit uses": lambda lines: lines.insert(0, dict(some(lines, 0))),
}


@pytest.mark.parametrize("message", FORGERIES)
def test_forged_circuits_are_refused(found: cn.CredibleSet, message: str) -> None:
    """A circuit that is none ends in one clear error, not in a crash."""
    networks = found.network_set
    assert isinstance(networks, CompiledSet)
    table = networks.to_arrow()["circuit"]
    lines = table.to_pylist()
    if message == "no network within its limit uses":
        for line in lines:  # a node is put in front, so all others move on by one
            line["children"] = [child + 1 for child in line["children"]]
    FORGERIES[message](lines)
    with pytest.raises(RunDirectoryError, match=message):
        stored_set(found.table, stored(lines, table.schema, networks.max_cost))


def test_a_limit_below_the_networks_is_refused(found: cn.CredibleSet) -> None:
    """Nodes that no network within the limit uses are no part of a set."""
    networks = found.network_set
    assert isinstance(networks, CompiledSet)
    table = networks.to_arrow()["circuit"]
    lines = table.to_pylist()
    again = stored_set(found.table, stored(lines, table.schema, networks.max_cost))
    assert again.levels()[1] == networks.levels()[1]
    with pytest.raises(RunDirectoryError, match="no network within its limit"):
        stored_set(found.table, stored(lines, table.schema, networks.optimal_cost - 1))
