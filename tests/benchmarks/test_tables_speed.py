"""Timings of tables, as ratios within one run: ``pytest tests/benchmarks --benchmark-only -s``.

None of them passes or fails. Times are those of the process, so that others at work on the machine count less.
"""

import time

import numpy as np
import pyarrow as pa
import pytest

from chinese_poker import DECK, Arrangement, Deal, Player, score
from chinese_poker.adapters.columns import written
from chinese_poker.adapters.tables import settle_table
from chinese_poker.engine.dealing import deal
from chinese_poker.presets import load_rules
from chinese_poker.strategy import strategy

DEALS = 1_000_000
DIFFERENT = 20_000


def seconds(run):
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


@pytest.fixture(scope="module")
def cards():
    """(20,000, 4, 13): hands set by ``greedy``."""
    hands = deal(1, 0, DIFFERENT).reshape(-1, 13)
    return strategy("greedy").arrange(hands, load_rules("basic"), 4).cards.reshape(-1, 4, 13)


@pytest.mark.parametrize("name", ["basic", "mandarin", "taiwan"])
def test_a_million_deals(benchmark, cards, name):
    """Four-player deals on one thread: against a copy of the rows, and against the core deal by deal."""
    rules = load_rules(name)
    flat = np.tile(cards.reshape(-1, 13), (DEALS // DIFFERENT, 1))
    segments = dict(zip(("front", "middle", "back"), map(written, np.split(flat, (3, 8), axis=1)), strict=True))
    table = pa.table({"deal": np.repeat(np.arange(DEALS), 4), "seat": np.tile(np.arange(4), DEALS), **segments})
    rows = pa.array(np.arange(4 * DEALS))
    few = [
        Deal(tuple(Player("", Arrangement.of(DECK[card] for card in hand)) for hand in four))
        for four in cards[:5000].tolist()
    ]

    def turn():
        copying, _ = seconds(lambda: table.take(rows))
        scoring, settled = seconds(lambda: settle_table(table, rules))
        itemising, items = seconds(settled.items)
        core, _ = seconds(lambda: [score(held, rules) for held in few])
        return copying, scoring, itemising, core / len(few) * DEALS, items.num_rows

    copying, scoring, itemising, core, items = benchmark.pedantic(turn, rounds=1)
    benchmark.extra_info |= {"deals a second": DEALS / scoring, "ratio to a copy": scoring / copying}
    print(
        f"\n{name}: a million deals, {DEALS / scoring:,.0f} a second; {scoring / copying:.0f} times a copy of the rows,"
    )
    print(f"1/{core / scoring:.1f} of the core deal by deal; {items:,} items {itemising / scoring:.1f} of that again")
