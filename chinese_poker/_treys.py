"""The one import of treys, the authority for five-card ranking."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from .cards import DECK


@cache
def _evaluator() -> tuple[Any, tuple[int, ...]]:
    from treys import Card, Evaluator

    return Evaluator(), tuple(Card.new(card.name) for card in DECK)


def rank5(cards: Sequence[int]) -> int:
    """treys' rank of five different cards, given by index: 1 (royal flush) to 7462, lower is better.

    >>> from chinese_poker.cards import parse_cards
    >>> rank5(parse_cards("AsKsQsJsTs")), rank5(parse_cards("7s5h4d3c2s"))
    (1, 7462)
    """
    evaluator, treys_card = _evaluator()
    return int(evaluator._five([treys_card[card] for card in cards]))
