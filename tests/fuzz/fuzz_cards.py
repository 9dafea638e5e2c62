"""Runs of cards."""

import re

from fuzzing import check_told

from chinese_poker.cards import CARD_PATTERN, SEPARATORS, format_cards, parse_card, parse_cards, split_cards
from chinese_poker.errors import CardError

_TEXTS = ("AhKd 10c", "a♠,T♥️ 10♢", "🂡🂾 🃍\ufe0f2c", "h10 Joker As", "1s 0h K\u212as", "As\tKs\r\n", "Qs Qh 4d", "🃏", "")
SEEDS = [text.encode() for text in _TEXTS]
_CARDS = re.compile(f"[{SEPARATORS}]*(?:(?:{CARD_PATTERN})[{SEPARATORS}]*)*")


def one(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    try:
        cards = parse_cards(text)
    except CardError as error:
        check_told(error)
        cards = None
    assert (cards is not None) == bool(_CARDS.fullmatch(text)), "the reader and the schema's pattern agree"
    tokens = split_cards(text)
    assert "".join(tokens) == re.sub(f"[{SEPARATORS}]", "", text), "no character is lost"
    if cards is not None:
        assert parse_cards(format_cards(cards)) == parse_cards(tokens) == cards
        assert tuple(map(parse_card, tokens)) == cards
