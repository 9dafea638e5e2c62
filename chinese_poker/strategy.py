"""Players: how hands are set under a rule set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .arrangement import Arrangement
from .cards import DECK, parse_cards
from .deal import Deal, Player
from .engine.declaring import natural_states
from .engine.response import Response, respond
from .engine.search import best_sum
from .engine.settlement import settlement
from .engine.tables import FIVE_VALUES, FRONT_VALUES, Array, tables
from .engine.worth import worth
from .equilibrium import best_response
from .errors import DealError, StrategyError
from .evaluate import evaluate
from .imported import imported
from .rules import PaidTo, RuleSet, SegmentValue
from .setting import Setting, Strategy
from .texts import quote

__all__ = ["Setting", "Strategy", "registered", "set_deal", "strategies", "strategy"]

Tables = tuple[Array, Array, Array]


@dataclass(frozen=True)
class _Additive:
    """Takes the arrangement whose segments are worth most in sum; the tables, by value, are the rule set's.

    It declares every natural.
    """

    name: str
    tables: Callable[[RuleSet], Tables]

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, players: int, *, compile: bool | None = None) -> Setting:
        found = best_sum(
            hands,
            *self.tables(rules),
            wheel=rules.wheel,
            middle_may_equal_back=rules.middle_may_equal_back,
            compile=compile,
        )
        return Setting(found.cards(), natural_states(hands, settlement(rules)))


def _greedy(rules: RuleSet) -> Tables:
    """The strongest back, with it the strongest middle, then front: any step in the back outweighs all before it."""
    front, five = np.arange(FRONT_VALUES), np.arange(FIVE_VALUES)
    return front, five * FRONT_VALUES, five * (FIVE_VALUES * FRONT_VALUES)


_CHANCES: tuple[dict[str, int], ...] = (
    {"KdJsTc": 15, "AdJsTc": 30, "2d2c7s": 50, "QdQc9s": 80, "AdAc9s": 95, "2d2c2s": 99},
    {"TdTc9s7c6d": 10, "AdAc9s7c6d": 30, "KdKc3d3c9s": 60, "AdAcAs9d2c": 75, "TsJdQcKhAs": 90, "2s3s5s9sAs": 98},
    {"KdKc3d3c9s": 15, "2s3d4c5h6s": 20, "2s5s9sJsQs": 45, "2s2d2c3d3c": 65, "KsKdKc3d3c": 90, "2s2d2c2h3d": 96},
)
"""Front, middle and back: of a hundred opponents who play well, how many these segments beat."""


def _heuristic(rules: RuleSet) -> Tables:
    """A good club player's: a dozen and a half of segments whose chances one knows, the others in between by feel.

    A segment is worth its units as often as it wins, less the opponent's as often as it loses: so a pair in front is
    worth breaking two pairs for, a full house goes to the back unless the middle is paid more for it, and hands that
    earn a bonus are gone for in the measure of the bonus. What a majority or a scoop adds is not weighed.
    """
    table = tables(rules.wheel)
    win_or_lose = rules.bonuses.paid_to is PaidTo.BOTH

    def worth_of(chances: dict[str, int], row: Sequence[SegmentValue], strengths: Array) -> Array:
        known = [evaluate(parse_cards(segment), rules.wheel) for segment in chances]
        places = [0, *np.searchsorted(strengths, known).tolist(), len(strengths) - 1]
        wins = np.interp(np.arange(len(strengths)), places, [0, *chances.values(), 100]) / 100
        regular, bonus = np.array(row).T[:, strengths >> 20]
        rising: Array = np.maximum.accumulate(
            wins * regular + (1 if win_or_lose else wins) * bonus - (1 - wins) * row[0].regular
        )
        return rising

    front, middle, back = _CHANCES
    return (
        worth_of(front, rules.values[0], table.strength_of_front),
        worth_of(middle, rules.values[1], table.strength_of_five),
        worth_of(back, rules.values[2], table.strength_of_five),
    )


@dataclass(frozen=True)
class Responding:
    """Sets every hand by the best response to a population; declares a natural, or surrenders, if that gains more."""

    name: str
    response: Callable[[RuleSet, int], Response]
    """By rule set and number of players."""

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, players: int, *, compile: bool | None = None) -> Setting:
        """Set hands by the best response."""
        found, declared = respond(hands, self.response(rules, players), rules, compile=compile)
        return Setting(found.cards(), declared)


_PLAYERS: tuple[Strategy, ...] = (
    _Additive("greedy", _greedy),
    _Additive("heuristic", _heuristic),
    _Additive("expected", worth),
    Responding("equilibrium", best_response),
)
"""From the weakest to the strongest."""
_STRATEGIES = {player.name: player for player in _PLAYERS}


def strategies() -> tuple[str, ...]:
    """The names of the strategies, from the weakest to the strongest.

    >>> strategies()
    ('greedy', 'heuristic', 'expected', 'equilibrium')
    """
    return tuple(_STRATEGIES)


def strategy(name: str) -> Strategy:
    """A strategy by name, or the user's own as ``module:attribute``, which runs the code of that module.

    :raises DealError: ``unknown_strategy``.
    :raises StrategyError: ``no_module``, ``no_attribute``, ``no_strategy``, ``strategy_failed``.

    >>> strategy("math:pi")
    Traceback (most recent call last):
    chinese_poker.errors.StrategyError: no_strategy: 'math:pi' is a float without the method arrange
    """
    return imported(name) if ":" in name else registered(name)


def registered(name: str) -> Strategy:
    """One of the strategies that come with the package, and nothing else: for names out of documents.

    :raises DealError: ``unknown_strategy``.

    >>> registered("best")
    Traceback (most recent call last):
    chinese_poker.errors.DealError: unknown_strategy: 'best' is no strategy; known: greedy, heuristic, ...
    """
    if name not in _STRATEGIES:
        fault = f"{quote(name)} is no strategy; known: {', '.join(_STRATEGIES)}"
        raise DealError("unknown_strategy", fault)
    return _STRATEGIES[name]


def set_deal(deal: Deal, rules: RuleSet, name: str | Strategy) -> Deal:
    """A deal whose hands that are neither set, declared nor surrendered are set by a strategy, or declared as it says.

    :param name: of a registered strategy, as a document may have it; or any strategy.
    :raises DealError: ``unknown_strategy``.
    :raises StrategyError: ``bad_setting``: an answer that is no arrangement of the hand.

    >>> from chinese_poker.arrangement import parse_hand
    >>> from chinese_poker.deal import Player
    >>> from chinese_poker.presets import load_rules
    >>> south, north = parse_hand("2c3c4c5c6c7c8c9cTcJcQcKcAd"), parse_hand("2d3d4d5d6d7d8d9dTdJdQdKdKh")
    >>> raw = Deal((Player("South", hand=south), Player("North", hand=north)))
    >>> south, north = set_deal(raw, load_rules("basic"), "greedy").players
    >>> print(south.declare, north.arrangement)
    dragon Kh 3d 2d | 8d 7d 6d 5d 4d | Kd Qd Jd Td 9d
    """
    player_of = registered(name) if isinstance(name, str) else name
    seated = len(deal.players) - deal.players.count(None)
    players = [player and set_player(player, rules, player_of, seated) for player in deal.players]
    return replace(deal, players=tuple(players))


def set_player(player: Player, rules: RuleSet, player_of: Strategy, seated: int) -> Player:
    """A player whose hand is set by a strategy, or declared or given up as it says, where the player did neither."""
    if player.arrangement or player.declare or player.surrender:
        return player
    setting = player_of.arrange(np.array([player.hand]), rules, seated)
    for _, fault in setting.bad:
        raise StrategyError("bad_setting", f"{quote(player_of.name, 60)} answered {fault}")
    state = settlement(rules).states[setting.states[0]]
    if setting.states[0] >= 0 and (state.natural or state.surrender):
        return replace(player, declare=state.natural, surrender=state.surrender)
    arrangement = Arrangement.of(DECK[card] for card in setting.cards[0].tolist())
    return replace(player, arrangement=arrangement, hand=())
