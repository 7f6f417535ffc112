"""Verification: a true result passes, and each way of being wrong fails its own check."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import crediblenet as cn
from alterations import (
    ALTERATIONS,
    COLUMNS,
    ROWS,
    Altered,
    other_cost,
    true_result,
    with_networks,
)
from crediblenet import reference
from crediblenet.credible_set import CredibleSet
from crediblenet.data import as_continuous, as_dataset
from crediblenet.exceptions import DataError, ParameterError, VerificationError
from crediblenet.network import Network
from crediblenet.score_table import ScoreTable
from crediblenet.verification import Verification, verify
from instances import random_continuous_rows, random_data
from listed import bic_table, listed_set, on_grid


@pytest.fixture(scope="module")
def result() -> CredibleSet:
    """Return a true result."""
    return true_result()


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
