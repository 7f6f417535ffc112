"""Finding a cluster, and making sure that it can be used."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..exceptions import ClusterError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["check", "connect"]

#: How long to wait for a scheduler to answer, in seconds, and for its first worker.
PATIENCE = 10.0


@contextmanager
def connect(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address, such as ``tcp://10.0.0.1:8786``.

    Dask's own messages about a lost connection are left out: an error says it.

    Raises
    ------
    ClusterError
        When dask.distributed is not installed, or nobody answers there.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            f"a cluster needs dask.distributed ({error}); install it with "
            "pip install 'crediblenet[distributed]', here and on the workers"
        ) from error
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TypeError: an unknown kind of address
        raise ClusterError(
            f"no Dask scheduler answers at {address!r} ({error}); start one with 'dask scheduler' "
            "and give the address that it prints, such as tcp://10.0.0.1:8786"
        ) from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    with client:
        yield client


def check(client: Any) -> None:
    """Make sure that a cluster has workers, and that they have this version of crediblenet.

    Raises
    ------
    ClusterError
        When it has none, or others.
    """
    from .. import __version__
    from .worker_side import version

    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        versions: dict[str, Any] = client.run(version, on_error="return")
    except OSError as error:
        raise ClusterError(
            f"the cluster has no workers ({error}); start some with 'dask worker ADDRESS'"
        ) from error
    for worker, found in sorted(versions.items()):
        if found != __version__:
            raise ClusterError(
                f"the worker {worker} does not have crediblenet {__version__} but {found!r}; "
                "install the same version on every worker"
            )
