"""Naturals against the referee's search over every partition, on hands that hold each pattern or nearly do."""

from collections.abc import Iterator
from random import Random

import pytest
from hands import DECK, PATTERNS, swapped
from referee import is_run, naturals, one_suit, strength

from chinese_poker import ArrangementError, CardError, Natural, find_naturals, parse_cards

HONG_KONG = {"big": "56789TJQKA", "small": "A23456789T"}
HANDS = 50
"""Of each pattern, and as many near misses; of random hands ten times as many."""


def made(pattern: str) -> Iterator[list[str]]:
    random = Random(pattern)
    for _ in range(HANDS):
        hand = PATTERNS[pattern](random)
        yield hand
        yield swapped(random, hand)


def found(hand: list[str], **ranks: str) -> set[str]:
    return {str(natural) for natural in find_naturals(hand, **ranks)}


def test_there_are_fourteen() -> None:
    assert {str(natural) for natural in Natural} == set(PATTERNS)
    assert len(PATTERNS) == 14


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_hand_made_to_hold_a_pattern_holds_it(pattern: str) -> None:
    random = Random(pattern)
    hands = [PATTERNS[pattern](random) for _ in range(HANDS)]
    assert all(pattern in found(hand) for hand in hands)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_and_near_misses_are_as_the_referee_finds(pattern: str) -> None:
    misses = 0
    for hand in made(pattern):
        expected = naturals(hand)
        assert found(hand) == expected, " ".join(hand)
        misses += pattern not in expected
    assert misses > HANDS / 10


@pytest.mark.parametrize("seed", range(3))
def test_random_hands_are_as_the_referee_finds(seed: int) -> None:
    random = Random(seed)
    for _ in range(150):
        hand = random.sample(DECK, 13)
        assert found(hand) == naturals(hand), " ".join(hand)


@pytest.mark.parametrize("size", [16, 20, 24, 28])
def test_hands_out_of_few_cards_are_as_the_referee_finds(size: int) -> None:
    """Neighbouring ranks only, or two suits mostly: where partitions abound."""
    random = Random(size)
    for turn in range(100):
        low = random.randrange(52 - size + 1)
        deck = DECK[low : low + size] if turn % 2 else sorted(DECK, key=lambda card: card[1])[low : low + size]
        hand = random.sample(deck, 13)
        assert found(hand) == naturals(hand), " ".join(hand)


@pytest.mark.parametrize("pattern", ["all_big", "all_small"])
def test_big_and_small_are_the_houses_choice(pattern: str) -> None:
    random = Random(pattern)
    deck = [card for card in DECK if card[0] in HONG_KONG[pattern.removeprefix("all_")]]
    for _ in range(HANDS):
        hand = random.sample(deck, 13)
        for candidate in (hand, swapped(random, hand)):
            expected = naturals(candidate, **HONG_KONG)
            assert found(candidate, **HONG_KONG) == expected
        assert pattern in found(hand, **HONG_KONG)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_witnesses_show_the_pattern(pattern: str) -> None:
    shows = {
        "three_flushes": one_suit,
        "three_straights": is_run,
        "three_straight_flushes": lambda part: one_suit(part) and is_run(part),
    }
    for hand in made(pattern):
        for natural, witness in find_naturals(hand).items():
            parts = [[str(card) for card in segment] for segment in witness.segments]
            assert [len(part) for part in parts] == [3, 5, 5]
            assert sorted(card for part in parts for card in part) == sorted(hand)
            if natural in shows:
                assert all(shows[natural](part) for part in parts), f"{natural}: {witness}"
                assert strength(parts[1]) <= strength(parts[2])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_order_of_the_cards_does_not_matter(pattern: str) -> None:
    random = Random(pattern)
    for hand in made(pattern):
        assert find_naturals(random.sample(hand, 13)) == find_naturals(parse_cards(sorted(hand)))


def test_naturals_are_listed_from_the_rarest() -> None:
    order = list(Natural)
    for pattern in PATTERNS:
        for hand in made(pattern):
            listed = list(find_naturals(hand))
            assert listed == sorted(listed, key=order.index)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("AsKsQsJsTs9s8s7s6s5s4s3s2s", "suited_dragon dragon three_straight_flushes one_colour twelve_of_a_suit"),
        ("2h3s3d4c4h5s6d7cTsJhQdKcAs", ""),
        ("AsAhAdAcKsKhKdKcQsQhQdQcJs", "twelve_royals three_quads all_big six_pairs"),
        ("2s2h2d2c3s3h3d3c4s4h5s5h5d", "all_small five_pairs_and_trips six_pairs"),
        ("2s2h2d2c3s3h3d4s4h4d5s5h5d", "all_small four_trips"),
        ("QsKdAc2h3s7d7c9hTsJs4d4h5c", ""),
    ],
)
def test_examples(hand: str, expected: str) -> None:
    partitions = {"three_flushes", "three_straights"}
    assert found([str(card) for card in parse_cards(hand)]) - partitions == set(expected.split())


@pytest.mark.parametrize(
    ("hand", "code"),
    [
        ("AsKsQsJsTs9s8s7s6s5s4s3s", "wrong_count"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s2s2h", "wrong_count"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s3s", "duplicate_card"),
    ],
)
def test_a_hand_is_thirteen_different_cards(hand: str, code: str) -> None:
    with pytest.raises(ArrangementError) as caught:
        find_naturals(hand)
    assert caught.value.code == code


def test_a_hand_is_of_cards() -> None:
    with pytest.raises(CardError):
        find_naturals("As" * 12 + "1s")
