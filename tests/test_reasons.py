"""Matchups settled in arrays against the core: the same items, with the same reasons, under every rule set."""

from __future__ import annotations

import numpy as np
from test_engine_batch import EVERY_RULES, nasty_batches

from chinese_poker.engine.field import judged
from chinese_poker.engine.reasons import items_of, settled_matchups
from chinese_poker.engine.settlement import settlement
from chinese_poker.score import score

DEALS = 300


@EVERY_RULES
def test_every_matchup_has_the_items_of_the_core(rules):
    settled = settlement(rules)
    met = 0
    for (players, banker), (cards, states, deals) in nasty_batches(rules, DEALS, seed=7).items():
        seats = [judged(cards[:, seat], rules, states[:, seat]) for seat in range(players)]
        found = settled_matchups(seats, rules, banker)
        for row, deal in enumerate(deals):
            expected = [(*matchup.players, matchup.items) for matchup in score(deal, rules).matchups]
            assert [(first, second, items_of(int(cells[row]), settled)) for first, second, cells in found] == expected
            met += len(expected)
        for _, _, cells in found:
            units = [sum(item.units for item in items_of(int(cell), settled)) for cell in cells]
            assert np.array_equal(settled.units.ravel()[cells], units)
    assert met > DEALS
