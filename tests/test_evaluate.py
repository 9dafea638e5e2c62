"""The evaluator against treys and against the referee: every hand of five and of three cards."""

import hashlib
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, repeat
from typing import Any

import pytest
import treys
from referee import strength

from chinese_poker import ArrangementError, Category, Strength, Wheel, evaluate, parse_cards
from chinese_poker.cards import DECK, NAMES

Hands = array  # one unsigned integer for each hand, in the order of itertools.combinations

# The number of hands in each category, from the most frequent down the ranks of poker: C(52, 5) in all.
FIVE_CARD_COUNTS = {
    "straight_flush": 40,  # the 4 royal flushes among them
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
    "two_pair": 123_552,
    "one_pair": 1_098_240,
    "high_card": 1_302_540,
}
THREE_CARD_COUNTS = {"three_of_a_kind": 52, "one_pair": 3_744, "high_card": 18_304}
DIGEST = "f1a7dcd75307ac4d698c7e7e61eb902491967cd4c4adf888a70a7b150161b2c7"


def layout(cards: Sequence[str], wheel: str = "lowest") -> int:
    """The referee's opinion, written as the package lays a strength out: a nibble for the category and each rank."""
    category, *ranks = strength(cards, wheel)
    if category in (4, 8):  # of a straight the referee gives the highest card alone, of a lifted wheel (13, 1)
        ranks = [14, 5, 4, 3, 2] if ranks == [13, 1] else list(range(ranks[0], ranks[0] - 5, -1))
        category += category == 8 and ranks == [14, 13, 12, 11, 10]
    nibbles = [category, *ranks, *repeat(0, 5 - len(ranks))]
    return int("".join(f"{nibble:x}" for nibble in nibbles), 16)


@cache
def all_by_evaluate() -> Hands:
    return array("L", map(evaluate, combinations(DECK, 5)))


@cache
def all_by_treys() -> Hands:
    evaluator = treys.Evaluator()
    return array("L", map(evaluator.evaluate, combinations(map(treys.Card.new, NAMES), 5), repeat(())))


@cache
def all_by_referee() -> Hands:
    """The referee is asked once for each multiset of ranks, suited or not."""
    known: dict[tuple[object, ...], int] = {}
    opinions = array("L")
    for hand in combinations(NAMES, 5):
        (a, s), (b, t), (c, u), (d, v), (e, w) = hand
        kind = (a, b, c, d, e, s == t == u == v == w)
        opinion = known.get(kind)
        if opinion is None:
            opinion = known[kind] = layout(hand)
        opinions.append(opinion)
    return opinions


def digest(strengths: Hands) -> str:
    """SHA-256 of all strengths, each as four bytes, the lowest first."""
    words = array("I", strengths)
    if sys.byteorder == "big":
        words.byteswap()
    return hashlib.sha256(words).hexdigest()


@cache
def five_card_classes() -> tuple[tuple[str, ...], ...]:
    """A hand of each of the 7,462 strengths: every multiset of ranks, and every set of ranks in one suit too."""
    classes = []
    for ranks in combinations_with_replacement(dict.fromkeys(name[0] for name in NAMES), 5):
        if max(Counter(ranks).values()) < 5:
            seen: Counter[str] = Counter()
            hand = []
            for place, rank in enumerate(ranks):
                hand.append(rank + ("shdc"[seen[rank]] if len(set(ranks)) < 5 or place else "h"))
                seen[rank] += 1
            classes.append(tuple(hand))
            if len(set(ranks)) == 5:
                classes.append(tuple(rank + "d" for rank in ranks))
    return tuple(classes)


@cache
def three_card_classes() -> tuple[tuple[str, ...], ...]:
    """A front of each of the 455 strengths."""
    ranks = dict.fromkeys(name[0] for name in NAMES)
    return tuple((a + "s", b + "h", c + "d") for a, b, c in combinations_with_replacement(ranks, 3))


def test_all_five_card_hands_are_ordered_and_tied_as_by_treys() -> None:
    classes = sorted(set(zip(all_by_evaluate(), all_by_treys(), strict=True)))
    assert len(all_by_evaluate()) == 2_598_960
    # Stronger is a lower rank of treys, from 7,462 (the worst) down to 1: strictly, and one to one.
    assert [rank for _, rank in classes] == list(range(7_462, 0, -1))
    assert len({strength for strength, _ in classes}) == 7_462


def test_all_five_card_hands_are_as_the_referee_says() -> None:
    assert all_by_evaluate() == all_by_referee()


@pytest.mark.parametrize("strengths", [all_by_evaluate, all_by_referee])
def test_the_digest_over_all_five_card_hands(strengths) -> None:
    assert digest(strengths()) == DIGEST


def test_five_card_category_counts() -> None:
    counts = Counter(Strength(strength).category.word for strength in all_by_evaluate())
    assert counts.pop("royal_flush") == 4
    counts["straight_flush"] += 4
    assert counts == FIVE_CARD_COUNTS


def test_all_three_card_hands() -> None:
    hands = list(combinations(DECK, 3))
    strengths = [evaluate(hand) for hand in hands]
    assert len(hands) == 22_100
    assert Counter(strength.category.word for strength in strengths) == THREE_CARD_COUNTS
    assert strengths == [layout([str(card) for card in hand]) for hand in hands]
    assert len(set(strengths)) == 455


@pytest.mark.parametrize("wheel", ["lowest", "second_highest"])
def test_fronts_and_middles_are_on_one_scale(wheel: str) -> None:
    """All 455 fronts against all 7,462 middles: one strictly rising order of the 7,917 strengths proves every pair."""
    classes = (*three_card_classes(), *five_card_classes())
    ranked = sorted((strength(cards, wheel), evaluate(parse_cards(cards), Wheel(wheel))) for cards in classes)
    assert len(ranked) == 455 + 7_462
    for (lower, weaker), (higher, stronger) in pairwise(ranked):
        assert lower < higher
        assert weaker < stronger


@pytest.mark.parametrize("wheel", ["lowest", "second_highest"])
def test_every_class_is_laid_out_as_documented(wheel: str) -> None:
    for cards in (*three_card_classes(), *five_card_classes()):
        assert evaluate(parse_cards(cards), Wheel(wheel)) == layout(cards, wheel), cards


def test_the_wheel_option_moves_the_wheels_alone() -> None:
    def differ(cards: Iterable[str]) -> bool:
        read = parse_cards(cards)
        return evaluate(read) != evaluate(read, Wheel.SECOND_HIGHEST)

    moved = [cards for cards in five_card_classes() if differ(cards)]
    assert sorted({card[0] for cards in moved for card in cards}) == ["2", "3", "4", "5", "A"]
    assert len(moved) == 2


def test_order_of_the_cards_does_not_matter() -> None:
    for cards in (*three_card_classes(), *five_card_classes()):
        read = parse_cards(cards)
        assert evaluate(read) == evaluate(read[::-1]) == evaluate(read[1:] + read[:1])


@pytest.mark.parametrize("count", [0, 1, 2, 4, 6, 7, 13])
def test_three_or_five_cards_have_a_strength(count: int) -> None:
    with pytest.raises(ArrangementError) as caught:
        evaluate(DECK[: 4 * count : 4])
    assert caught.value.code == "unrankable"


@pytest.mark.parametrize(
    ("cards", "category", "ranks", "words"),
    [
        ("As Ks Qs Js Ts", "royal_flush", (14, 13, 12, 11, 10), "royal flush"),
        ("Kd Qd Jd Td 9d", "straight_flush", (13, 12, 11, 10, 9), "king-high straight flush"),
        ("Ac 2c 3c 4c 5c", "straight_flush", (5, 4, 3, 2, 1), "five-high straight flush"),
        ("6s 6h 6d 6c Qd", "four_of_a_kind", (6, 12), "four sixes, queen kicker"),
        ("As Ah Ad Ac 2d", "four_of_a_kind", (14, 2), "four aces, deuce kicker"),
        ("Qs Qh Qd 4s 4h", "full_house", (12, 4), "queens full of fours"),
        ("6s 6h 6d 2s 2h", "full_house", (6, 2), "sixes full of deuces"),
        ("Ad Jd 8d 6d 3d", "flush", (14, 11, 8, 6, 3), "ace-high flush, jack-eight-six-three kickers"),
        ("6s 5h 4d 3c 2s", "straight", (6, 5, 4, 3, 2), "six-high straight"),
        ("As Kh Qd Jc Ts", "straight", (14, 13, 12, 11, 10), "ace-high straight"),
        ("5s 4h 3d 2c As", "straight", (5, 4, 3, 2, 1), "five-high straight"),
        ("6s 6h 6d Kc Js", "three_of_a_kind", (6, 13, 11), "three sixes, king-jack kickers"),
        ("Ts Th Td", "three_of_a_kind", (10,), "three tens"),
        ("Js Jh 6d 6c 9s", "two_pair", (11, 6, 9), "jacks and sixes, nine kicker"),
        ("6s 6h Ad 8c 7s", "one_pair", (6, 14, 8, 7), "pair of sixes, ace-eight-seven kickers"),
        ("Ks Kh Ad", "one_pair", (13, 14), "pair of kings, ace kicker"),
        ("7s 5h 4d 3c 2s", "high_card", (7, 5, 4, 3, 2), "seven high, five-four-three-deuce kickers"),
        ("As Kd Qh", "high_card", (14, 13, 12), "ace high, king-queen kickers"),
        ("4s 3s 2s", "high_card", (4, 3, 2), "four high, three-deuce kickers"),
    ],
)
def test_in_words(cards: str, category: str, ranks: tuple[int, ...], words: str) -> None:
    found = evaluate(parse_cards(cards))
    assert (found.category.word, found.ranks, found.describe()) == (category, ranks, words)
    assert Category[category.upper()] is found.category


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("5s 4h 3d 2c As", "five-high straight"),
        ("5s 4s 3s 2s As", "five-high straight flush"),
        ("Ks Qh Jd Tc 9s", "king-high straight"),
        ("As Kh Qd Jc Ts", "ace-high straight"),
        ("As Ks Qs Js Ts", "royal flush"),
        ("As 5s 4s 3s 6s", "ace-high flush, six-five-four-three kickers"),
    ],
)
def test_in_words_where_the_wheel_is_second_highest(cards: str, words: str) -> None:
    assert evaluate(parse_cards(cards), Wheel.SECOND_HIGHEST).describe() == words


# ----------------------------------------------------------------------------------------------------
# Third opinions, where others have one: all of them on five cards only


def opinion_of(module: str) -> Callable[[Sequence[str]], Any]:
    """How another package ranks five cards: the greater is the stronger."""
    package = pytest.importorskip(module, reason=f"{module} has no wheel for this Python")
    if module == "eval7":
        return lambda cards: package.evaluate([*map(package.Card, cards)])
    if module == "phevaluator":
        return lambda cards: -package.evaluate_cards(*cards)
    return lambda cards: package.StandardHighHand("".join(cards))


@pytest.mark.parametrize("module", ["eval7", "phevaluator", "pokerkit"])
def test_every_class_is_ordered_as_others_order_it(module: str) -> None:
    """One hand of each strength, from the weakest to the strongest; each pair of neighbours is apart for them too."""
    opinion = opinion_of(module)
    opinions = [opinion(cards) for cards in sorted(five_card_classes(), key=strength)]
    assert len(opinions) == 7_462
    assert all(lower < higher for lower, higher in pairwise(opinions))
    ours = [evaluate(parse_cards(cards)) for cards in sorted(five_card_classes(), key=opinion)]
    assert all(lower < higher for lower, higher in pairwise(ours))


def test_all_five_card_hands_are_ordered_and_tied_as_by_eval7() -> None:
    package = pytest.importorskip("eval7", reason="eval7 has no wheel for this Python")
    theirs = map(package.evaluate, map(list, combinations(map(package.Card, NAMES), 5)))
    classes = sorted(set(zip(all_by_evaluate(), theirs, strict=True)))
    assert len(classes) == len({strength for strength, _ in classes}) == 7_462
    assert all(lower < higher for (_, lower), (_, higher) in pairwise(classes))
