"""Scoring within limits: memory, time, Ctrl-C, and any number of variables."""

from __future__ import annotations

import _thread
import itertools
import math
import signal
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import reference
from crediblenet.data import Dataset
from crediblenet.score_table import TOLERANCE


def independent(variables: int, rows: int, arity: int = 2, seed: int = 1) -> Dataset:
    """Return columns that have nothing to do with each other."""
    codes = np.random.default_rng(seed).integers(0, arity, (variables, rows)).astype(np.uint16)
    codes[:, :arity] = np.arange(arity)  # every state occurs
    return Dataset(
        names=tuple(f"V{v}" for v in range(variables)),
        states=(tuple(map(str, range(arity))),) * variables,
        codes=codes,
        weights=np.ones(rows, dtype=np.int64),
    )


def chain(variables: int, rows: int, seed: int = 1) -> np.ndarray:
    """Return columns that each repeat the one before with some errors."""
    random = np.random.default_rng(seed)
    table = [random.integers(0, 2, rows)]
    for _ in range(variables - 1):
        table.append(table[-1] ^ (random.random(rows) < 0.1))
    return np.array(table).T


@pytest.mark.parametrize("score", ["qnml", "bic"])
def test_memory_limit(score: str) -> None:
    """A clear error instead of the kernel's killer, foreseen or on the way."""
    data = independent(40, 400)
    rules = None if score == "qnml" else ["R1"]
    with pytest.raises(cn.LimitError, match=r"memory.* limit of 51 MB.*set max_parents"):
        cn.score(data, score=score, rules=rules, memory_limit=0.05)
    assert len(cn.score(data, score=score, rules=rules, memory_limit=0.05, max_parents=2)) >= 40


def test_memory_limit_on_the_way() -> None:
    """Where pruning makes the need unknown beforehand, the work stops at the limit."""
    with pytest.raises(cn.LimitError, match="the memory limit was reached while scoring"):
        cn.score(independent(40, 400), score="bdeu", memory_limit=0.05)


def test_memory_for_the_data() -> None:
    """Data that do not fit are refused before anything is counted."""
    with pytest.raises(cn.LimitError, match="the data needs"):
        cn.score(independent(20, 50_000), memory_limit=0.001)


def test_time_limit() -> None:
    """No partial table: an error that says how far it came and what to do."""
    started = time.perf_counter()
    with pytest.raises(cn.LimitError, match=r"time limit .* size \d+ were scored\. There is no"):
        cn.score(independent(40, 2000), score="bdeu", time_limit=0.5)
    assert time.perf_counter() - started < 10


def score_interrupted(data: Dataset, score: str, delay: float, asked: list[float]) -> None:
    """Press Ctrl-C so many seconds after the start, and note when."""

    def interrupt() -> None:
        asked.append(time.perf_counter())
        _thread.interrupt_main()

    threading.Timer(delay, interrupt).start()
    cn.score(data, score=score, threads=2, time_limit=60)


@pytest.fixture
def listening() -> Iterator[None]:
    """Listen to Ctrl-C, which a program that a shell started in the background does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize(
    ("data", "score"),
    [
        (independent(30, 2000), "bdeu"),
        (independent(300, 2000), "bic"),
        (independent(12, 300_000, arity=4), "bic"),
    ],
    ids=["deep", "wide", "long"],
)
def test_interruption(data: Dataset, score: str) -> None:
    """Ctrl-C ends the scoring within 0.2 seconds, if the processor is not busy elsewhere."""
    waits = []
    for delay in (0.05, 0.2, 0.5):
        asked: list[float] = []
        with pytest.raises(KeyboardInterrupt):
            score_interrupted(data, score, delay, asked)
        waits.append(time.perf_counter() - asked[0])
    # Others may use the processor while one is measured; not in all three, though.
    assert min(waits) < 0.2, waits
    assert max(waits) < 2, waits


@pytest.mark.parametrize(
    ("variables", "most"), [(63, 3), (64, 2), (65, 3), (127, 2), (129, 2), (257, 2), (512, 1)]
)
def test_many_variables(variables: int, most: int) -> None:
    """Every width of a set: the table is what rule R1 leaves of all sets of a few parents."""
    rows = chain(variables, 60)
    table = cn.score(rows, max_parents=most, bayes_factor=3)
    assert table.parents.shape[1] == -(-variables // 64)
    # The last variables are those that need the last word.
    for child in (0, variables // 2, variables - 1):
        near = [v for v in range(variables) if v != child and abs(v - child) <= 6]
        costs = {
            frozenset(parents): reference.local_cost(rows.tolist(), "bic", child, parents)
            for size in range(most + 1)
            for parents in itertools.combinations(near, size)
        }
        expected = {
            parents
            for parents, cost in costs.items()
            if all(cost <= c + math.log(3) + TOLERANCE for s, c in costs.items() if s < parents)
        }
        found = {
            frozenset(parents): cost
            for parents, cost in table.candidates(child)
            if set(parents) <= set(near)
        }
        assert set(found) == expected
        for parents, cost in found.items():
            assert cost == pytest.approx(costs[parents], abs=1e-9)


def test_too_many_variables() -> None:
    """More than 512 are refused, with their number."""
    with pytest.raises(cn.CredibleNetError, match="513"):
        cn.score(chain(513, 20))


def test_progress() -> None:
    """The callback hears of the stage, its share and what was found, ever more."""
    reports: list[cn.Progress] = []
    cn.score(independent(16, 3000), score="bdeu", progress=reports.append)
    assert reports
    assert {report.stage for report in reports} == {"scores"}
    visited = [report.visited for report in reports]
    assert visited == sorted(visited)
    shares = [report.fraction for report in reports if report.fraction is not None]
    assert shares
    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "bicc"}, "there is no score 'bicc'; they are bic, aic"),
        ({"ess": 0}, "ess must be a positive number"),
        ({"ess": math.nan}, "ess must be a positive number"),
        ({"rules": ["R7"]}, "there is no rule 'R7'; they are R1, R2, R3, C4, R5, R6"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"bayes_factor": 0.5}, "Bayes factor|bayes_factor"),
        ({"max_parents": -1}, "max_parents must not be negative"),
        ({"time_limit": -1}, "time_limit must not be negative"),
        ({"threads": 0}, "thread"),
        ({"require": ["V0->V9"]}, "there is no variable 'V9'"),
        ({"score": "bge", "states": {}}, "states is for discrete data"),
    ],
)
def test_nonsense_is_refused(options: dict[str, object], words: str) -> None:
    """One clear message, naming the option."""
    with pytest.raises(cn.ParameterError, match=words):
        cn.score(chain(3, 50), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("ess", [5e-324, 1e-300, 1e12, 1e300])
def test_priors_beyond_exact_sums(ess: float) -> None:
    """A prior that makes costs too large for exact sums is refused, not rounded away."""
    rows = np.random.default_rng(1).normal(size=(30, 4))
    with pytest.raises(cn.ParameterError, match=r"ess .* rounding would decide"):
        cn.score(rows, score="bge", ess=ess)


@pytest.mark.parametrize("score", ["bdeu", "bds"])
@pytest.mark.parametrize("ess", [1e-300, 1e-12, 1e12, 1e300])
def test_extreme_sample_sizes(score: str, ess: float) -> None:
    """Nothing cancels: the marginal cost of one binary column is known in closed form."""
    table = cn.score({"a": [0, 1] * 10, "b": [0, 0, 1, 1] * 5}, score=score, ess=ess)
    a = ess / 2
    expected = -2 * sum(math.log(a + k) for k in range(10)) + sum(
        math.log(ess + k) for k in range(20)
    )
    costs = dict(table.candidates(0))
    assert costs[()] == pytest.approx(expected, abs=1e-9, rel=1e-12)
