"""Report data made without the package's own search: by brute force, or made up whole."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from crediblenet.credible_set import CredibleSet
from crediblenet.report.data import (
    ClassSummary,
    CurveStep,
    EdgeSummary,
    Fact,
    FactGroup,
    LevelSummary,
    MarkovBlanket,
    Notice,
    ParentAlternative,
    ReportData,
    VariableSummary,
)
from listed import bic_table, listed_set

Parents = tuple[frozenset[int], ...]

NAMES = ("Pollution", "Smoker", "Cancer", "X-ray", "Dyspnoea")
HOSTILE = (
    "<script>document.title='broken'</script>",
    "\"quoted\" 'twice' & <b>bold</b>",
    "a very long name that goes on and on " * 6,
    "משתנה מימין לשמאל",
    "\u202eoverride\nline two\u2028three</style><!--",
)


def _sample(n_rows: int) -> dict[int, np.ndarray]:
    """Draw rows from a five-variable network shaped like the classic cancer example."""
    rng = np.random.default_rng(20)
    pollution = rng.random(n_rows) < 0.3
    smoker = rng.random(n_rows) < 0.35
    cancer = rng.random(n_rows) < 0.03 + 0.09 * pollution + 0.2 * smoker + 0.1 * pollution * smoker
    x_ray = rng.random(n_rows) < np.where(cancer, 0.8, 0.2)
    dyspnoea = rng.random(n_rows) < np.where(cancer, 0.55, 0.32)
    return dict(enumerate([pollution, smoker, cancer, x_ray, dyspnoea]))


def _bic_cost(columns: dict[int, np.ndarray], child: int, parents: frozenset[int]) -> float:
    rows = list(zip(*(columns[p].tolist() for p in sorted(parents)), strict=True))
    rows = rows or [()] * len(columns[child])
    counts: dict[tuple[bool, ...], list[int]] = defaultdict(lambda: [0, 0])
    for key, value in zip(rows, columns[child].tolist(), strict=True):
        counts[key][int(value)] += 1
    misfit = -sum(k * math.log(k / sum(c)) for c in counts.values() for k in c if k)
    return misfit + 0.5 * math.log(len(rows)) * (1 << len(parents))


def _acyclic(parents: Parents) -> bool:
    left = set(range(len(parents)))
    while left:
        roots = {v for v in left if not parents[v] & left}
        if not roots:
            return False
        left -= roots
    return True


def networks_within(epsilon: float, n_rows: int) -> list[tuple[float, Parents]]:
    """List every network on the five variables within epsilon of the best, best first."""
    columns = _sample(n_rows)
    variables = range(len(columns))
    options = []
    for child in variables:
        others = [v for v in variables if v != child]
        sets = [frozenset(s) for r in range(5) for s in itertools.combinations(others, r)]
        options.append(sorted((_bic_cost(columns, child, s), sorted(s), s) for s in sets))
    best = math.inf
    found: list[tuple[float, Parents]] = []

    def extend(cost: float, chosen: Parents) -> Iterator[tuple[float, Parents]]:
        if len(chosen) == len(options):
            if _acyclic(chosen):
                yield round(cost, 9), chosen
            return
        rest = sum(o[0][0] for o in options[len(chosen) + 1 :])
        for c, _, parents in options[len(chosen)]:
            if cost + c + rest > best + epsilon + 1e-6:
                break
            yield from extend(cost + c, (*chosen, parents))

    for _ in range(2):  # once to learn the best cost, once to list
        found = []
        for cost, parents in extend(0.0, ()):
            found.append((cost, parents))
            best = min(best, cost)
    found = [f for f in found if f[0] <= best + epsilon + 1e-6]
    return sorted(found, key=lambda f: (f[0], [sorted(p) for p in f[1]]))


def _pattern(parents: Parents) -> tuple[frozenset[frozenset[int]], frozenset[tuple[int, int, int]]]:
    """Return skeleton and v-structures: equal exactly for Markov equivalent networks."""
    skeleton = frozenset(frozenset((p, c)) for c, ps in enumerate(parents) for p in ps)
    colliders = frozenset(
        (a, c, b)
        for c, ps in enumerate(parents)
        for a, b in itertools.combinations(sorted(ps), 2)
        if frozenset((a, b)) not in skeleton
    )
    return skeleton, colliders


def _blanket(parents: Parents, v: int) -> set[int]:
    children = {c for c, ps in enumerate(parents) if v in ps}
    return (set(parents[v]) | children | {p for c in children for p in parents[c]}) - {v}


def five_variables(bayes_factor: float = 150.0, n_rows: int = 400) -> ReportData:
    """Return the report data of a real credible set, worked out by brute force."""
    epsilon = math.log(bayes_factor)
    networks = networks_within(epsilon, n_rows)
    best = networks[0][0]
    weights = np.exp([best - cost for cost, _ in networks])
    weights /= weights.sum()
    groups: dict[object, list[int]] = defaultdict(list)
    for k, (_, parents) in enumerate(networks):
        groups[_pattern(parents)].append(k)
    arcs = [{(p, c) for c, ps in enumerate(parents) for p in ps} for _, parents in networks]
    compelled = {
        k: set.intersection(*(arcs[m] for m in members))
        for members in groups.values()
        for k in members
    }
    factors = [f for f in (3.0, 20.0, 150.0) if f <= bayes_factor * (1 + 1e-9)]

    def share(holds: list[bool], factor: float = bayes_factor) -> float:
        inside = np.array([cost <= best + math.log(factor) + 1e-6 for cost, _ in networks])
        return float(weights[inside & np.array(holds)].sum() / weights[inside].sum())

    edges = [
        EdgeSummary(
            source=a,
            target=b,
            directed=share(has := [(a, b) in e for e in arcs]),
            adjacent=share([(a, b) in e or (b, a) in e for e in arcs]),
            compelled=share([(a, b) in compelled[k] for k in range(len(networks))]),
            optimal=has[0],
            levels=tuple(share(has, f) for f in factors),
        )
        for a, b in itertools.permutations(range(5), 2)
        if any((a, b) in e for e in arcs)
    ]
    edges.sort(key=lambda e: (-e.directed, e.source, e.target))
    classes = []
    for members in sorted(groups.values()):
        first = members[0]
        lines = {(min(e), max(e)) for e in arcs[first] - compelled[first]}
        classes.append(
            ClassSummary(
                cost=networks[first][0],
                bayes_factor=math.exp(networks[first][0] - best),
                weight=float(weights[members].sum()),
                size=len(members),
                directed=tuple(sorted(compelled[first])),
                undirected=tuple(sorted(lines)),
            )
        )
    variables = []
    for v, name in enumerate(NAMES):
        sets = {parents[v] for _, parents in networks}
        alternatives = [
            ParentAlternative(tuple(sorted(s)), share([p[v] == s for _, p in networks]))
            for s in sets
        ]
        alternatives.sort(key=lambda a: (-a.probability, a.parents))
        blanket = [
            (w, share([w in _blanket(p, v) for _, p in networks])) for w in range(5) if w != v
        ]
        blanket.sort(key=lambda m: (-m[1], m[0]))
        variables.append(
            VariableSummary(
                name=name,
                n_states=2,
                states=("no", "yes"),
                parent_sets=tuple(alternatives),
                n_parent_sets=len(alternatives),
                blanket=MarkovBlanket(
                    tuple(m for m in blanket if m[1] > 0), sum(m[1] > 0 for m in blanket)
                ),
            )
        )
    costs = [cost for cost, _ in networks]
    curve = [
        CurveStep(costs.index(c) + 1, len(costs) - costs[::-1].index(c), c - best)
        for c in sorted(set(costs))
    ]

    def level(factor: float) -> LevelSummary:
        inside = {k for k, c in enumerate(costs) if c <= best + math.log(factor) + 1e-6}
        return LevelSummary(factor, len(inside), sum(g[0] in inside for g in groups.values()))

    order: list[int] = []
    while len(order) < 5:
        order.append(next(v for v in range(5) if v not in order and networks[0][1][v] <= {*order}))
    return ReportData(
        title="lungs.csv",
        variables=tuple(variables),
        order=tuple(order),
        n_rows=n_rows,
        score="BIC score",
        bayes_factor=bayes_factor,
        epsilon=epsilon,
        optimal_cost=best,
        n_networks=len(networks),
        n_classes=len(classes),
        complete=True,
        gap=0.0,
        edges=tuple(edges),
        n_edges=len(edges),
        classes=tuple(classes[:50]),
        levels=tuple(level(f) for f in factors),
        curve=tuple(curve),
        notices=(),
        facts=(
            FactGroup("Data", (Fact("Rows", str(n_rows)), Fact("Variables", "5"))),
            FactGroup("Score", (Fact("Score", "BIC"), Fact("Candidate parent sets", "43"))),
            FactGroup("Time", (Fact("Scores", "0.01 s"), Fact("Enumeration", "0.02 s"))),
        ),
        command="crediblenet find lungs.csv --bayes-factor 150",
        citation="Liao, Sharma, Cussens, van Beek: Finding All Bayesian Network Structures "
        "within a Factor of Optimal. AAAI 2019.",
        created="1 January 2030, 12:00 UTC",
        version="0.0.0",
    )


def five_variables_set(bayes_factor: float = 150.0, n_rows: int = 400) -> CredibleSet:
    """Return the same credible set as the package makes it."""
    columns = _sample(n_rows)
    rows = zip(*(columns[v].astype(int).tolist() for v in range(5)), strict=True)
    table = replace(bic_table(tuple(rows)), names=NAMES)
    epsilon = math.log(bayes_factor)
    return CredibleSet(table, listed_set(table, epsilon)[0], epsilon)


def hostile() -> ReportData:
    """Return the same with names, values and texts that try to break the page."""
    data = five_variables(20.0)
    variables = tuple(
        replace(v, name=name, states=("<img src=x>", HOSTILE[0]))
        for v, name in zip(data.variables, HOSTILE, strict=True)
    )
    return replace(
        data,
        title=HOSTILE[0],
        variables=variables,
        command="crediblenet find '</code><script>alert(1)</script>.csv'",
        complete=False,
        gap=12.5,
        notices=(
            Notice("warning", "The search was stopped", "Stopped by the time limit."),
            Notice("note", "Constant column", HOSTILE[1]),
        ),
        facts=(FactGroup("Data", (Fact("Columns", HOSTILE[0]),)),),
    )


def no_edges() -> ReportData:
    """Return the data of a set that holds only the network without edges."""
    data = five_variables(3.0)
    lonely = tuple(
        replace(
            v,
            parent_sets=(ParentAlternative((), 1.0),),
            n_parent_sets=1,
            blanket=MarkovBlanket((), 0),
        )
        for v in data.variables
    )
    return replace(
        data,
        variables=lonely,
        edges=(),
        n_edges=0,
        classes=(),
        n_classes=None,
        n_networks=1,
        curve=(CurveStep(1, 1, 0.0),),
        epsilon=0.0,
        bayes_factor=1.0,
        levels=(),
    )


def many_variables(n: int = 60, seed: int = 7) -> ReportData:
    """Return made-up data of a run with many variables in which every pair is open."""
    rng = np.random.default_rng(seed)
    best = {(int(rng.integers(max(0, t - 8), t)), t) for t in range(1, n) for _ in range(2)}
    edges = []
    for a, b in itertools.permutations(range(n), 2):
        sure = (min(a, b), max(a, b)) in best
        adjacent = float(rng.beta(6, 1)) if sure else float(rng.beta(0.25, 12))
        forward = 0.75 if sure else 0.5
        p = adjacent * (forward if a < b else 1 - forward)
        levels = tuple(float(np.clip(p + rng.normal(0, 0.05), 0, 1)) for _ in range(3))
        edges.append(EdgeSummary(a, b, p, adjacent, p * 0.6, (a, b) in best, levels))
    edges.sort(key=lambda e: (-e.directed, e.source, e.target))
    variables = tuple(
        VariableSummary(
            name=f"variable_{v:02d}",
            n_states=4,
            states=("none", "some", "most", "all"),
            parent_sets=tuple(
                ParentAlternative(tuple(sorted({int(p) for p in rng.integers(0, n, 4)})), 0.5**k)
                for k in range(1, 26)
            ),
            n_parent_sets=310,
            blanket=MarkovBlanket(
                tuple((w, 1 / (1 + w)) for w in range(min(n, 50)) if w != v), n - 1, 0.004
            ),
        )
        for v in range(n)
    )
    classes = tuple(
        ClassSummary(
            cost=5e4 + 0.06 * k,
            bayes_factor=math.exp(0.06 * k),
            weight=0.01 * math.exp(-0.06 * k),
            size=int(12 * 10 ** (k % 5)),
            directed=tuple(sorted(best - set(sorted(best)[k % 9 :: 5]))),
            undirected=tuple(sorted(best)[k % 9 :: 5]),
        )
        for k in range(50)
    )
    steps = np.linspace(0, math.log(150), 1200)
    ranks = [1 + int(10 ** (12 * (k / 1200) ** 0.5)) for k in range(1201)]
    return replace(
        five_variables(3.0),
        title="made-up.parquet",
        variables=variables,
        order=tuple(range(n)),
        n_rows=5000,
        bayes_factor=150.0,
        epsilon=math.log(150),
        optimal_cost=5e4,
        n_networks=ranks[-1] - 1,
        n_classes=None,
        edges=tuple(edges),
        n_edges=len(edges),
        classes=classes,
        levels=tuple(
            LevelSummary(f, int(10 ** (3 * k)), None) for k, f in enumerate((3, 20, 150), 1)
        ),
        curve=tuple(
            CurveStep(ranks[k], max(ranks[k], ranks[k + 1] - 1), float(d))
            for k, d in enumerate(steps)
        ),
    )
