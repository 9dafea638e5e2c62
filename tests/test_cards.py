"""Cards: read as people and programs write them, written one way, and nothing else taken for a card."""

import unicodedata
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chinese_poker import Card, CardError, format_cards, parse_cards
from chinese_poker.cards import DECK, SPELLINGS, _spellings, grouped, parse_card, split_cards

RANKS = "23456789TJQKA"
WORDS = ("TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING", "ACE")
SUITS = {"c": "CLUB", "d": "DIAMOND", "h": "HEART", "s": "SPADE"}
STYLES = "\ufe0e\ufe0f"  # text and emoji style of the symbol before
CARDS = [rank + suit for rank, suit in product(RANKS, SUITS)]


def spellings(name: str) -> list[str]:
    """Every spelling of a card that must be read; the symbols are looked up in Unicode's own names."""
    rank, suit = name
    word = SUITS[suit]
    symbols = [unicodedata.lookup(f"{shade} {word} SUIT") for shade in ("BLACK", "WHITE")]
    symbols += [unicodedata.lookup("HEAVY BLACK HEART")] if word == "HEART" else []
    styled = [symbol + style for symbol in symbols for style in STYLES]
    ranks = {rank, rank.lower(), "10" if rank == "T" else rank}
    picture = unicodedata.lookup(f"PLAYING CARD {WORDS[RANKS.index(rank)]} OF {word}S")
    suits = (suit, suit.upper(), *symbols, *styled)
    return [picture, picture + "\ufe0e", *(rank + suit for rank, suit in product(sorted(ranks), suits))]


ALL_SPELLINGS = {name: spellings(name) for name in CARDS}
TOKENS = st.sampled_from([(text, name) for name, texts in ALL_SPELLINGS.items() for text in texts])


def test_the_deck_and_its_index() -> None:
    assert [card.name for card in DECK] == CARDS
    for index, name in enumerate(CARDS):
        card = Card(index)
        assert (card, card.rank, card.suit) == (index, 2 + RANKS.index(name[0]), "cdhs".index(name[1]))
        assert str(card) == card.name == name
        assert card is Card[name] is DECK[index]


@pytest.mark.parametrize("name", CARDS)
def test_every_spelling_of_a_card(name: str) -> None:
    for text in ALL_SPELLINGS[name]:
        assert parse_card(text) is Card[name], text
        assert parse_cards(text) == parse_cards([text]) == (Card[name],), text


def test_there_are_no_other_spellings() -> None:
    """But for the variation selectors, which are taken off before."""
    expected = {text.rstrip(STYLES): name for name, texts in ALL_SPELLINGS.items() for text in texts}
    assert {text: str(card) for text, card in SPELLINGS.items()} == expected
    assert _spellings() == SPELLINGS


@pytest.mark.parametrize("card", DECK, ids=str)
def test_repr_evaluates_back(card: Card) -> None:
    assert eval(repr(card), {"Card": Card}) is card


def test_parse_write_parse_over_the_deck() -> None:
    text = format_cards(DECK)
    assert text == " ".join(CARDS)
    assert parse_cards(text) == DECK
    assert parse_cards(text.replace(" ", "")) == DECK
    assert parse_cards(DECK) == DECK


@settings(derandomize=True, deadline=None)
@given(st.lists(TOKENS), st.lists(st.text(" \t\r\n,", max_size=3), min_size=1))
def test_any_separators_or_none(tokens: list[tuple[str, str]], separators: list[str]) -> None:
    gaps = [separators[place % len(separators)] for place in range(len(tokens) + 1)]
    text = gaps[0] + "".join(text + gap for (text, _), gap in zip(tokens, gaps[1:], strict=True))
    cards = tuple(Card[name] for _, name in tokens)
    assert split_cards(text) == [text for text, _ in tokens]
    assert parse_cards(text) == cards
    assert parse_cards(format_cards(cards)) == cards


@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.text(max_size=3) | st.text("0123456789AKQJTakqjtcdhsCDHS♠♤♥♡\ufe0f ", max_size=4))
def test_what_is_no_spelling_is_refused(text: str) -> None:
    plain = {text.rstrip(STYLES): name for name, texts in ALL_SPELLINGS.items() for text in texts}
    bare = text[:-1] if text.endswith(tuple(STYLES)) else text
    if bare in plain:
        assert str(parse_card(text)) == plain[bare]
    else:
        with pytest.raises(CardError) as caught:
            parse_card(text)
        assert caught.value.code == "unknown_card"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\u212as", "U+212A KELVIN SIGN"),
        ("\u0410s", "U+0410 CYRILLIC CAPITAL LETTER A"),
        ("\u041ah", "U+041A CYRILLIC CAPITAL LETTER KA"),
        ("\u0422h", "U+0422 CYRILLIC CAPITAL LETTER TE"),
        ("\u0391s", "U+0391 GREEK CAPITAL LETTER ALPHA"),
        ("\uff21s", "U+FF21 FULLWIDTH LATIN CAPITAL LETTER A"),
        ("A\uff53", "U+FF53 FULLWIDTH LATIN SMALL LETTER S"),
        ("A\u017f", "U+017F LATIN SMALL LETTER LONG S"),
        ("A\u0455", "U+0455 CYRILLIC SMALL LETTER DZE"),
        ("\u0665h", "U+0665 ARABIC-INDIC DIGIT FIVE"),
        ("\uff15h", "U+FF15 FULLWIDTH DIGIT FIVE"),
        ("\u2465h", "U+2465 CIRCLED DIGIT SIX"),
        ("A\u2662\u200b", "U+200B ZERO WIDTH SPACE"),
        ("\U0001f0ac", "U+1F0AC PLAYING CARD KNIGHT OF SPADES"),
        ("\U0001f0bc", "U+1F0BC PLAYING CARD KNIGHT OF HEARTS"),
        ("\U0001f0cc", "U+1F0CC PLAYING CARD KNIGHT OF DIAMONDS"),
        ("\U0001f0dc", "U+1F0DC PLAYING CARD KNIGHT OF CLUBS"),
        ("\U0001f0bf", "U+1F0BF PLAYING CARD RED JOKER"),
        ("\U0001f0cf", "U+1F0CF PLAYING CARD BLACK JOKER"),
        ("\U0001f0df", "U+1F0DF PLAYING CARD WHITE JOKER"),
        ("\U0001f0a0", "U+1F0A0 PLAYING CARD BACK"),
        ("\U0001f0b0", "U+1F0B0 an unnamed character"),
        ("\U0001f0e0", "U+1F0E0 PLAYING CARD FOOL"),
        ("\U0001f0f5", "U+1F0F5 PLAYING CARD TRUMP-21"),
        ("1s", "an ace is A, a ten is T or 10"),
        ("11s", "an ace is A, a ten is T or 10"),
        ("0h", "a ten is T or 10"),
        ("Xh", "its rank is none of 2 3 4 5 6 7 8 9 T J Q K A"),
        ("2f", "its suit is none of c d h s"),
        ("10x", "its suit is none of c d h s"),
        ("A", "no rank with a suit"),
        ("10", "no rank with a suit"),
        ("AsX", "no rank with a suit"),
        ("", ""),
        ("sA", "its suit comes first"),
        ("joker", ""),
        ("As ", ""),
        ("As\n", ""),
        ("A-s", ""),
        ("♠A", ""),
        ("A♠♠", ""),
    ],
)
def test_look_alikes_and_misspellings_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_card(text)
    assert caught.value.code == "unknown_card"
    assert reason in caught.value.message
    assert caught.value.message.endswith(f"{reason}; write As or Td") or not reason
    assert "\n" not in str(caught.value)
    with pytest.raises(CardError) as in_list:
        parse_cards([text])
    assert in_list.value.message == caught.value.message


@pytest.mark.parametrize("text", ["\u212as", "\u0410h", "\U0001f0cf", "1s", "Zz", "A", "K\ufe0f"])
def test_a_bad_card_among_good_ones_is_the_one_that_is_named(text: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_cards(f"AhKd {text} 5c")
    assert len(caught.value.problems) == 1
    with pytest.raises(CardError) as caught:
        parse_cards(["Ah", text, "5c", text])
    assert [problem.pointer for problem in caught.value.problems] == ["/1", "/3"]


def test_no_terminal_escape_of_the_input_reaches_the_message() -> None:
    with pytest.raises(CardError) as caught:
        parse_card("\x1b[2J\u202e" + "x" * 100)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1s", "an ace is A, a ten is T or 10"),
        ("0h", "a ten is T or 10"),
        ("Xh", "its rank is none of 2 3 4 5 6 7 8 9 T J Q K A"),
        ("2f", "its suit is none of c d h s"),
        ("10", "it is no rank with a suit"),
        ("sA", "its suit comes first"),
        ("\U0001f0b0", "its '\\U0001f0b0' is U+1F0B0 an unnamed character"),
        ("A\u2660\u2660", "it is no rank with a suit"),
    ],
)
def test_the_reason_word_for_word(text: str, reason: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_card(text)
    shown = text if text.isprintable() else "\\U0001f0b0"
    assert caught.value.message == f"'{shown}' is not a card: {reason}; write As or Td"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("h10", ["h10"]),
        ("h10 Joker As", ["h10", "Joker", "As"]),
        ("AhX,10c10", ["Ah", "X", "10c", "10"]),
        ("Ahjunk5c", ["Ah", "ju", "nk", "5c"]),
        ("A\u2660\ufe0fK\u2665", ["A\u2660\ufe0f", "K\u2665"]),
        ("", []),
        (" ,\t", []),
    ],
)
def test_a_word_with_no_card_in_it_stays_whole(text: str, tokens: list[str]) -> None:
    assert split_cards(text) == tokens


def test_in_a_string_a_bad_card_has_no_place() -> None:
    with pytest.raises(CardError) as caught:
        parse_cards("1s Ah 0h")
    assert [problem.pointer for problem in caught.value.problems] == ["", ""]


def test_the_most_grouped_come_first_then_the_higher() -> None:
    assert format_cards(grouped(parse_cards("Kd 4s Ks 4h Ad"))) == "Ks Kd 4s 4h Ad"
    assert format_cards(grouped(iter(parse_cards("2c 9d 2h 9s 2s")))) == "2s 2h 2c 9s 9d"
    assert format_cards(grouped(parse_cards("3c Ac 7d Jh 5s"))) == "Ac Jh 7d 5s 3c"
    assert grouped([]) == ()
