"""What can go wrong, each with one clear message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .verification import Verification

__all__ = [
    "STOPS",
    "CredibleNetError",
    "DataError",
    "DataWarning",
    "FormatError",
    "LimitError",
    "ParameterError",
    "RunDirectoryError",
    "VerificationError",
]


class CredibleNetError(Exception):
    """Base of every error that the package raises on purpose."""


class DataError(CredibleNetError):
    """The data cannot be used; the message says where and what to do."""


class DataWarning(UserWarning):
    """The data can be used, but hold something that the user should know of."""


class FormatError(CredibleNetError):
    """A file is not of the format it should be; the message names the line."""


class ParameterError(CredibleNetError):
    """An option has a value that makes no sense, or contradicts another."""


class LimitError(CredibleNetError):
    """A limit was reached in a stage that has no partial result to give."""


#: What a call of the core raises when its control stopped it and it has no partial result.
STOPS = (LimitError, KeyboardInterrupt)


class RunDirectoryError(CredibleNetError):
    """A run directory is damaged, foreign, in use or cannot be written."""


class ClusterError(CredibleNetError):
    """A cluster cannot be reached or used, or lost the work too often."""


class VerificationError(CredibleNetError):
    """A result is not what it claims to be.

    Attributes
    ----------
    verification
        The full report.
    """

    def __init__(self, verification: Verification) -> None:
        self.verification = verification
        failed = [check for check in verification.checks if not check.passed]
        first = failed[0].failures[0] if failed else ""
        names = ", ".join(check.name for check in failed)
        super().__init__(f"the result does not hold: {first} (failed checks: {names})")
