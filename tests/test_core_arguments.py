"""No call from Python crashes the interpreter: each function of the core with wrong arguments.

The functions are taken from the module itself, so that a new one cannot be forgotten.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from crediblenet import _core
from killing import SOURCES

# Called in a process of its own: a crash ends that one and fails the test. Any exception of
# Python is fine; so is a result.
CALLS = """
import inspect, itertools, math, random, re, sys
import numpy as np
from crediblenet import _core

seed, names = int(sys.argv[1]), sys.argv[2:]

def arrays():
    kinds = "uint8 uint16 uint32 uint64 int32 int64 float64 bool object".split()
    shapes = [(0,), (1,), (5,), (3, 2), (2, 3, 1), (1, 3, 1), (1, 0, 1), (0, 3, 1), (1, 65, 1)]
    for dtype in kinds:
        for shape in shapes:
            yield np.zeros(shape, dtype)
            if dtype != "object":
                yield (np.arange(int(np.prod(shape))) + 1).reshape(shape).astype(dtype)
                yield np.full(shape, 255, "uint8").astype(dtype)
    yield np.full(3, np.iinfo(np.int64).max)
    yield np.full(3, np.iinfo(np.int64).min)
    yield np.array([np.nan, np.inf, -np.inf])
    yield np.zeros((4, 4), "uint64")[::2, ::2]
    yield np.full((2, 3, 1), 2**64 - 1, "uint64")

def objects():
    offsets, parents = np.array([0, 2, 4]), np.array([[2], [0], [1], [0]], "uint64")
    costs = np.array([1, 3, 2, 5])
    problem = _core.Problem.make(offsets, parents, costs)
    circuit = _core.Circuit()
    no_rows = np.zeros((0, 1), "uint64"), np.zeros(0, "uint32"), np.zeros(0, "int64")
    root = circuit.compile(problem, *no_rows, 100, 0, 0, False, True, 0.0, _core.Control(), {})
    compiled = _core.CompiledSet.make(circuit, root, offsets, costs, 100, 99, 9, _core.Control())
    folded = _core.CompiledSet.make(circuit, root, offsets, costs, 100, 0, 0, _core.Control())
    stopped = _core.Control()
    stopped.interrupt()
    members = _core.ClassMembers(np.array([[[0], [1], [2]]], "uint64"))
    return [_core.Control(), stopped, _core.Control(0, 0), problem, circuit, _core.Circuit(),
            compiled, folded, members, _core.ScoreJournal(), offsets, parents, costs]

PLAIN = [None, 0, 1, 2, 3, -1, 7, 64, 512, 2**31, 2**32, 2**62, 2**63, 2**64, 2**70, -2**63,
         0.0, 0.5, -1.0, 1e308, 1e-300, math.inf, -math.inf, math.nan, "",
         "class", "bic", "bge", "skeleton",
         "\\0", "\\ud800", b"x", [], [0], [1, 2], [-1], [[0]], [[1], [0]], [[5]],
         [True, False], ["R1"], (), {}, set(), object(), True]
ARRAYS = list(arrays())

def wild(count):
    for _ in range(count):
        kind = chance.random()
        if kind < 0.4:
            yield chance.choice(ARRAYS)
        elif kind < 0.7:
            yield chance.choice(objects())
        else:
            yield chance.choice(PLAIN)

def attempt(function, values):
    try:
        function(*values)
    except Exception:
        return False
    except KeyboardInterrupt:  # what a stopped control is turned into
        return False
    return True

def good():
    '''Arguments that are right, for the calls that only change one of them.'''
    control, dags = _core.Control(1.0, 1e8), np.array([[[0], [1], [3]]], "uint64")
    offsets, parents = np.array([0, 2, 4]), np.array([[2], [0], [1], [0]], "uint64")
    costs = np.array([1, 3, 2, 5])
    problem = _core.Problem.make(offsets, parents, costs)
    circuit = _core.Circuit()
    no_rows = np.zeros((0, 1), "uint64"), np.zeros(0, "uint32"), np.zeros(0, "int64")
    root = circuit.compile(problem, *no_rows, 100, 0, 0, False, True, 0.0, _core.Control(), {})
    flat = _core.CompiledSet.make(circuit, root, offsets, costs, 100, 99, 9, control).to_arrays()
    codes = np.array([[0, 1, 1], [1, 0, 1]], "uint16")
    weights = np.array([1, 1, 2])
    known = {
        "parents": parents if name.startswith("Problem") else dags,
        "threads": 1, "control": control,
        "seed": 1, "same": "class", "weights": np.array([1.0]), "count": 1, "codes": codes,
        "arities": [2, 2], "score": "bic", "ess": 1.0, "epsilon": 3.0, "max_parents": 1,
        "constant": [False, False], "required": [[], []], "forbidden": [[], []], "rules": ["R1"],
        "values": np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [1.0, 1.0]]), "alpha_mu": 1.0,
        "n": 3, "offsets": offsets, "costs": costs, "keep": np.ones(4, "uint8"), "restarts": 1,
        "x": np.full(4, 0.5), "max_k": 2, "limit": 10, "members": np.array([3], "uint64"), "k": 1,
        "least": 0.1, "expected": 0.5, "most": 1.0,
        "block": np.array([0, 1], "uint32"), "slack": 3, "problem": problem, "max_cost": 100,
        "node_limit": 0, "statistics": {}, "other": circuit, "root": root, "circuit": circuit,
        "nodes": np.array([root], "uint32"), "node": root, "rows": np.array([0, 3], "uint32"),
        "kind": flat[0], "first": flat[1], "n_children": flat[2], "children": flat[3], "unit": 0.5,
        "start": 0, "time_limit": 1.0, "memory_limit": 1e6, "amount": 1, "fraction": 0.5,
        "max_work": 1000, "most_levels": 0, "longest": 1, "probing": True, "ascending": True,
        "step_limit": 1000, "work": 1000, "heat": 1, "walks": 3,
        "context": np.array([0, 3], "uint32"), "most_steps": 100,
        "most_classes": 100, "dead_end_limit": 0, "share": 0.5, "settled": 0.5,
        "choices": None, "most_parallel": 0.5, "order": np.array([0, 1], "uint32"),
        "path": "journal", "key": "a", "journal": _core.ScoreJournal(),
    }
    if name == "CompiledSet.local_classes":
        known["parents"], known["members"] = parents, np.array([0, 1], "uint16")
    if name in ("Problem.reduced_costs", "Problem.counting", "Problem.subset_search",
                "Circuit.compile"):
        known["members"], known["k"] = np.array([[3]], "uint64"), np.array([1], "uint32")
        known["values"] = np.array([1])
    if "local_cut" in name:
        known["members"], known["offsets"] = np.array([[3]], "uint64"), np.array([0, 2])
        known["variables"] = np.array([0, 1], "uint32")
        known["parents"] = np.array([[0], [0]], "uint64")
        known["weights"], known["values"] = np.array([1, 2], "uint32"), np.array([1])
    if name == "Problem.violated_local_cuts":
        known["variables"] = 2
    if name == "score_discrete":
        known["weights"] = weights
    if name == "Problem.wide_order":
        known["weights"] = np.full(4, 0.5)
    if name == "score_continuous":
        known["score"] = "bge"
    if name == "Circuit.append":
        known["kind"], known["count"], known["values"] = _core.Circuit().nodes_from(0)
    return known

for name in names:
    print(name, end=" ", flush=True)  # the last name told is the one that crashed
    chance = random.Random(seed)
    owner, _, method = name.partition(".")
    target = getattr(_core, owner)
    owners = [None]
    if method:
        owners = [value for value in objects() if isinstance(value, target)] or [target]
    tried = 0
    for _ in range(400):
        function = target if not method else getattr(chance.choice(owners), method)
        if not callable(function):
            continue
        attempt(function, list(wild(chance.randint(0, 6))))
        tried += 1
    text = (target if not method else getattr(target, method)).__doc__ or ""
    first = text.split("->")[0] if text.strip().startswith((method or owner)) else ""
    order = [word for word in re.findall(r"(\\w+):", first) if word != "self"]
    missing = [word for word in order if word not in good()]
    assert not missing, f"say what is a right value of {missing}"
    for _ in range(40):
        for position in range(len(order)):
            known = good()
            values = [known[word] for word in order]
            values[position] = next(wild(1))
            function = target if not method else getattr(chance.choice(owners), method)
            if callable(function):
                attempt(function, values)
                tried += 1
    print(tried, flush=True)
"""


def callables() -> dict[str, list[str]]:
    """Return every function of the core, and every class with its methods."""
    found: dict[str, list[str]] = {}
    for name, value in vars(_core).items():
        if name.startswith("__") or not callable(value):
            continue
        found[name] = [name]
        if isinstance(value, type):
            found[name] += [
                f"{name}.{method}"
                for method, member in vars(value).items()
                if callable(member) or isinstance(member, staticmethod)
                if not method.startswith("_") or method == "__len__"
            ]
    return found


@pytest.mark.parametrize("owner", callables())
def test_wrong_arguments_do_not_crash(owner: str, tmp_path: Path) -> None:
    """Wrong types, sizes and values, all at once and one at a time."""
    names = callables()[owner]
    outcome = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", CALLS, "1", *names],
        cwd=tmp_path,  # a journal is opened under any name
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert outcome.returncode == 0, outcome.stdout[-300:] + outcome.stderr[-3000:]
    tried = dict(line.split() for line in outcome.stdout.splitlines())
    assert list(tried) == names
    assert all(int(count) >= 400 for count in tried.values()), tried
