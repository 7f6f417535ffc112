"""Read data of every usual kind: categories become codes, equal rows are counted once."""

from __future__ import annotations

from .continuous import as_continuous
from .dataset import ContinuousDataset, Dataset
from .discretization import Binning
from .loading import as_dataset

__all__ = ["Binning", "ContinuousDataset", "Dataset", "as_continuous", "as_dataset"]
