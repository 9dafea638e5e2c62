"""How values show themselves in notebooks: who shows is imported when something is shown."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol


def html_view(value: object) -> str:
    """What a notebook shows of a value."""
    html: str = import_module(".adapters.notebook", __package__).html(value)
    return html


def text_view(value: object) -> str:
    """The same for a terminal."""
    text: str = import_module(".adapters.notebook", __package__).text(value)
    return text


class Printer(Protocol):
    """IPython's."""

    def text(self, text: str) -> None: ...


class Shown:
    """A value with an HTML view."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_view(self)


class ShownAsText(Shown):
    """A value with an HTML view whose text is a table, too."""

    __slots__ = ()

    def __str__(self) -> str:
        return text_view(self)

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        printer.text(text_view(self))
