"""The referee's players and deals as values of the package, and what must hold of every settlement."""

from collections.abc import Iterable
from typing import Any

from chinese_poker import Arrangement, Deal, DealResult, Player, parse_hand


def player_of(seat: int, player: dict[str, Any] | None) -> Player | None:
    if player is None:
        return None
    parts = [player.get(segment) for segment in ("front", "middle", "back")]
    arrangement = Arrangement.parse(" | ".join(" ".join(part) for part in parts)) if all(parts) else None
    hand = parse_hand(player["hand"]) if "hand" in player else ()
    return Player(f"P{seat}", arrangement, hand, player.get("declare"), player.get("surrender", False))


def read(players: Iterable[dict[str, Any] | None], banker: int | None = None) -> Deal:
    return Deal(tuple(player_of(seat, player) for seat, player in enumerate(players)), banker)


def check_sums(result: DealResult) -> None:
    """Items add up to their matchup, matchups to the players' totals, totals to zero."""
    totals = [0] * len(result.players)
    for matchup in result.matchups:
        first, second = matchup.players
        assert sum(item.units for item in matchup.items) == matchup.total
        assert matchup.items
        totals[first] += matchup.total
        totals[second] -= matchup.total
    assert list(result.totals) == totals
    assert sum(totals) == 0
