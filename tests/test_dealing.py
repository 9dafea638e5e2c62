"""Dealing: the same deals whatever the sharding, every card once, no card more likely anywhere."""

from __future__ import annotations

import numpy as np
import pytest

from chinese_poker.engine.dealing import deal, deal_from, deal_hands, permutation

WORD = 2**64


def _splitmix64(word):
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB % WORD
    return word ^ word >> 31


def _deck(seed, number):
    """One deal in plain integers."""
    start = _splitmix64(seed % WORD)
    keys = [_splitmix64((start + (64 * number + card + 1) * 0x9E3779B97F4A7C15) % WORD) for card in range(52)]
    return sorted(range(52), key=lambda card: (keys[card] >> 6, card))


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1, -5, 10**30])
def test_a_deal_is_the_same_in_plain_integers(seed):
    for first in (0, 7, 10**12, 2**64 - 1, -5):
        assert deal(seed, first, 2).tolist() == [_deck(seed, first), _deck(seed, first + 1)]


def test_the_hands_of_a_seed_are_those_of_its_deals():
    decks = [_deck(2, number) for number in range(5)]
    hands = [deck[13 * seat : 13 * seat + 13] for deck in decks for seat in range(4)]
    assert deal_hands(2, 6).tolist() == hands[:6]
    assert deal_hands(2, 8, first=1).tolist() == hands[4:12]
    assert deal_hands(2, 9, first=2).tolist() == hands[8:17]
    assert deal_hands(2, 9).dtype == np.int8


@pytest.mark.parametrize("seed", [0, 3, -1, 2**64 + 3, 3**70])
def test_a_permutation_is_the_same_in_plain_integers(seed):
    start = _splitmix64(seed % WORD)
    keys = [_splitmix64((start + (place + 1) * 0x9E3779B97F4A7C15) % WORD) for place in range(40)]
    assert permutation(seed, 40).tolist() == sorted(range(40), key=keys.__getitem__)


def test_sharding_changes_nothing():
    whole = deal(3, 100, 60)
    assert whole.dtype == np.int8
    for size in (1, 7, 60):
        shards = [deal(3, first, min(size, 160 - first)) for first in range(100, 160, size)]
        assert np.array_equal(np.concatenate(shards), whole)
    assert deal(3, 0, 0).shape == (0, 52)


def test_every_card_comes_once():
    assert (np.sort(deal(4, 0, 1000), axis=1) == np.arange(52)).all()


def test_seeds_and_deals_differ():
    decks = np.concatenate([deal(seed, 0, 500) for seed in range(8)])
    assert len(np.unique(decks, axis=0)) == 4000


def _is_like_chance(table, freedom):
    """Whether the chi-square of counts against equal ones is within four deviations of what chance gives."""
    expected = table.sum() / table.size
    return abs(((table - expected) ** 2 / expected).sum() - freedom) < 4 * np.sqrt(2 * freedom)


def test_every_card_comes_everywhere_and_after_every_other():
    decks = deal(5, 0, 60_000).astype(int)
    places = np.bincount((decks * 52 + np.arange(52)).ravel(), minlength=52 * 52)
    assert _is_like_chance(places, 51 * 51)
    neighbours = np.bincount(decks[:, 0] * 52 + decks[:, 1], minlength=52 * 52).reshape(52, 52)
    assert (neighbours.diagonal() == 0).all()
    assert _is_like_chance(neighbours[~np.eye(52, dtype=bool)], 52 * 51 - 1)
    next_deals = np.bincount(decks[:-1, 0] * 52 + decks[1:, 0], minlength=52 * 52)
    assert _is_like_chance(next_deals, 52 * 52 - 1)


def test_hands_from_unseen_cards():
    unseen = [card for card in range(52) if card % 4 != 2]
    dealt = deal_from(6, unseen, 2000, 2)
    assert dealt.shape == (2000, 2, 13)
    assert dealt.dtype == np.int8
    rows = np.sort(dealt.reshape(2000, 26), axis=1)
    assert (np.diff(rows, axis=1) > 0).all()
    counts = np.bincount(rows.ravel(), minlength=52)
    assert not counts[2::4].any()
    assert _is_like_chance(counts[unseen], 38 / 3)  # a third of the cards is left over each time
    assert np.array_equal(deal_from(6, unseen[::-1], 10, 2, first=90), dealt[90:100])


def test_all_unseen_cards_may_be_dealt():
    assert sorted(deal_from(1, range(20, 46), 1, 2).ravel().tolist()) == list(range(20, 46))
    assert deal_from(1, range(12), 5, 3, size=4).shape == (5, 3, 4)


@pytest.mark.parametrize(
    ("cards", "hands", "says"),
    [
        (range(38), 3, "3 hands need 39 different cards, not 38 of which 38"),
        ([0] * 26, 2, "2 hands need 26 different cards, not 26 of which 1"),
        ([*range(13), 5], 1, "1 hands need 13 different cards, not 14 of which 13"),
    ],
)
def test_too_few_or_repeated_cards(cards, hands, says):
    with pytest.raises(ValueError, match=says):
        deal_from(1, cards, 1, hands)
