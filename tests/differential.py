"""The package against the referee, deal by deal, in shards.

``python tests/differential.py`` settles a million random and a million nasty deals under the twenty presets, and says
how long it takes. A deal comes from its kind, its house and its number alone, so a difference is found again by
``--kind nasty --rules taiwan --first 1234 --deals 1``.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import NamedTuple

from hands import KINDS, deal_of
from referee import HOUSES, house
from referee import score as referee_score
from settling import check_sums, read

from chinese_poker import DealResult, score
from chinese_poker.presets import load_rules

SHARD = 1_000
"""Deals of one house that a worker settles at a time."""
SHOWN = 10
"""Differences that are printed."""
FIRST_TOLD = 10
"""Shards after which it is first said how long it will take."""


class Shard(NamedTuple):
    """Deals of one kind under one house, by number."""

    kind: str
    name: str
    first: int
    count: int


def events(result: DealResult) -> Iterator[str]:
    """What happened, for the count of what was seen."""
    yield "deal"
    if result.home_run is not None:
        yield "a home run"
    for matchup in result.matchups:
        yield "matchup"
        for item in matchup.items:
            yield "a tie" if item.reason == "segment" and not item.units else str(item.reason)


def differences(shard: Shard, seen: Counter[str]) -> Iterator[str]:
    """Settle a shard both ways: each deal on which the two differ, and what each says of it."""
    rules, values = load_rules(shard.name), house(shard.name)
    for number in range(shard.first, shard.first + shard.count):
        players, banker = deal_of(shard.kind, Random(f"{shard.kind} {shard.name} {number}"), values)
        totals, matchups = referee_score(players, shard.name, banker)
        result = score(read(players, banker), rules)
        check_sums(result)
        ours = {matchup.players: matchup.total for matchup in result.matchups}
        if (list(result.totals), ours) != (totals, matchups):
            yield f"{shard.kind} {shard.name} {number}: {ours}, not {matchups}: {players}, banker {banker}"
        seen.update(events(result))


def settled(shard: Shard) -> tuple[list[str], Counter[str]]:
    """:func:`differences` of a shard, and what was seen."""
    seen: Counter[str] = Counter()
    return list(differences(shard, seen)), seen


def shards(kinds: Iterable[str], names: Iterable[str], first: int, deals: int) -> list[Shard]:
    """The deals of each kind, ``deals`` in all, shared out evenly among the houses."""
    names = list(names)
    shares = [deals // len(names) + (place < deals % len(names)) for place in range(len(names))]
    return [
        Shard(kind, name, first + done, min(SHARD, share - done))
        for kind in kinds
        for name, share in zip(names, shares, strict=True)
        for done in range(0, share, SHARD)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=1_000_000, help="of each kind, over all houses (1000000)")
    parser.add_argument("--first", type=int, default=0, help="the number of each house's first deal (0)")
    parser.add_argument("--kind", choices=KINDS, action="append", help="random and nasty where not given")
    parser.add_argument("--rules", choices=HOUSES, action="append", help="all houses where not given")
    parser.add_argument("--workers", type=int, default=1, help="processes (1)")
    given = parser.parse_args()
    work = shards(given.kind or KINDS, given.rules or HOUSES, given.first, given.deals)
    everything, found, began = Counter[str](), 0, time.monotonic()
    with ProcessPoolExecutor(given.workers) as pool:
        for done, (different, seen) in enumerate(pool.map(settled, work), start=1):
            everything += seen
            for text in different[: max(0, SHOWN - found)]:
                print(text, flush=True)
            found += len(different)
            spent = time.monotonic() - began
            if done == len(work) or done % (max(200, len(work)) // 20) == 0 or done == FIRST_TOLD:
                left = spent * (len(work) - done) / done
                print(f"{done} of {len(work)} shards, {spent:.0f} s, about {left:.0f} s more", file=sys.stderr)
    for event, count in everything.most_common():
        print(f"{count:12,} {event}")
    print(f"{found:12,} differences")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
