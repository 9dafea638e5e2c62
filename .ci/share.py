"""Writes the man page and the shells' completion files, made from the commands themselves, into build/share."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from chinese_poker import __version__
from chinese_poker.cli import cli

NAME = "chinese-poker"
SHARE = Path(__file__).parents[1] / "build" / "share"
COMPLETIONS = {
    "bash": f"bash-completion/completions/{NAME}",
    "zsh": f"zsh/site-functions/_{NAME}",
    "fish": f"fish/vendor_completions.d/{NAME}.fish",
}


def manual() -> str:
    """One page in man's own macros: what every command and option says of itself."""
    date = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC).date()
    context = click.Context(cli, info_name=NAME, **cli.context_settings)
    info = context.to_info_dict()["command"]
    about, *rest = _paragraphs(info["help"])
    lines = [
        f'.TH {NAME.upper()} 1 {date} "{NAME} {__version__}" "User Commands"',
        ".SH NAME",
        f"{_text(NAME)} \\- {_text(about[0].lower() + about[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        f"{_bold(NAME)} [{_bold('--version')}] [{_bold('--help')}] \\fICOMMAND\\fR [\\fIARGS\\fR]...",
        ".SH DESCRIPTION",
        "Pages on how to use it, and the rules of every preset, are shown by",
        f"{_bold(f'{NAME} docs')}.",
        *(line for paragraph in rest for line in _block(paragraph)),
        ".SH COMMANDS",
        *(line for name, found in info["commands"].items() for line in _command(context, cli, name, found)),
        ".SH EXIT STATUS",
        "0 if all went well, 1 if something that was read was bad, 2 for a wrong command line, 130 if interrupted.",
    ]
    return "\n".join(lines) + "\n"


def _command(parent: click.Context, group: click.Group, name: str, info: dict[str, Any]) -> Iterator[str]:
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    yield f".SS {_text(context.command_path.removeprefix(NAME).strip())}"
    yield f"{_bold(context.command_path)} {_text(' '.join(command.collect_usage_pieces(context)))}"
    for paragraph in _paragraphs(info["help"]):
        yield from _block(paragraph)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and parameter.name != "help" and record:
            yield from (".TP", _bold(record[0]), _text(record[1]))
    for below, found in info.get("commands", {}).items():
        assert isinstance(command, click.Group)
        yield from _command(context, command, below, found)


def _paragraphs(text: str) -> list[str]:
    return inspect.cleandoc(text).split("\n\n")


def _block(paragraph: str) -> Iterator[str]:
    """A paragraph; as it is laid out where click is told so, else filled."""
    yield ".PP"
    if paragraph.startswith("\b\n"):
        yield from (".nf", *map(_text, paragraph.splitlines()[1:]), ".fi")
    else:
        yield from map(_text, paragraph.splitlines())


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def _bold(text: str) -> str:
    return f"\\fB{_text(text)}\\fR"


def main() -> None:
    """Write all of them."""
    shutil.rmtree(SHARE, ignore_errors=True)
    texts = {f"man/man1/{NAME}.1": manual()}
    for shell, place in COMPLETIONS.items():
        environment = {**os.environ, "_CHINESE_POKER_COMPLETE": f"{shell}_source"}
        done = subprocess.run(
            [Path(sys.executable).with_name(NAME)], env=environment, capture_output=True, text=True, check=True
        )
        texts[place] = done.stdout
    for place, text in texts.items():
        path = SHARE / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
