"""How values show themselves in notebooks: who shows is imported when something is shown."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import ClassVar, Protocol


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


def print_view(value: object, printer: Printer, cycle: bool) -> None:
    """What IPython shows of a value in a terminal."""
    printer.text(text_view(value))


class Shown:
    """A value with an HTML view."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_view(self)


class ShownAsText(Shown):
    """A value with an HTML view whose text is a table, too."""

    __slots__ = ()
    _repr_pretty_: ClassVar[Callable[[object, Printer, bool], None]]

    def __init_subclass__(cls) -> None:
        cls._repr_pretty_ = print_view  # IPython takes a class's own __repr__ before what it inherits

    def __str__(self) -> str:
        return text_view(self)
