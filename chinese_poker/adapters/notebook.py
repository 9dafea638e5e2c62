"""Values as a notebook shows them: the tables of :mod:`chinese_poker.report` in HTML.

Nothing is set that a theme decides: text keeps its colour and its background, and the colours of the suits can be read
on white and on black.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from itertools import pairwise
from typing import Any

from rich.table import Table
from rich.text import Text

from .. import report

_VIEWS: dict[str, Callable[[Any], Iterable[Any]]] = {
    "Card": lambda card: [report.card_text([card])],
    "Arrangement": lambda arrangement: [report.arrangement_table(arrangement)],
    "Deal": lambda deal: [report.deal_table(deal)],
    "DealResult": report.result_tables,
    "Suggestions": report.suggestion_tables,
    "RuleSet": lambda rules: [report.rules_table(rules)],
    "Standings": lambda standings: [report.standings_table(standings, None, "")],
}
"""The tables and texts of a value, by its class."""

_STYLES = {
    "bold": "font-weight:600",
    "dim": "opacity:.75",
    "red": "color:#dc2f3d",
    "green": "color:#238636",
    "blue": "color:#2f72d8",
}


def html(value: object) -> str:
    """A value in HTML; whatever its texts hold is text.

    >>> from chinese_poker.cards import Card
    >>> html(Card["Qh"])
    '<div><span style="color:#dc2f3d">Qh</span></div>'
    """
    return "".join(map(_html, _VIEWS[type(value).__name__](value)))


def text(value: object) -> str:
    """A value as a terminal shows it.

    >>> from chinese_poker.arrangement import Arrangement
    >>> print(text(Arrangement.parse("QhQd2c|9s9h4d4c7s|AsKsJs8s3s")))
     front    Qh Qd 2c         pair of queens, deuce kicker
     middle   9s 9h 4d 4c 7s   nines and fours, seven kicker
     back     As Ks Js 8s 3s   ace high flush, king jack eight three kickers
              legal
    """
    return "\n".join(report.plain_lines(_VIEWS[type(value).__name__](value), width=120)).strip("\n")


def _html(renderable: Table | Text | str) -> str:
    if not isinstance(renderable, Table):
        return f"<div>{_text(renderable)}</div>"
    columns = renderable.columns
    caption = f'<caption style="text-align:left">{_text(renderable.title)}</caption>' if renderable.title else ""
    aligned = [f"text-align:{'right' if column.justify == 'right' else 'left'}" for column in columns]
    heads = (f'<th style="{align}">{_text(column.header)}</th>' for column, align in zip(columns, aligned, strict=True))
    head = f"<thead><tr>{''.join(heads)}</tr></thead>" if renderable.show_header else ""
    rows = zip(*(column.cells for column in columns), strict=True)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{align};vertical-align:top">{_text(cell, str(column.style))}</td>'
            for column, align, cell in zip(columns, aligned, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table>{caption}{head}<tbody>{body}</tbody></table>"


def _text(content: Any, style: str = "") -> str:  # noqa: ANN401
    """A text in HTML with its styles, under one that holds for the whole."""
    shown = content if isinstance(content, Text) else Text(str(content))
    cuts = sorted({0, len(shown), *(cut for span in shown.spans for cut in (span.start, span.end))})
    pieces = []
    for start, end in pairwise(cuts):
        styles = [style, str(shown.style), *(str(s.style) for s in shown.spans if s.start <= start and end <= s.end)]
        css = ";".join(dict.fromkeys(_STYLES[word] for each in styles for word in each.split() if word in _STYLES))
        piece = escape(shown.plain[start:end]).replace("\n", "<br>")
        pieces.append(f'<span style="{css}">{piece}</span>' if css else piece)
    return "".join(pieces)
