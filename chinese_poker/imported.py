"""Strategies of the user's own, imported as ``module:attribute``."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

import numpy.typing as npt

from .errors import StrategyError
from .rules import RuleSet
from .setting import Setting, Strategy, checked
from .texts import quote

T = TypeVar("T")


@dataclass(frozen=True)
class Imported:
    """A strategy from outside: what goes wrong in it is an error of one line, and what it answers is checked."""

    name: str
    """The reference that it was imported by, ``module:attribute``."""
    strategy: Strategy = field(compare=False)

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, players: int) -> Setting:
        """As :meth:`Strategy.arrange <chinese_poker.setting.Strategy.arrange>`.

        :raises StrategyError: ``strategy_failed``, ``bad_setting``.
        """
        answer = _ran(self.name, lambda: self.strategy.arrange(hands, rules, players))
        return checked(answer, hands, rules, self.name)


@cache
def imported(reference: str) -> Imported:
    """Import a strategy: this runs the code of the module.

    :param reference: ``module:attribute``, the attribute a :class:`~chinese_poker.setting.Strategy`, or a class that
        makes one of nothing.
    :raises StrategyError: ``no_module``, ``no_attribute``, ``no_strategy``, ``strategy_failed``.

    >>> imported("math:pi")
    Traceback (most recent call last):
    chinese_poker.errors.StrategyError: no_strategy: 'math:pi' is a float without the method arrange
    """
    module_name, _, path = reference.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), *path.split(".")]):
        raise StrategyError(
            "no_module", f"{quote(reference, 60)} is no reference; write module:attribute, as in mybot:Bot"
        )
    try:
        module = _ran(reference, lambda: import_module(module_name), ModuleNotFoundError)
    except ModuleNotFoundError as error:
        if not (error.name and f"{module_name}.".startswith(f"{error.name}.")):
            fault = f"{quote(reference, 60)} needs the module {quote(str(error.name))}, which is not installed"
            raise StrategyError("no_module", fault) from None
        fault = f"there is no module {quote(error.name, 60)} here, nor installed; name the file without its .py"
        raise StrategyError("no_module", fault) from None
    try:
        found = attrgetter(path)(module)
    except AttributeError:
        known = [name for name, value in vars(module).items() if hasattr(value, "arrange") and value is not Strategy]
        fault = f"the module {module_name} has no {quote(path)}; its strategies: {', '.join(known) or 'none'}"
        raise StrategyError("no_attribute", fault) from None
    if isinstance(found, type):
        found = _ran(reference, found)
    if not callable(getattr(found, "arrange", None)):
        fault = f"{quote(reference, 60)} is a {type(found).__name__} without the method arrange"
        raise StrategyError("no_strategy", fault)
    return Imported(reference, found)


def _ran(name: str, run: Callable[[], T], *through: type[Exception]) -> T:
    """What foreign code returns; what it raises is an error of one line, with its own text and place."""
    try:
        return run()
    except through:
        raise
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        fault = f"{quote(name, 60)} raised {type(error).__name__}: {error} ({place})"
        raise StrategyError("strategy_failed", fault) from error
