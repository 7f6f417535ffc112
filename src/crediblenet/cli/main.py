"""The application, and what becomes of an error: one clear line and an exit code."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import shlex
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, NoReturn

import pyarrow as pa
import typer

from .. import __version__
from ..exceptions import CredibleNetError, LimitError
from ..interruption import INTERRUPTED, NOTHING_KEPT, end_at_once, raise_again
from .text import safe

__all__ = ["INTERRUPTED", "app", "main", "told"]

#: Where typer keeps its copy of click depends on its version; this is in all of them.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]


class Told:
    """Whether the user was told what was found."""

    result = False


told = Told()

app = typer.Typer(
    name="crediblenet",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        typer.echo(f"crediblenet {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", is_eager=True, callback=show_version
        ),
    ] = False,
) -> None:
    """Find every Bayesian network structure that the data cannot rule out.

    New here? Run [bold]crediblenet demo[/bold], then [bold]crediblenet find data.csv[/bold].
    """


def complain(message: str, code: int) -> int:
    """Print one line that says what is wrong, and return the exit code."""
    line = " ".join(safe(part) for part in message.splitlines() if part.strip())
    print(f"crediblenet: error: {line}", file=sys.stderr)
    return code


def as_options(message: str) -> str:
    """Return advice that names keywords of the functions as options of the command.

    Examples
    --------
    >>> as_options("leave these rows out with missing='drop'")
    'leave these rows out with --missing drop'
    >>> as_options("if ';' separates the values, say delimiter=';'")
    "if ';' separates the values, say --delimiter ';'"
    >>> as_options("replace an earlier run with overwrite=True")
    'replace an earlier run with --overwrite'
    """
    message = message.replace("overwrite=True", "--overwrite").replace(
        "header=False", "--no-header"
    )
    return re.sub(
        r"\b(missing|discretize|many_values|format|score|delimiter|encoding)='([^']*)'",
        lambda match: f"--{match[1].replace('_', '-')} {shlex.quote(match[2])}",
        message,
    )


def show_warning(message: Warning | str, *_: object) -> None:
    """Print a warning of the package as one line, without a file and line number."""
    print(f"crediblenet: warning: {safe(as_options(str(message)))}", file=sys.stderr)


def describe_os_error(error: OSError) -> str:
    """Return what is wrong with which file."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; nothing but the code gets out."""
    debug = "--debug" in arguments
    told.result = False
    try:
        end_at_once()  # the options are made with libraries that are loaded for that
        command = typer.main.get_command(app)
        # While Arrow reads a table it would hear Ctrl-C in our place, in a thread of its own, and
        # a press in the last moment reaches nobody. It reads in blocks, so nobody waits for it.
        pa.enable_signal_handlers(False)
        raise_again()
        code = command.main(args=list(arguments), prog_name="crediblenet", standalone_mode=False)
    except USAGE_ERROR as error:
        message = str(error.format_message())  # type: ignore[attr-defined]
        # An empty message: the help was asked for by giving no argument, and shown.
        return complain(message, 2) if message else 2
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return complain(NOTHING_KEPT, INTERRUPTED)
    except Exception as error:
        if debug:
            traceback.print_exc()
        return explain(error)
    if code == INTERRUPTED and not told.result:
        # Typer turns Ctrl-C into this code without a word.
        return complain(NOTHING_KEPT, INTERRUPTED)
    return int(code or 0)


def explain(error: Exception) -> int:
    """Turn an exception into one line and an exit code."""
    if isinstance(error, LimitError):
        return complain(as_options(str(error)), 3)
    if isinstance(error, CredibleNetError):
        return complain(as_options(str(error)), 2)
    if isinstance(error, OSError):
        return complain(describe_os_error(error), 2)
    if isinstance(error, MemoryError):
        return complain("out of memory; --memory-limit makes the search thriftier", 3)
    return complain(
        f"this should not happen ({type(error).__name__}: {error}); please report it with the "
        "output of the same command with --debug",
        1,
    )


def main() -> NoReturn:
    """Run the command with the arguments of the process."""
    from .startup import note_startup

    note_startup()
    warnings.showwarning = show_warning  # type: ignore[assignment]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets its code instead of a crash.
            stream.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    if code == INTERRUPTED:
        leave_at_once(code)
    # The system takes everything back at once; looking through it first takes half a second.
    gc.freeze()
    sys.exit(code)


def leave_at_once(code: int) -> NoReturn:
    """End the process without waiting for libraries that are being loaded: the user waits."""
    for stream in (sys.stdout, sys.stderr):
        # A reader that went away wants nothing more.
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)
