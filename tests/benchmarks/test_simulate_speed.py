"""Timings of simulation, as ratios within one run: ``pytest tests/benchmarks --benchmark-only -s``.

None of them passes or fails.
"""

import subprocess
import sys

import numpy as np
import pytest
from test_engine_speed import race

from chinese_poker.engine.dealing import deal
from chinese_poker.presets import load_rules
from chinese_poker.simulation import Dealt, simulate
from chinese_poker.simulation.play import Game, play, tally
from chinese_poker.strategy import strategies, strategy

DEALS = 16_384
RULES = load_rules("mandarin")


@pytest.mark.parametrize("name", strategies())
def test_deals_a_second(benchmark, name):
    """Four-player deals on one thread and on two, against setting the hands alone."""
    hands = deal(1, 0, DEALS).reshape(-1, 13)
    ways = {
        "setting": lambda: [strategy(name).arrange(part, RULES, 4) for part in np.array_split(hands, 8)],
        "one": lambda: simulate(DEALS, RULES, [name], seed=1, workers=1, shards=8),
        "two": lambda: simulate(DEALS, RULES, [name], seed=1, workers=2, shards=8),
    }
    setting, one, two = race(benchmark, 7, **ways)
    benchmark.extra_info |= {"deals a second": DEALS / one, "two threads": one / two, "to setting": one / setting}
    print(f"\n{name}: {DEALS / one:,.0f} deals a second on a thread, {one / two:.2f} times that on two,", end=" ")
    print(f"{one / setting:.2f} times what setting the hands alone takes")


def test_counting(benchmark):
    """Counting deals that are set and settled, against all of it."""
    game = Game.of(RULES, ["expected"])
    played = play(game, Dealt(1, 0, 2048))
    counting, playing = race(
        benchmark, 9, counting=lambda: tally(game, played), playing=lambda: play(game, Dealt(1, 0, 2048))
    )
    benchmark.extra_info |= {"counting to playing": counting / playing}
    print(f"\ncounting takes {counting / playing:.3f} times what dealing, setting and settling takes")


_PEAK = """
import resource, sys
from chinese_poker.presets import load_rules
from chinese_poker.simulation import simulate
simulate(int(sys.argv[1]), load_rules("mandarin"), ["greedy"], workers=2, shards=int(sys.argv[2]) or None)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_peak_memory(benchmark):
    """The most memory of a process that simulates so many deals, ten times as many, and those as one shard."""

    def peak(deals, shards=0):
        line = [sys.executable, "-c", _PEAK, str(deals), str(shards)]
        return int(subprocess.run(line, capture_output=True, check=True).stdout)

    few, many, whole = benchmark.pedantic(lambda: (peak(20_000), peak(200_000), peak(200_000, 2)), rounds=1)
    benchmark.extra_info |= {"ten times the deals": many / few}
    print(f"\n{few / 1024:.0f} MB; {many / few:.2f} times that for ten times the deals,", end=" ")
    print(f"{whole / few:.2f} times where those are two shards")
