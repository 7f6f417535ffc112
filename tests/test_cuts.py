"""Cuts: every network obeys them, and they bound better than clusters alone."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import highspy
import numpy as np
import pytest
from benchmarks.scale.structures import draw

import crediblenet as cn
import small_attempts
from crediblenet import _core, reference
from crediblenet.bounds import Bounder, Part, guide
from crediblenet.bounds.part import Keep
from crediblenet.bounds.splitting import Arc, even_arc, halves, undecided_arcs
from crediblenet.enumeration.space import SearchSpace
from crediblenet.score_table import ScoreTable
from instances import random_table
from listed import on_grid
from test_known_networks import tempting_table
from test_search_against_reference import found_networks


@pytest.fixture(autouse=True)
def _relaxations_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no subset program or search make the cuts needless."""
    for name, value in small_attempts.CONSTANTS.items():
        monkeypatch.setattr(name, value)
    monkeypatch.setattr("crediblenet.bounds.bounder.WORTH_KEEPING", -math.inf)


def bounder_of(table: ScoreTable, epsilon: float) -> Bounder:
    """Return a bounder for a table."""
    space = SearchSpace.within(table, epsilon)
    return Bounder(table, space.costs, space.slack, _core.Control())


def networks_of(table: ScoreTable, epsilon: float) -> dict[tuple[int, ...], int]:
    """Return the networks within epsilon, by their rows, with their costs in grid units."""
    row_of = {
        (child, frozenset(table.parent_set(row))): row
        for child in range(table.n_variables)
        for row in range(int(table.offsets[child]), int(table.offsets[child + 1]))
    }
    return {
        tuple(row_of[child, frozenset(parents)] for child, parents in enumerate(network)): round(
            math.ldexp(cost, table.grid_bits)
        )
        for network, cost in reference.networks_within_by_sinks(table, epsilon).items()
    }


def test_no_network_is_lost() -> None:
    """With cuts the bound is below every network, and all their candidates stay."""
    with_cuts = 0
    for seed in range(200):
        instance = random_table(seed, variables=(5, 8))
        table = on_grid(instance.table)
        networks = networks_of(table, instance.epsilon)
        if not networks:
            continue
        bounder = bounder_of(table, instance.epsilon)
        part = bounder.strengthen(bounder.whole())
        assert part is not None, instance
        assert part.lower <= min(networks.values()) <= bounder.upper, instance
        assert part.strong is not None
        with_cuts += len(part.strong.cuts) > 0
        begin = guide(bounder, part)
        shares = part.strong.cuts.shares(begin.problem)
        for rows in networks:
            assert part.keep[list(rows)].all(), instance
            # What the guide spares is never more than what a network costs less.
            assert int(shares[list(rows)].sum()) >= begin.spared, instance
    assert with_cuts > 2


def test_they_close_gaps() -> None:
    """Where clusters leave a gap on data of a network, cuts close nearly all of it."""
    data = draw("random, up to 2", 60, 1_000, seed=1)
    for score in ("bic", "bdeu"):
        table = cn.score(data, score=score, bayes_factor=3, max_parents=2, many_values="keep")
        bounder = bounder_of(table, math.log(3))
        weak = bounder.relax(bounder.whole())
        assert weak is not None
        assert not weak.exact
        strong = bounder.strengthen(weak)
        assert strong is not None
        assert bounder.gap(weak) > 10
        assert bounder.gap(strong) < 0.1 * bounder.gap(weak)


def test_local_cuts_leave_no_gap_on_few_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """On eight variables one local cut can say all that other clusters could."""
    monkeypatch.setattr("crediblenet.bounds.clusters.MAX_K", 1)
    monkeypatch.setattr("crediblenet.bounds.bounder.CUT_PATIENCE", 100)
    gaps = np.zeros(2)
    for seed in range(10):
        table = tempting_table(seed, 8)
        for place, variables in enumerate((0, 8)):
            monkeypatch.setattr("crediblenet.bounds.relaxation.LOCAL_VARIABLES", variables)
            bounder = bounder_of(table, math.log(3))
            part = bounder.strengthen(bounder.whole())
            assert part is not None
            gaps[place] += bounder.gap(part)
    assert gaps[0] > 0.1, gaps
    assert gaps[1] < 0.1 * gaps[0], gaps


def test_relaxations_beside_other_users_of_the_solver() -> None:
    """A thread that has used HiGHS with two threads still solves relaxations."""

    def solve_both() -> tuple[highspy.HighsStatus, bool]:
        other = highspy.Highs()  # type: ignore[no-untyped-call]
        other.setOptionValue("output_flag", False)
        other.setOptionValue("threads", 2)
        other.addCol(1.0, 0.0, 1.0, 0, [], [])
        status = other.run()
        bounder = bounder_of(tempting_table(2), math.log(3))
        part = bounder.relax(bounder.whole())
        return status, part is not None and part.x is not None

    with ThreadPoolExecutor(1) as fresh:  # the solver remembers threads by thread
        assert fresh.submit(solve_both).result() == (highspy.HighsStatus.kOk, True)


def test_useless_cuts_are_not_handed_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part whose gap they do not close is split without them."""
    monkeypatch.setattr("crediblenet.bounds.bounder.WORTH_KEEPING", math.inf)
    bounder = bounder_of(tempting_table(1), math.log(3))
    part = bounder.strengthen(bounder.whole())
    assert part is not None
    assert part.strong is None
    assert part.cuts_fail


@pytest.mark.parametrize("cuts_only", [False, True])
def test_parts_without_what_clusters_alone_say(
    cuts_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where they are too loose, parts are bounded with cuts only; no network is lost by it."""
    for name in ("WHOLE_WORK", "PART_WORK", "WORK_PER_TRY", "WORK_AT_THE_END"):
        monkeypatch.setattr(f"crediblenet.bounds.bounder.{name}", 0)
    hopeful = 0.0 if cuts_only else math.inf
    monkeypatch.setattr("crediblenet.bounds.bounder.HOPEFUL_GAP", hopeful)
    loose = 0
    for seed in range(30):
        table = tempting_table(seed, 9)
        bounder = bounder_of(table, math.log(3))
        weak = bounder.relax(bounder.whole())
        assert weak is not None
        part = bounder.strengthen(weak)
        assert part is not None
        assert part.cuts_only == (cuts_only and bounder.gap(weak) > 0)
        if part.cuts_only:
            loose += 1
            assert bounder.searched(part, 10**9) is part
            half, _ = bounder.split_evenly(part)
            tight = bounder.tighten(half)
            # The relaxation without cuts was not solved again.
            assert tight is None or tight.clusters is part.clusters
        expected = reference.networks_within_by_sinks(table, math.log(3))
        assert set(found_networks(table, math.log(3))) == set(expected)
    assert loose > 5 or not cuts_only


def test_halves_share_out_the_candidates() -> None:
    """An arc that is chosen leaves something on both sides, and nothing on both or neither."""
    table = tempting_table(3)
    keep = np.random.default_rng(3).random(len(table.costs)) < 0.8
    x = np.where(keep, 0.4, 0.0)
    undecided = undecided_arcs(table, keep, x, 5)
    assert len(undecided) == 5
    assert len({frozenset(arc) for arc in undecided_arcs(table, keep, x, 1000)}) == len(
        undecided_arcs(table, keep, x, 1000)
    )  # of an arc and its reverse only one
    for arc in (*undecided, even_arc(table, keep)):
        without, with_arc = halves(table, keep, arc)
        own = slice(int(table.offsets[arc.child]), int(table.offsets[arc.child + 1]))
        others = np.ones(len(keep), dtype=bool)
        others[own] = False
        assert (without & with_arc == keep & others).all()
        assert (without | with_arc == keep).all()
        assert without[own].any()
        assert with_arc[own].any()
        for row in np.flatnonzero(with_arc & ~others):
            assert arc.parent in table.parent_set(int(row))


def test_an_arc_that_all_candidates_have_is_not_undecided() -> None:
    """Whatever a relaxed solution from before says of it."""
    table = tempting_table(3)
    keep = np.ones(len(table.costs), dtype=bool)
    x = np.zeros(len(table.costs))
    arc = Arc(parent=table.parent_set(1)[0], child=0)
    _, with_arc = halves(table, keep, arc)
    x[np.flatnonzero(with_arc)[0]] = 0.5
    found, *_ = undecided_arcs(table, keep, x, 5)
    assert found.child == 0
    _, keep = halves(table, keep, found)
    assert found not in undecided_arcs(table, keep, x, 5)


def test_the_decisive_arc_raises_both_halves_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all undecided arcs the one with the largest product of rises, by programs of their own."""
    monkeypatch.setattr("crediblenet.bounds.bounder.VARIABLES_PER_TRY", 0.1)
    monkeypatch.setattr("crediblenet.bounds.splitting.VARIABLES_PER_VAIN_TRY", 0.1)
    monkeypatch.setattr("crediblenet.bounds.bounder.WORTH_TRYING", 0.0)
    monkeypatch.setattr("crediblenet.bounds.bounder.LIKELY", 1e6)
    better_than_nearest = 0
    for seed in range(4):
        bounder = bounder_of(tempting_table(seed, 20), math.log(3))
        part = bounder.relax(bounder.whole())
        assert part is not None
        assert part.x is not None
        assert part.clusters is not None
        arcs = undecided_arcs(bounder.table, part.keep, part.x, 100)
        if not arcs:
            continue  # solved by the relaxation
        base = optimum(bounder, part, part.keep)
        gains = {}
        for arc in arcs:
            sides = halves(bounder.table, part.keep, arc)
            rises = [optimum(bounder, part, keep) - base for keep in sides]
            gains[arc] = math.prod(max(rise, 1e-3) for rise in rises)
        split = bounder.split(part)
        assert split is not None
        chosen = next(
            arc for arc in arcs if (halves(bounder.table, part.keep, arc)[0] == split[0].keep).all()
        )
        assert gains[chosen] == pytest.approx(max(gains.values()), rel=1e-6)
        better_than_nearest += gains[chosen] > 1.01 * gains[arcs[0]]
    assert better_than_nearest > 0


def optimum(bounder: Bounder, part: Part, keep: Keep) -> float:
    """Return the optimum of a part's program, in nats, if only some candidates may be used."""
    rows = np.flatnonzero(part.keep)
    assert part.clusters is not None
    columns = part.clusters.coefficients(bounder.problem(part.keep), rows.astype(np.uint32))
    model = highspy.Highs()  # type: ignore[no-untyped-call]
    model.setOptionValue("output_flag", False)
    most = np.where(keep[rows], highspy.kHighsInf, 0.0)
    model.addVars(len(rows), np.zeros(len(rows)), most)
    costs = np.asarray(bounder.costs[rows] * bounder.unit, np.float64)
    model.changeColsCost(len(rows), np.arange(len(rows), dtype=np.int32), costs)
    for child in range(bounder.table.n_variables):
        own = np.flatnonzero(bounder.variable[rows] == child).astype(np.int32)
        model.addRow(1.0, 1.0, len(own), own, np.ones(len(own)))
    for counted, k in zip(columns.T, part.clusters.k, strict=True):
        own = np.flatnonzero(counted).astype(np.int32)
        model.addRow(float(k), highspy.kHighsInf, len(own), own, np.ones(len(own)))
    model.run()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return math.inf
    return float(model.getObjectiveValue())
