"""A random player, one trained in seconds, and the strategies of the package, against each other in OpenSpiel.

    python -m chinese_poker.examples.evaluate_bots --deals 200 --rules mandarin

Every deal is played twice with the seats exchanged, so that luck in the cards cancels. Needs the extra ``openspiel``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from chinese_poker.engine.batch import score_batch
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.declaring import natural_states
from chinese_poker.engine.search import Arrangements, undominated
from chinese_poker.engine.settlement import settlement
from chinese_poker.engine.tables import Array
from chinese_poker.errors import ChinesePokerError
from chinese_poker.extras import needs
from chinese_poker.presets import load_rules
from chinese_poker.rules import RuleSet
from chinese_poker.strategy import Setting, Strategy, strategies, strategy

HANDS = 8_000
"""Hands that are played in a round of training."""
ROUNDS = 3

Bots = Callable[[int, int], Any]
"""Makes a player's bot for a seat and the number of a deal."""


@dataclass(frozen=True, eq=False)
class Linear:
    """Takes the undominated arrangement whose segments' places among others, and their powers, weigh most in sum."""

    name: str
    ordered: Array
    """(3, m) the values of front, middle and back of any arrangements, ascending: by them a segment has its place."""
    weights: Array
    """(10,)"""

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, players: int) -> Setting:
        """See :class:`chinese_poker.strategy.Strategy`."""
        found = _undominated(hands, rules)
        worth = features(found.values, self.ordered) @ self.weights
        best = np.array([i + worth[i:j].argmax() for i, j in zip(found.offsets, found.offsets[1:], strict=False)])
        return Setting(found.cards()[best], natural_states(hands, settlement(rules)))


def features(values: Array, ordered: Array) -> Array:
    """(k, 10) a constant, and the place of each segment among others, 0 to 1, with its square and cube."""
    places = [np.searchsorted(row, column) / len(row) for row, column in zip(ordered, values.T, strict=True)]
    return np.stack([np.ones(len(values)), *(place**power for place in places for power in (1, 2, 3))], axis=1)


def train(rules: RuleSet, seed: int) -> Strategy:
    """Learn what arrangements bring from playing any against the player of the round before, the first against any."""
    numbers = np.random.default_rng(seed)
    opponent: Strategy | None = None
    for played in range(ROUNDS):
        hands = deal(seed, played * HANDS // 2, HANDS // 2)[:, :26].reshape(-1, 13)
        found = _undominated(hands, rules)
        tried = numbers.integers(found.offsets[:-1], found.offsets[1:])
        cards = found.cards()[tried].reshape(-1, 2, 13)
        if opponent:
            cards[:, 1] = opponent.arrange(hands[1::2], rules, 2).cards
        ordered = np.sort(found.values[tried].T, axis=1)
        seen = features(found.values[tried[::2]], ordered)
        opponent = Linear("trained", ordered, np.linalg.lstsq(seen, score_batch(cards, rules)[:, 0])[0])
    assert opponent
    return opponent


def _undominated(hands: npt.ArrayLike, rules: RuleSet) -> Arrangements:
    return undominated(hands, wheel=rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)


def duel(game: Any, first: Bots, second: Bots, deals: int, seed: int) -> tuple[float, float]:  # noqa: ANN401
    """What the first gains a deal, and the standard error: each deal is played twice, the seats exchanged."""
    from open_spiel.python.algorithms.evaluate_bots import evaluate_bots

    gained = []
    for number in range(deals):
        one, two = (
            evaluate_bots(
                game.new_initial_state(), [left(0, number), right(1, number)], np.random.RandomState([seed, number])
            )
            for left, right in ((first, second), (second, first))
        )
        gained.append((one[0] + two[1]) / 2)
    return float(np.mean(gained)), float(np.std(gained) / np.sqrt(deals))


@click.command()
@click.option("--deals", default=100, show_default=True, type=click.IntRange(2), help="Deals of each two players.")
@click.option("--rules", default="basic", show_default=True, help="A rule set that is played without a banker.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of the deals and the training.")
def main(deals: int, rules: str, seed: int) -> None:
    """Duels of a random player, a trained one and the package's strategies, in OpenSpiel."""
    try:
        with needs("openspiel"):
            import pyspiel

            from chinese_poker.adapters.openspiel import StrategyBot
        game = pyspiel.load_game("python_chinese_poker", {"rules": rules})
        players = [*map(strategy, strategies()), train(load_rules(rules), seed)]
    except ChinesePokerError as error:
        raise click.ClickException(str(error)) from None
    bots: dict[str, Bots] = {"random": lambda seat, number: pyspiel.make_uniform_random_bot(seat, seed + number)}
    for player in players:
        bots[player.name] = partial(_strategy_bot, StrategyBot, game, player)
    click.echo(f"{rules}, 2 players, {deals} deals each played both ways: units a deal that the first gains")
    for first, second in combinations(reversed(bots), 2):
        gain, deviation = duel(game, bots[first], bots[second], deals, seed)
        click.echo(f"{first:>12} against {second:<12} {gain:+.2f} ± {deviation:.2f}")


def _strategy_bot(kind: Any, game: Any, player: Strategy, seat: int, number: int) -> Any:  # noqa: ANN401
    return kind(game, seat, player)


if __name__ == "__main__":
    main()
