"""The pools that are shipped are what the expected player makes of the hands, under every preset."""

import numpy as np
import pytest

from chinese_poker import opponents
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


def test_the_shipped_file_can_be_made_again(tmp_path, monkeypatch):
    """Of 32 hands and two houses; what is packed is unpacked as it was."""
    monkeypatch.setattr(opponents, "POOL_HANDS", 32)
    monkeypatch.setattr(opponents, "rule_names", lambda: ("basic", "western", "mandarin"))
    opponents.regenerate(tmp_path / "pools.npz")
    hands = opponents._hands(32)
    with np.load(tmp_path / "pools.npz", allow_pickle=False) as file:
        made = {game: opponents._unpacked(hands, file[game]) for game in file.files}
    assert len(made) == 2  # basic and western are one game
    for name in ("basic", "western", "mandarin"):
        rules = load_rules(name)
        found = made[opponents.game_digest(opponents.settlement(rules))]
        again = PLAYER.arrange(hands, rules, 4).cards
        for segment in (slice(0, 3), slice(3, 8), slice(8, 13)):
            assert np.array_equal(np.sort(found[:, segment], axis=1), np.sort(again[:, segment], axis=1))
