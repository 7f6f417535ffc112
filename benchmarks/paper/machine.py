"""What the figures were measured on, kept beside them."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path

from crediblenet.threads import thread_count

__all__ = ["describe", "note_machine"]


def note_machine(path: Path) -> None:
    """Write down the machine and the versions that matter."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(machine(), indent=2) + "\n", encoding="utf-8")


def machine() -> dict[str, str]:
    """Return the processor, memory, system and versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": f"{processor()}, {thread_count(None)} processors",
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "highspy": version("highspy"),
    }


def processor() -> str:
    """Return the name of the processor as Linux tells it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def describe(path: Path) -> str:
    """Return what was written down, in one sentence."""
    if not path.is_file():
        return "a machine that was not written down"
    known = json.loads(path.read_text(encoding="utf-8"))
    return ", ".join(
        (
            known["processor"],
            f"{known['memory']} of memory",
            known["system"],
            f"Python {known['python']}",
            f"NumPy {known['numpy']}",
            f"HiGHS {known['highspy']}",
        )
    )
