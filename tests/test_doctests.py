"""Every example in a docstring does what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import crediblenet


def module_names() -> list[str]:
    """Return the modules of the package."""
    found = pkgutil.walk_packages(crediblenet.__path__, "crediblenet.")
    return sorted({"crediblenet", *(m.name for m in found if not m.name.endswith("__main__"))})


def import_or_skip(name: str) -> ModuleType:
    """Import a module; one that serves an optional library is skipped without it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("crediblenet"):
            raise
        pytest.skip(f"{name} needs {error.name}, which is not installed")


@pytest.mark.parametrize("name", module_names())
def test_examples_in_docstrings(name: str) -> None:
    """Run them all and compare what they print."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testmod(import_or_skip(name), optionflags=flags)
    assert result.failed == 0


def test_there_are_examples() -> None:
    """The finder looks at the right modules."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in ("crediblenet.network",)]
    assert any(test.examples for module in modules for test in finder.find(module))
