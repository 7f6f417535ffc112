"""Arguments of the wrong kind or name end in one clear error of this package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import crediblenet as cn
from crediblenet.keywords import RUN_KEYWORDS

DATA = {"a": [0, 1, 0, 1, 1], "b": [1, 1, 0, 1, 0]}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"bayes_factor": "20"}, "bayes_factor must be a number, not '20'"),
        ({"epsilon": [1]}, r"epsilon must be a number, not \[1\]"),
        ({"time_limit": "3"}, "time_limit must be a number"),
        ({"memory_limit": "3"}, "memory_limit must be a number"),
        ({"ess": None, "threads": True}, "threads must be a whole number, not True"),
        ({"max_parents": 1.5}, "max_parents must be a whole number, not 1.5"),
        ({"threads": 2.5}, "threads must be a whole number, not 2.5"),
        ({"bayesfactor": 3}, "there is no option bayesfactor; is bayes_factor meant?"),
        ({"zzz": 3}, "there is no option zzz$"),
        ({"header": True, "no_header": True}, "give header or no_header, not both"),
    ],
)
@pytest.mark.parametrize("function", [cn.find, cn.score])
def test_wrong_arguments(function: Any, option: dict[str, Any], message: str) -> None:
    """One line that names the argument."""
    with pytest.raises(cn.CredibleNetError, match=message):
        function(DATA, **option)


def test_hints_know_every_option() -> None:
    """The names for hints are those that `find` and `score` take."""
    for function in (cn.find, cn.score):
        given = set(function.__annotations__) - {"source", "data", "data_options", "return"}
        assert given - {"journal"} <= set(RUN_KEYWORDS)


def test_the_command_and_python_name_the_header_alike(tmp_path: Path) -> None:
    """``no_header=True`` is ``header=False``."""
    file = tmp_path / "data.csv"
    file.write_text("x,y\n" + "0,1\n1,0\n" * 20)
    assert cn.find(file, no_header=True).names == ("V0", "V1")
    assert cn.score(file, no_header=True).names == ("V0", "V1")
    assert cn.find(file, no_header=False).names == ("x", "y")
