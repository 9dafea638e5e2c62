"""What becomes of deals, as columns: a row a deal and seat, and a row an item."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from ..arrangement import SEGMENTS, SIZES, Arrangement
from ..cards import DECK, format_cards
from ..deal import Deal
from ..engine.matchups import Matchups
from ..engine.settlement import settlement
from ..engine.tables import Array
from ..evaluate import Category
from ..extras import needs
from ..matchup import Item, Reason
from ..naturals import Natural
from ..rules import RuleSet
from ..score import DealResult
from .columns import (
    NONE,
    text_at,
    words,
    written,
)

with needs("tables"):
    import pyarrow as pa
    import pyarrow.compute as pc

_CATEGORIES = [category.word for category in Category]


NATURALS = list(Natural)


_REASONS = list(Reason)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What becomes of ``n`` rows."""

    scored: Array
    total: Array
    foul: Array
    surrender: Array
    home_run: Array
    natural: Array
    """Index into the naturals, or none; so the next two into their lists."""
    reasons: Array
    categories: Array
    """(n, 3)."""
    rules: Array
    cards: Array
    """(n, 13) int8: front, middle, back; none in the first where the player set none."""
    odd: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    """The segments of other sizes than 3, 5 and 5."""
    errors: dict[int, str] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)
    """Why arrangements are fouls, numbered."""
    rule_names: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, n: int) -> Outcome:
        flags = [np.zeros(n, bool) for _ in range(4)]
        return cls(
            scored=flags[0],
            total=np.zeros(n, np.int64),
            foul=flags[1],
            surrender=flags[2],
            home_run=flags[3],
            natural=np.full(n, NONE, np.int8),
            reasons=np.full(n, NONE, np.int32),
            categories=np.full((n, 3), NONE, np.int8),
            rules=np.full(n, NONE, np.int32),
            cards=np.full((n, 13), NONE, np.int8),
        )

    def put_result(self, row: int, seat: int, deal: Deal, result: DealResult) -> None:
        """A player of a deal that the core has settled, or a vacant seat."""
        player, outcome = deal.players[seat], result.players[seat]
        self.scored[row] = True
        if player is None or outcome is None:
            return
        self.rules[row] = _numbered(self.rule_names, result.rules.name)
        self.total[row] = outcome.total
        self.foul[row], self.surrender[row] = bool(outcome.foul), outcome.surrender
        self.home_run[row] = result.home_run == seat
        self.natural[row] = NATURALS.index(outcome.natural) if outcome.natural else NONE
        if outcome.foul:
            self.reasons[row] = _numbered(self.said, ";".join(outcome.foul.reasons))
        self.categories[row] = [NONE if strength is None else strength.category for strength in outcome.strengths]
        if player.arrangement and tuple(map(len, player.arrangement.segments)) == SIZES:
            self.cards[row] = player.arrangement.cards
        elif player.arrangement:
            front, middle, back = map(format_cards, player.arrangement.segments)
            self.odd[row] = front, middle, back

    def put_batch(self, rows: Array, matchups: Matchups, settling: Settling) -> None:
        """Deals of one kind settled in arrays; ``rows`` are (n, p)."""
        rules, settled = matchups.rules, settlement(matchups.rules)
        flat = rows.ravel()
        states, set_ = settling.states.ravel(), settling.set_.ravel()
        self.scored[flat] = True
        self.rules[flat] = _numbered(self.rule_names, rules.name)
        self.total[flat] = matchups.totals.ravel()
        self.foul[flat] = states == settled.foul
        self.surrender[flat] = surrendered = np.array([state.surrender for state in settled.states])[states]
        self.home_run[flat] = (matchups.home_run[:, None] == np.arange(rows.shape[1])).ravel()
        naturals = [NATURALS.index(state.natural) if state.natural else NONE for state in settled.states]
        self.natural[flat] = np.array(naturals, np.int8)[states]
        self.cards[flat[set_]] = settling.cards.reshape(-1, 13)[set_]
        shown = set_ & ~surrendered
        table = settled.tables
        front, *fives = settling.values[shown].T
        strengths = np.stack(
            [table.strength_of_front[front], *(table.strength_of_five[five] for five in fives)], axis=1
        )
        self.categories[flat[shown]] = strengths >> 20
        fouls = states[shown] == settled.foul
        self.reasons[flat[shown][fouls]] = self._reasons(strengths[fouls], self.cards[flat[shown][fouls]], rules)

    def _reasons(self, strengths: Array, cards: Array, rules: RuleSet) -> Array:
        """Why arrangements are fouls: the core says it of one for each way in which the segments compare."""
        way = 3 * np.sign(strengths[:, 0] - strengths[:, 1]) + np.sign(strengths[:, 1] - strengths[:, 2])
        _, first, which = np.unique(way, return_index=True, return_inverse=True)
        judged_first = (
            Arrangement.of(DECK[card] for card in cards[row].tolist()).foul(
                rules.wheel, middle_may_equal_back=rules.middle_may_equal_back
            )
            for row in first
        )
        numbers = np.array([_numbered(self.said, ";".join(foul.reasons)) for foul in judged_first], np.int32)
        return numbers[which]

    def columns(self, order: Array | None = None) -> dict[str, Any]:
        """The columns of the result, each row put back to where it came from."""
        back = np.argsort(order) if order is not None else np.arange(len(self.scored))
        scored = self.scored[back]
        segments = self._segments(back)
        errors = pa.nulls(len(back), pa.string()) if not self.errors else text_at(self.errors, back)
        return {
            "rules": words(self.rules[back], list(self.rule_names)),
            "total": pa.array(self.total[back], mask=~scored),
            "foul": pa.array(self.foul[back], mask=~scored),
            "foul_reasons": words(self.reasons[back], list(self.said)),
            "natural": words(self.natural[back], [natural.value for natural in NATURALS]),
            "surrender": pa.array(self.surrender[back], mask=~scored),
            "home_run": pa.array(self.home_run[back], mask=~scored),
            **segments,
            **{
                f"{segment}_category": words(self.categories[back, i], _CATEGORIES)
                for i, segment in enumerate(SEGMENTS)
            },
            "error": errors,
        }

    def _segments(self, back: Array) -> dict[str, Any]:
        cards = self.cards[back]
        texts = {}
        end = list(accumulate(SIZES))
        for i, segment in enumerate(SEGMENTS):
            column = written(cards[:, end[i] - SIZES[i] : end[i]])
            if self.odd:
                others = text_at({row: three[i] for row, three in self.odd.items()}, back)
                column = pc.coalesce(column, others)
            texts[segment.value] = column
        return texts


@dataclass(frozen=True, eq=False)
class Settling:
    """Deals of one kind: ``n`` deals of ``p`` players."""

    cards: Array
    """(n, p, 13)."""
    states: Array
    """(n, p): what is done in place of playing the arrangement, or none; after settling, the state that it comes to."""
    set_: Array
    """(n, p) bool: whether the cards are an arrangement."""
    values: Array
    """(n * p, 3): of the segments."""


class Items:
    """The items of matchups, as they are settled."""

    def __init__(self) -> None:
        self.held: list[tuple[Array, Array, Array, Matchups | None, tuple[tuple[Item, ...], ...]]] = []

    def put_batch(self, numbers: Array, seats: Array, matchups: Matchups) -> None:
        """Deals of one kind: their numbers (n,), and the seats (n, p) of the players."""
        first, second = np.array(matchups.pairs).T
        self.held.append((numbers, seats[:, first], seats[:, second], matchups, ()))

    def put_result(self, number: int, result: DealResult) -> None:
        """A deal that the core has settled."""
        first, second = np.array([matchup.players for matchup in result.matchups]).reshape(1, -1, 2).T
        items = tuple(matchup.items for matchup in result.matchups)
        self.held.append((np.array([number]), first.T, second.T, None, items))

    def table(self, ids: Any) -> Any:  # noqa: ANN401
        """The items in the order of the deals."""
        parts = [self._flat(*held) for held in self.held] or [[np.zeros(0, np.int64)] * 6]
        number, first, second, reason, segment, units = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(number, kind="stable")
        return pa.table(
            {
                "deal": ids.take(pa.array(number[order])),
                "first": pa.array(first[order].astype(np.int8)),
                "second": pa.array(second[order].astype(np.int8)),
                "reason": words(reason[order], [reason.value for reason in _REASONS]),
                "segment": words(segment[order], [segment.value for segment in SEGMENTS]),
                "units": pa.array(units[order].astype(np.int64)),
            }
        )

    @staticmethod
    def _flat(
        numbers: Array, first: Array, second: Array, matchups: Matchups | None, items: tuple[tuple[Item, ...], ...]
    ) -> list[Array]:
        kinds, which = matchups.items() if matchups else (items, np.arange(len(items)))
        which = which.ravel()
        flat = [item for kind in kinds for item in kind]
        counts = np.array([len(kind) for kind in kinds], np.int64)
        starts, count = np.cumsum(counts) - counts, counts[which]
        at = np.repeat(starts[which] - (np.cumsum(count) - count), count) + np.arange(count.sum())
        segments = [NONE if item.segment is None else SEGMENTS.index(item.segment) for item in flat]
        return [
            np.repeat(np.repeat(numbers, first.shape[1]), count),
            np.repeat(first.ravel(), count),
            np.repeat(second.ravel(), count),
            np.array([_REASONS.index(item.reason) for item in flat], np.int8)[at],
            np.array(segments, np.int8)[at],
            np.array([item.units for item in flat], np.int64)[at],
        ]


def _numbered(known: dict[str, int], word: str) -> int:
    return known.setdefault(word, len(known))
