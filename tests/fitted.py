"""Random networks with probabilities, some with names made to hurt."""

from __future__ import annotations

import numpy as np

from crediblenet.fitted_network import FittedNetwork
from crediblenet.network import Network

HOSTILE = (
    "plain",
    "Plain",
    "two words",
    "a,b;c{d}(e)[f]|g:h",
    "größe",
    "=SUM(A1)",
    'quo"te\\n',
    "// comment",
    "table",
    "<script>alert(1)</script>",
    "ש",
    "2nd",
)


def random_fitted(seed: int, names: tuple[str, ...] = ("a", "b", "c", "d", "e")) -> FittedNetwork:
    """Make a random network; the columns are in no topological order."""
    rng = np.random.default_rng(seed)
    n = len(names)
    order = rng.permutation(n)
    sets: list[tuple[int, ...]] = [()] * n
    for k, v in enumerate(order):
        sets[v] = tuple(int(u) for u in order[:k] if rng.random() < 0.4)[:3]
    states = tuple(
        tuple(f"s{k}" for k in range(int(rng.integers(1 if seed % 4 == 0 else 2, 5))))
        for _ in range(n)
    )
    network = Network(names, tuple(sets))
    tables = tuple(
        rng.dirichlet(np.ones(len(states[v])), [len(states[p]) for p in network.parent_sets[v]])
        for v in range(n)
    )
    return FittedNetwork(network, states, tables)


def hostile_fitted(seed: int, names: tuple[str, ...] = HOSTILE) -> FittedNetwork:
    """Make a random network with hostile names and labels."""
    base = random_fitted(seed, names)
    states = tuple(
        tuple(HOSTILE[(v + k) % len(HOSTILE)] for k in range(len(labels)))
        for v, labels in enumerate(base.states)
    )
    return FittedNetwork(base.network, states, base.tables)


def assert_same(found: FittedNetwork, expected: FittedNetwork, rtol: float = 0.0) -> None:
    """Compare structure, labels and tables, whatever the order of the variables."""
    assert set(found.names) == set(expected.names)
    assert set(found.network.edges) == set(expected.network.edges)
    where = [found.names.index(name) for name in expected.names]
    for v, place in enumerate(where):
        assert found.states[place] == expected.states[v]
        have = [found.names[u] for u in (*found.network.parent_sets[place], place)]
        want = [expected.names[u] for u in (*expected.network.parent_sets[v], v)]
        table = np.transpose(found.tables[place], [have.index(name) for name in want])
        np.testing.assert_allclose(table, expected.tables[v], rtol=rtol, atol=0)
