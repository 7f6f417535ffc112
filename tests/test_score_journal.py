"""Scoring that was stopped goes on with the pieces that were finished."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core
from crediblenet.checkpoints.score_journal import kept_scores


@pytest.fixture(scope="module")
def noise() -> cn.Dataset:
    """Return columns that have nothing to do with each other."""
    codes = np.random.default_rng(4).integers(0, 2, size=(100, 40))
    return cn.as_dataset(codes, many_values="keep")


def described(table: cn.ScoreTable) -> dict[str, Any]:
    """Return all that a table says, but how long it took, and how much memory."""
    about = {
        name: value
        for name, value in table.metadata.items()
        if name != "seconds" and "memory" not in name
    }
    arrays = (table.offsets, table.parents, table.costs)
    return {"arrays": [array.tobytes() for array in arrays], "about": about}


@pytest.mark.parametrize("score", ["bic", "bdeu", "bge"])
def test_pieces_are_used(noise: cn.Dataset, tmp_path: Path, score: str) -> None:
    """The table is the same from nothing, from half of the pieces, and from all of them."""
    codes = np.repeat(noise.codes, noise.weights, axis=1).T
    data = codes + np.random.default_rng(1).random(codes.shape) if score == "bge" else noise

    def make(journal: _core.ScoreJournal | None, threads: int = 1) -> cn.ScoreTable:
        return cn.score(data, score=score, max_parents=3, journal=journal, threads=threads)

    expected = described(make(None))
    path = tmp_path / "pieces"
    for cut in (0.0, 0.5, 0.9, 1.0):
        if path.exists():
            whole = path.read_bytes()
            path.write_bytes(whole[: int(cut * len(whole))])
        journal = _core.ScoreJournal()
        assert journal.open(str(path), "key")
        assert (journal.found > 0) == (cut > 0)
        assert described(make(journal, threads=2)) == expected


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"score": "bdeu", "bayes_factor": 3},
        {"score": "qnml", "max_parents": 4, "forbid": ["V0->V1"]},
        {"require": ["V0->V1", "V2->V3"], "epsilon": math.inf},
        {"score": "bds"},  # whose costs need more than the terms: nothing is kept
    ],
    ids=str,
)
def test_terms_are_used_without_a_parent_limit(tmp_path: Path, options: dict[str, Any]) -> None:
    """Sets that were counted are not counted again, and nothing else is different."""
    random = np.random.default_rng(2)
    columns = np.cumsum(random.integers(0, 2, size=(60, 11)), axis=1) % 3
    data = cn.as_dataset(columns, many_values="keep")
    expected = described(cn.score(data, **options))
    path = tmp_path / "pieces"
    for cut in (0.0, 0.3, 0.8, 1.0):
        if path.exists():
            whole = path.read_bytes()
            path.write_bytes(whole[: int(cut * len(whole))])
        journal = _core.ScoreJournal()
        assert journal.open(str(path), "key")
        assert (journal.found > 0) == (cut > 0 and options.get("score") != "bds")
        assert described(cn.score(data, journal=journal, threads=2, **options)) == expected


def test_damaged_pieces_are_counted_again(tmp_path: Path) -> None:
    """Whatever byte is changed, nothing comes of it."""
    columns = np.random.default_rng(2).integers(0, 2, size=(40, 8))
    expected = described(cn.score(columns))
    path, random = tmp_path / "pieces", np.random.default_rng(3)
    journal = _core.ScoreJournal()
    assert journal.open(str(path), "key")
    cn.score(columns, journal=journal)
    del journal
    whole = path.read_bytes()
    for place in random.integers(0, len(whole), 40).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        journal = _core.ScoreJournal()
        assert journal.open(str(path), "key")
        assert described(cn.score(columns, journal=journal)) == expected


def test_a_short_run_leaves_no_trace(noise: cn.Dataset, tmp_path: Path) -> None:
    """Nothing is written before the time has come; then the folder is made first."""
    made: list[str] = []
    with kept_scores(tmp_path / "a", "key", lambda: made.append("a"), 60.0) as (journal, _):
        cn.score(noise, max_parents=2, journal=journal)
    assert made == []
    assert not (tmp_path / "a").exists()
    with kept_scores(tmp_path / "b", "key", lambda: made.append("b"), 0.0) as (journal, _):
        while not (tmp_path / "b").exists():
            time.sleep(0.001)
        cn.score(noise, max_parents=2, journal=journal)
    assert made == ["b"]
    assert (tmp_path / "b").stat().st_size > 1000


def test_a_full_disk_ends_the_pieces_only(noise: cn.Dataset) -> None:
    """The table is made, and the reason is told."""
    with kept_scores(Path("/dev/full"), "key", lambda: None, 0.0) as (journal, failures):
        table = cn.score(noise, max_parents=2, journal=journal)
    assert len(table) >= 40
    assert failures == ["No space left on device"]
