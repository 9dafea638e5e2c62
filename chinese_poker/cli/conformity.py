"""Whether other programs score as this one does: ``conformance``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from .. import conformance
from ..errors import ChinesePokerError
from ..presets import rule_names
from .common import json_option, write_json


@click.command("conformance")
@click.option("--cmd", "command", metavar="COMMAND", help="The program that scores deals, with its arguments.")
@click.option("--write", "folder", type=click.Path(path_type=Path), help="Write the vectors to this folder.")
@click.option("--rules", type=click.Choice(rule_names()), metavar="NAME", multiple=True, help="Only this rule set.")
@click.option("--timeout", type=click.FloatRange(0.1), default=conformance.TIMEOUT, show_default=True, help="Seconds.")
@click.option("--show", type=click.IntRange(0), default=5, show_default=True, help="How many differences to show.")
@json_option
def conformance_command(
    command: str | None, folder: Path | None, rules: tuple[str, ...], timeout: float, show: int, as_json: bool
) -> None:
    """Check a program in any language against published and hand-worked cases.

    The program reads deals from its standard input, one JSON object a line, and writes results with players' totals.

    \b
    Examples:
      chinese-poker conformance --cmd "./their-scorer --json"
      chinese-poker conformance --cmd ./their-scorer --rules basic --rules eastern
      chinese-poker conformance --write vectors
    """
    if (command is None) == (folder is None):
        raise click.UsageError("Give --cmd to check a program, or --write to write the vectors.")
    try:
        if folder:
            for path in conformance.write(folder):
                click.echo(path)
        elif command is not None:
            _check(command, list(conformance.questions(rules)), timeout, show, as_json)
    except ChinesePokerError as error:
        raise click.ClickException(error.message) from None


def _check(command: str, asked: Sequence[conformance.Question], timeout: float, show: int, as_json: bool) -> None:
    differences = conformance.check(command, asked, timeout)
    deals = Counter((question.kind, question.rules) for question in asked)
    wrong = Counter((found.question.kind, found.question.rules) for found in differences)
    if as_json:
        counts = [{"kind": k, "rules": r, "deals": n, "differ": wrong[k, r]} for (k, r), n in sorted(deals.items())]
        shown = [
            {"deal": found.question.deal, "expected": found.question.totals, "answer": found.answer}
            for found in differences[:show]
        ]
        write_json({"counts": counts, "differences": shown})
    else:
        for (kind, rules), count in sorted(deals.items()):
            click.echo(f"{kind:12}{rules:22}{count - wrong[kind, rules]:4} of {count}")
        for found in differences[:show]:
            click.echo(f"{found.question.id}: {found.question.about}")
            click.echo(f"  expected {_told(found.question.totals)}, answered {_told(found.answer)}")
        agreed = len(asked) - len(differences)
        click.echo(f"{agreed} of {len(asked)} deals agree" if differences else f"all {len(asked)} deals agree")
    sys.exit(1 if differences else 0)


def _told(answer: tuple[int, ...] | str) -> str:
    return answer if isinstance(answer, str) else " ".join(f"{total:+d}" if total else "0" for total in answer)
