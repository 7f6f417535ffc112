"""Every reader, whatever it is given: a result or one clear error. More: ``python -m fuzz``."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz.mutation import change_case
from fuzz.readers import LONGEST, TARGETS, bounded_memory, check
from fuzz.results import read_results, results_table
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "fuzz" / "corpus"
SEEDS = {
    name: [path.read_bytes() for path in sorted((CORPUS / name).iterdir())] for name in TARGETS
}

# Time is bounded by `check`, in seconds of the processor: a busy machine is no failure.
quick = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.fixture(scope="module", autouse=True)
def little_memory() -> Iterator[None]:
    """Let no reader take much memory."""
    check(TARGETS["run"], SEEDS["run"][0])  # libraries are loaded before it is measured
    with bounded_memory():
        yield


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs(name: str) -> None:
    """What the fuzzers start from, and what they found."""
    assert SEEDS[name], f"no input is kept for {name}"
    for content in SEEDS[name]:
        assert len(content) <= LONGEST
        check(TARGETS[name], content)


@pytest.mark.parametrize("name", TARGETS)
@given(content=st.binary(max_size=300))
@quick
def test_any_bytes(name: str, content: bytes) -> None:
    """Noise."""
    check(TARGETS[name], content)


@pytest.mark.parametrize("name", TARGETS)
@given(draw=st.data())
@quick
def test_changed_inputs(name: str, draw: st.DataObject) -> None:
    """Good inputs with pieces cut out, repeated, or replaced."""
    content = draw.draw(st.sampled_from(SEEDS[name]))
    for _ in range(draw.draw(st.integers(1, 3))):
        start = draw.draw(st.integers(0, len(content)))
        end = draw.draw(st.integers(start, min(len(content), start + 12)))
        piece = draw.draw(st.sampled_from([b"", b"\0", b"\xff\xfe", b"-1", b"1e999", b'"', b"{"]))
        repeat = draw.draw(st.sampled_from([0, 1, 2]))
        content = content[:start] + piece + content[start:end] * repeat + content[end:]
    check(TARGETS[name], content)


@pytest.mark.parametrize("name", ["run", "checkpoint"])
@given(seed=st.integers(0, 2**32), number=st.integers(0, 100))
@settings(quick, max_examples=150)
def test_forged_values(name: str, seed: int, number: int) -> None:
    """Well-formed files that say odd things, with digests that fit."""
    content = SEEDS[name][number % len(SEEDS[name])]
    check(TARGETS[name], change_case(name, content, bytes, random.Random(seed)))


def greedy(content: bytes) -> None:
    """Take far more memory than the content needs."""
    bytearray(len(content) << 32)


def test_greedy_and_slow_readers_do_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds on memory and time are felt."""
    with pytest.raises(MemoryError):
        check(greedy, b"x")
    monkeypatch.setattr("fuzz.readers.MOST_SECONDS", 0.0)
    with pytest.raises(AssertionError, match="seconds for 27 bytes"):
        check(TARGETS["csv"], b"a,b\n0,1\n1,0\n0,0\n1,1\n0,1\n1,0")


def test_every_reader_was_fuzzed() -> None:
    """At least a million cases in all, a hundred thousand of runs, and the page says so."""
    cases = {line["reader"]: int(line["cases"]) for line in read_results()}
    assert cases.keys() == TARGETS.keys()
    assert cases["run"] >= 100_000
    assert sum(cases.values()) >= 1_000_000
    assert results_table() in (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
