"""A network with its probability tables, and its way to other programs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .atomic_file import atomic_text_file
from .exceptions import FormatError, ParameterError
from .network import Network

__all__ = ["FittedNetwork"]


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A Bayesian network: structure and probabilities.

    Attributes
    ----------
    network
        The structure.
    states
        The labels of each variable's values.
    tables
        For each variable an array with one axis per parent, in column order, and the
        variable itself last; the entries along the last axis add up to one.

    Examples
    --------
    >>> import numpy as np
    >>> coin = FittedNetwork(Network(("coin",), ((),)), (("heads", "tails"),), ([0.5, 0.5],))
    >>> print(coin.to_bif())
    network crediblenet {
    }
    variable coin {
      type discrete [ 2 ] { heads, tails };
    }
    probability ( coin ) {
      table 0.5, 0.5;
    }
    <BLANKLINE>
    """

    network: Network
    states: tuple[tuple[str, ...], ...]
    tables: tuple[NDArray[np.float64], ...]

    def __post_init__(self) -> None:
        names = self.network.names
        if len(self.states) != len(names) or len(self.tables) != len(names):
            raise ParameterError("states and tables must have one entry per variable")
        tables = tuple(np.asarray(table, dtype=np.float64) for table in self.tables)
        for v, table in enumerate(tables):
            if not self.states[v] or len(set(self.states[v])) != len(self.states[v]):
                raise ParameterError(f"{names[v]!r} needs states with labels of their own")
            family = (*self.network.parent_sets[v], v)
            if table.shape != tuple(len(self.states[u]) for u in family):
                raise ParameterError(f"the table of {names[v]!r} does not fit its states")
            if not np.all(table >= 0) or not np.allclose(table.sum(axis=-1), 1.0, atol=1e-6):
                raise ParameterError(f"the table of {names[v]!r} has no probabilities in it")
        object.__setattr__(self, "tables", tables)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.network.names

    def to_bif(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the network in the Bayesian interchange format; write it if a path is given.

        Names that pgmpy or R's bnlearn could not read back are replaced, and the original
        ones kept in a property: see `crediblenet.network_formats.bif`.
        """
        from .network_formats.bif import bif_text

        return _written(bif_text(self), path)

    @classmethod
    def from_bif(cls, source: str | os.PathLike[str]) -> FittedNetwork:
        """Read a file in the Bayesian interchange format."""
        from .network_formats.bif import read_bif

        return read_bif(_read(source))

    def to_xmlbif(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the network in XMLBIF 0.3; write it if a path is given."""
        from .network_formats.xmlbif import xmlbif_text

        return _written(xmlbif_text(self), path)

    @classmethod
    def from_xmlbif(cls, source: str | os.PathLike[str]) -> FittedNetwork:
        """Read a file in XMLBIF 0.3."""
        from .network_formats.xmlbif import read_xmlbif

        return read_xmlbif(_read(source))

    def to_pgmpy(self) -> Any:
        """Return a ``DiscreteBayesianNetwork`` of pgmpy with all tables."""
        from .network_formats.pgmpy_models import fitted_to_pgmpy

        return fitted_to_pgmpy(self)

    @classmethod
    def from_pgmpy(cls, model: Any) -> FittedNetwork:
        """Take over a discrete pgmpy model with all its tables."""
        from .network_formats.pgmpy_models import fitted_from_pgmpy

        return fitted_from_pgmpy(model)

    def to_pyagrum(self) -> Any:
        """Return a ``BayesNet`` of pyAgrum with all tables."""
        from .network_formats.pyagrum_models import fitted_to_pyagrum

        return fitted_to_pyagrum(self)

    @classmethod
    def from_pyagrum(cls, model: Any) -> FittedNetwork:
        """Take over a pyAgrum ``BayesNet`` with all its tables."""
        from .network_formats.pyagrum_models import fitted_from_pyagrum

        return fitted_from_pyagrum(model)


def _read(source: str | os.PathLike[str]) -> str:
    """Return the text of a file."""
    try:
        return Path(source).read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"{source} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{source} is not UTF-8 text: byte {error.start + 1}") from None


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    """Write a file that appears as a whole or not at all, if a path is given."""
    if path is not None:
        with atomic_text_file(path) as file:
            file.write(text)
    return text
