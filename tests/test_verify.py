"""Verification: a true result passes, and each way of being wrong fails its own check."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crediblenet as cn
from crediblenet import reference
from crediblenet.credible_class import CredibleClass
from crediblenet.credible_set import CredibleSet
from crediblenet.data import as_continuous, as_dataset
from crediblenet.exceptions import DataError, ParameterError, RunDirectoryError, VerificationError
from crediblenet.network import Network
from crediblenet.score_table import ScoreTable
from crediblenet.verification import Verification, verify, verify_run
from instances import random_continuous_rows, random_data
from listed import bic_table, listed_set, on_grid

# Three variables with enough networks within a Bayes factor of 20 to spoil.
ROWS = random_data(0, variables=(3, 3), rows=(60, 60)).rows
COLUMNS = {f"V{v}": column for v, column in enumerate(np.array(ROWS).T)}


@pytest.fixture(scope="module")
def result() -> CredibleSet:
    """Return a true result."""
    table = bic_table(ROWS)
    found = CredibleSet(table, listed_set(table, math.log(20))[0], math.log(20))
    assert found.n_classes is not None
    assert found.n_classes >= 3
    assert found.n_networks > found.n_classes
    return found


class Altered:
    """A result in which some attributes are not what they should be."""

    def __init__(self, result: CredibleSet, **changes: Any) -> None:
        self._result = result
        self._changes = changes

    def __getattr__(self, name: str) -> Any:
        changes = self.__dict__["_changes"]
        return changes[name] if name in changes else getattr(self.__dict__["_result"], name)


def with_networks(result: CredibleSet, change: Callable[[list[Network]], list[Network]]) -> Any:
    """Return the result with another list of networks."""
    changed = change(list(result.networks()))
    return Altered(result, networks=lambda: iter(changed))


def with_classes(
    result: CredibleSet, change: Callable[[list[CredibleClass]], list[CredibleClass]]
) -> Any:
    """Return the result with another list of classes."""
    changed = change(list(result.classes()))
    return Altered(result, classes=lambda: iter(changed))


def cyclic(network: Network) -> Network:
    """Return a network with a cycle in it."""
    sets = ((1,), (0,), *network.parent_sets[2:])
    return Network._trusted(network.names, sets, network.cost)


def other_cost(network: Network) -> Network:
    """Return the same network with a cost that is a little too low."""
    assert network.cost is not None
    return Network._trusted(network.names, network.parent_sets, network.cost - 1e-5)


def with_edge_probability(result: CredibleSet, a: int, b: int, change: float) -> Any:
    """Return the result with the probability of one edge changed."""
    edges = result.edge_probabilities()
    values = edges.directed.values.copy()
    values[a, b] += change
    changed = replace(edges, directed=replace(edges.directed, values=values))
    return Altered(result, edge_probabilities=lambda: changed)


def doubled_class(classes: list[CredibleClass]) -> list[CredibleClass]:
    """Put a class in a second time, under another of its networks."""
    for k, found in enumerate(classes):
        for member in found.networks():
            if member.parent_sets != found.representative.parent_sets:
                return [*classes[: k + 1], replace(found, representative=member), *classes[k + 1 :]]
    raise AssertionError("every class has one network only")


ALTERATIONS: dict[str, tuple[Callable[[CredibleSet], Any], set[str]]] = {
    "a network with a cycle": (
        lambda r: with_networks(r, lambda found: [cyclic(found[0]), *found[1:]]),
        {"acyclic", "cost", "weights", "edges"},
    ),
    "a class with a cycle": (
        lambda r: with_classes(
            r, lambda found: [replace(found[0], representative=cyclic(found[0].representative))]
        ),
        {"acyclic", "cost", "size", "counts", "weights"},
    ),
    "the cost of a network": (
        lambda r: with_networks(r, lambda found: [*found[:-1], other_cost(found[-1])]),
        {"cost"},
    ),
    "the cost of a class": (
        lambda r: with_classes(
            r, lambda found: [*found[:-1], replace(found[-1], cost=found[-1].cost + 1e-5)]
        ),
        {"cost"},
    ),
    "no cost": (
        lambda r: with_networks(
            r, lambda found: [Network._trusted(g.names, g.parent_sets, None) for g in found]
        ),
        {"cost"},
    ),
    "the optimal cost": (lambda r: Altered(r, optimal_cost=r.optimal_cost - 0.1), {"optimum"}),
    "epsilon": (lambda r: Altered(r, epsilon=r.epsilon / 2), {"within"}),
    "the order of networks": (
        lambda r: with_networks(r, lambda found: found[::-1]),
        {"order"},
    ),
    "the order of classes": (
        lambda r: with_classes(r, lambda found: found[::-1]),
        {"order"},
    ),
    "a network twice": (
        lambda r: with_networks(r, lambda found: [found[0], *found]),
        {"distinct", "size", "counts", "weights", "edges"},
    ),
    "a class twice": (
        lambda r: with_classes(r, doubled_class),
        {"distinct", "counts", "weights"},
    ),
    "a network missing": (
        lambda r: with_networks(r, lambda found: found[:-1]),
        {"size", "counts", "weights", "edges"},
    ),
    "a class missing": (
        lambda r: with_classes(r, lambda found: found[:-1]),
        {"counts", "weights"},
    ),
    "the size of a class": (
        lambda r: with_classes(r, lambda found: [replace(found[0], size=7), *found[1:]]),
        {"size", "counts"},
    ),
    "the number of networks": (lambda r: Altered(r, n_networks=r.n_networks + 1), {"counts"}),
    "the number of classes": (
        lambda r: Altered(r, n_classes=(r.n_classes or 0) + 1),
        {"counts"},
    ),
    "a weight": (
        lambda r: with_classes(
            r, lambda found: [replace(found[0], weight=found[0].weight + 1e-4), *found[1:]]
        ),
        {"weights"},
    ),
    "two weights": (
        lambda r: with_classes(
            r,
            lambda found: [
                replace(found[0], weight=found[1].weight),
                replace(found[1], weight=found[0].weight),
                *found[2:],
            ],
        ),
        {"weights"},
    ),
    "the probability of an edge": (lambda r: with_edge_probability(r, 0, 1, 1e-4), {"edges"}),
    "a negative probability": (lambda r: with_edge_probability(r, 0, 0, -1e-4), {"edges"}),
}


def failed_checks(result: Any, data: Any = COLUMNS, **options: Any) -> set[str]:
    """Return the names of the checks that fail."""
    try:
        verify(cast(CredibleSet, result), data, **options)
    except VerificationError as error:
        return {check.name for check in error.verification.checks if not check.passed}
    return set()


def test_a_true_result_passes(result: CredibleSet) -> None:
    """Every check passes, and every check looked at something."""
    verification = verify(result, COLUMNS)
    assert verification.passed
    assert all(check.checked and not check.left_out for check in verification.checks)
    assert verification.notes == ()
    assert verification["acyclic"].checked == result.n_networks + (result.n_classes or 0)


@pytest.mark.parametrize("what", ALTERATIONS)
def test_each_alteration_is_found(result: CredibleSet, what: str) -> None:
    """What is wrong fails its own checks, and no others."""
    alter, expected = ALTERATIONS[what]
    assert failed_checks(alter(result)) == expected


def test_every_check_can_fail() -> None:
    """Between them the alterations make every check fail."""
    table = bic_table(ROWS)
    true = CredibleSet(table, listed_set(table, 0.0)[0], 0.0)
    every = {check.name for check in verify(true, COLUMNS).checks}
    assert set().union(*(expected for _, expected in ALTERATIONS.values())) == every


def test_other_data_fail(result: CredibleSet) -> None:
    """One changed value shows in the costs."""
    changed = {name: column.copy() for name, column in COLUMNS.items()}
    changed["V0"][0] = changed["V0"][changed["V0"] != changed["V0"][0]][0]
    assert "cost" in failed_checks(result, changed)


def test_another_score_fails(result: CredibleSet) -> None:
    """The costs are those of one score only."""
    assert "cost" in failed_checks(result, score="bdeu")
    assert failed_checks(result, score="bic") == set()


def test_columns_are_found_by_name(result: CredibleSet) -> None:
    """The order of the columns does not matter, nor do further columns."""
    turned = dict(reversed([*COLUMNS.items(), ("extra", COLUMNS["V0"])]))
    assert failed_checks(result, turned) == set()
    assert failed_checks(result, as_dataset(turned)) == set()


def test_data_are_read_as_for_the_result(tmp_path: Path) -> None:
    """The options of the run are taken over, but for those of files when there is no file."""
    path = tmp_path / "data.txt"
    lines = [";".join(map(str, row)) for row in ROWS]
    path.write_text("\n".join([*lines, "?;?;?"]) + "\n")
    options: dict[str, Any] = {"header": False, "delimiter": ";", "format": "csv"}
    missing: dict[str, Any] = {"missing": "drop", "missing_values": ["?"]}
    result = cn.find(path, bayes_factor=3, **options, **missing)
    assert verify(result, path).passed
    assert verify(result, path, missing="drop").passed
    assert "cost" in failed_checks(result, path, missing="state")
    in_memory = {name: [*map(str, column), "?"] for name, column in COLUMNS.items()}
    assert verify(result, in_memory).passed


def test_a_missing_column(result: CredibleSet) -> None:
    """A variable that the data do not have is named."""
    others = {name: column for name, column in COLUMNS.items() if name != "V1"}
    with pytest.raises(DataError, match="no column 'V1'"):
        verify(result, others)


def test_a_score_file_does_not_say_what_it_is(result: CredibleSet) -> None:
    """The score has to be named then."""
    unnamed = cast(CredibleSet, Altered(result, score="file"))
    with pytest.raises(ParameterError, match="name the score, for example score='bic'"):
        verify(unnamed, COLUMNS)
    assert verify(unnamed, COLUMNS, score="bic").passed
    with pytest.raises(ParameterError, match="discrete data have no score 'bicc'"):
        verify(unnamed, COLUMNS, score="bicc")


def test_a_limit_is_told(result: CredibleSet) -> None:
    """What was not looked at is said, in the notes and at the checks concerned."""
    verification = verify(result, COLUMNS, limit=2)
    assert verification.passed
    assert verification["distinct"].checked == 4
    assert f"only the best 2 of {result.n_networks} networks" in verification.notes[0]
    assert f"only the best 2 of {result.n_classes} classes" in verification.notes[1]
    for name in ("counts", "weights", "edges"):
        assert verification[name].left_out
    with pytest.raises(ParameterError, match="limit must be at least 1"):
        verify(result, COLUMNS, limit=0)


def test_exactly_as_many_as_the_limit(result: CredibleSet) -> None:
    """A limit that is just enough leaves nothing out."""
    assert verify(result, COLUMNS, limit=result.n_networks).notes == ()


def test_no_classes(result: CredibleSet) -> None:
    """A result that cannot list its classes is checked network by network."""
    verification = verify(cast(CredibleSet, Altered(result, n_classes=None)), COLUMNS)
    assert verification.passed
    assert verification.notes == ("the result lists no classes",)
    assert verification["size"].checked == 0


def test_an_incomplete_result(result: CredibleSet) -> None:
    """What is there is checked; that more may be missing is said."""
    rows = [row for _, row in result.network_set.networks(2**62)][:-1]
    part = CredibleSet(
        result.table,
        type(listed_set(result.table, 0.0)[0])(result.table, np.array(rows)),
        result.epsilon,
        complete=False,
        stopped_by="time",
    )
    verification = verify(part, COLUMNS)
    assert "stopped by time" in verification.notes[-1]


@pytest.mark.parametrize("prior", ["dags", "classes"])
def test_both_priors(result: CredibleSet, prior: Any) -> None:
    """Weights and probabilities are recomputed under the prior of the result."""
    assert failed_checks(result.with_prior(prior)) == set()
    other = result.with_prior("classes" if prior == "dags" else "dags")
    mixed = Altered(result.with_prior(prior), classes=other.classes)
    assert failed_checks(mixed) == {"weights"}


def test_a_prior_of_the_user(result: CredibleSet) -> None:
    """Weights under the user's own prior are not recomputed, and that is said."""
    verification = verify(result.with_prior(per_edge=-1.0), COLUMNS)
    assert verification["weights"].left_out == "the prior is the user's own"
    assert verification.passed


def test_report_as_text_and_values(result: CredibleSet) -> None:
    """A report can be printed and written as JSON."""
    alter, _ = ALTERATIONS["the cost of a network"]
    with pytest.raises(VerificationError) as caught:
        verify(alter(result), COLUMNS)
    assert str(caught.value).startswith("the result does not hold: network 11 is said to cost")
    assert str(caught.value).endswith("(failed checks: cost)")
    verification: Verification = caught.value.verification
    text = str(verification)
    assert "ok      acyclic" in text
    assert "FAILED  cost" in text
    assert "is said to cost" in text
    values = json.loads(json.dumps(verification.to_dict()))
    assert values["passed"] is False
    assert [c["name"] for c in values["checks"] if c["failed"]] == ["cost"]
    with pytest.raises(KeyError):
        verification["nonsense"]


def test_many_failures_are_counted_and_few_told(result: CredibleSet) -> None:
    """The first failures are told in words, all are counted."""

    def spoil(found: list[Network]) -> list[Network]:
        return [other_cost(network) for network in found]

    with pytest.raises(VerificationError) as caught:
        verify(with_networks(result, spoil), COLUMNS)
    check = caught.value.verification["cost"]
    assert check.n_failures == result.n_networks
    assert len(check.failures) == 5
    assert f"and {result.n_networks - 5:,} more" in str(check)


def random_true_results() -> Iterator[tuple[CredibleSet, dict[str, Any]]]:
    """Yield true results of random data."""
    for seed in range(40):
        data = random_data(seed, variables=(2, 4), rows=(10, 200))
        if any(len(set(column)) == 1 for column in zip(*data.rows, strict=True)):
            continue
        table = bic_table(data.rows)
        epsilon = math.log([3, 20, 150][seed % 3])
        columns = {f"V{v}": column for v, column in enumerate(np.array(data.rows).T)}
        yield CredibleSet(table, listed_set(table, epsilon)[0], epsilon), columns


def test_random_true_results_pass() -> None:
    """No true result is accused."""
    results = list(random_true_results())
    assert len(results) > 20
    for found, columns in results:
        assert failed_checks(found, columns) == set()


@pytest.mark.parametrize("score", ["bge", "bic-g"])
def test_continuous_data(score: str) -> None:
    """Results of Gaussian scores are checked against rows of numbers."""
    rows = random_continuous_rows(3, variables=(3, 3))
    names = ["a", "b", "c"]
    costs = reference.local_costs(rows, score)
    table = on_grid(ScoreTable.from_candidates(names, costs, score=score))
    true = CredibleSet(table, listed_set(table, 2.0)[0], 2.0)
    columns = dict(zip(names, np.array(rows).T, strict=True))
    assert verify(true, columns).passed
    assert verify(true, as_continuous(columns)).passed
    assert "cost" in failed_checks(true, {**columns, "a": columns["a"] * 1.01})
    with pytest.raises(ParameterError, match="continuous data have no score 'bic'"):
        verify(true, as_continuous(columns), score="bic")


# Run directories -----------------------------------------------------------------------


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
