"""The place of a run: one run at a time, nothing lost, nothing taken for what it is not."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import resource
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crediblenet as cn
import crediblenet.checkpoints.checkpoint as checkpoint_module
from crediblenet.checkpoints.bundle import read_bundle, write_bundle
from crediblenet.exceptions import CredibleNetError, DataWarning, RunDirectoryError
from crediblenet.run_place import claim
from forging import forge
from killing import SOURCES, contents, hard_table


class Killed(BaseException):
    """Ends a run where it stands, as ``kill -9`` does."""


OPTIONS: dict[str, Any] = {"score": "aic", "max_parents": 2, "bayes_factor": 2}


@pytest.fixture(scope="module", autouse=True)
def no_search_over_subsets() -> Iterator[None]:
    """Switch it off: it would end these small searches within one batch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crediblenet.bounds.bounder.HOPEFUL_GAP", -1.0)
        yield


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """Columns that take several batches."""
    return hard_table(24, 60, 24)


@contextmanager
def killed_after(writes: int) -> Iterator[None]:
    """Write checkpoints at every occasion, and end the run after so many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint_module, "INTERVAL", 0.0)
        patch.setattr(checkpoint_module, "RATIO", 0.0)
        left = [writes]
        write = checkpoint_module.Checkpoint.write

        def counted(self: Any, action: Any) -> None:
            write(self, action)
            left[0] -= 1
            if left[0] == 0:
                raise Killed

        patch.setattr(checkpoint_module.Checkpoint, "write", counted)
        yield


def unfinished(data: Any, out: Path, writes: int = 3, **options: Any) -> Path:
    """Leave a run unfinished."""
    with killed_after(writes), pytest.raises(Killed):
        cn.find(data, out=out, **{**OPTIONS, **options})
    return out


@pytest.fixture(scope="module")
def left(data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run that was left after three checkpoints."""
    return unfinished(data, tmp_path_factory.mktemp("left") / "run")


@pytest.fixture(scope="module")
def whole(data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a run that nobody disturbed leaves."""
    out = tmp_path_factory.mktemp("whole") / "run"
    cn.find(data, out=out, **OPTIONS)
    return contents(out)


def no_links(*_: object) -> None:
    """Stand in for a file system without hard links."""
    raise OSError(errno.EPERM, "Operation not permitted")


def test_every_checkpoint_leads_to_the_same_result(
    data: dict[str, Any], whole: dict[str, Any], tmp_path: Path
) -> None:
    """After each write, once: a checkpoint is all that the rest depends on."""
    for writes in itertools.count(1):
        out = tmp_path / f"run{writes}"
        try:
            unfinished(data, out, writes)
        except pytest.fail.Exception:  # it came to its end
            break
        assert [path.name for path in out.iterdir()] == ["checkpoint"]
        seen: list[cn.Progress] = []
        cn.find(data, out=out, progress=seen.append, **OPTIONS)
        assert any(p.message == "going on with what an earlier run left" for p in seen)
        assert contents(out) == whole
    assert writes > 3, "too few checkpoints to prove anything"


def test_another_command_does_not_go_on(data: dict[str, Any], left: Path, tmp_path: Path) -> None:
    """Other options or data are told so, and overwrite gives the old run up."""
    out = tmp_path / "run"
    shutil.copytree(left, out)
    with pytest.raises(RunDirectoryError, match="a run with other options left unfinished"):
        cn.find(data, out=out, **{**OPTIONS, "bayes_factor": 3})
    other = {**data, "V0": 1 - data["V0"] * (np.arange(60) > 3)}
    with pytest.raises(RunDirectoryError, match="a run with other data left unfinished"):
        cn.find(other, out=out, **OPTIONS)
    small = {name: data[name] for name in ("V0", "V1", "V2")}
    result = cn.find(small, out=out, overwrite=True, **OPTIONS)
    assert cn.load(out).n_networks == result.n_networks
    assert not (out / "checkpoint").exists()


def test_threads_and_limits_may_change(
    data: dict[str, Any], left: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    """They do not matter to the result."""
    out = tmp_path / "run"
    shutil.copytree(left, out)
    result = cn.find(data, out=out, threads=1, time_limit=1000, memory_limit=8, **OPTIONS)
    assert result.complete
    assert contents(out) == whole


@pytest.mark.parametrize("links", [True, False])
def test_a_stopped_run_can_go_on(
    links: bool, data: dict[str, Any], whole: dict[str, Any], tmp_path: Path
) -> None:
    """A partial result is saved with its checkpoint, and the same call makes it whole.

    Also where the disk knows no hard links.
    """
    out = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        if not links:
            patch.setattr(os, "link", no_links)
        patch.setattr(checkpoint_module, "INTERVAL", 0.0)
        partial = cn.find(cn.as_dataset(data), out=out, time_limit=0.3, **OPTIONS)
    assert (partial.complete, partial.stopped_by) == (False, "time")
    assert cn.load(out).complete is False
    assert (out / "checkpoint").is_dir()
    result = cn.find(data, out=out, **OPTIONS)
    assert result.complete
    assert contents(out) == whole
    with pytest.raises(RunDirectoryError, match="is there already"):
        cn.find(data, out=out, **OPTIONS)


def test_files_that_are_not_ours_stay(data: dict[str, Any], left: Path, tmp_path: Path) -> None:
    """Somebody's notes beside a checkpoint are never deleted."""
    out = tmp_path / "run"
    shutil.copytree(left, out)
    (out / "notes.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(RunDirectoryError, match="is not empty"):
            cn.find(data, out=out, overwrite=overwrite, **OPTIONS)
    assert (out / "notes.txt").read_text() == "mine"


# One run at a time ----------------------------------------------------------------------


def test_the_second_run_is_refused(tmp_path: Path) -> None:
    """While a place is claimed, nobody else gets it; afterwards everybody does."""
    with claim(tmp_path / "run"):
        with pytest.raises(RunDirectoryError, match=r"in use by another run \(process \d+\)"):
            cn.find(cn.example("cancer").data, out=tmp_path / "run")
        cn.find(cn.example("cancer").data, out=tmp_path / "other")
    cn.find(cn.example("cancer").data, out=tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "run"]


HOLDER = """
import os, signal, sys
from crediblenet.run_place import claim
with claim(sys.argv[1]):
    print("claimed", flush=True)
    signal.pause()
"""


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    """Another process is refused while the first lives, and not after it was killed."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "run")]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "claimed\n"
        with (
            pytest.raises(RunDirectoryError, match=f"process {holder.pid}"),
            claim(tmp_path / "run"),
        ):
            pass
        holder.kill()
        holder.wait()
    assert (tmp_path / ".run.lock").exists()
    cn.find(cn.example("cancer").data, out=tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_lock_left_behind_opens_no_finished_run(tmp_path: Path) -> None:
    """Only the very run that was killed finds its own result; others are still refused."""
    data = cn.example("cancer").data
    out = tmp_path / "run"
    first = cn.find(data, out=out)
    (tmp_path / ".run.lock").write_text("1\n")
    with pytest.raises(RunDirectoryError, match="is there already"):
        cn.find(data, out=out, bayes_factor=3)
    (tmp_path / ".run.lock").write_text("1\n")
    with pytest.raises(RunDirectoryError, match="is there already"):
        first.save(out)
    (tmp_path / ".run.lock").write_text("1\n")
    again = cn.find(data, out=out)
    assert again.n_networks == first.n_networks
    assert again.data is not None


# Damage ---------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_damaged_checkpoint_is_refused(left: Path, draw: st.DataObject) -> None:
    """A flipped byte or a cut anywhere is one clear error that says what to do."""
    files = sorted(path for path in left.rglob("*") if path.is_file())
    path = draw.draw(st.sampled_from(files))
    original = path.read_bytes()
    position = draw.draw(st.integers(0, len(original) - 1))
    if draw.draw(st.booleans()):
        changed = original[:position]
    else:
        flip = draw.draw(st.integers(1, 255))
        changed = (
            original[:position] + bytes([original[position] ^ flip]) + original[position + 1 :]
        )
    path.write_bytes(changed)
    try:
        with pytest.raises(RunDirectoryError, match="to begin again") as caught:
            read_bundle(path)
    finally:
        path.write_bytes(original)
    assert str(caught.value).isprintable()


def nested(depth: int) -> Any:
    """Return a state that is as deep."""
    state: Any = 1
    for _ in range(depth):
        state = {"list": [state]}
    return state


def test_a_state_that_does_not_fit_is_refused(
    data: dict[str, Any], left: Path, tmp_path: Path
) -> None:
    """Well-formed files with senseless contents are one clear error, too."""
    changes: list[dict[str, Any]] = [
        {"segments": 7},
        {"nodes": -1},
        {"state": {"list": []}},
        {"state": {"object": ["Popen", {"args": "ls"}]}},
        {"state": {"unknown": 1}},
        {"state": nested(400)},
        {},
    ]
    for number, change in enumerate(changes):
        out = tmp_path / f"run{number}"
        shutil.copytree(left, out)
        (state,) = out.rglob("state")
        stored = read_bundle(state)
        assert stored is not None
        values, arrays = stored
        if not change:
            arrays = {name: array[:-1] for name, array in arrays.items()}
        write_bundle(state, {**values, **change}, arrays)
        with pytest.raises(RunDirectoryError, match="to begin again"):
            cn.find(data, out=out, **OPTIONS)


@pytest.mark.parametrize("seed", [*range(40), 87, 138, 232])
def test_a_forged_checkpoint_ends_in_a_result_or_an_error(
    data: dict[str, Any], left: Path, tmp_path: Path, seed: int
) -> None:
    """With a right digest: what it says is believed only as far as it makes sense."""
    rng = np.random.default_rng(seed)
    out = tmp_path / "run"
    shutil.copytree(left, out)
    files = sorted(path for path in out.rglob("*") if path.is_file())
    forge(files[rng.integers(len(files))], rng)
    with contextlib.suppress(CredibleNetError):
        assert cn.find(data, out=out, time_limit=20, **OPTIONS).n_networks >= 1


# Full and read-only disks -----------------------------------------------------------------


def test_no_room_for_checkpoints_does_not_end_a_run(
    data: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on without, says so once, and its result is saved if there is room by then."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint_module, "INTERVAL", 0.0)
    monkeypatch.setattr(checkpoint_module, "write_bundle", full)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cn.find(data, out=tmp_path / "run", **OPTIONS)
    assert [w.category for w in caught] == [DataWarning]
    assert "No space left on device; the run goes on" in str(caught[0].message)
    assert cn.load(tmp_path / "run").n_networks == result.n_networks


def test_files_that_must_not_grow(tmp_path: Path) -> None:
    """Whichever file is the one that fails: one error, and the earlier result is whole."""
    result = cn.find(cn.example("asia").data)
    earlier = cn.find(cn.example("cancer").data, out=tmp_path / "run")
    before = contents(tmp_path / "run")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    messages = []
    for size in [0, 1, 100, *range(500, 40_000, 1500), *range(50_000, 1_000_000, 100_000)]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            result.save(tmp_path / "run", overwrite=True)
            break
        except CredibleNetError as error:
            messages.append(str(error))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert contents(tmp_path / "run") == before
    assert len(messages) > 5
    assert all(re.search("cannot be .*File too large", message) for message in messages)
    assert cn.load(tmp_path / "run").n_networks == result.n_networks != earlier.n_networks
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


FULL_DISK = """
import shutil, subprocess, sys
from pathlib import Path
disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], check=True)
import crediblenet as cn
from crediblenet.exceptions import RunDirectoryError
earlier = cn.find(cn.example("cancer").data, out=disk / "run")
result = cn.find(cn.example("asia").data)
failures = 0
for free in [*range(0, 96, 4), 400]:
    filler = disk / "filler"
    filler.write_bytes(b"")
    room = shutil.disk_usage(disk).free - 1024 * free
    filler.write_bytes(bytes(max(0, room)))
    try:
        result.save(disk / "run", overwrite=True)
        assert cn.load(disk / "run").n_networks == result.n_networks
        break
    except RunDirectoryError as error:
        assert "No space left on device" in str(error), error
        failures += 1
        assert cn.load(disk / "run").n_networks == earlier.n_networks
        assert sorted(p.name for p in disk.iterdir()) == ["filler", "run"], list(disk.iterdir())
print("failures", failures)
"""


def on_a_disk_of_its_own(script: str, place: Path) -> str:
    """Run a script that may mount what it likes, and return what it prints."""
    private = ["unshare", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*private, "true"], check=False).returncode:
        pytest.skip("no disk of one's own can be mounted here")
    outcome = subprocess.run(
        [*private, sys.executable, "-c", script, str(place)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "mount" in outcome.stderr and "denied" in outcome.stderr:
        pytest.skip("no disk of one's own can be mounted here")
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


def test_a_full_disk(tmp_path: Path) -> None:
    """However little room there is: one error, and the earlier result can be loaded."""
    word, count = on_a_disk_of_its_own(FULL_DISK, tmp_path).split()
    assert word == "failures"
    assert int(count) > 5


READ_ONLY = """
import subprocess, sys
from pathlib import Path
disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "none", str(disk)], check=True)
import crediblenet as cn
from crediblenet.exceptions import RunDirectoryError
earlier = cn.find(cn.example("cancer").data, out=disk / "run")
subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
for name in ("run", "new"):
    try:
        cn.find(cn.example("asia").data, out=disk / name, overwrite=True)
        raise SystemExit("a file was written to a read-only disk")
    except RunDirectoryError as error:
        assert "Read-only file system" in str(error), error
assert cn.load(disk / "run").n_networks == earlier.n_networks
"""


def test_a_read_only_disk(tmp_path: Path) -> None:
    """One error before the search, and the earlier result can be loaded."""
    assert on_a_disk_of_its_own(READ_ONLY, tmp_path) == ""
