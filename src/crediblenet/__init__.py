"""Every Bayesian network structure that the data cannot rule out.

The names below stand in the order of the stages: data, scores, networks, credible set.
"""

from __future__ import annotations

from . import interruption  # first: Ctrl-C may come while the others are loaded
from .agreement import Agreement
from .cpdag import Cpdag
from .credible_class import CredibleClass
from .credible_set import CredibleSet
from .data import ContinuousDataset, Dataset, as_continuous, as_dataset
from .edge_probabilities import EdgeProbabilities
from .examples import Example, example
from .exceptions import (
    ClusterError,
    CredibleNetError,
    DataError,
    DataWarning,
    FormatError,
    LimitError,
    ParameterError,
    RunDirectoryError,
    VerificationError,
)
from .find import find
from .fitted_network import FittedNetwork
from .network import Network
from .progress import Progress
from .run_directory import load
from .score_table import ScoreTable
from .scores import score
from .verification import Verification, verify

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022 - in the order of the stages
    "__version__",
    "as_dataset",
    "as_continuous",
    "Dataset",
    "ContinuousDataset",
    "example",
    "Example",
    "ScoreTable",
    "score",
    "find",
    "CredibleSet",
    "CredibleClass",
    "load",
    "Network",
    "FittedNetwork",
    "Cpdag",
    "EdgeProbabilities",
    "Agreement",
    "verify",
    "Verification",
    "Progress",
    "CredibleNetError",
    "ClusterError",
    "DataError",
    "DataWarning",
    "FormatError",
    "LimitError",
    "ParameterError",
    "RunDirectoryError",
    "VerificationError",
]

interruption.raise_again()
