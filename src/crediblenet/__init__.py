"""Every Bayesian network structure that the data cannot rule out."""

from __future__ import annotations

from .exceptions import (
    CredibleNetError,
    DataError,
    FormatError,
    LimitError,
    ParameterError,
    RunDirectoryError,
    VerificationError,
)
from .progress import Progress
from .score_table import ScoreTable

__version__ = "0.1.0"

# In the order of the stages.
__all__ = [  # noqa: RUF022
    "__version__",
    "ScoreTable",
    "Progress",
    "CredibleNetError",
    "DataError",
    "FormatError",
    "LimitError",
    "ParameterError",
    "RunDirectoryError",
    "VerificationError",
]
