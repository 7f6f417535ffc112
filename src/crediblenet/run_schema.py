"""What the JSON in a run directory has to say: the summary, and what a score table knows of itself.

Everything that `crediblenet.load` takes over from these is declared here, so that a file that
was forged or damaged is refused when it is read, not when somebody asks for the report. Keys
that are not named are passed on and may be any plain value: a table's metadata are free.
"""

from __future__ import annotations

from ._core import max_nodes
from .shapes import (
    FLAG,
    NUMBER,
    PLAIN,
    TEXT,
    list_of,
    map_of,
    number_from,
    one_of,
    optional,
    record,
    whole,
)

__all__ = ["MOST_VARIABLES", "SUMMARY", "TABLE"]

#: The widest node set of the core.
MOST_VARIABLES = max_nodes

_COUNT = whole(0)
_AMOUNT = number_from(0)
_FORECAST = {"least": _AMOUNT, "expected": optional(_AMOUNT), "most": optional(_AMOUNT)}

_DATA = record(
    {"rows": _COUNT},
    {
        "distinct_rows": optional(_COUNT),
        "states": optional(list_of(list_of(TEXT))),
        "constant": _COUNT,
        "discretization": map_of(TEXT),
        "notes": list_of(TEXT),
    },
)

_STATISTICS = record(
    {},
    {
        "source": TEXT,
        "command": TEXT,
        "data_options": map_of(PLAIN),
        "circuit_levels": _AMOUNT,
        "memory_foreseen": map_of(record({**_FORECAST, "purpose": TEXT})),
    },
    others=PLAIN,
)

#: Numbers to add to the log weight for an edge; null rules it out.
_PRIOR = record(
    {},
    {
        "over": one_of("dags", "classes"),
        "per_edge": NUMBER,
        "log_prior": optional(
            list_of(record({"source": TEXT, "target": TEXT, "value": optional(NUMBER)}))
        ),
    },
)

#: ``summary.json``; null stands for infinity in epsilon and gap, for unknown elsewhere.
SUMMARY = record(
    {
        "variables": whole(1, MOST_VARIABLES),
        "names": list_of(TEXT),
        "rows": optional(_COUNT),
        "score": TEXT,
        "ess": optional(NUMBER),
        "epsilon": optional(_AMOUNT),
        "bayes_factor": optional(_AMOUNT),
        "optimal_cost": NUMBER,
        "candidate_parent_sets": whole(1),
        "networks": whole(1),
        "classes": optional(whole(1)),
        "complete": FLAG,
        "stopped_by": optional(one_of("time", "memory", "limit", "interrupted")),
        "gap": optional(_AMOUNT),
        "seconds": map_of(NUMBER),
        "peak_memory_mb": optional(NUMBER),
        "notes": list_of(TEXT),
        "data": optional(_DATA),
        "statistics": _STATISTICS,
        "networks_kind": TEXT,
        "files": map_of(record({"bytes": _COUNT, "sha256": TEXT}, {"rows": _COUNT})),
    },
    {"prior": _PRIOR},
    others=PLAIN,
)

_METADATA = record(
    {},
    {
        "rows": optional(_COUNT),
        "arities": optional(list_of(whole(1))),
        "ess": optional(number_from(0)),
        "max_parents": optional(_COUNT),
        "required": list_of(PLAIN),
        "forbidden": list_of(PLAIN),
        "removed": map_of(_COUNT),
        "parent_sets_scored": _COUNT,
        "memory_forecast": optional(record(_FORECAST)),
        "peak_memory": _AMOUNT,
        "notes": list_of(TEXT),
    },
    others=PLAIN,
)

#: What the schema of ``scores.parquet`` says under the key ``crediblenet``.
TABLE = record(
    {
        "names": list_of(TEXT),
        "score": TEXT,
        "epsilon": optional(_AMOUNT),
        "score_equivalent": FLAG,
        "grid_bits": whole(0, 64),
        "metadata": _METADATA,
    }
)
