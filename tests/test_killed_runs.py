"""``kill -9`` at any moment, and the same command again ends with the identical result."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crediblenet as cn
from killing import Launcher, contents, hard_table, launcher

KILLS = 50


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """Several kinds of runs: one search in many parts, several, numbers, scores, scoring."""
    place = tmp_path_factory.mktemp("data")
    pd.DataFrame(hard_table(24, 60, 24)).to_csv(place / "hard24.csv", index=False)
    pd.DataFrame(hard_table(26, 60, 26)).to_csv(place / "hard26.csv", index=False)
    cn.example("asia").write_csv(place / "asia.csv")
    table = cn.score(hard_table(18, 60, 18), score="aic", max_parents=2)
    table.to_jkl(place / "scores.jkl")
    noise = np.random.default_rng(4).integers(0, 2, size=(100, 60))
    columns = [f"V{v}" for v in range(60)]
    pd.DataFrame(noise, columns=columns).to_csv(place / "noise.csv", index=False)
    aic = ["--score", "aic", "--max-parents", "2", "--bayes-factor", "2"]
    return [
        ["find", str(place / "hard24.csv"), *aic],
        ["find", str(place / "hard26.csv"), *aic, "--threads", "1"],
        ["find", str(place / "asia.csv"), "--score", "bdeu", "--k-classes", "200"],
        ["find", str(place / "scores.jkl"), "--factor", "1.001"],
        ["find", str(place / "hard24.csv"), "--score", "bge", "--max-parents", "1"],
        # Nearly all of the time goes to scores.
        ["find", str(place / "noise.csv"), "--max-parents", "3", "--bayes-factor", "1"],
    ]


def test_kill_at_random_moments(commands: list[list[str]], tmp_path: Path) -> None:
    """At least KILLS times in all, over all commands; each ends as if nothing had happened."""
    with launcher(tmp_path) as start:
        expected = []
        for number, command in enumerate(commands):
            out = tmp_path / f"whole{number}"
            outcome = start.run([*command, "--out", out, "--quiet"])
            assert outcome["code"] == 0, outcome
            expected.append((contents(out), outcome["seconds"]))
        chance = random.Random(7)
        kills = 0
        for trial in itertools.count():
            command = commands[trial % len(commands)]
            whole, seconds = expected[trial % len(commands)]
            kills += killed_and_continued(
                start, command, tmp_path / f"run{trial}", whole, seconds, chance
            )
            if kills >= KILLS:
                return


def killed_and_continued(
    start: Launcher,
    command: list[str],
    out: Path,
    whole: dict[str, object],
    seconds: float,
    chance: random.Random,
) -> int:
    """Kill a command until it ends by itself; how often it was killed."""
    kills = 0
    while True:
        # Later and later, so that a single batch that takes longest cannot go on for ever.
        after = chance.uniform(0, seconds * (1 + kills / 8))
        outcome = start.run([*command, "--out", out, "--quiet"], after)
        if outcome["code"] != -9:
            assert outcome["code"] == 0, outcome
            break
        kills += 1
        if (out / "summary.json").exists() and not (out.parent / f".{out.name}.lock").exists():
            break  # killed on its way out, with all its work done and told
    assert contents(out) == whole
    beside = {path.name for path in out.parent.iterdir() if path.name.startswith(f".{out.name}.")}
    assert not beside, "something was left beside the run"
    assert not (out / "checkpoint").exists()
    return kills
