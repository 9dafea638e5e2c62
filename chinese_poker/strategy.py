"""Players: how hands are set under a rule set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .cards import quote
from .engine.search import Arrangements, best_sum
from .engine.tables import FIVE_VALUES, FRONT_VALUES, Array
from .engine.worth import worth
from .errors import DealError
from .rules import RuleSet

Tables = tuple[Array, Array, Array]


class Strategy(Protocol):
    """Sets hands, knowing nothing but its own cards and the rules."""

    @property
    def name(self) -> str: ...

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet) -> Arrangements:
        """One legal arrangement for each hand.

        :param hands: (n, 13) int8 card indices.
        """
        ...


@dataclass(frozen=True)
class _Additive:
    """Takes the arrangement whose segments are worth most in sum, by tables that belong to the rule set."""

    name: str
    tables: Callable[[RuleSet], Tables]

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, *, compile: bool | None = None) -> Arrangements:
        return best_sum(
            hands,
            *self.tables(rules),
            wheel=rules.wheel,
            middle_may_equal_back=rules.middle_may_equal_back,
            compile=compile,
        )


def _greedy(rules: RuleSet) -> Tables:
    """The strongest back, with it the strongest middle, then front: any step in the back outweighs all before it."""
    front, five = np.arange(FRONT_VALUES), np.arange(FIVE_VALUES)
    return front, five * FRONT_VALUES, five * (FIVE_VALUES * FRONT_VALUES)


_STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        _Additive("greedy", _greedy),
        _Additive("heuristic", _greedy),
        _Additive("expected", worth),
    )
}


def strategies() -> tuple[str, ...]:
    """The names of the strategies.

    >>> strategies()
    ('greedy', 'heuristic', 'expected')
    """
    return tuple(_STRATEGIES)


def strategy(name: str) -> Strategy:
    """A strategy by name.

    :raises DealError: ``unknown_strategy``.

    >>> strategy("best")
    Traceback (most recent call last):
    chinese_poker.errors.DealError: unknown_strategy: 'best' is no strategy; known: greedy, heuristic, expected
    """
    if name not in _STRATEGIES:
        fault = f"{quote(name)} is no strategy; known: {', '.join(_STRATEGIES)}"
        raise DealError("unknown_strategy", fault)
    return _STRATEGIES[name]
