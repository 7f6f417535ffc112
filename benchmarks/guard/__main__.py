"""``python -m benchmarks.guard check``: exit code 1 when something has become slower."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from ..rows import RESULTS
from . import accepted
from .measure import ratios
from .tasks import TASKS, Task

ACCEPTED = RESULTS / "accepted.json"


def main() -> None:
    """Time the tasks; compare with the last accepted figures, or accept the new ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=main.__doc__)
    parser.add_argument("what", choices=("check", "accept"))
    parser.add_argument("--limit", type=float, default=accepted.LIMIT, metavar="FACTOR")
    parser.add_argument("--file", type=Path, default=ACCEPTED, metavar="JSON")
    options = parser.parse_args()
    if options.what == "accept":
        accepted.write(options.file, ratios(TASKS))
        print(f"wrote {options.file}")
    else:
        sys.exit(check(options.file, options.limit, TASKS))


def check(path: Path, limit: float, tasks: Mapping[str, Callable[[], Task]]) -> int:
    """Print what has changed; return 1 when a task is slower than allowed, else 0."""
    known = accepted.read(path)
    if not known:
        print(f"nothing was accepted yet: there is no {path}; run `accept` first")
        return 1
    now = ratios(tasks)
    # What seems slower is timed once more: on a busy machine a single time says little.
    doubtful = {c.task for c in accepted.compare(known, now) if c.is_slower(limit)}
    again = ratios({name: tasks[name] for name in tasks if name in doubtful})
    now |= {name: min(now[name], ratio) for name, ratio in again.items()}
    slower = 0
    for change in accepted.compare(known, now):
        print(line(change, limit))
        slower += change.is_slower(limit)
    print(f"{slower} of {len(now)} tasks became slower by more than {limit:g} times")
    return 1 if slower else 0


def line(change: accepted.Change, limit: float) -> str:
    """Return one line of the report."""
    if change.accepted is None:
        return f"{change.task}: new"
    if change.factor is None:
        return f"{change.task}: not timed any more"
    mark = "SLOWER, " if change.is_slower(limit) else ""
    return f"{change.task}: {mark}{change.factor:.2f} times as long as accepted"


if __name__ == "__main__":
    main()
