"""The command ``chinese-poker``."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..errors import is_out_of_memory
from ..texts import one_line

COMMANDS = {
    "score": "referee",
    "suggest": "advice",
    "review": "advice",
    "odds": "odds",
    "duel": "duel",
    "check": "referee",
    "convert": "tabled",
    "conformance": "conformity",
    "rank": "referee",
    "rules": "referee",
    "schema": "referee",
    "train": "study",
    "exploitability": "study",
    "simulate": "simulate",
    "serve": "serve",
    "ledger": "ledger",
    "docs": "docs",
}
"""The module of each command; what a command does not use is not imported."""
_LONGEST_LINE = 360
"""Characters that a line of a complaint about the arguments takes."""
_HELP = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What click raises, from 8.2 on, to show the help where arguments lack."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"{__name__}.{COMMANDS[cmd_name]}"), f"{cmd_name}_command")
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # of which click would make an empty line first
            raise click.Abort from None

    def main(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        try:
            return super().main(*args, **options)
        except _HELP:
            raise
        except click.ClickException as error:  # click repeats what was typed, however long, and lists over lines
            lines = re.sub(r"\n\s+", " ", error.format_message()).split("\n")
            told = "\n".join(one_line(line, _LONGEST_LINE) for line in lines)
            error.format_message = lambda: told  # type: ignore[method-assign]
            raise


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="chinese-poker")
def cli() -> None:
    """A referee and an adviser for 13-card Chinese Poker.

    \b
    Example:
      chinese-poker score --example
    """


_CLOSED_PIPE = 141
"""The exit status where nobody reads on, as of other programs in a pipe: 128 + SIGPIPE."""


def main() -> None:
    """Run the command; whatever goes wrong is one line, never a traceback."""
    _open_closed_streams()
    with _waiting_streams():
        status = _status()
    sys.exit(status)


def _status() -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run()
        sys.stdout.flush()
    except OSError as error:
        status = _CLOSED_PIPE if isinstance(error, BrokenPipeError) else 1
        if status == 1:
            with contextlib.suppress(OSError):
                fault = f"cannot write: {error.strerror}" if error.strerror else one_line(str(error), 200)
                click.echo(f"chinese-poker: {fault}", err=True)
        for stream in (sys.stdout, sys.stderr):  # what is left in them goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status


def _run() -> int:
    stdout = sys.stdout
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("chinese-poker: interrupted", err=True)
        return 130
    except (MemoryError, ImportError, OSError, RuntimeError, SystemError) as error:
        if not is_out_of_memory(error):
            raise
        click.echo("chinese-poker: out of memory", err=True)
        return 1
    except SystemExit as end:
        if sys.stdout is not stdout:  # click has met a closed pipe, and made it a failure
            raise BrokenPipeError from None
        return end.code if isinstance(end.code, int) else 0
    return 0


def _open_closed_streams() -> None:
    """Give what was closed before the start a stream on which reading, or writing results, is an error like any."""
    for name, mode in (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, mode)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w", encoding="utf-8"))


@contextlib.contextmanager
def _waiting_streams() -> Iterator[None]:
    """Let reads and writes wait where another program has made a pipe or terminal that we share return at once.

    A read that finds nothing yet would be taken for the end of the input.
    """
    changed = []
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, AttributeError, ValueError):
            if not os.get_blocking(stream.fileno()):
                os.set_blocking(stream.fileno(), True)
                changed.append(stream.fileno())
    try:
        yield
    finally:
        for descriptor in changed:
            os.set_blocking(descriptor, False)
