"""The value tables against the core: every segment that can be told from another, under both wheels."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from chinese_poker.cards import DECK
from chinese_poker.engine.tables import FIVE_VALUES, FRONT_VALUES, tables
from chinese_poker.evaluate import Wheel, evaluate


def _segments(size):
    """The cards of a segment for each multiset of ranks, the first and the last of different suits."""
    for ranks in combinations_with_replacement(range(13), size):
        if ranks[0] == ranks[-1] and size == 5:
            continue
        suits = [ranks[:place].count(rank) for place, rank in enumerate(ranks)]
        suits[-1] += int(not any(suits))
        yield [4 * rank + suit for rank, suit in zip(ranks, suits, strict=True)]


SUITED = [[4 * rank + suit for rank in ranks] for suit in (0, 3) for ranks in combinations(range(13), 5)]
SEGMENTS = {3: list(_segments(3)), 5: [*_segments(5), *SUITED]}
STRENGTHS = {
    (wheel, size): np.array([evaluate([DECK[card] for card in cards], wheel) for cards in segments])
    for wheel in Wheel
    for size, segments in SEGMENTS.items()
}
"""By wheel and size, from the core."""


@pytest.mark.parametrize("wheel", Wheel)
def test_every_segment_has_its_place_in_the_order_of_the_core(wheel):
    table = tables(wheel)
    assert table.wheel is wheel
    for size, values, known, value_of in (
        (3, FRONT_VALUES, table.strength_of_front, table.value_of_front),
        (5, FIVE_VALUES, table.strength_of_five, table.value_of_five),
    ):
        strengths = STRENGTHS[wheel, size]
        ascending, expected = np.unique(strengths, return_inverse=True)
        assert len(ascending) == values
        assert known.tolist() == ascending.tolist()
        assert known.dtype == np.int32
        assert value_of(strengths.tolist()).tolist() == expected.tolist()
        cards = np.array(SEGMENTS[size], np.int8)
        for found in (table.values_of(cards), table.values_of(cards[:, ::-1])):
            assert found.tolist() == expected.tolist()
            assert found.dtype == np.int16
    fives = np.unique(STRENGTHS[wheel, 5]).tolist()
    least = [sum(five < front for five in fives) for front in np.unique(STRENGTHS[wheel, 3]).tolist()]
    assert table.lists.least_five == least
    for size, masks in ((5, table.lists.fives), (3, table.lists.threes)):
        assert masks == [mask for mask in range(8192) if mask.bit_count() == size]
    assert [len(array) for array in table.arrays] == [65, 6188, 8192, 455, 455, 1287, 286]
    for array, numbers in zip(table.arrays, table.lists, strict=True):
        assert isinstance(numbers, list)
        assert np.array_equal(array, numbers)
        assert array.dtype == np.int16
