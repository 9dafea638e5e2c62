"""Deals and results as tables: pandas, Polars, Arrow, Parquet, CSV. Needs the extra ``tables`` (pyarrow).

Anything that speaks the Arrow PyCapsule interface is read (``__arrow_c_stream__``: a pandas, Polars or pyarrow frame, a
DuckDB relation), as is a mapping of columns; what comes back is a ``pyarrow.Table``, which all of them take.

Deals have one row a deal and seat, in any order:

============================= ======= ==============================================================================
column                        type    meaning
============================= ======= ==============================================================================
``deal``                      any     which deal; rows of one value are one deal
``seat``                      integer 0 to 3; without the column the rows of a deal are its seats in turn
``name``                      text    the player's; North, East, South, West where it is missing
``front`` ``middle`` ``back`` text    cards in any notation, or lists of cards
``hand``                      text    13 cards in place of the three, with ``declare`` or to be set by a strategy
``declare``                   text    the natural that the player declares
``surrender``                 boolean
``banker``                    integer the banker's seat, the same in all rows of a deal
``rules``                     text    a preset, the same in all rows of a deal, where no rule set is given
============================= ======= ==============================================================================

Only ``deal`` and the cards are needed. An empty text is a missing value, and a row with nothing but its seat is a
vacant one. Columns that begin with ``_`` are copied to the result; others are left alone.

Cards of two characters (``As``, ``td``), together or with one space or comma between, and segments of 3, 5 and 5 are
settled in arrays. Other notations are read one by one, and whatever is out of the ordinary - other sizes, a fault - is
settled by the core alone, deal by deal: the totals are the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from ..arrangement import SEGMENTS, SIZES, Arrangement
from ..cards import DECK, NAMES, SEPARATORS, SPELLINGS, Card, format_cards, parse_cards
from ..deal import SEAT_NAMES, SEATS, Deal
from ..engine.declaring import natural_states
from ..engine.field import judged, plain_values
from ..engine.matchups import Matchups, settle_deals
from ..engine.settlement import settlement
from ..engine.tables import Array
from ..errors import ChinesePokerError, DealError
from ..evaluate import Category
from ..matchup import Item, Reason
from ..naturals import Natural
from ..presets import load_rules
from ..rules import RuleSet
from ..score import DealResult, banker_problems, played_naturals, score
from ..strategy import set_deal
from ..strategy import strategy as strategy_named
from ..texts import LONGEST_TEXT, did_you_mean
from ..wire import read_deal
from . import needs

with needs("tables"):
    import pyarrow as pa
    import pyarrow.compute as pc

_TYPES = {
    "seat": pa.int64(),
    "name": pa.large_string(),
    "front": pa.large_string(),
    "middle": pa.large_string(),
    "back": pa.large_string(),
    "hand": pa.large_string(),
    "declare": pa.large_string(),
    "surrender": pa.bool_(),
    "banker": pa.int64(),
    "rules": pa.large_string(),
}
COLUMNS = ("deal", *_TYPES)
"""The columns of deals that mean something."""
_PLAYER_TEXTS = ("name", "front", "middle", "back", "hand", "declare")

_BLOCK = 1 << 17
"""Rows that are settled at a time."""
_NONE = -1
"""In arrays of integers: there is none."""

_CATEGORIES = [category.word for category in Category]
_NATURALS = list(Natural)
_REASONS = list(Reason)


@dataclass(frozen=True, eq=False)
class Settled:
    """Deals settled, and what was wrong."""

    scores: Any
    """``pyarrow.Table``, see :func:`score_table`."""
    items: Callable[[], Any]
    """Makes the ``pyarrow.Table`` of :func:`item_table`."""
    problems: tuple[tuple[int, ChinesePokerError], ...]
    """Rows of the deals, from 0, each with what is wrong with it."""


def score_table(
    deals: Any,  # noqa: ANN401  whatever speaks Arrow
    rules: RuleSet | None = None,
    *,
    auto_declare: bool = False,
    strategy: str | None = None,
) -> Any:  # noqa: ANN401  pyarrow comes without types
    """Score deals: one row a deal and seat, row by row those of ``deals``.

    :param deals: see the head of the module.
    :param rules: the rule set; else the ``rules`` of the deal, else ``basic``.
    :param auto_declare: whether a natural counts for a player who did not declare it.
    :param strategy: who sets the hands that are not set.
    :returns: ``pyarrow.Table``: ``deal`` as it came; ``seat`` int8; ``name``; ``rules``; ``total`` int64 in units, the
        totals of a deal in sum 0; ``foul``, and why, as ``front_beats_middle;middle_beats_back``; ``natural``, the best
        of one who declared; ``surrender``; ``home_run``, whether this player hit one; the segments as they were set,
        ``front``, ``middle``, ``back``, and their categories, missing where none were; ``error``, what keeps the deal
        from being scored: its totals are then missing.
    :raises DealError: ``bad_table``, ``missing_key``, ``unknown_key``, ``unknown_strategy``, ``missing_extra``.

    >>> deals = {"deal": [1, 1], "front": ["Qs Qh 4d", "Jd Jc 5s"],
    ...          "middle": ["As Ah 9c 7d 2s", "Qd Qc 9d 6s 2c"], "back": ["Kd Kc 8s 8h 3c", "Ad Ac 5h 5d 3d"]}
    >>> score_table(deals, load_rules("western")).select(["name", "total", "back_category"]).to_pydict()
    {'name': ['North', 'East'], 'total': [2, -2], 'back_category': ['two_pair', 'two_pair']}
    """
    return settle_table(deals, rules, auto_declare=auto_declare, strategy=strategy).scores


def item_table(
    deals: Any,  # noqa: ANN401
    rules: RuleSet | None = None,
    *,
    auto_declare: bool = False,
    strategy: str | None = None,
) -> Any:  # noqa: ANN401
    """The items of deals: one row an item, in the order of the deals, their matchups and the matchups' items.

    Parameters and errors as for :func:`score_table`; deals that cannot be scored have no items.

    :returns: ``pyarrow.Table``: ``deal`` as it came; ``first`` and ``second`` int8, the seats of the matchup;
        ``reason``; ``segment``, missing where the item belongs to none; ``units`` int64, what the first gains.

    >>> deals = {"deal": [1, 1], "front": ["Qs Qh 4d", "Jd Jc 5s"],
    ...          "middle": ["As Ah 9c 7d 2s", "Qd Qc 9d 6s 2c"], "back": ["Kd Kc 8s 8h 3c", "Ad Ac 5h 5d 3d"]}
    >>> item_table(deals, load_rules("western")).select(["reason", "units"]).to_pydict()
    {'reason': ['segment', 'segment', 'segment', 'majority'], 'units': [1, 1, -1, 1]}
    """
    return settle_table(deals, rules, auto_declare=auto_declare, strategy=strategy).items()


def settle_table(
    deals: Any,  # noqa: ANN401
    rules: RuleSet | None = None,
    *,
    auto_declare: bool = False,
    strategy: str | None = None,
) -> Settled:
    """Both tables and the problems, the deals settled once; parameters and errors as for :func:`score_table`."""
    rows = _Rows.read(deals)
    run = _Run(rows, rules, auto_declare, strategy)
    for first, end in rows.blocks():
        run.settle(first, end)
    return run.settled()


def deal_documents(deals: Any) -> Iterator[tuple[int, dict[str, Any] | ChinesePokerError]]:  # noqa: ANN401
    """The deals of a table as JSON values, or what is wrong with one, each with its first row, from 0.

    :raises DealError: as :func:`score_table` does.
    """
    rows = _Rows.read(deals)
    for deal in range(len(rows.starts) - 1):
        faults = rows.faults_of(deal)
        first = int(rows.order[rows.starts[deal]])
        yield first, DealError.of(fault for _, fault in faults) if faults else rows.document(deal)


def deal_table(deals: Iterable[tuple[str | int, Deal, str | None]]) -> Any:  # noqa: ANN401
    """Deals as a table that :func:`score_table` reads: what to call each, the deal, and its preset."""
    rows = [
        {"deal": called, "seat": seat, "banker": deal.banker, "rules": rules}
        | {"name": player.name, "declare": player.declare, "surrender": player.surrender or None}
        | {key: format_cards(cards) for key, cards in player.parts.items()}
        for called, deal, rules in deals
        for seat, player in enumerate(deal.players)
        if player
    ]
    kind = pa.int64() if all(isinstance(row["deal"], int) for row in rows) else pa.string()
    rows = [row | {"deal": str(row["deal"]) if kind == pa.string() else row["deal"]} for row in rows]
    texts = {name: pa.string() for name, type_ in _TYPES.items() if type_ == pa.large_string()}
    table = pa.Table.from_pylist(rows, pa.schema([("deal", kind), *(_TYPES | texts).items()]))
    return table.select([name for name in COLUMNS if name == "deal" or table[name].null_count < len(rows)])


def result_tables(results: Iterable[tuple[str | int, Deal, DealResult]]) -> Settled:
    """Deals that the core has settled, each with what to call it, as the same tables; vacant seats have no row."""
    held = list(results)
    seated = [(number, seat) for number, (_, deal, _) in enumerate(held) for seat, at in enumerate(deal.players) if at]
    outcome, items = _Outcome.of(len(seated)), _Items()
    for number, (*_, result) in enumerate(held):
        items.put_result(number, result)
    for row, (number, seat) in enumerate(seated):
        outcome.put_result(row, seat, *held[number][1:])
    ids = [identity for identity, *_ in held]
    called = pa.array(ids if all(isinstance(identity, int) for identity in ids) else list(map(str, ids)))
    columns = {
        "deal": called.take(pa.array([number for number, _ in seated], pa.int64())),
        "seat": pa.array([seat for _, seat in seated], pa.int8()),
        "name": pa.array([player.name for _, deal, _ in held for player in deal.players if player], pa.string()),
    }
    return Settled(pa.table(columns | outcome.columns()), lambda: items.table(called), ())


@dataclass(frozen=True, eq=False)
class _Rows:
    """Deals as they are read, their rows sorted by deal and seat."""

    order: Array
    """(n,) int64: the row of the input that each row was."""
    deal: Any
    """The column ``deal`` as it came, in the order of the input."""
    ids: Any
    """Its distinct values, by number."""
    number: Array
    """(n,) int64 ascending: which deal, or none."""
    starts: Array
    """(d + 1,) int64: where each deal begins, and the last one ends."""
    seat: Array
    """(n,) int64, or none that can be."""
    banker: Array
    """(n,) int64, or none."""
    surrender: Array
    """(n,) bool."""
    texts: dict[str, Any]
    """Columns of texts, empty where missing."""
    own: dict[str, Any]
    """The user's columns, in the order of the input."""
    faults: dict[int, list[ChinesePokerError]]
    """What cannot be read, by row."""

    @classmethod
    def read(cls, deals: Any) -> _Rows:  # noqa: ANN401
        table = _as_table(deals)
        n = table.num_rows
        columns, unread = {}, []
        for name, kind in _TYPES.items():
            column = table[name] if name in table.column_names else pa.chunked_array([pa.nulls(n)])
            columns[name], bad = _cast(name, column, kind)
            unread += [(name, row) for row in bad.tolist()]
        deal = _one_array(table["deal"])
        encoded = deal.dictionary_encode()
        number = _integers(encoded.indices)
        seat = _integers(columns["seat"])
        if "seat" not in table.column_names:
            seat = _counted(number)
        order = np.lexsort((seat, number))
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        faults: dict[int, list[ChinesePokerError]] = {}
        for name, row in unread:
            fault = DealError("bad_value", f"write {_KINDS[_TYPES[name]]}", pointer=f"/{name}")
            faults.setdefault(int(place[row]), []).append(fault)
        for row in place[number == _NONE].tolist():
            faults.setdefault(row, []).append(DealError("missing_key", "say which deal it is", pointer="/deal"))
        in_order = bool((order[1:] > order[:-1]).all())
        taken = {
            name: column if in_order else column.take(pa.array(order))
            for name, column in columns.items()
            if _TYPES[name] == pa.large_string()
        }
        number = number[order]
        return cls(
            order=order,
            deal=deal,
            ids=encoded.dictionary,
            number=number,
            starts=np.concatenate([np.flatnonzero(np.diff(number, prepend=-2)), [n]]),
            seat=seat[order],
            banker=_integers(columns["banker"])[order],
            surrender=columns["surrender"].fill_null(False).to_numpy(zero_copy_only=False)[order],
            texts=taken,
            own={name: table[name] for name in table.column_names if name.startswith("_")},
            faults=faults,
        )

    def blocks(self) -> Iterator[tuple[int, int]]:
        """The first deal and the end of runs of deals, by their places in ``starts``."""
        first = 0
        while first < len(self.starts) - 1:
            end = int(np.searchsorted(self.starts, self.starts[first] + _BLOCK, side="right")) - 1
            yield first, max(first + 1, end)
            first = max(first + 1, end)

    def rows_of(self, deal: int) -> range:
        """The rows of a deal."""
        return range(int(self.starts[deal]), int(self.starts[deal + 1]))

    def text(self, key: str, row: int) -> str:
        text: str = self.texts[key][row].as_py()
        return text

    def faults_of(self, deal: int) -> list[tuple[int, ChinesePokerError]]:
        """What keeps the rows from being read as a deal, each with its row."""
        rows = self.rows_of(deal)
        found = [(row, fault) for row in rows for fault in self.faults.get(row, ())]
        seats = self.seat[rows.start : rows.stop].tolist()
        for row, seat in zip(rows, seats, strict=True):
            if not 0 <= seat < SEATS and not found:
                found.append((row, DealError("bad_seat", "a seat is 0, 1, 2 or 3", pointer="/seat")))
            elif seat in seats[: row - rows.start]:
                fault = f"seat {seat} is there twice; write one row a deal and seat"
                found.append((row, DealError("bad_seat", fault, pointer="/seat")))
        for key in ("banker", "rules"):
            values = self._said(key, rows)
            if len(values) > 1:
                fault = f"{' and '.join(map(str, values))} in one deal; write the same in all its rows"
                found.append((rows.start, DealError("contradiction", fault, pointer=f"/{key}")))
        return found

    def _said(self, key: str, rows: range) -> list[Any]:
        """The different values that a deal's rows have in a column that is the deal's own."""
        column = [int(self.banker[row]) if key == "banker" else self.text(key, row) for row in rows]
        return [value for value in dict.fromkeys(column) if value not in (_NONE, "")]

    def document(self, deal: int) -> dict[str, Any]:
        """A deal whose rows have no faults, as a JSON value."""
        rows = self.rows_of(deal)
        players: list[Any] = [None] * (int(self.seat[rows.stop - 1]) + 1)
        for row in rows:
            entry: dict[str, Any] = {key: text for key in _PLAYER_TEXTS if (text := self.text(key, row))}
            players[self.seat[row]] = entry | ({"surrender": True} if self.surrender[row] else {}) or None
        document: dict[str, Any] = {"id": self.ids[int(self.number[rows.start])].as_py(), "players": players}
        return document | {key: values[0] for key in ("banker", "rules") if (values := self._said(key, rows))}


@dataclass(frozen=True, eq=False)
class _Outcome:
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
    def of(cls, n: int) -> _Outcome:
        flags = [np.zeros(n, bool) for _ in range(4)]
        return cls(
            scored=flags[0],
            total=np.zeros(n, np.int64),
            foul=flags[1],
            surrender=flags[2],
            home_run=flags[3],
            natural=np.full(n, _NONE, np.int8),
            reasons=np.full(n, _NONE, np.int32),
            categories=np.full((n, 3), _NONE, np.int8),
            rules=np.full(n, _NONE, np.int32),
            cards=np.full((n, 13), _NONE, np.int8),
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
        self.natural[row] = _NATURALS.index(outcome.natural) if outcome.natural else _NONE
        if outcome.foul:
            self.reasons[row] = _numbered(self.said, ";".join(outcome.foul.reasons))
        self.categories[row] = [_NONE if strength is None else strength.category for strength in outcome.strengths]
        if player.arrangement and tuple(map(len, player.arrangement.segments)) == SIZES:
            self.cards[row] = player.arrangement.cards
        elif player.arrangement:
            front, middle, back = map(format_cards, player.arrangement.segments)
            self.odd[row] = front, middle, back

    def put_batch(self, rows: Array, matchups: Matchups, settling: _Settling) -> None:
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
        naturals = [_NATURALS.index(state.natural) if state.natural else _NONE for state in settled.states]
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
        errors = pa.nulls(len(back), pa.string()) if not self.errors else _text_at(self.errors, back)
        return {
            "rules": _words(self.rules[back], list(self.rule_names)),
            "total": pa.array(self.total[back], mask=~scored),
            "foul": pa.array(self.foul[back], mask=~scored),
            "foul_reasons": _words(self.reasons[back], list(self.said)),
            "natural": _words(self.natural[back], [natural.value for natural in _NATURALS]),
            "surrender": pa.array(self.surrender[back], mask=~scored),
            "home_run": pa.array(self.home_run[back], mask=~scored),
            **segments,
            **{
                f"{segment}_category": _words(self.categories[back, i], _CATEGORIES)
                for i, segment in enumerate(SEGMENTS)
            },
            "error": errors,
        }

    def _segments(self, back: Array) -> dict[str, Any]:
        cards = self.cards[back]
        texts = {}
        end = list(accumulate(SIZES))
        for i, segment in enumerate(SEGMENTS):
            column = _written(cards[:, end[i] - SIZES[i] : end[i]])
            if self.odd:
                others = _text_at({row: three[i] for row, three in self.odd.items()}, back)
                column = pc.coalesce(column, others)
            texts[segment.value] = column
        return texts


@dataclass(frozen=True, eq=False)
class _Settling:
    """Deals of one kind: ``n`` deals of ``p`` players."""

    cards: Array
    """(n, p, 13)."""
    states: Array
    """(n, p): what is done in place of playing the arrangement, or none; after settling, the state that it comes to."""
    set_: Array
    """(n, p) bool: whether the cards are an arrangement."""
    values: Array
    """(n * p, 3): of the segments."""


class _Items:
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
                "reason": _words(reason[order], [reason.value for reason in _REASONS]),
                "segment": _words(segment[order], [segment.value for segment in SEGMENTS]),
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
        segments = [_NONE if item.segment is None else SEGMENTS.index(item.segment) for item in flat]
        return [
            np.repeat(np.repeat(numbers, first.shape[1]), count),
            np.repeat(first.ravel(), count),
            np.repeat(second.ravel(), count),
            np.array([_REASONS.index(item.reason) for item in flat], np.int8)[at],
            np.array(segments, np.int8)[at],
            np.array([item.units for item in flat], np.int64)[at],
        ]


class _Run:
    """One settling of a table of deals."""

    def __init__(self, rows: _Rows, rules: RuleSet | None, auto_declare: bool, strategy: str | None) -> None:
        self.rows = rows
        self.rules = rules
        self.auto_declare = auto_declare
        self.strategy = strategy_named(strategy) if strategy else None
        self.outcome = _Outcome.of(len(rows.order))
        self.items = _Items()
        self.problems: list[tuple[int, ChinesePokerError]] = []

    def settled(self) -> Settled:
        rows = self.rows
        names, seat = rows.texts["name"], rows.seat
        back = np.argsort(rows.order)
        given = names.take(pa.array(back))
        vacant = self.outcome.scored & (self.outcome.rules == _NONE)
        called = np.where((seat >= 0) & (seat < SEATS) & ~vacant, seat, SEATS)
        seats = pa.array(seat[back], mask=(seat == _NONE)[back])
        scores = pa.table(
            {
                "deal": rows.deal,
                "seat": seats.cast(pa.int8(), safe=False),
                "name": pc.if_else(
                    pc.equal(given, ""),
                    pa.array([*SEAT_NAMES, None]).take(pa.array(called[back])),
                    given.cast(pa.string()),
                ),
                **self.outcome.columns(rows.order),
                **rows.own,
            }
        )
        problems = sorted(((int(rows.order[row]), fault) for row, fault in self.problems), key=lambda found: found[0])
        return Settled(scores, lambda: self.items.table(rows.ids), tuple(problems))

    def settle(self, first: int, end: int) -> None:
        """Settle the deals ``first .. end - 1``: those that are alike together, the others by the core."""
        rows = self.rows
        block = _Block.read(rows, first, end)
        plain = block.plain.copy()
        rule_sets, rule_of = self._rule_sets(block)
        plain &= rule_of != _NONE
        kind = np.stack([rule_of, block.seated, block.bank], axis=1)
        for rule, players, bank in np.unique(kind[plain], axis=0).tolist():
            deals = np.flatnonzero(plain & (kind == (rule, players, bank)).all(axis=1))
            member = np.zeros(len(plain), bool)
            member[deals] = True
            at = np.flatnonzero(member[block.deal_of] & ~block.vacant).reshape(-1, players)
            good = self._settle_alike(block, at, rule_sets[rule], None if bank == _NONE else bank)
            plain[deals[~good]] = False
        empty = block.start + np.flatnonzero(block.vacant & plain[block.deal_of])
        self.outcome.scored[empty] = True
        for deal in np.flatnonzero(~plain).tolist():
            self._settle_one(first + deal)

    def _rule_sets(self, block: _Block) -> tuple[list[RuleSet], Array]:
        """Rule sets, and which of them is in force in each deal; none where the core has to say."""
        if self.rules:
            return [self.rules], np.zeros(len(block.plain), np.int64)
        named = block.texts["rules"].dictionary_encode()
        rule_sets, known = [], []
        for name in named.dictionary.to_pylist():
            try:
                rule_sets.append(load_rules(name or "basic"))
                known.append(len(rule_sets) - 1)
            except ChinesePokerError:
                known.append(_NONE)
        return rule_sets, _shared(np.array(known, np.int64)[_integers(named.indices)], block.starts)

    def _settle_alike(self, block: _Block, at: Array, rules: RuleSet, bank: int | None) -> Array:
        """Settle deals (n, p) of one rule set, with the bank at one place; (n,) bool: which of them it could."""
        settled = settlement(rules)
        if any(banker_problems(bank, rules)):
            return np.zeros(len(at), bool)
        cards, whole, set_, given_up = block.cards[at], block.whole[at], block.set_[at], block.surrender[at]
        known = whole | set_
        good = _are_different(cards, known)
        if rules.surrender is None:
            good &= ~given_up.any(axis=1)
        states = np.where(given_up, len(settled.states) - 1, _NONE).astype(np.int16)
        declares = block.declares[at]
        for deal, place in np.argwhere(declares & good[:, None]).tolist():
            held = _held(tuple(cards[deal, place].tolist()), rules)
            if block.texts["declare"][int(at[deal, place])].as_py() in held:
                states[deal, place] = settled.naturals[held[0]]
            else:
                good[deal] = False
        if self.strategy:
            unset = whole & ~declares & ~given_up & good[:, None]
            if unset.any():
                setting = self.strategy.arrange(cards[unset], rules, at.shape[1])
                ends = np.array([bool(state.natural or state.surrender) for state in settled.states])
                states[unset] = np.where((setting.states >= 0) & ends[setting.states], setting.states, _NONE)
                set_[unset] = states[unset] == _NONE
                cards[unset & set_] = setting.cards[set_[unset]]
        if self.auto_declare:
            undeclared = known & (states == _NONE) & good[:, None]
            states[undeclared] = natural_states(cards[undeclared], settled)
        good &= (set_ | (states != _NONE)).all(axis=1)
        at, cards, states, set_ = at[good], cards[good], states[good], set_[good]
        cards[cards[:, :, 0] == _NONE] = np.arange(13)
        field = judged(cards.reshape(-1, 13), rules, states.ravel())
        matchups = settle_deals(field, at.shape[1], rules, bank)
        settling = _Settling(cards, field.states.reshape(at.shape), set_, plain_values(field, rules))
        self.outcome.put_batch(block.start + at, matchups, settling)
        self.items.put_batch(self.rows.number[block.start + at[:, 0]], self.rows.seat[block.start + at], matchups)
        return good

    def _settle_one(self, number: int) -> None:
        """Settle a deal by the core, or say what is wrong with it."""
        rows = self.rows
        deal_rows = rows.rows_of(number)
        faults = rows.faults_of(number)
        if not faults:
            try:
                deal, rules = read_deal(rows.document(number), self.rules)
                deal = set_deal(deal, rules, self.strategy.name) if self.strategy else deal
                result = score(deal, rules, auto_declare=self.auto_declare)
            except ChinesePokerError as error:
                faults = [self._placed(problem, deal_rows) for problem in error.problems]
            else:
                for row in deal_rows:
                    self.outcome.put_result(row, int(rows.seat[row]), deal, result)
                self.items.put_result(int(rows.number[deal_rows.start]), result)
                return
        self.problems += faults
        first = faults[0][1]
        self.outcome.errors.update(dict.fromkeys(deal_rows, f"{first.code}: {first.message}"))
        self.outcome.errors.update({row: str(fault) for row, fault in reversed(faults)})

    def _placed(self, problem: ChinesePokerError, deal_rows: range) -> tuple[int, ChinesePokerError]:
        """A problem of a deal's document as one of a row."""
        steps = problem.pointer.split("/")
        if steps[1:2] != ["players"]:
            return deal_rows.start, problem
        seats = [str(self.rows.seat[row]) for row in deal_rows]
        row = deal_rows[seats.index(steps[2])] if steps[2:3] and steps[2] in seats else deal_rows.start
        pointer = "".join("/" + step for step in steps[3:])
        return row, type(problem)(problem.code, problem.message, pointer=pointer)


@dataclass(frozen=True, eq=False)
class _Block:
    """Some deals read in arrays; ``k`` rows, ``d`` deals."""

    start: int
    """The first row."""
    starts: Array
    """(d,): where each deal begins, from the first row."""
    deal_of: Array
    """(k,): the deal of each row."""
    texts: dict[str, Any]
    cards: Array
    """(k, 13) int8; none in the first where they are not read."""
    set_: Array
    """(k,) bool: whether they are front, middle and back; so the next, whether they are a hand that is not set."""
    whole: Array
    surrender: Array
    declares: Array
    vacant: Array
    plain: Array
    """(d,) bool: whether arrays can settle the deal as far as can be seen."""
    seated: Array
    """(d,): how many play."""
    bank: Array
    """(d,): the banker's place among them, or none."""

    @classmethod
    def read(cls, rows: _Rows, first: int, end: int) -> _Block:
        start, stop = int(rows.starts[first]), int(rows.starts[end])
        k = stop - start
        starts = rows.starts[first:end] - start
        deal_of = np.repeat(np.arange(end - first), np.diff(rows.starts[first : end + 1]))
        texts = {key: column.slice(start, k) for key, column in rows.texts.items()}
        given = {key: _lengths(texts[key]) > 0 for key in _PLAYER_TEXTS}
        parts = [_read_cards(texts[segment], size) for segment, size in zip(SEGMENTS, SIZES, strict=True)]
        hand = _read_cards(texts["hand"], 13)
        some = given["front"] | given["middle"] | given["back"]
        set_ = np.logical_and.reduce([part[:, 0] >= 0 for part in parts]) & ~given["hand"]
        whole = (hand[:, 0] >= 0) & ~some
        cards = np.hstack(parts)
        cards[~set_, 0] = _NONE
        cards[whole] = hand[whole]
        surrender = rows.surrender[start:stop]
        unseen = ~(some | given["hand"])
        vacant = unseen & ~(given["name"] | given["declare"] | surrender)
        seat = rows.seat[start:stop]
        plain = set_ | whole | unseen & surrender | vacant
        plain &= (seat >= 0) & (seat < SEATS) & ~(given["declare"] & surrender) & _are_plain(texts["name"])
        plain[1:] &= (deal_of[1:] != deal_of[:-1]) | (seat[1:] != seat[:-1])
        plain[[row - start for row in rows.faults if start <= row < stop]] = False
        if not _is_integer(rows.ids):
            number = pa.array(rows.number[start:stop], mask=rows.number[start:stop] == _NONE)
            plain &= _are_plain(rows.ids.take(number).cast(pa.large_string()).fill_null(""))
        seated = np.add.reduceat(~vacant, starts)
        banker = rows.banker[start:stop]
        playing = np.cumsum(~vacant) - 1
        place = playing - (playing[starts] + vacant[starts])[deal_of]
        bank = np.maximum.reduceat(np.where((banker == seat) & ~vacant, place, _NONE), starts)
        agreed = _shared(banker, starts, strange=-2)
        sound = np.logical_and.reduceat(plain, starts) & (seated >= 2) & (seated <= SEATS)
        sound &= (agreed == _NONE) | (agreed >= 0) & (bank >= 0)
        return cls(
            start, starts, deal_of, texts, cards, set_, whole, surrender, given["declare"], vacant, sound, seated, bank
        )


def _shared(values: Array, starts: Array, strange: int = _NONE) -> Array:
    """What all rows of each deal have in common, or ``strange`` where they differ."""
    least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.where(least == most, least, strange)


_PAIRS = np.full(1 << 16, _NONE, np.int8)
"""The card of two characters, the first in the low byte."""
for _text, _card in SPELLINGS.items():
    if len(_text) == 2 and _text.isascii():
        _PAIRS[ord(_text[0]) | ord(_text[1]) << 8] = _card
_SEPARATES = np.isin(np.arange(256), [ord(character) for character in SEPARATORS])


def _read_cards(column: Any, size: int) -> Array:  # noqa: ANN401
    """(n, size) int8 cards of a column of texts; none in the first where there are not so many, or not readable."""
    cards = np.full((len(column), size), _NONE, np.int8)
    length, (offsets, data) = _lengths(column), _buffers(column)
    for step in (3, 2):
        wide = step * size - (step == 3)
        rows = np.flatnonzero(length == wide)
        block = data[offsets[rows, None] + np.arange(wide)]
        read = _PAIRS[block[:, 0::step].astype(np.uint16) | block[:, 1::step].astype(np.uint16) << 8]
        whole = (read != _NONE).all(axis=1)
        if step == 3:
            whole &= _SEPARATES[block[:, 2::3]].all(axis=1)
        cards[rows[whole]] = read[whole]
    other = np.flatnonzero((cards[:, 0] == _NONE) & (length > 0))
    for row, text in zip(other.tolist(), column.take(pa.array(other)).to_pylist(), strict=True):
        found = _parsed(text)
        if len(found) == size:
            cards[row] = found
    return cards


@lru_cache(maxsize=1 << 16)
def _parsed(text: str) -> tuple[Card, ...]:
    """The cards of a text, none if there is one that cannot be read."""
    try:
        return parse_cards(text)
    except ChinesePokerError:
        return ()


@lru_cache(maxsize=1 << 12)
def _held(cards: tuple[int, ...], rules: RuleSet) -> list[Natural]:
    return played_naturals([DECK[card] for card in cards], rules)


def _are_different(cards: Array, known: Array) -> Array:
    """(n,) bool: whether the known cards (n, p, 13) of each deal are all different."""
    bits = np.where(known[:, :, None], np.uint64(1) << cards.astype(np.uint64), np.uint64(0))
    held = np.bitwise_or.reduce(bits.reshape(len(cards), -1), axis=1)
    different: Array = np.bitwise_count(held) == 13 * known.sum(axis=1)
    return different


def _are_plain(texts: Any) -> Array:  # noqa: ANN401
    """(n,) bool: whether texts are surely fit to be a name or an id, or missing."""
    fit = pc.and_(pc.less_equal(pc.utf8_length(texts), LONGEST_TEXT), pc.utf8_is_printable(texts))
    return np.asarray(pc.or_(fit, pc.equal(texts, "")).to_numpy(zero_copy_only=False))


_CARD_BYTES = np.array([[*name.encode(), ord(" ")] for name in NAMES], np.uint8)


def _written(cards: Array) -> Any:  # noqa: ANN401
    """Cards (n, size) as a column of canonical texts; missing where the first is none."""
    there = cards[:, 0] != _NONE
    wide = 3 * cards.shape[1] - 1
    data = _CARD_BYTES[cards[there]].reshape(-1, wide + 1)[:, :-1]
    offsets = np.concatenate([[0], np.cumsum(there)]).astype(np.int64) * wide
    validity = np.packbits(there, bitorder="little").tobytes()
    buffers = [validity, offsets.tobytes(), np.ascontiguousarray(data).tobytes()]
    column = pa.Array.from_buffers(pa.large_string(), len(cards), [pa.py_buffer(buffer) for buffer in buffers])
    return column.cast(pa.string()) if len(data) * wide < 1 << 31 else column


def _text_at(texts: dict[int, str], back: Array) -> Any:  # noqa: ANN401
    """A column that has these texts in these rows, each row put back to where it came from."""
    place = np.full(len(back), _NONE, np.int64)
    place[list(texts)] = np.arange(len(texts))
    return pa.array(list(texts.values()), pa.string()).take(pa.array(place[back], mask=place[back] == _NONE))


def _words(index: Array, words: Sequence[str]) -> Any:  # noqa: ANN401
    """A column of few different texts, by their numbers."""
    indices = pa.array(np.maximum(index, 0).astype(np.int32), mask=index == _NONE)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string()))


def _numbered(known: dict[str, int], word: str) -> int:
    return known.setdefault(word, len(known))


def _buffers(column: Any) -> tuple[Array, Array]:  # noqa: ANN401
    """Where the texts of a large_string array begin and end, and their bytes."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    return ends, np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)


def _lengths(column: Any) -> Array:  # noqa: ANN401
    return np.diff(_buffers(column)[0])


def _integers(column: Any) -> Array:  # noqa: ANN401
    return np.asarray(column.cast(pa.int64()).fill_null(_NONE).to_numpy(zero_copy_only=False))


def _is_integer(column: Any) -> bool:  # noqa: ANN401
    return bool(pa.types.is_integer(column.type))


def _counted(number: Array) -> Array:
    """How many rows of the same deal come before each row."""
    order = np.argsort(number, kind="stable")
    sorted_ = number[order]
    first = np.searchsorted(sorted_, sorted_)
    counted = np.empty_like(number)
    counted[order] = np.arange(len(number)) - first
    return counted


# ----------------------------------------------------------------------------------------------------
# What comes in

_KINDS = {pa.int64(): "a whole number", pa.bool_(): "true or false", pa.large_string(): "a text"}


def _as_table(deals: Any) -> Any:  # noqa: ANN401
    """Whatever speaks Arrow as a table with the columns that are needed.

    :raises DealError: ``bad_table``, ``missing_key``, ``unknown_key``.
    """
    try:
        table = pa.table(deals)
    except (TypeError, ValueError) as error:
        fault = f"{type(deals).__name__} is no table of deals: {error}; give a pandas, Polars or Arrow table"
        raise DealError("bad_table", fault) from None
    names = table.column_names
    if "deal" not in names:
        raise DealError("missing_key", f"no column 'deal'{did_you_mean('deal', names)} it says which rows are one deal")
    missing = [name for name in COLUMNS if name not in names]
    for name in names:
        near = () if name in COLUMNS else difflib.get_close_matches(name, missing, n=1, cutoff=0.8)
        if near:
            fault = f"column {name!r}, did you mean {near[0]!r}? call it so, or '_{name}' if it is your own"
            raise DealError("unknown_key", fault)
    if not {"hand", "surrender"} & set(names) and not set(SEGMENTS) <= set(names):
        raise DealError("missing_key", "no cards; write columns front, middle and back, or hand")
    return table


def _one_array(column: Any) -> Any:  # noqa: ANN401
    """The identities of the deals: whole numbers or texts, in one piece."""
    column = _decoded(column)
    if not _is_integer(column):
        kind = pa.int64() if pa.types.is_floating(column.type) else pa.string()
        column = _cast("deal", column, kind)[0]
    return _whole(column)


def _decoded(column: Any) -> Any:  # noqa: ANN401
    """A column without a dictionary."""
    if not pa.types.is_dictionary(column.type):
        return column
    kind = column.type.value_type
    kind = kind if pa.types.is_integer(kind) else pa.large_string()
    pairs = ((chunk.indices.cast(pa.int64()), chunk.dictionary.cast(kind)) for chunk in column.chunks)
    return pa.chunked_array([words.take(indices) for indices, words in pairs], kind)


def _whole(column: Any) -> Any:  # noqa: ANN401
    """A column in one piece."""
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces or [pa.array([], column.type)])


def _cast(name: str, column: Any, kind: Any) -> tuple[Any, Array]:  # noqa: ANN401
    """A column in its type, and the rows where that cannot be done."""
    column = _decoded(column)
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = pc.binary_join(column.cast(pa.list_(pa.string())), " ")
    if kind == pa.large_string():
        return _whole(column.cast(kind)).fill_null(""), np.zeros(0, np.int64)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.if_else(pc.equal(column, ""), None, column)
    try:
        return _whole(column.cast(kind)), np.zeros(0, np.int64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = [_value(value, kind) for value in column.to_pylist()]
        bad = [
            row
            for row, (value, given) in enumerate(zip(values, column.to_pylist(), strict=True))
            if value is None and given is not None
        ]
        return pa.array(values, kind), np.array(bad, np.int64)


def _value(value: Any, kind: Any) -> Any:  # noqa: ANN401
    try:
        return pa.scalar(value).cast(kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
