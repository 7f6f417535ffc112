"""Jobs one after the other, each in a process of its own, with limits; can be resumed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import crediblenet as cn

from .budget import Budget
from .figure1 import figure1_jobs, write_levels
from .jobs import Job
from .published import ROOT, data_directory
from .results import Results, Row

__all__ = ["Limits", "run_jobs"]

#: Beyond the time limit of the search, for reading, counting classes and listing.
EXTRA_SECONDS = 120.0


@dataclass(frozen=True)
class Limits:
    """What one job may use: seconds, GB, threads (None for all processors)."""

    time_limit: float
    memory_limit: float
    threads: int | None


def run_jobs(
    jobs: Iterable[Job],
    results: Results,
    limits: Limits,
    again: str,
    budget: Budget | None = None,
) -> None:
    """Run the jobs that have no row yet, appending a row for each as it ends.

    Parameters
    ----------
    jobs
        What to run.
    results
        Where the rows are.
    limits
        For each job.
    again
        Which jobs to run though they have a row: ``"none"``, ``"incomplete"`` or ``"all"``.
    budget
        Seconds for all jobs together; no limit by default.
    """
    figure1 = set(figure1_jobs())
    budget = budget or Budget()
    waiting = [job for job in jobs if is_wanted(results.get(job), again)]
    for done, job in enumerate(waiting):
        time_limit = budget.time_limit(len(waiting) - done, limits.time_limit)
        print(f"{time.strftime('%H:%M:%S')} {job.title}: ", end="", flush=True)
        figures = run_job(job, replace(limits, time_limit=round(time_limit, 1)))
        levels = figures.pop("levels", None)
        if levels and job in figure1:
            write_levels(results.path.parent / "levels", job.file, levels)
        results.append(job, figures)
        print(
            f"{figures['status']}, {figures.get('networks', 'no')} networks, "
            f"{figures.get('classes', 'no')} classes, {figures['total_wall']:.1f} s",
            flush=True,
        )


def is_wanted(row: Row | None, again: str) -> bool:
    """Say whether a job is to be run, given its row so far."""
    if row is None or again == "all":
        return True
    return again == "incomplete" and row["complete"] != "yes"


def run_job(job: Job, limits: Limits) -> dict[str, Any]:
    """Run one job in a process of its own and return its figures."""
    task = {
        "job": job.to_record(),
        "time_limit": limits.time_limit,
        "memory_limit": limits.memory_limit,
        "threads": limits.threads,
    }
    began, load = time.perf_counter(), os.getloadavg()[0]
    reason = ""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.paper.measure", json.dumps(task)],
            capture_output=True,
            check=False,
            cwd=ROOT,
            env={**os.environ, "CREDIBLENET_DATA": str(data_directory().resolve())},
            timeout=limits.time_limit + EXTRA_SECONDS,
        )
        output = done.stdout
        if done.returncode:
            reason = last_line(done.stderr.decode(errors="replace")) or f"exit {done.returncode}"
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
        reason = f"ended after {limits.time_limit + EXTRA_SECONDS:g} s"
    whole_lines = output.decode().split("\n")[:-1]
    figures: dict[str, Any] = {"status": "stopped in data", "complete": False}
    if whole_lines:
        figures = json.loads(whole_lines[-1])
    if reason:
        figures["reason"] = reason
    return figures | {
        "complete": "yes" if figures["complete"] else "no",
        "total_wall": round(time.perf_counter() - began, 3),
        "time_limit": limits.time_limit,
        # Processes that wanted a processor in the minute before, those of other jobs, too.
        "load": round(load, 1),
        "version": cn.__version__,
        "measured": date.today().isoformat(),
    }


def last_line(text: str) -> str:
    """Return the last line of an error report: what went wrong."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""
