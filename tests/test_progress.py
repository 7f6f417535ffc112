"""A long computation can be watched and interrupted."""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from crediblenet import interruption
from crediblenet._core import Control
from crediblenet.progress import Progress, run_watched


def wait_until_stopped(control: Control) -> str | None:
    """Stand in for a call of the core: it works until it is told to stop."""
    deadline = time.monotonic() + 10
    while control.stopped_by is None and time.monotonic() < deadline:
        time.sleep(0.005)
    return control.stopped_by


def test_the_result_comes_back() -> None:
    """A function's value is returned as it is."""
    assert run_watched(lambda: [1, 2], Control(), "scores") == [1, 2]


def test_an_error_comes_back() -> None:
    """What the function raises is raised in the calling thread."""

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match=r"^no$"):
        run_watched(fail, Control(), "scores")


def test_progress_is_reported_from_the_calling_thread() -> None:
    """The callback sees the stage, and needs no lock of its own."""
    seen: list[tuple[Progress, int]] = []
    control = Control()

    def note(progress: Progress) -> None:
        seen.append((progress, threading.get_ident()))
        control.interrupt()

    assert run_watched(lambda: wait_until_stopped(control), control, "bounds", note) == (
        "interrupted"
    )
    assert seen[0] == (Progress("bounds", 0.0, 0, 0), threading.get_ident())


def test_ctrl_c_is_heard_even_if_its_exception_gets_lost() -> None:
    """In the command: somebody swallowed it before the stage began, and it ends all the same."""
    before = signal.signal(signal.SIGINT, interruption.remember)
    control = Control()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            run_watched(lambda: wait_until_stopped(control), control, "scores")
        assert time.monotonic() - began < 5
        assert control.stopped_by == "interrupted"
        # Heard once, it ends nothing else.
        assert run_watched(lambda: time.sleep(0.2), Control(), "averages") is None
    finally:
        signal.signal(signal.SIGINT, before)
        interruption.hear()


@pytest.fixture
def listening_to_ctrl_c() -> Iterator[None]:
    """Listen even if this process was started in the background, where Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening_to_ctrl_c")
def test_ctrl_c_stops_the_run_and_keeps_its_partial_result() -> None:
    """The function learns of the interruption within 0.2 s and still returns."""
    control = Control()
    threading.Timer(0.1, _thread.interrupt_main).start()
    start = time.monotonic()
    assert (
        run_watched(lambda: wait_until_stopped(control), control, "bounds", partial=True)
        == "interrupted"
    )
    assert time.monotonic() - start < 0.1 + 0.2


@pytest.mark.usefixtures("listening_to_ctrl_c")
def test_ctrl_c_in_the_last_moment_is_not_forgotten() -> None:
    """A function that comes to its end nevertheless does not make the next stage begin."""
    control = Control()
    threading.Timer(0.1, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        run_watched(lambda: wait_until_stopped(control), control, "scores")


def test_a_failing_callback_ends_the_run() -> None:
    """No computation goes on behind the back of a program that gave up."""
    control = Control()

    def fail(_: Progress) -> None:
        raise RuntimeError("the window was closed")

    with pytest.raises(RuntimeError, match="window was closed"):
        run_watched(lambda: wait_until_stopped(control), control, "scores", fail)
    assert control.stopped_by == "interrupted"


@pytest.mark.parametrize("argument", ["time_limit", "memory_limit"])
@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_limits_must_make_sense(argument: str, value: float) -> None:
    """A negative or undefined limit is refused."""
    with pytest.raises(ValueError, match=argument):
        Control(**{argument: value})
