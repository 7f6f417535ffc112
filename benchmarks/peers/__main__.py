"""``python -m benchmarks.peers``: run the comparisons and write the page again."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ..paper.machine import note_machine
from ..paper.page import write_page
from ..paper.published import MissingFilesError
from ..rows import RESULTS, write_rows
from . import exhaustive, gaussian, local_search, sampled
from .process import Interpreters, MissingPeerError, PeerFailedError

Comparison = Callable[[Interpreters, Path], Iterator[Mapping[str, object]]]

COMPARISONS: dict[str, Comparison] = {
    "pgmpy": exhaustive.compare,
    "causal-learn": gaussian.compare,
    "pyagrum": lambda interpreters, folder: local_search.compare(interpreters, folder, RESULTS),
    "sumu": sampled.compare,
}


def main() -> None:
    """Run the peers that are named, all of them by default."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description="Compare with other programs on the same data. A peer that is not installed "
        "is left out, with a message; what was measured before is then kept.",
    )
    parser.add_argument("peers", nargs="*", metavar="PEER", help=", ".join(COMPARISONS))
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="an interpreter to look for peers in, after this one; can be repeated",
    )
    options = parser.parse_args()
    unknown = set(options.peers) - set(COMPARISONS)
    if unknown:
        parser.error(f"no such peer: {', '.join(sorted(unknown))}")
    interpreters = Interpreters([sys.executable, *options.python])
    try:
        for peer in options.peers or COMPARISONS:
            run(peer, interpreters)
        note_machine(RESULTS / "peers" / "machine.json")
        print(f"wrote {write_page(RESULTS)}")
    except MissingFilesError as error:
        sys.exit(f"error: {error}")


def run(peer: str, interpreters: Interpreters) -> None:
    """Run one comparison; its file is replaced when it is done."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "rows.csv"
        try:
            written = write_rows(fresh, COMPARISONS[peer](interpreters, Path(folder)))
        except MissingPeerError as error:
            print(f"{peer}: left out, {error}")
            return
        except PeerFailedError as error:
            print(f"{peer}: left out, it failed: {error}")
            return
        target = RESULTS / "peers" / f"{peer}.csv"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(fresh.read_text(encoding="utf-8"), encoding="utf-8")
    print(f"{peer}: {written} rows, {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
