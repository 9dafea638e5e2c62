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

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..cards import DECK, format_cards
from ..deal import SEAT_NAMES, SEATS, Deal
from ..engine.declaring import natural_states
from ..engine.field import judged, plain_values
from ..engine.matchups import settle_deals
from ..engine.settlement import settlement
from ..engine.tables import Array
from ..errors import ChinesePokerError, DealError
from ..extras import needs
from ..naturals import Natural
from ..presets import load_rules
from ..rules import RuleSet
from ..score import DealResult, banker_problems, played_naturals, score
from ..strategy import set_deal
from ..strategy import strategy as strategy_named
from ..wire import read_deal
from .columns import NONE, integers
from .outcome import Items, Outcome, Settling
from .rows import COLUMNS, TYPES, Block, Rows, shared

with needs("tables"):
    import pyarrow as pa
    import pyarrow.compute as pc


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
    rows = Rows.read(deals)
    run = _Run(rows, rules, auto_declare, strategy)
    for first, end in rows.blocks():
        run.settle(first, end)
    return run.settled()


def deal_documents(deals: Any) -> Iterator[tuple[int, dict[str, Any] | ChinesePokerError]]:  # noqa: ANN401
    """The deals of a table as JSON values, or what is wrong with one, each with its first row, from 0.

    :raises DealError: as :func:`score_table` does.
    """
    rows = Rows.read(deals)
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
    texts = {name: pa.string() for name, type_ in TYPES.items() if type_ == pa.large_string()}
    table = pa.Table.from_pylist(rows, pa.schema([("deal", kind), *(TYPES | texts).items()]))
    return table.select([name for name in COLUMNS if name == "deal" or table[name].null_count < len(rows)])


def result_tables(results: Iterable[tuple[str | int, Deal, DealResult]]) -> Settled:
    """Deals that the core has settled, each with what to call it, as the same tables; vacant seats have no row."""
    held = list(results)
    seated = [(number, seat) for number, (_, deal, _) in enumerate(held) for seat, at in enumerate(deal.players) if at]
    outcome, items = Outcome.of(len(seated)), Items()
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


class _Run:
    """One settling of a table of deals."""

    def __init__(self, rows: Rows, rules: RuleSet | None, auto_declare: bool, strategy: str | None) -> None:
        self.rows = rows
        self.rules = rules
        self.auto_declare = auto_declare
        self.strategy = strategy_named(strategy) if strategy else None
        self.outcome = Outcome.of(len(rows.order))
        self.items = Items()
        self.problems: list[tuple[int, ChinesePokerError]] = []

    def settled(self) -> Settled:
        rows = self.rows
        names, seat = rows.texts["name"], rows.seat
        back = np.argsort(rows.order)
        given = names.take(pa.array(back))
        vacant = self.outcome.scored & (self.outcome.rules == NONE)
        called = np.where((seat >= 0) & (seat < SEATS) & ~vacant, seat, SEATS)
        seats = pa.array(seat[back], mask=(seat == NONE)[back])
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
        block = Block.read(rows, first, end)
        plain = block.plain.copy()
        rule_sets, rule_of = self._rule_sets(block)
        plain &= rule_of != NONE
        kind = np.stack([rule_of, block.seated, block.bank], axis=1)
        for rule, players, bank in np.unique(kind[plain], axis=0).tolist():
            deals = np.flatnonzero(plain & (kind == (rule, players, bank)).all(axis=1))
            member = np.zeros(len(plain), bool)
            member[deals] = True
            at = np.flatnonzero(member[block.deal_of] & ~block.vacant).reshape(-1, players)
            good = self._settle_alike(block, at, rule_sets[rule], None if bank == NONE else bank)
            plain[deals[~good]] = False
        empty = block.start + np.flatnonzero(block.vacant & plain[block.deal_of])
        self.outcome.scored[empty] = True
        for deal in np.flatnonzero(~plain).tolist():
            self._settle_one(first + deal)

    def _rule_sets(self, block: Block) -> tuple[list[RuleSet], Array]:
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
                known.append(NONE)
        return rule_sets, shared(np.array(known, np.int64)[integers(named.indices)], block.starts)

    def _settle_alike(self, block: Block, at: Array, rules: RuleSet, bank: int | None) -> Array:
        """Settle deals (n, p) of one rule set, with the bank at one place; (n,) bool: which of them it could."""
        settled = settlement(rules)
        if any(banker_problems(bank, rules)):
            return np.zeros(len(at), bool)
        cards, whole, set_, given_up = block.cards[at], block.whole[at], block.set_[at], block.surrender[at]
        known = whole | set_
        good = _are_different(cards, known)
        if rules.surrender is None:
            good &= ~given_up.any(axis=1)
        states = np.where(given_up, len(settled.states) - 1, NONE).astype(np.int16)
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
                states[unset] = np.where((setting.states >= 0) & ends[setting.states], setting.states, NONE)
                set_[unset] = states[unset] == NONE
                cards[unset & set_] = setting.cards[set_[unset]]
        if self.auto_declare:
            undeclared = known & (states == NONE) & good[:, None]
            states[undeclared] = natural_states(cards[undeclared], settled)
        good &= (set_ | (states != NONE)).all(axis=1)
        at, cards, states, set_ = at[good], cards[good], states[good], set_[good]
        cards[cards[:, :, 0] == NONE] = np.arange(13)
        field = judged(cards.reshape(-1, 13), rules, states.ravel())
        matchups = settle_deals(field, at.shape[1], rules, bank)
        settling = Settling(cards, field.states.reshape(at.shape), set_, plain_values(field, rules))
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


@lru_cache(maxsize=1 << 12)
def _held(cards: tuple[int, ...], rules: RuleSet) -> list[Natural]:
    return played_naturals([DECK[card] for card in cards], rules)


def _are_different(cards: Array, known: Array) -> Array:
    """(n,) bool: whether the known cards (n, p, 13) of each deal are all different."""
    bits = np.where(known[:, :, None], np.uint64(1) << cards.astype(np.uint64), np.uint64(0))
    held = np.bitwise_or.reduce(bits.reshape(len(cards), -1), axis=1)
    different: Array = np.bitwise_count(held) == 13 * known.sum(axis=1)
    return different
