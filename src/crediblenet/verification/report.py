"""What a verification says: one line per check, with counts and the first failures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Check", "Verification"]

# So many failures of one check are told; all are counted.
_TOLD = 5


@dataclass
class Check:
    """One question, asked of many things.

    Attributes
    ----------
    name
        A word for it.
    claim
        What holds if the check passes.
    checked
        Of how many things the question was asked.
    n_failures
        How many failed.
    failures
        The first of them, in words.
    left_out
        What could not be checked, and why; empty when nothing was left out.
    """

    name: str
    claim: str
    checked: int = 0
    n_failures: int = 0
    failures: list[str] = field(default_factory=list)
    left_out: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return self.n_failures == 0

    def expect(self, holds: bool, problem: str) -> None:
        """Count one thing, and note the problem unless all is well."""
        self.checked += 1
        if not holds:
            self.n_failures += 1
            if self.n_failures <= _TOLD:
                self.failures.append(problem)

    def __str__(self) -> str:
        verdict = "FAILED" if not self.passed else "ok    " if self.checked else "none  "
        lines = [f"{verdict}  {self.name:<14} {self.checked:>9,}  {self.claim}"]
        lines += [f"        - {failure}" for failure in self.failures]
        if self.n_failures > len(self.failures):
            lines.append(f"        - and {self.n_failures - len(self.failures):,} more")
        if self.left_out:
            lines.append(f"        - not checked: {self.left_out}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Verification:
    """The checks that were made, and what could not be checked.

    ``print(verification)`` shows a line per check: the verdict, how many things were looked
    at, and the claim.
    """

    checks: tuple[Check, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    def __getitem__(self, name: str) -> Check:
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.checks), *(f"note: {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "passed": self.passed,
            "checks": [
                {
                    "name": check.name,
                    "claim": check.claim,
                    "passed": check.passed,
                    "checked": check.checked,
                    "failed": check.n_failures,
                    "failures": list(check.failures),
                    "left_out": check.left_out,
                }
                for check in self.checks
            ],
            "notes": list(self.notes),
        }
