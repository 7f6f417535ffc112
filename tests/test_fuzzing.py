"""Every reader, whatever it is given: a result or one clear error. More: ``python -m fuzz``."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.readers import TARGETS, check
from hypothesis import given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).resolve().parents[1] / "fuzz" / "corpus"
SEEDS = {
    name: [path.read_bytes() for path in sorted((CORPUS / name).iterdir())] for name in TARGETS
}

# A run is copied and loaded for each example, which takes longer than parsing a text.
quick = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs(name: str) -> None:
    """What the fuzzers start from, and what they found."""
    assert SEEDS[name], f"no input is kept for {name}"
    for content in SEEDS[name]:
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
