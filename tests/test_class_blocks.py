"""Classes found block by block: against comparing all networks, and for sets beyond listing."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core, class_set
from crediblenet.class_set import ProductOfClasses, list_classes
from crediblenet.classes import are_canonical, group_networks
from crediblenet.counted_set import counted_set
from crediblenet.enumeration import SearchResult, search
from crediblenet.exceptions import LimitError, VerificationError
from crediblenet.folded_set import FoldedSet
from crediblenet.levelled_set import LevelledSet
from crediblenet.network_set import grid_costs
from crediblenet.reference.networks import subsets
from crediblenet.representatives import ClassEffort, FoundClasses
from crediblenet.run_directory import load
from crediblenet.score_table import ScoreTable
from crediblenet.stopwatch import peak_memory_mb
from crediblenet.verification import verify_run
from instances import DataInstance, random_data
from test_against_reference import dataset_of

EQUIVALENT = ("bic", "bdeu", "aic", "qnml")
EPSILONS = (0.0, math.log(3), math.log(20), math.log(150))
SEEDS_PER_TEST = 100


def searched(seed: int) -> tuple[ScoreTable, SearchResult, str]:
    """Return a random data set's networks; every third one has two unrelated halves."""
    data = random_data(seed, variables=(2, 5))
    rows = data.rows
    if seed % 3 == 0:
        other = random_data(seed + 10_000, variables=(2, 2), rows=(len(rows), len(rows)))
        rows = tuple(a + b for a, b in zip(rows, other.rows, strict=False))
    score, epsilon = EQUIVALENT[seed % 4], EPSILONS[seed // 4 % 4]
    table = cn.score(dataset_of(DataInstance(seed, rows)), score=score, epsilon=epsilon, threads=1)
    return table, search(table, epsilon, threads=1), f"{score}, {epsilon}, seed {seed}, {rows}"


@pytest.mark.parametrize("first_seed", range(0, 1000, SEEDS_PER_TEST))
def test_classes_by_blocks_are_those_of_all_networks(first_seed: int) -> None:
    """No class is missing or there twice, at the largest cost and at every smaller one."""
    blocks: Counter[int] = Counter()
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        table, found, about = searched(seed)
        networks = found.network_set
        assert found.representatives is not None, about
        if networks.count(networks.max_cost) > 3000:
            continue
        costs, rows = next(networks.blocks(networks.max_cost, 3000))
        groups = group_networks(table.parents[rows])
        _, first = np.unique(groups, return_index=True)
        classes = found.representatives.find(networks.max_cost, ClassEffort())
        assert isinstance(classes, ProductOfClasses)
        class_costs, class_rows = next(classes.blocks(networks.max_cost, 3000))
        # The same costs, and each representative is the canonical network of another class.
        assert np.array_equal(class_costs, costs[first]), about
        assert np.all(are_canonical(table.parents[class_rows])), about
        together = group_networks(table.parents[np.concatenate([rows, class_rows])])
        assert sorted(together[len(rows) :]) == list(range(len(first))), about
        for cost in np.unique(class_costs).tolist():
            assert classes.count(cost) == np.count_nonzero(class_costs <= cost), about
        middle = int(costs[len(costs) // 2])
        part = found.representatives.find(middle, ClassEffort())
        assert part.count(middle) == classes.count(middle), about
        blocks[int(classes.statistics["class_blocks"])] += 1
    assert sum(blocks.values()) > SEEDS_PER_TEST * 0.8
    assert len(blocks) > 3


def test_classes_with_too_many_distinct_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted from both ends, listed in order and weighed, they are the same classes."""
    compared = 0
    for seed in range(200):
        table, found, about = searched(seed)
        assert found.representatives is not None, about
        networks = found.network_set
        if networks.count(networks.max_cost) > 3000:
            continue
        levelled = found.representatives.find(networks.max_cost, ClassEffort())
        with monkeypatch.context() as changed:
            changed.setattr(class_set, "LEVEL_BYTES", 2**62)
            folded = found.representatives.find(networks.max_cost, ClassEffort())
        assert isinstance(levelled, ProductOfClasses)
        assert isinstance(folded, ProductOfClasses)
        assert isinstance(levelled._choices, LevelledSet)
        assert isinstance(folded._choices, FoldedSet)
        costs, rows = list_classes(levelled, networks.max_cost, 3000)
        same_costs, same_rows = list_classes(folded, networks.max_cost, 3000)
        assert np.array_equal(costs, same_costs), about
        assert np.array_equal(rows, same_rows), about
        for cost in np.unique(costs).tolist():
            assert folded.count(cost) == np.count_nonzero(costs <= cost), about
            above = (costs[costs <= cost] - networks.optimal_cost) * 2.0**-table.grid_bits
            expected = pytest.approx(math.log(np.exp(-above).sum()), abs=1e-9)
            assert levelled.log_weight(cost, networks.optimal_cost) == expected, about
            assert folded.log_weight(cost, networks.optimal_cost) == expected, about
        compared += len(costs) > 1
    assert compared > 80


def unequal_pairs(n: int) -> ScoreTable:
    """Return pairs of variables, connected or not, each pair at a cost of its own."""
    rng = np.random.default_rng(3)
    candidates = []
    for pair in range(n):
        connected = math.floor(rng.uniform(0.1, 0.9) * 2**30) / 2**30
        for other in (2 * pair + 1, 2 * pair):
            candidates += [{frozenset[int](): 1.0, frozenset({other}): connected}]
    names = [f"v{v}" for v in range(2 * n)]
    return ScoreTable.from_candidates(names, candidates, score="bic", score_equivalent=True)


def test_more_classes_than_distinct_costs_can_be_held() -> None:
    """2^26 classes in little memory, the best of them in order."""
    memory_before = peak_memory_mb()
    result = cn.find(unequal_pairs(26), epsilon=30.0, threads=1)
    assert result.n_networks == 3**26
    assert result.n_classes == 2**26
    best = list(islice(result.classes(), 3))
    assert [one.size for one in best] == [2**26, 2**25, 2**25]
    assert peak_memory_mb() < memory_before + 1500


def test_classes_that_cannot_all_be_put_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are counted, the first ones are listed, and the run is saved."""
    monkeypatch.setattr("crediblenet.class_set.LEVEL_BYTES", 2**62)
    monkeypatch.setattr("crediblenet.folded_set.MOST_LEVELS", 300)
    result = cn.find(unequal_pairs(12), epsilon=30.0, threads=1)
    assert result.n_classes == 2**12
    costs: list[float] = []
    with pytest.raises(LimitError, match="too many distinct costs to put the classes in order"):
        costs.extend(one.cost for one in result.classes())
    assert len(costs) > 64
    assert costs == sorted(costs)
    result.save(tmp_path / "run")
    assert load(tmp_path / "run").n_networks == 3**12


def pairs_table(n: int) -> ScoreTable:
    """Return `n` pairs of variables, each connected (at a cost of 1 less) or not."""
    candidates = []
    for v in range(2 * n):
        other = v + 1 if v % 2 == 0 else v - 1
        candidates.append({frozenset[int](): 2.0, frozenset({other}): 1.0})
    names = [f"v{v}" for v in range(2 * n)]
    return ScoreTable.from_candidates(names, candidates, score="bic", score_equivalent=True)


def all_networks(n: int) -> cn.CredibleSet:
    """Return every network of `n` variables, all at the same cost."""
    candidates = [
        dict.fromkeys(map(frozenset[int], subsets(set(range(n)) - {v})), 0.0) for v in range(n)
    ]
    names = [f"v{v}" for v in range(n)]
    table = ScoreTable.from_candidates(names, candidates, score="bic", score_equivalent=True)
    return cn.find(table, epsilon=0.0, threads=1)


@pytest.mark.parametrize(("n", "classes"), [(2, 2), (3, 11), (4, 185), (5, 8782), (6, 1067825)])
def test_every_class_of_up_to_six_variables(n: int, classes: int) -> None:
    """The numbers are those of the literature (OEIS A007984)."""
    result = all_networks(n)
    assert result.n_classes == classes
    assert 1 <= result.class_statistics["leaves_per_class"] < 1.5


def test_a_search_for_classes_can_be_stopped_from_outside() -> None:
    """Seven variables have 312,510,571 classes; asking for less ends the search for them."""
    result = all_networks(7)
    stopper = threading.Timer(0.3, result.list_at_most, (10, 10))
    stopper.start()
    began = time.perf_counter()
    with pytest.raises(LimitError, match=r"in a block of 7 variables, after [\d,]+ classes"):
        result.count_classes(memory_limit=100)
    stopper.join()
    assert 0.2 < time.perf_counter() - began < 5
    assert result.n_classes is None
    # Which of two limits is met first, depends on how the threads take turns.
    assert re.search("1,000 steps|more than 53 classes", result.notes[-1])


def test_classes_beyond_listing() -> None:
    """3**70 networks in 2**70 classes: counted at every level, and listed from the best on."""
    result = cn.find(pairs_table(70), epsilon=70.0, threads=1)
    assert result.n_networks == 3**70
    assert result.n_classes == 2**70
    assert result.notes == ()
    for missing in (0, 1, 5):
        level = result.at(epsilon=missing)
        assert level.n_classes == sum(math.comb(70, k) for k in range(missing + 1))
    best = list(result.classes(limit=72))
    assert [round(c.cost - best[0].cost) for c in best] == [0] + 70 * [1] + [2]
    assert [c.size for c in best] == [2**70] + 70 * [2**69] + [2**68]
    assert len({c.cpdag() for c in best}) == 72
    weights = [math.exp(-k) * 2.0 ** (70 - k) * math.comb(70, k) for k in range(71)]
    assert best[0].weight == pytest.approx(weights[0] / math.fsum(weights), rel=1e-9)
    # With classes equally probable beforehand, their sizes do not matter.
    even = [math.exp(-k) * math.comb(70, k) for k in range(71)]
    first = next(result.with_prior("classes").classes())
    assert first.weight == pytest.approx(1 / math.fsum(even), rel=1e-9)
    streamed = islice(result.classes(), 1000)
    assert len({c.cpdag() for c in streamed}) == 1000


def test_the_k_best_classes_of_a_set_beyond_listing() -> None:
    """Asking for some classes does not look for all of them."""
    result = cn.find(pairs_table(70), k_classes=50, threads=1)
    assert result.n_classes == 71
    assert "71 classes instead of 50" in result.notes[-1]


def test_little_memory_does_not_shorten_the_search_for_classes() -> None:
    """Memory limits how many classes are kept, time how many steps are made."""
    notes = []
    for in_time in (None, 10**6):
        result = cn.find(cn.example("asia").data, bayes_factor=1e6, threads=1)
        result.list_at_most(3, 1, in_time)
        assert result.n_classes is None
        notes.append(result.notes[-1])
    assert "not all classes were found in 300 steps" in notes[0]
    assert "there are more than 18 classes" in notes[1]


def test_a_limit_leaves_the_classes_uncounted_and_says_how_to_count_them() -> None:
    """Nothing is left out silently: the reason, how far it got, and what to do."""
    result = cn.find(cn.example("asia").data, bayes_factor=1e6, threads=1)
    counted = result.n_classes
    again = cn.find(cn.example("asia").data, bayes_factor=1e6, threads=1)
    again.list_at_most(1, 1)
    assert again.n_classes is None
    assert again.known_classes is None
    assert again.class_statistics == {}
    (note,) = again.notes
    assert note.startswith("The classes were not counted: in a block of ")
    assert "100 steps" in note
    assert "count_classes()" in note
    with pytest.raises(LimitError, match="too many classes to list"):
        again.classes()
    with pytest.raises(LimitError, match="stopped"):
        again.count_classes(time_limit=0.0)
    with pytest.raises(LimitError, match="more than 0 classes"):
        again.count_classes(memory_limit=0.0)
    assert again.count_classes(time_limit=60, memory_limit=1) == counted
    assert again.n_classes == again.known_classes == counted
    assert again.notes == ()


def test_the_classes_do_not_depend_on_the_threads() -> None:
    """Order, representatives and statistics are the same; work is split into fixed parts."""
    table = cn.score(cn.example("asia").data, bayes_factor=1e6)
    found = search(table, table.epsilon)
    most = found.network_set.max_cost
    every = [
        FoundClasses(table, found.network_set, threads).find(most, ClassEffort())
        for threads in (1, 2, 5)
    ]
    listed = [next(classes.blocks(most, 10**6)) for classes in every]
    assert len(listed[0][0]) > 1000
    for other, rows in zip(every[1:], listed[1:], strict=True):
        assert other.statistics == every[0].statistics
        assert np.array_equal(rows[1], listed[0][1])
    assert 1 <= every[0].statistics["leaves_per_class"] < 2


def test_a_run_with_more_classes_than_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number is stored, the best classes are listed, the others are found again."""
    monkeypatch.setattr("crediblenet.run_directory.STORED_CLASSES", 4)
    monkeypatch.setattr("crediblenet.run_directory.FIRST_CLASSES", 3)
    sample = cn.example("asia")
    result = cn.find(sample.data, bayes_factor=150, threads=1, out=tmp_path / "run")
    count = result.n_classes
    assert count is not None
    assert count > 4
    about = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert about["classes"] == count
    assert "classes.parquet has the 3 best classes, not all." in about["notes"]
    assert about["statistics"]["leaves_per_class"] == result.class_statistics["leaves_per_class"]
    again = load(tmp_path / "run")
    assert again.n_classes == count
    first, second = (
        [(c.cost, c.size, c.cpdag()) for c in some.classes()] for some in (result, again)
    )
    assert first == second
    verification = verify_run(tmp_path / "run", sample.data)
    assert verification.passed, verification
    # A number that is not that of the networks is noticed.
    place = tmp_path / "run" / "summary.json"
    text = place.read_text(encoding="utf-8")
    place.write_text(json.dumps(about | {"classes": count + 1}), encoding="utf-8")
    with pytest.raises(VerificationError, match=f"but the networks have {count}"):
        verify_run(tmp_path / "run", sample.data)
    place.write_text(text, encoding="utf-8")
    # Had all been to be stored, three would be too few.
    monkeypatch.setattr("crediblenet.run_directory.STORED_CLASSES", 500_000)
    with pytest.raises(VerificationError, match=f"{count} classes are stated, but 3 are listed"):
        verify_run(tmp_path / "run", sample.data)


def test_networks_of_a_stopped_search_need_not_make_whole_classes() -> None:
    """Only classes within the limit are counted, or it is said that none is whole."""
    random, outcomes = np.random.default_rng(7), Counter[str]()
    for seed in range(200):
        table, found, about = searched(seed)
        total = found.network_set.count(found.network_set.max_cost)
        if not 3 < total <= 500:
            continue
        costs, rows = next(found.network_set.blocks(found.network_set.max_cost, 500))
        some = np.sort(random.choice(total, size=total // 3, replace=False))
        circuit = _core.Circuit()
        roots = [circuit.network(rows[k].astype(np.uint32)) for k in some]
        root = circuit.choice(np.array(roots, dtype=np.uint32))
        for most in (int(costs[some[0]]), int(costs[some[-1]])):
            part = _core.CompiledSet.make(
                circuit, root, table.offsets, grid_costs(table), most, 10**6, 9, _core.Control()
            )
            try:
                classes = FoundClasses(table, counted_set(table, part)).find(most, ClassEffort())
            except LimitError as error:
                outcomes["none" if "whole classes" in str(error) else str(error)] += 1
                continue
            outcomes["some"] += 1
            assert found.representatives is not None
            true = found.representatives.find(most, ClassEffort()).count(most)
            assert 0 < classes.count(most) <= true, about
    assert set(outcomes) == {"none", "some"}
    assert min(outcomes.values()) > 10
