"""The specification, in plain Python: slow, short, and independent of the core.

Everything that the package computes fast is written here a second time, straight from
its definition, so that the two can be compared. Nothing here is meant for real data: the
exhaustive search stops at five variables.

========================  ==========================================================
`scores`                  local costs of discrete data, one function per score
`gaussian`                local costs of continuous data
`networks`                all DAGs, and the credible set by trying each of them
`sinks`                   the credible set for six to eight variables
`classes`                 Markov equivalence by skeleton and v-structures
`counting`                sizes of classes that are too large to list
`features`                what weighted networks say about edges, paths and blankets
========================  ==========================================================

Examples
--------
The credible set of four rows, and how probable the edge 0 → 1 is in it:

>>> from crediblenet import reference
>>> rows = [(0, 0), (0, 0), (1, 1), (1, 1)]
>>> credible = reference.networks_within(reference.local_costs(rows, "bic"), epsilon=3.0)
>>> for network, cost in sorted(credible.items(), key=lambda item: item[1]):
...     print([sorted(parents) for parents in network], round(cost, 4))
[[], [0]] 4.852
[[1], []] 4.852
[[], []] 6.9315
>>> weights = reference.posterior_weights(credible)
>>> reference.probability(reference.directed_edge(0, 1), weights)
0.4705882352941...
"""

from __future__ import annotations

from .classes import (
    class_members,
    class_size,
    collider_pattern,
    compelled_edges,
    covered_edges,
    group_by_class,
    markov_class,
    skeleton,
    v_structures,
)
from .counting import compelled_edges_by_rules, count_class_members
from .features import (
    adjacency,
    ancestor,
    compelled_edge,
    directed_edge,
    has_parent_set,
    has_v_structure,
    in_markov_blanket,
    posterior_weights,
    probability,
)
from .gaussian import GAUSSIAN_SCORES, Moments, bge_cost, gaussian_bic_cost, moments
from .networks import (
    LocalCosts,
    Network,
    Parents,
    all_dags,
    costs_of_table,
    is_acyclic,
    network_cost,
    networks_within,
)
from .scores import (
    DISCRETE_SCORES,
    Counts,
    Score,
    count,
    local_cost,
    local_costs,
    log_nml_regret,
)
from .sinks import networks_within_by_sinks, optimal_cost

__all__ = [
    "DISCRETE_SCORES",
    "GAUSSIAN_SCORES",
    "Counts",
    "LocalCosts",
    "Moments",
    "Network",
    "Parents",
    "Score",
    "adjacency",
    "all_dags",
    "ancestor",
    "bge_cost",
    "class_members",
    "class_size",
    "collider_pattern",
    "compelled_edge",
    "compelled_edges",
    "compelled_edges_by_rules",
    "costs_of_table",
    "count",
    "count_class_members",
    "covered_edges",
    "directed_edge",
    "gaussian_bic_cost",
    "group_by_class",
    "has_parent_set",
    "has_v_structure",
    "in_markov_blanket",
    "is_acyclic",
    "local_cost",
    "local_costs",
    "log_nml_regret",
    "markov_class",
    "moments",
    "network_cost",
    "networks_within",
    "networks_within_by_sinks",
    "optimal_cost",
    "posterior_weights",
    "probability",
    "skeleton",
    "v_structures",
]
