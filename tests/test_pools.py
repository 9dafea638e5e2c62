"""The pools that are shipped are what the expected player makes of the hands, under every preset."""

import numpy as np
import pytest

from chinese_poker.opponents import POOL_HANDS, draw, pool
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.strategy import strategy

PLAYER = strategy("expected")


@pytest.mark.parametrize("name", rule_names())
def test_shipped_pool_is_as_the_player_sets_it(name):
    rules = load_rules(name)
    field = pool(PLAYER, rules, 4).field
    assert len(field) == POOL_HANDS
    some = slice(0, POOL_HANDS, 41)
    again = PLAYER.arrange(np.sort(field.cards[some], axis=1), rules, 4).cards
    for segment in (slice(0, 3), slice(3, 8), slice(8, 13)):
        assert np.array_equal(np.sort(field.cards[some, segment], axis=1), np.sort(again[:, segment], axis=1))


def test_a_house_without_a_shipped_pool_still_has_opponents():
    rules = load_rules("basic")
    drawn = draw(np.arange(13), strategy("greedy"), rules, 4, 10_000, seed=1)
    assert len(drawn.field) > 1_000
    assert drawn.field.cards.min() >= 13
