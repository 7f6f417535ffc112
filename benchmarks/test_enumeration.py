"""Bounds and enumeration on the rows of Table 1, with the paper's counts asserted.

A search must end within the seconds that the project promises for two threads, and its count
must be the paper's, or the exact one where the paper stopped at 150,000. On a slow or busy
machine, CREDIBLENET_PATIENCE=4 allows four times as long.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import crediblenet as cn
from crediblenet.enumeration import SearchResult, search
from crediblenet.representatives import ClassEffort

from .paper.jobs import PARENT_LIMIT, SIZES
from .paper.peer import SHORTEST, geometric_mean, is_done, total
from .paper.published import MissingFilesError, read_table
from .paper.verdict import CAP, OTHER_SAMPLES

THREADS = 2
PATIENCE = float(os.environ.get("CREDIBLENET_PATIENCE", "1"))

# Data sets, and the most seconds at Bayes factors 3 and 20.
GROUPS = (
    (
        "tic-tac-toe wine adult nltcs msnbc letter voting zoo mildew1000 barley1000 insurance1000 "
        "alarm1000",
        {3: 0.5, 20: 1.0},
    ),
    ("hepatitis parkinsons autos horse flag sponge hailfinder100", {3: 3.0, 20: 30.0}),
    ("sensors wdbc bands spectf alarm", {3: 60.0, 20: 300.0}),
    ("hailfinder500 soybean lung-cancer", {3: 30.0, 20: 300.0}),
)
PROMISES = [
    (file, level, most[level])
    for level in (3, 20)
    for files, most in GROUPS
    for file in files.split()
]
# Exact counts where the paper has none, or another sample: found by an independent prototype
# (compiling) or by the paper's program on the same rows. At BF 20, wdbc and alarm have a few
# networks more than the paper, all within 0.002 of the limit.
EXACT = {
    ("wdbc", 20): 28_428,
    ("alarm", 3): 1_508,
    ("alarm", 20): 123_566,
    ("hailfinder100", 3): 432_624,
    ("hailfinder100", 20): 33_318_144,
    ("hailfinder500", 3): 891_813_888,
    ("hailfinder500", 20): 21_757_427_712,
    ("lung-cancer", 3): 89_352_384,
    ("insurance1000", 3): 10,
    ("insurance1000", 20): 117,
    ("alarm1000", 3): 24,
    ("alarm1000", 20): 424,
    ("letter", 20): 1_050,
}
# Counts that nobody else has found so far: they only say when something changes.
OURS = {
    ("letter", 3): 462,
    ("sensors", 3): 8,
    ("sensors", 20): 70,
    ("soybean", 3): 1_284_984,
    ("soybean", 20): 224_922_816,
    ("parkinsons", 20): 261_704,
    ("horse", 20): 286_693,
    ("flag", 20): 171_162,
    ("bands", 20): 5_282_190,
    ("spectf", 20): 92_209_746,
    ("lung-cancer", 20): 848_887_945_624,
}
CLASSES = {
    ("hepatitis", 20): 14_225,
    ("wine", 3): 7,
    ("hailfinder100", 3): 46,
    ("hailfinder100", 20): 1_862,
    ("soybean", 3): 454_680,
    ("bands", 20): 615_918,
    ("hailfinder500", 3): 1_966_080,
    ("hailfinder500", 20): 13_107_200,
    ("lung-cancer", 3): 2_082_224,
}

# The rows of Table 2 up to hepatitis, and the most seconds for the k best of each.
K_BEST_ROWS = "tic-tac-toe wine adult nltcs msnbc letter voting zoo hepatitis"
K_BEST_SECONDS = 30.0

#: How many times faster than the paper's program, row by row; the last test sums up.
FACTORS: dict[tuple[str, ...], float] = {}


def expected_networks(file: str, level: int) -> int | None:
    """Return the exact count where one is known."""
    known = EXACT | OURS
    if (file, level) in known:
        return known[file, level]
    try:
        rows = {row["file"]: row for row in read_table("table1")}
    except MissingFilesError as error:
        pytest.skip(str(error))
    text = rows.get(file, {}).get(f"networks_bf{level}")
    if not text or int(text) >= CAP or file in OTHER_SAMPLES:
        return None
    return int(text)


@pytest.mark.parametrize(("file", "level", "most"), PROMISES)
def test_search(
    benchmark: BenchmarkFixture,
    data_file: Callable[[str], Path],
    file: str,
    level: int,
    most: float,
) -> None:
    """Complete, with the right number of networks, in time."""
    expected = expected_networks(file, level)
    data = cn.as_dataset(data_file(file), header=False)
    table = cn.score(data, bayes_factor=level, threads=THREADS)
    benchmark.extra_info["promised seconds"] = most

    def run() -> SearchResult:
        return search(
            table, math.log(level), threads=THREADS, time_limit=most * PATIENCE, memory_limit=12
        )

    found: SearchResult = benchmark.pedantic(run, rounds=1)  # type: ignore[no-untyped-call]
    assert found.complete, f"not complete after {most * PATIENCE:g} s; gap {found.gap:.3g} nats"
    networks = found.network_set.count(found.network_set.max_cost)
    assert expected is None or networks == expected
    if (file, level) in CLASSES:
        assert found.representatives is not None
        max_cost = found.network_set.max_cost
        classes = found.representatives.find(max_cost, ClassEffort())
        assert classes.count(max_cost) == CLASSES[file, level]


@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("what", ["k", "k_classes"])
@pytest.mark.parametrize("file", K_BEST_ROWS.split())
def test_the_k_best(data_file: Callable[[str], Path], file: str, what: str, k: int) -> None:
    """The best networks and classes of Table 2's data, at most three parents, in time."""
    data = cn.as_dataset(data_file(file), header=False)
    began = time.perf_counter()
    request = {"k": k} if what == "k" else {"k_classes": k}
    result = cn.find(data, score="bdeu", max_parents=PARENT_LIMIT, threads=THREADS, **request)
    assert time.perf_counter() - began <= K_BEST_SECONDS * PATIENCE
    assert result.complete
    found = result.n_networks if what == "k" else result.n_classes
    # More only if the last ones tie; fewer only if there are no more networks at all.
    assert found is not None
    assert found == k or any("tie" in note or "fewer than" in note for note in result.notes)


def finished_peer_rows() -> list[dict[str, str]]:
    """Return the rows that the paper's program finished; none where there is no table."""
    try:
        return [row for row in read_table("peer") if is_done(row)]
    except MissingFilesError:
        return []


@pytest.mark.parametrize(
    "peer",
    finished_peer_rows(),
    ids=lambda row: f"{row['file']}-{row['score']}-{row['bayes_factor']}",
)
def test_beside_the_papers_program(data_file: Callable[[str], Path], peer: dict[str, str]) -> None:
    """Scores, bounds and enumeration, against the same of the paper's program; same answers."""
    data = cn.as_dataset(data_file(peer["file"]), header=False)
    limit = PARENT_LIMIT if peer["score"] == "bdeu" else None
    # All threads together, which is what other work on the machine changes least.
    began = time.process_time()
    result = cn.find(
        data,
        score=peer["score"],
        bayes_factor=float(peer["bayes_factor"]),
        max_parents=limit,
        threads=THREADS,
    )
    seconds = time.process_time() - began
    FACTORS[peer["file"], peer["score"], peer["bayes_factor"]] = total(peer) / max(
        SHORTEST, seconds
    )
    assert result.complete
    assert result.n_networks == int(peer["networks"])
    assert result.optimal_cost == pytest.approx(-float(peer["optimal_score"]), abs=2e-6)


def test_a_hundred_times_faster_than_the_papers_program() -> None:
    """The geometric mean over the rows that both finish."""
    if not FACTORS:
        pytest.skip("there are no measured rows of the paper's program")
    mean = geometric_mean(list(FACTORS.values()))
    print(f"\n{mean:,.0f} times faster in the geometric mean over {len(FACTORS)} rows:")
    for row, factor in sorted(FACTORS.items(), key=lambda item: item[1]):
        print(f"{factor:12,.1f}  {' '.join(row)}")
    assert mean >= 100
