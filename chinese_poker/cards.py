"""The 52 cards: read liberally, written one way.

A card is its index::

    index = 4 * (rank - 2) + suit      rank 2..14 (jack 11, queen 12, king 13, ace 14)
                                       suit 0..3  (clubs, diamonds, hearts, spades)

    2c 2d 2h 2s  3c 3d 3h 3s  ...  Kc Kd Kh Ks  Ac Ad Ah As
     0  1  2  3   4  5  6  7       44 45 46 47  48 49 50 51
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from enum import IntEnum

from .errors import CardError
from .shown import Shown
from .texts import quote

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The canonical text of each card, by index."""
SEPARATORS = " \t\r\n,"
"""What may stand between the cards of a string."""

_SYMBOLS = {"c": "♣♧", "d": "♦♢", "h": "♥♡❤", "s": "♠♤"}
_ALL_SYMBOLS = "".join(_SYMBOLS.values())
_PICTURES = {"s": 0x1F0A0, "h": 0x1F0B0, "d": 0x1F0C0, "c": 0x1F0D0}
_PICTURE_RANKS = "A23456789TJ_QK"
_EMOJI_STYLE = "\ufe0e\ufe0f"


class Card(Shown, IntEnum):
    """One of the 52 cards, as its index 0..51.

    >>> Card["As"], int(Card["As"]), Card["As"].rank, Card["As"].suit
    (Card['As'], 51, 14, 3)
    >>> str(Card["Td"]), Card["Td"] > Card["9s"]
    ('Td', True)
    """

    _ignore_ = "_i _name"
    for _i, _name in enumerate(NAMES):
        vars()[_name] = _i

    @property
    def rank(self) -> int:
        """2..14; jack 11, queen 12, king 13, ace 14."""
        return self // 4 + 2

    @property
    def suit(self) -> int:
        """0..3: clubs, diamonds, hearts, spades."""
        return self % 4

    __hash__ = int.__hash__

    def __str__(self) -> str:
        return NAMES[self]

    def __repr__(self) -> str:
        return f"Card['{self}']"


DECK: tuple[Card, ...] = tuple(Card)
"""All 52 cards by index."""


def _spellings() -> dict[str, Card]:
    read: dict[str, Card] = {}
    for card in DECK:
        rank, suit = NAMES[card][0], NAMES[card][1]
        picture = chr(_PICTURES[suit] + _PICTURE_RANKS.index(rank) + 1)
        suits = (suit, suit.upper(), *_SYMBOLS[suit])
        ranks = {rank, rank.lower()} | ({"10"} if rank == "T" else set())
        read |= {r + s: card for r in ranks for s in suits} | {picture: card}
    return read


SPELLINGS = _spellings()
"""Every text that is read as a card, less the variation selectors of emoji suits."""

_spelt = SPELLINGS.__getitem__
_name_of = NAMES.__getitem__
_TOKEN = re.compile(f"(?:[🂠-🃿]|(?:10|[^{SEPARATORS}])[^🂠-🃿{SEPARATORS}]?)[{_EMOJI_STYLE}]?")
CARD_PATTERN = (
    f"(?:10|[2-9TJQKAtjqka])[cdhsCDHS{_ALL_SYMBOLS}][{_EMOJI_STYLE}]?"
    f"|[{''.join(text for text in SPELLINGS if len(text) == 1)}][{_EMOJI_STYLE}]?"
)
"""Regular expression, without anchors, of the texts that :func:`parse_card` reads."""


def parse_card(text: str) -> Card:
    """Read one card.

    :param text: ``As``, ``as``, ``AS``, ``10h``, ``A♠``, ``A♤`` or ``🂡``.
    :raises CardError: ``unknown_card``, with the reason.

    >>> [str(parse_card(text)) for text in ("as", "10H", "A♤", "🂽", "T♥️")]
    ['As', 'Th', 'As', 'Qh', 'Th']
    >>> parse_card("\\u212as")
    Traceback (most recent call last):
    chinese_poker.errors.CardError: unknown_card: 'Ks' is not a card: its 'K' is U+212A KELVIN SIGN; write As or Td
    """
    card = SPELLINGS.get(text)
    if card is None and text and text[-1] in _EMOJI_STYLE:
        card = SPELLINGS.get(text[:-1])
    if card is None:
        raise CardError("unknown_card", f"{quote(text)} is not a card: {_reason(text)}; write As or Td")
    return card


def _reason(text: str) -> str:
    strange = [c for c in text if not c.isascii() and c not in _EMOJI_STYLE + _ALL_SYMBOLS]
    if strange:
        name = unicodedata.name(strange[0], "an unnamed character")
        return f"its {quote(strange[0])} is U+{ord(strange[0]):04X} {name}"
    if len(text) == 2 and text[::-1] in SPELLINGS:
        return "its suit comes first"
    rank, suit = (text[:2], text[2:]) if text.startswith("10") else (text[:1], text[1:])
    if rank == "1":
        return "an ace is A, a ten is T or 10"
    if rank == "0":
        return "a ten is T or 10"
    if rank.upper() not in RANKS and rank != "10":
        return "its rank is none of 2 3 4 5 6 7 8 9 T J Q K A"
    return "its suit is none of c d h s" if len(suit) == 1 else "it is no rank with a suit"


def split_cards(text: str) -> list[str]:
    """The texts of the cards in a string, read or not.

    >>> split_cards("AhKd,10c  5c🂡")
    ['Ah', 'Kd', '10c', '5c', '🂡']
    >>> split_cards("h10 Joker As")
    ['h10', 'Joker', 'As']
    """
    tokens: list[str] = _TOKEN.findall(text)
    if all(token in SPELLINGS for token in tokens):
        return tokens
    split = ((word, _TOKEN.findall(word)) for word in re.split(f"[{SEPARATORS}]+", text) if word)
    return [token for word, parts in split for token in (parts if any(map(_is_card, parts)) else [word])]


def _is_card(text: str) -> bool:
    return text.rstrip(_EMOJI_STYLE) in SPELLINGS


def parse_cards(cards: str | Iterable[str | Card]) -> tuple[Card, ...]:
    """Read cards in the order given: one string, with or without separators, or one text or card each.

    :raises CardError: ``unknown_card``; in a list the pointer names the place.

    >>> parse_cards("AhKd 10c")
    (Card['Ah'], Card['Kd'], Card['Tc'])
    >>> parse_cards(["A♥", Card["Kd"]])
    (Card['Ah'], Card['Kd'])
    """
    in_string = isinstance(cards, str)
    texts = split_cards(cards) if isinstance(cards, str) else list(cards)
    try:
        return tuple(map(_spelt, texts))  # type: ignore[arg-type]
    except KeyError:
        return _parse_each(texts, in_string)


def _parse_each(cards: Iterable[str | Card], in_string: bool) -> tuple[Card, ...]:
    read, problems = [], []
    for place, card in enumerate(cards):
        try:
            read.append(card if isinstance(card, Card) else parse_card(card))
        except CardError as error:
            problems.append(error if in_string else error.at(f"/{place}"))
    if problems:
        raise CardError.of(problems)
    return tuple(read)


def grouped(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Cards in the order in which a segment is read: the most grouped rank first, then the higher one.

    >>> format_cards(grouped(parse_cards("Kd 4s Ks 4h Ad")))
    'Ks Kd 4s 4h Ad'
    """
    held = list(cards)
    ranks = [card.rank for card in held]
    return tuple(sorted(held, key=lambda card: (-ranks.count(card.rank), -card)))


def format_cards(cards: Iterable[Card]) -> str:
    """The canonical text: ``parse_cards(format_cards(cards)) == tuple(cards)``.

    >>> format_cards(parse_cards("🂡10h"))
    'As Th'
    """
    return " ".join(map(_name_of, cards))
