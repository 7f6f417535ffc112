"""Options that belong together, declared once and taken whole by several subcommands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer

from . import options as o

__all__ = ["DataOptions", "OutputOptions", "ResourceOptions", "ScoreOptions", "with_groups"]


@dataclass(frozen=True)
class ScoreOptions:
    """What networks are compared by, and which of them are allowed."""

    score: o.ScoreName = o.Score.bic
    ess: o.Ess = 1.0
    max_parents: o.MaxParents = None
    require: o.Require = None
    forbid: o.Forbid = None
    tiers: o.Tiers = None

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of `find` and `score`."""
        return {
            "score": self.score.value,
            "ess": self.ess,
            "max_parents": self.max_parents,
            "require": self.require or (),
            "forbid": self.forbid or (),
            "tiers": self.tiers,
        }


@dataclass(frozen=True)
class DataOptions:
    """How the data are read."""

    no_header: o.NoHeader = False
    format: o.FileFormat = None
    delimiter: o.Delimiter = None
    encoding: o.Encoding = o.DEFAULT_ENCODING
    states: o.States = None
    missing: o.MissingValues = o.Missing.error
    missing_values: o.MissingTexts = None
    discretize: o.DiscretizeMethod = None
    bins: o.Bins = o.DEFAULT_BINS
    many_values: o.KeepMany = o.ManyValues.error

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of `as_dataset` for the options that differ from the default."""
        chosen: dict[str, Any] = {}
        if self.no_header:
            chosen["header"] = False
        if self.format is not None:
            chosen["format"] = self.format.value
        if self.delimiter is not None:
            # A shell has no easy way to write a tab.
            chosen["delimiter"] = "\t" if self.delimiter in ("\\t", "tab") else self.delimiter
        if self.encoding != o.DEFAULT_ENCODING:
            chosen["encoding"] = self.encoding
        if self.states is not None:
            chosen["states"] = str(self.states)
        if self.missing is not o.Missing.error:
            chosen["missing"] = self.missing.value
        if self.missing_values:
            chosen["missing_values"] = self.missing_values
        if self.discretize is not None:
            chosen["discretize"] = self.discretize.value
        if self.bins != o.DEFAULT_BINS:
            chosen["bins"] = self.bins
        if self.many_values is not o.ManyValues.error:
            chosen["many_values"] = self.many_values.value
        return chosen


@dataclass(frozen=True)
class ResourceOptions:
    """How much time, memory and how many threads a run may take."""

    time_limit: o.TimeLimit = None
    memory_limit: o.MemoryLimit = None
    threads: o.Threads = None


@dataclass(frozen=True)
class OutputOptions:
    """What is printed."""

    as_json: o.Json = False
    quiet: o.Quiet = False
    no_progress: o.NoProgress = False
    debug: o.Debug = False  # read where errors are shown


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a subcommand one option per field of each group that it takes.

    Typer makes options from the parameters of a function. This returns a function with all
    of them, which puts those of a group together again and calls `command`.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for given in inspect.signature(command).parameters.values():
        if given.name not in groups:
            annotation = hints[given.name]
            parameters.append(given.replace(annotation=annotation, kind=given.KEYWORD_ONLY))
            continue
        inside = get_type_hints(groups[given.name], include_extras=True)
        parameters += [
            given.replace(
                name=field.name,
                kind=given.KEYWORD_ONLY,
                default=field.default,
                annotation=inside[field.name],
            )
            for field in fields(groups[given.name])
        ]

    @wraps(command)
    def called(**options: Any) -> None:
        for name, group in groups.items():
            options[name] = group(**{f.name: options.pop(f.name) for f in fields(group)})
        try:
            command(**options)
        except KeyboardInterrupt:
            # Typer would turn it into an exit code without a word.
            raise typer.Abort from None

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called
