"""What a hand is worth by the core alone: every arrangement, every unit by ``score``; slow and sure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from random import Random

import numpy as np

from chinese_poker.arrangement import Arrangement
from chinese_poker.cards import DECK, Card
from chinese_poker.deal import Deal, Player
from chinese_poker.evaluate import evaluate
from chinese_poker.rules import Banker, RuleSet
from chinese_poker.score import played_naturals, score
from chinese_poker.strategy import strategy


def dealt(random: Random, players: int, deck: Sequence[Card] = DECK) -> list[tuple[Card, ...]]:
    """Hands for some players."""
    cards = random.sample(list(deck), 13 * players)
    return [tuple(cards[13 * i : 13 * i + 13]) for i in range(players)]


def unseen_by(*seen: Iterable[Card]) -> list[Card]:
    """The cards of the deck that are in none of these."""
    held = {card for cards in seen for card in cards}
    return [card for card in DECK if card not in held]


def as_arrangement(cards: Iterable[int]) -> Arrangement:
    """Thirteen cards or card indices, front first."""
    row = [DECK[card] for card in cards]
    return Arrangement(tuple(row[:3]), tuple(row[3:8]), tuple(row[8:]))


def set_legally(random: Random, hand: Sequence[Card]) -> Arrangement:
    """Any legal arrangement of a hand."""
    while True:
        arrangement = as_arrangement(random.sample(list(hand), 13))
        if not arrangement.foul(middle_may_equal_back=False):
            return arrangement


def gain(mine: Arrangement | Player, others: Sequence[Arrangement | Player], rules: RuleSet, bank: int | None) -> int:
    """What the first player wins in all; ``bank`` is the banker's seat, 0 the first player's."""
    players = (each if isinstance(each, Player) else Player("", each) for each in (mine, *others))
    return score(Deal(tuple(players), bank), rules).totals[0]


def bank_of(rules: RuleSet, banks: bool | None) -> int | None:
    """The banker's seat where the first player banks, or the second does, or nobody."""
    assert rules.banker is not Banker.NONE or banks is None
    return None if banks is None else int(not banks)


@cache
def _splits() -> list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    everything = set(range(13))
    return [
        (front, middle, tuple(sorted(everything.difference(front, middle))))
        for front in combinations(range(13), 3)
        for middle in combinations(sorted(everything.difference(front)), 5)
    ]


def all_arrangements(hand: Sequence[Card]) -> Iterator[Arrangement]:
    """All 72,072, fouls too."""
    for split in _splits():
        front, middle, back = (tuple([hand[i] for i in part]) for part in split)
        yield Arrangement(front, middle, back)


def legal_arrangements(hand: Sequence[Card], rules: RuleSet, *, by_suit: bool = False) -> list[Arrangement]:
    """The legal ones of 72,072, each triple of strengths once; ``by_suit`` each triple of leading suits too."""
    known = {
        part: evaluate([hand[i] for i in part], rules.wheel)
        for size in (3, 5)
        for part in combinations(range(13), size)
    }
    leading = {
        part: "".join(sorted(hand[i].name[1] for i in part if hand[i].rank == strength.ranks[0]))
        for part, strength in known.items()
    }
    found = {}
    for split in _splits():
        front, middle, back = (known[part] for part in split)
        if front <= middle < back or (front <= middle == back and rules.middle_may_equal_back):
            key = (front, middle, back, *((leading[part] for part in split) if by_suit else ()))
            found.setdefault(key, split)
    return [as_arrangement([hand[i] for part in split for i in part]) for split in found.values()]


def opponents(hands: Sequence[Sequence[Card]], name: str, rules: RuleSet) -> list[Player]:
    """Players whose hands a strategy sets and who declare the naturals they hold."""
    found = strategy(name).arrange(np.array(hands, np.int8), rules, 4).cards.tolist()
    return [
        Player("", as_arrangement(row), declare=next(iter(played_naturals(hand, rules)), None))
        for row, hand in zip(found, hands, strict=True)
    ]
