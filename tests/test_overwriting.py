"""A result that takes the place of an earlier one: at every moment one of the two can be loaded."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import crediblenet as cn
import crediblenet.atomic_directory as atomic_directory
from crediblenet.exceptions import RunDirectoryError
from crediblenet.name_exchange import exchange
from killing import SOURCES, contents, hard_table, launcher

KILLS = 5


def test_names_change_places(tmp_path: Path) -> None:
    """Two directories exchange their names; a name that is not there is an error."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    if not exchange(tmp_path / "first", tmp_path / "second"):
        pytest.skip("names cannot be exchanged on this system")
    assert (tmp_path / "first" / "file").read_text() == "second"
    assert (tmp_path / "second" / "file").read_text() == "first"
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "first", tmp_path / "third")


# Kills itself at the moment when the old name is gone, or would be. The rename is the first
# one of the exchange in two steps, and the call that there is no such exchange comes before.
INTERRUPTED = """
import os, pathlib, sys
import crediblenet as cn
import crediblenet.atomic_directory as atomic_directory
atomic_directory.exchange = lambda first, second: False
rename = pathlib.Path.rename
def killed_after(self, target):
    moved = rename(self, target)
    if str(target).endswith(".old"):
        os.kill(os.getpid(), 9)
    return moved
pathlib.Path.rename = killed_after
cn.find(cn.example("cancer").data, bayes_factor=3).save(sys.argv[1], overwrite=True)
"""


def test_killed_between_two_renames(tmp_path: Path) -> None:
    """On a disk without the exchange, the earlier result is found beside its place."""
    place = tmp_path / "run"
    earlier = cn.find(cn.example("asia").data).save(place)
    before = contents(earlier)
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(place)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        check=False,
    )
    assert ended.returncode == -9
    assert not place.exists()
    assert cn.load(place).n_networks == before["summary.json"]["networks"]
    # The next run there moves it back, and is refused as always.
    with pytest.raises(RunDirectoryError, match="is there already"):
        cn.find(cn.example("asia").data, out=place)
    assert contents(place) == before


@pytest.mark.parametrize("in_one_step", [True, False])
def test_replaced_by_either_way(
    in_one_step: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new result is there, and nothing beside it."""
    if not in_one_step:
        monkeypatch.setattr(atomic_directory, "exchange", lambda *_: False)
    place = cn.find(cn.example("asia").data).save(tmp_path / "run")
    result = cn.find(cn.example("cancer").data)
    result.save(place, overwrite=True)
    assert cn.load(place).names == result.names
    assert list(tmp_path.iterdir()) == [place]


def test_kills_while_overwriting(tmp_path: Path) -> None:
    """After each kill the earlier result or the new one can be loaded, and the end is the same."""
    pd.DataFrame(hard_table(24, 60, 24)).to_csv(tmp_path / "hard.csv", index=False)
    hard = ["--score", "aic", "--max-parents", "2", "--bayes-factor", "2", "--quiet"]
    command = ["find", str(tmp_path / "hard.csv"), *hard]
    out = tmp_path / "run"
    earlier = cn.find(cn.example("cancer").data).save(out)
    old_names = cn.load(earlier).names
    chance = random.Random(3)
    with launcher(tmp_path) as start:
        whole = start.run([*command, "--out", tmp_path / "whole"])
        assert whole["code"] == 0, whole
        expected = contents(tmp_path / "whole")
        new_names = tuple(expected["summary.json"]["names"])
        for _ in range(KILLS):
            after = chance.uniform(0.2, 1.1) * whole["seconds"]
            start.run([*command, "--out", out, "--overwrite"], after)
            assert cn.load(out).names in (old_names, new_names)
        last = start.run([*command, "--out", out, "--overwrite"])
        assert last["code"] == 0, last
    assert contents(out) == expected
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".run.")]
