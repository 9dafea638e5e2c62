"""Hands as a strategy sets them, and the check of what a strategy from outside answers."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from .cards import DECK, format_cards
from .engine.settlement import settlement
from .engine.tables import Array
from .errors import StrategyError
from .rules import RuleSet
from .score import played_naturals
from .texts import quote


class Bad(NamedTuple):
    """An answer that is no arrangement of its hand, and counts as a foul."""

    row: int
    fault: str
    """What was answered, and what is wrong with it."""


class Setting(NamedTuple):
    """``n`` hands as a strategy sets them."""

    cards: Array
    """(n, 13) int8: card indices; front (3), middle (5), back (5)."""
    states: Array
    """(n,) int16: what is done in place of playing the arrangement, as a state of
    :func:`~chinese_poker.engine.settlement.settlement`: a natural declared, a surrender, a foul; -1 where it is played.
    """
    bad: tuple[Bad, ...] = ()
    """The fouls among them that are no arrangement of the hand."""


class Strategy(Protocol):
    """Sets hands, knowing nothing but its own cards, the rules and how many play."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def __hash__(self) -> int: ...

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, players: int) -> Setting:
        """Set hands, each as if it were the only one.

        :param hands: (n, 13) int8 card indices.
        :param players: how many are at the table, 2 to 4; of the others nothing is known.
        """
        ...


def checked(answer: object, hands: npt.ArrayLike, rules: RuleSet, name: str) -> Setting:
    """What a strategy answered, safe to settle.

    Other cards than the hand's, and a natural that it does not hold, are fouls among ``bad``. A natural is paid as the
    highest that the hand holds.

    :param answer: a :class:`Setting`, or a pair of its first two arrays.
    :param name: the strategy's, for the errors.
    :raises StrategyError: ``bad_setting``: another type or shape, or a state that is none to choose.

    >>> from chinese_poker.presets import load_rules
    >>> hand, others = np.arange(0, 52, 4), np.arange(1, 52, 4)
    >>> setting = checked(([others], [-1]), [hand], load_rules("basic"), "mine")
    >>> setting.states.tolist() == [settlement(load_rules("basic")).foul]
    True
    >>> setting.bad[0].fault[:41]
    "'2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad':"
    >>> checked([hand], [hand], load_rules("basic"), "mine")
    Traceback (most recent call last):
    chinese_poker.errors.StrategyError: bad_setting: 'mine' returned a list; return Setting(cards, states)
    """
    dealt, settled = np.asarray(hands, np.int8), settlement(rules)
    if not (isinstance(answer, tuple) and 2 <= len(answer) <= 3):
        fault = f"{quote(name, 60)} returned a {type(answer).__name__}; return Setting(cards, states)"
        raise StrategyError("bad_setting", fault)
    cards = _integers(answer[0], "cards", dealt.shape, name)
    states = _integers(answer[1], "states", (len(dealt),), name).astype(np.int16)
    chosen = (states == -1) | (states >= settled.foul) & (states < len(settled.states))
    if not chosen.all():
        state = states[np.argmin(chosen)]
        last = len(settled.states) - 1
        fault = f"{quote(name, 60)} returned the state {state}; a strategy chooses -1, or {settled.foul} to {last}"
        raise StrategyError("bad_setting", fault)
    found: list[Bad] = list(answer[2:3][0]) if len(answer) == 3 else []
    other = (np.sort(cards, axis=1) != np.sort(dealt, axis=1)).any(axis=1)
    for row in np.flatnonzero(other & (states == -1)).tolist():
        found.append(Bad(row, f"{quote(_shown(cards[row]), 60)}: these are not the cards of the hand"))
        states[row] = settled.foul
    for row in np.flatnonzero(states > settled.foul).tolist():
        declared = settled.states[states[row]].natural
        if declared:
            held = played_naturals([DECK[card] for card in dealt[row].tolist()], rules)
            if declared not in held:
                found.append(Bad(row, f"'declare {declared}': the cards hold {', '.join(held) or 'no natural'}"))
            states[row] = settled.naturals[held[0]] if declared in held else settled.foul
    cards = np.where(other[:, None], dealt, cards).astype(np.int8)
    return Setting(cards, states, tuple(sorted(found)))


def _integers(value: object, what: str, shape: tuple[int, ...], name: str) -> Array:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.shape != shape or array.dtype.kind not in "iu":
        got = f"{array.dtype} of the shape {array.shape}" if array.ndim else "something else"
        fault = f"{quote(name, 60)} returned as {what} {got}; return integers of the shape {shape}"
        raise StrategyError("bad_setting", fault)
    return array.astype(np.int64)


def _shown(cards: Array) -> str:
    inside = all(0 <= card < len(DECK) for card in cards.tolist())
    return format_cards(DECK[card] for card in cards.tolist()) if inside else str(cards.tolist())
