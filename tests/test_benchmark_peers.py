"""`python -m benchmarks.peers`: like is compared with like."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers import page, process
from benchmarks.peers.gaussian import as_our_cost
from benchmarks.peers.process import Interpreters, MissingPeerError, PeerFailedError, write_data
from benchmarks.peers.sampled import exact_edges, with_fair_prior
from benchmarks.rows import read_rows, write_rows
from benchmarks.sampling import discrete_sample, gaussian_sample

import crediblenet as cn

HERE = Interpreters([sys.executable])


def test_a_missing_peer_is_named() -> None:
    """With every interpreter that was tried, and what can be done."""
    with pytest.raises(MissingPeerError, match=r"no interpreter has nosuchpeer .*--python"):
        HERE.run("pgmpy_exhaustive", "nosuchpeer", {}, 60)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("raise ValueError('no good data')", "ValueError: no good data"),
        ("import time; time.sleep(60)", "not done after 2 s"),
    ],
)
def test_a_peer_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, expected: str
) -> None:
    """The last line of its error, or that it took too long."""
    (tmp_path / "broken.py").write_text(program)
    monkeypatch.setattr(process, "PROGRAMS", tmp_path)
    with pytest.raises(PeerFailedError, match=expected):
        HERE.run("broken", "json", {}, 2)


def test_a_peer_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line that it prints is its answer."""
    (tmp_path / "echo.py").write_text("import sys; print('hello'); print(sys.argv[1])")
    monkeypatch.setattr(process, "PROGRAMS", tmp_path)
    assert HERE.run("echo", "json", {"n": 3}, 60) == {"n": 3}


def test_causal_learns_score_in_our_unit(tmp_path: Path) -> None:
    """N ln(RSS/N) + p ln N, summed over a network, becomes the cost of that network."""
    rows = gaussian_sample(4, 200, seed=1)
    write_data(tmp_path / "data.csv", rows)
    best = next(iter(cn.find(tmp_path / "data.csv", score="bic-g", epsilon=0).networks(limit=1)))
    theirs = 0.0
    for child, name in enumerate(f"V{v}" for v in range(4)):
        parents = [int(parent[1:]) for parent in best.parents[name]]
        fitted = rows[:, parents] @ np.linalg.lstsq(rows[:, parents], rows[:, child])[0]
        residual = float(((rows[:, child] - fitted) ** 2).sum())
        theirs += 200 * math.log(residual / 200) + len(parents) * math.log(200)
    assert as_our_cost(theirs, 4, 200) == pytest.approx(best.cost, abs=1e-6)


def test_the_prior_of_sumu() -> None:
    """The edge probabilities are those of all 29,281 networks, weighted one by one."""
    data = cn.as_dataset(discrete_sample(5, 60, seed=3))
    edges, _, _ = exact_edges(data, 1e12)
    every = cn.find(data, score="bdeu", epsilon=math.inf)
    assert every.n_networks == 29281
    expected, total = np.zeros((5, 5)), 0.0
    for network in every.networks():
        sizes = [len(parents) for parents in network.parents.values()]
        prior = math.prod(1 / math.comb(4, size) for size in sizes)
        assert network.cost is not None
        weight = math.exp(every.optimal_cost - network.cost) * prior
        total += weight
        for child, parents in network.parents.items():
            for parent in parents:
                expected[data.names.index(parent), data.names.index(child)] += weight
    assert edges == pytest.approx(expected / total, abs=1e-6)


def test_a_table_with_the_prior_is_in_order() -> None:
    """The cheapest candidate of a variable comes first, and the empty set costs the same."""
    table = cn.score(cn.example("asia").data, score="bdeu", bayes_factor=3)
    prior = with_fair_prior(table)
    assert len(prior) == len(table)
    for variable in range(table.n_variables):
        before, after = dict(table.candidates(variable)), dict(prior.candidates(variable))
        assert list(after.values()) == sorted(after.values())
        assert all(
            cost == pytest.approx(before[parents] + math.log(math.comb(7, len(parents))), abs=1e-9)
            for parents, cost in after.items()
        )


def test_rows_are_written_as_they_come(tmp_path: Path) -> None:
    """What was written is there when a later row fails; columns that are new are an error."""
    path = tmp_path / "new" / "rows.csv"
    assert write_rows(path, [{"a": 1, "b": None}, {"a": 2, "b": "x"}]) == 2
    assert read_rows(path) == [{"a": "1", "b": ""}, {"a": "2", "b": "x"}]
    with pytest.raises(ValueError, match="c"):
        write_rows(path, [{"a": 1}, {"c": 2}])
    assert read_rows(path) == [{"a": "1"}]
    assert read_rows(tmp_path / "nothing.csv") == []


LOCAL = {
    "data": "wine",
    "score": "bic",
    "peer": "pyAgrum 3",
    "command": "learnDAG",
    "optimum": "100.0",
    "its_cost_by_itself": "112.5",
    "its_seconds": "0.5",
    "failed": "",
}


def test_distances_from_the_optimum(tmp_path: Path) -> None:
    """In nats; a network that is better than the proved optimum is not believed."""
    greedy, tabu = (
        LOCAL | {"algorithm": name, "its_cost": cost}
        for name, cost in (("greedy", "112.5"), ("tabu", "100.0"))
    )
    write_rows(tmp_path / "pyagrum.csv", [greedy, tabu])
    text = page.render(tmp_path)
    assert "| wine, bic | 12.50 | 0.50 | 0.00 | 0.50 |" in text
    assert "greedy finds the optimum on 0 of 1 runs and is 12.5 nats away" in text
    assert "### sumu: sampled edge probabilities\n\nNot measured yet." in text
    write_rows(tmp_path / "pyagrum.csv", [greedy | {"its_cost": "99.0"}, tabu])
    with pytest.raises(AssertionError, match="better than the proved optimum"):
        page.render(tmp_path)
