"""No thread crashes the interpreter by using what another thread has given to the core.

The core works without the interpreter lock. So each case has one thread inside the core, and
another one that uses the same circuit, or writes to the same array.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from crediblenet import _core
from killing import SOURCES

NO_CLUSTERS = (np.zeros((0, 1), "uint64"), np.zeros(0, "uint32"), np.zeros(0, "int64"))


def large_problem(variables: int = 14) -> tuple[Any, Any, Any]:
    """Return offsets, parents and costs with which a search goes on for minutes."""
    sets = [s for s in range(1 << variables) if s.bit_count() <= 2]
    parents = [[s] for v in range(variables) for s in sets if not s >> v & 1]
    offsets = np.arange(variables + 1) * (len(parents) // variables)
    costs = np.random.default_rng(0).integers(0, 1000, len(parents))
    return offsets, np.array(parents, "uint64"), costs


class Busy:
    """A circuit and a problem that a thread is compiling."""

    def __init__(self) -> None:
        self.offsets, parents, self.costs = large_problem()
        self.problem = _core.Problem.make(self.offsets, parents, self.costs)
        self.circuit = _core.Circuit()
        self.control = _core.Control()
        self.thread = threading.Thread(target=self._compile)

    def compile(self, control: _core.Control) -> object:
        """Compile nearly all networks, which takes far too long."""
        return self.circuit.compile(
            self.problem,
            *NO_CLUSTERS,
            max_cost=10_000,
            node_limit=0,
            dead_end_limit=0,
            probing=False,
            ascending=True,
            share=0.0,
            control=control,
            statistics={},
        )

    def _compile(self) -> None:
        self.compile(self.control)


@pytest.fixture(scope="module")
def busy() -> Iterator[Busy]:
    """Give what a thread works on until the end of the tests."""
    made = Busy()
    made.thread.start()
    while made.control.visited == 0:
        assert made.thread.is_alive()
        time.sleep(0.001)
    yield made
    made.control.interrupt()
    made.thread.join()


USES: dict[str, Callable[[Busy], object]] = {
    "len": lambda busy: len(busy.circuit),
    "compile": lambda busy: busy.compile(_core.Control(1.0)),
    "compile_layers": lambda busy: busy.circuit.compile_layers(
        busy.problem, 100, 1, 0.5, _core.Control(1.0), {}
    ),
    "absorb": lambda busy: _core.Circuit().absorb(busy.circuit, 0),
    "absorb into": lambda busy: busy.circuit.absorb(one_network(), 0),
    "nodes_from": lambda busy: busy.circuit.nodes_from(0),
    "append": lambda busy: busy.circuit.append(*one_network().nodes_from(0)),
    "choice": lambda busy: busy.circuit.choice(np.array([0], "uint32")),
    "product": lambda busy: busy.circuit.product(np.array([0], "uint32")),
    "least_cost": lambda busy: busy.circuit.least_cost(0, busy.costs),
    "network": lambda busy: busy.circuit.network(np.array([0], "uint32")),
    "make": lambda busy: _core.CompiledSet.make(
        busy.circuit, 0, busy.offsets, busy.costs, 100, 99, 9, _core.Control()
    ),
    "filter": lambda busy: busy.problem.filter(np.ones(len(busy.costs), "uint8")),
}


def one_network() -> _core.Circuit:
    """Return a circuit with one node."""
    circuit = _core.Circuit()
    circuit.network(np.array([0], "uint32"))
    return circuit


@pytest.mark.parametrize("use", USES)
def test_what_another_thread_works_on_is_refused(busy: Busy, use: str) -> None:
    """An error says so; the other thread goes on."""
    with pytest.raises(RuntimeError, match=r"another thread is (using|changing) this object"):
        USES[use](busy)
    assert busy.thread.is_alive()


def test_all_uses_of_a_circuit_are_tried() -> None:
    """A new method cannot be forgotten."""
    methods = {name for name in vars(_core.Circuit) if not name.startswith("_")}
    assert methods <= set(USES)


def test_reading_together_is_fine(busy: Busy) -> None:
    """Threads may share a problem that none of them changes."""
    assert len(busy.problem.rows()) == len(busy.costs)
    cost, _ = busy.problem.order_search(1, 1, np.zeros(0), _core.Control(1.0))
    assert cost < 10_000


def test_a_circuit_can_be_used_again() -> None:
    """After a search that was stopped, and after one that failed."""
    case = Busy()
    case.compile(_core.Control(0.01))
    with pytest.raises(ValueError, match="no such node"):
        case.circuit.least_cost(len(case.circuit), case.costs)
    case.circuit.network(np.array([0], "uint32"))
    case.problem.filter(np.ones(len(case.costs), "uint8"))


# In a process of its own, which a crash ends. The arrays are right and wrong in turn; any
# exception is fine, and so is a result.
WRITING = """
import sys, threading, time
import numpy as np
from crediblenet import _core

sys.setswitchinterval(1e-5)
networks = np.zeros((1000, 20, 1), "uint64")
for v in range(1, 20):
    networks[:, v, 0] = np.random.default_rng(v).integers(0, 1 << v, len(networks))
codes = np.zeros((8, 5000), "uint16")
arities = [2] * 8
rows = np.array([0, 2, 4]), np.array([[2], [0], [1], [0]], "uint64"), np.array([1, 3, 2, 5])
arrays = [networks, codes, rows[0], rows[1]]
right = [array.copy() for array in arrays]
done = False

def write():
    while not done:
        for array, values in zip(arrays, right):
            array[:] = -1 if array.dtype == "int64" else np.iinfo(array.dtype).max
            array[:] = values

def uses():
    control = _core.Control(0.5, 1e9)
    for function in (_core.cpdags, _core.class_sizes, _core.canonical_members):
        yield function, (networks, 1, control)
    yield _core.score_discrete, (codes, arities, np.ones(5000, "int64"), "bic", 1.0, 3.0, 2,
                                 [False] * 8, [[]] * 8, [[]] * 8, ["R1"], 1, control)
    yield _core.Problem.make, rows

writer = threading.Thread(target=write)
writer.start()
calls, end = 0, time.monotonic() + float(sys.argv[1])
try:
    while time.monotonic() < end or calls < 5:
        for function, arguments in uses():
            try:
                function(*arguments)
            except Exception:
                pass
            calls += 1
finally:
    done = True
    writer.join()
print(calls)
"""


def test_an_array_that_is_written_to_meanwhile() -> None:
    """What is checked is what is used, whatever another thread writes."""
    outcome = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", WRITING, "0.7"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert outcome.returncode == 0, outcome.stderr[-3000:]
    assert int(outcome.stdout) >= 5


def test_an_integer_that_lies_about_its_bytes() -> None:
    """A subclass of int may give any number of bytes: as many are read as are whole words."""

    class Odd(int):
        def to_bytes(self, *_: Any, **__: Any) -> bytes:
            return b"\0" * 4 + b"\xff" * 3

    circuit = _core.Circuit()
    offsets, costs = np.array([0, 1]), np.array([5])
    root = circuit.network(np.array([0], "uint32"))
    found = _core.CompiledSet.make(circuit, root, offsets, costs, 9, 9, 9, _core.Control())
    assert found.list(Odd(0), 1)[0].tolist() == [5]
