"""The paper's numbers of networks at every level, on the rows that take a moment.

`python -m benchmarks.paper` does all rows, which takes hours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from benchmarks.paper.jobs import rounded_job
from benchmarks.paper.published import MissingFilesError, read_table
from benchmarks.paper.verdict import CAP

import crediblenet as cn
from crediblenet.classes import group_networks

# Bayes factor: rows of Table 1 (BIC) that the paper has in full.
TABLE1 = {
    3: ["tic-tac-toe", "wine", "adult", "nltcs", "voting", "zoo", "mildew1000", "sponge"],
    20: ["tic-tac-toe", "wine", "adult", "nltcs", "voting", "zoo", "mildew1000", "barley1000"],
    150: ["tic-tac-toe", "adult", "voting", "barley1000", "mildew1000"],
}
# Rows that the paper stopped at 150,000 networks: exact counts of an independent prototype.
BEYOND_THE_PAPER = {("hailfinder100", 3): 432_624, ("hailfinder100", 20): 33_318_144}


def published(name: str, table: str = "table1") -> dict[str, str]:
    """Return the paper's row of a data set, or skip."""
    try:
        rows = read_table("table1" if table == "table1" else "table2")
    except MissingFilesError as error:
        pytest.skip(str(error))
    return next(row for row in rows if row["file"] == name)


@pytest.mark.parametrize(("level", "name"), [(b, name) for b in TABLE1 for name in TABLE1[b]])
def test_networks_and_collider_patterns(
    level: int, name: str, data_file: Callable[[str], Path]
) -> None:
    """Networks, and skeletons with all converging pairs, as in Table 1 of the paper."""
    row = published(name)
    result = cn.find(data_file(name), header=False, bayes_factor=level)
    assert result.complete
    expected = int(row[f"networks_bf{level}"])
    assert expected < CAP
    assert result.n_networks == expected
    rows = np.array([rows for _, rows in result.network_set.networks(np.iinfo(np.int64).max)])
    groups = group_networks(result.table.parents[rows], "collider-pattern")
    assert len(np.unique(groups)) == int(row[f"collider_patterns_bf{level}"])


@pytest.mark.parametrize(("name", "level"), BEYOND_THE_PAPER)
def test_counts_beyond_the_cap(name: str, level: int, data_file: Callable[[str], Path]) -> None:
    """Sets that nobody lists are counted exactly."""
    result = cn.find(data_file(name), header=False, bayes_factor=level)
    assert result.complete
    assert result.n_networks == BEYOND_THE_PAPER[name, level]


@pytest.mark.parametrize(("name", "between"), [("wine", 44), ("zoo", 4)])
def test_the_paper_rounded_epsilon(
    name: str, between: int, data_file: Callable[[str], Path]
) -> None:
    """Networks just beyond ln 150 = 5.010635 are in the paper's count: up to 5.0107."""
    row = published(name)
    result = cn.find(data_file(name), header=False, epsilon=rounded_job(name, 150).value)
    assert result.n_networks == int(row["networks_bf150"])
    assert result.at(bayes_factor=150).n_networks == result.n_networks - between


@pytest.mark.parametrize("name", ["tic-tac-toe", "wine", "voting"])
def test_bdeu_with_the_papers_parent_limit(name: str, data_file: Callable[[str], Path]) -> None:
    """Table 2: BDeu with an equivalent sample size of 1 and at most three parents."""
    row = published(name, "table2")
    result = cn.find(
        data_file(name), header=False, score="bdeu", ess=1, max_parents=3, bayes_factor=20
    )
    assert result.complete
    assert result.n_networks == int(row["networks_bf20"])
