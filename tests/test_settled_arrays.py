"""Deals settled in arrays in the interpreter, a few under each kind of rule set: quick, for mutation testing."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from test_engine_batch import RULES, STRANGE, nasty_batches

from chinese_poker.cards import DECK, parse_cards
from chinese_poker.engine import batch
from chinese_poker.engine.batch import JUDGE, judge_batch, matchups, score_batch, settle_batch
from chinese_poker.engine.field import judged
from chinese_poker.engine.matchups import settle_deals
from chinese_poker.engine.reasons import items_of, settled_matchups, sides_of
from chinese_poker.engine.settlement import SIDES, settlement
from chinese_poker.engine.tables import tables
from chinese_poker.errors import DealError
from chinese_poker.evaluate import evaluate
from chinese_poker.matchup import settle
from chinese_poker.presets import load_rules
from chinese_poker.rules import RuleSet
from chinese_poker.score import score

KINDS = [*STRANGE.values(), load_rules("indonesia"), load_rules("vietnam")]
BATCHES = [
    (rules, banker, cards, states, [score(deal, rules) for deal in deals])
    for rules in KINDS
    for (_, banker), (cards, states, deals) in nasty_batches(rules, 40, seed=11).items()
]
"""Rules, the banker, cards, states, and what the core says of the deals."""


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch):
    """As in a process that has no numba loaded."""
    monkeypatch.delitem(sys.modules, "numba", raising=False)


def test_the_deals_are_of_all_kinds():
    results = [result for *_, results in BATCHES for result in results]
    assert {len(result.players) for result in results} == {2, 3, 4}
    assert sum(result.home_run is not None for result in results) > 10
    outcomes = [player for result in results for player in result.players]
    assert all(sum(map(bool, (getattr(player, what) for player in outcomes))) > 10 for what in ("foul", "natural"))


def test_totals_are_those_of_the_core():
    for rules, banker, cards, states, results in BATCHES:
        for threads in (1, 3):
            totals = score_batch(cards, rules, states=states, banker=banker, threads=threads)
            assert totals.tolist() == [list(result.totals) for result in results]
            assert totals.dtype == np.int64


def test_arrangements_are_judged_as_by_the_core():
    for rules, _, cards, given, results in BATCHES[::2]:
        settled, table = settlement(rules), tables(rules.wheel)
        values, states = judge_batch(cards, rules)
        assert values.shape == (*cards.shape[:2], 3)
        assert values.dtype == states.dtype == np.int16
        hands = cards.reshape(-1, 13).tolist()
        for hand, value in zip(hands, values.reshape(-1, 3).tolist(), strict=True):
            segments = [[DECK[card] for card in hand[part]] for part in (slice(3), slice(3, 8), slice(8, 13))]
            strengths = [evaluate(segment, rules.wheel) for segment in segments]
            assert [
                table.strength_of_front[value[0]],
                *table.strength_of_five[value[1:]],
            ] == strengths
        players = [player for result in results for player in result.players]
        for state, asked, player in zip(states.ravel().tolist(), given.ravel().tolist(), players, strict=True):
            if asked == JUDGE:
                assert (state == settled.foul) is bool(player.foul)
        arrangements = states[states != settled.foul]
        assert arrangements.tolist() == settled.state_of(values[states != settled.foul]).tolist()


def test_what_a_deal_comes_to_is_kept():
    for rules, banker, cards, given, results in BATCHES:
        settled = settle_batch(cards, rules, states=given, banker=banker)
        tabulated = settlement(rules)
        values, states = judge_batch(cards, rules)
        assert settled.values.tolist() == values.tolist()
        assert settled.states.tolist() == np.where(given >= 0, given, states).tolist()
        assert settled.totals.tolist() == [list(result.totals) for result in results]
        for row, result in zip(settled.places.tolist(), results, strict=True):
            assert settled.matchups == tuple(matchup.players for matchup in result.matchups)
            for place, matchup in zip(row, result.matchups, strict=True):
                swept = result.home_run is not None and result.home_run in matchup.players
                assert tabulated.units.ravel()[2 * place + swept] == matchup.total
                i, j = (settled.states[results.index(result), seat] for seat in matchup.players)
                assert place // 27 == i * len(tabulated.states) + j
        assert settled.values.dtype == settled.states.dtype == np.int16
        assert settled.totals.dtype == settled.places.dtype == np.int64


def test_seats_are_itemised_as_by_the_core():
    for rules, banker, cards, states, results in BATCHES:
        settled = settlement(rules)
        seats = [judged(cards[:, seat], rules, states[:, seat]) for seat in range(cards.shape[1])]
        found = settled_matchups(seats, rules, banker)
        for row, result in enumerate(results):
            assert [(first, second, items_of(int(cells[row]), settled)) for first, second, cells in found] == [
                (*matchup.players, matchup.items) for matchup in result.matchups
            ]
        for first, second, cells in found:
            assert cells.dtype == np.int64
            plays = np.maximum(seats[first].states, seats[second].states) < settled.foul
            assert all(sides_of(cell) == (0, 0, 0) for cell in cells[~plays].tolist())


def test_the_code_of_a_cell_says_who_wins():
    assert [sides_of(2 * (27 * 5 + code)) for code in range(27)] == list(SIDES)
    assert [sides_of(2 * (27 * 4 + code) + 1) for code in range(27)] == list(SIDES)


def test_deals_are_settled_matchup_by_matchup():
    for rules, banker, cards, states, results in BATCHES:
        field = judged(cards.reshape(-1, 13), rules, states.ravel())
        found = settle_deals(field, cards.shape[1], rules, banker)
        assert found.rules is rules
        assert found.pairs == tuple(matchup.players for matchup in results[0].matchups)
        assert found.units.tolist() == [[matchup.total for matchup in result.matchups] for result in results]
        assert found.totals.tolist() == [list(result.totals) for result in results]
        assert found.home_run.tolist() == [-1 if result.home_run is None else result.home_run for result in results]
        items, which = found.items()
        for row, result in zip(which.tolist(), results, strict=True):
            assert [items[number] for number in row] == [matchup.items for matchup in result.matchups]
        assert which.shape == found.cells.shape
        assert len(items) == len(np.unique(found.cells))
        assert found.units.dtype == found.totals.dtype == found.cells.dtype == np.int64
        assert found.home_run.dtype == np.int8


def test_who_meets_whom():
    malaya, basic, suits = load_rules("malaya"), load_rules("basic"), RULES["suits and wheels"]
    assert matchups(basic, 3, None) == [(0, 1, 0), (0, 2, 0), (1, 2, 0)]
    assert matchups(malaya, 4, 2) == [(0, 2, -1), (1, 2, -1), (2, 3, 1)]
    assert matchups(suits, 2, None) == [(0, 1, 0)]


DEAL = np.arange(26).reshape(1, 2, 13)
BASIC = load_rules("basic")


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        (DEAL[0], r"an array of deals has the shape \(n, 2 to 4, 13\), not \(2, 13\)"),
        (DEAL[:, :1], r"not \(1, 1, 13\)"),
        (np.zeros((1, 5, 13), int), r"not \(1, 5, 13\)"),
        (DEAL[:, :, 1:], r"not \(1, 2, 12\)"),
        (DEAL + 27, "a card is an index, 0 to 51"),
        (DEAL - 1, "a card is an index, 0 to 51"),
        (DEAL / 2, "a card is an index, 0 to 51"),
    ],
)
def test_what_are_no_deals_is_refused(cards, says):
    with pytest.raises(ValueError, match=f"^{says}|{says}$"):
        score_batch(cards, BASIC)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_card_twice_is_refused(threads):
    cards = np.tile(np.arange(52).reshape(4, 13), (9, 1, 1))
    assert score_batch(cards, BASIC, threads=threads).shape == (9, 4)
    for deal in (0, 7, 8):
        changed = cards.copy()
        changed[deal, 3, 12] = 0
        for call in (score_batch, judge_batch):
            with pytest.raises(ValueError, match=f"^deal {deal} has a card twice$"):
                call(changed, BASIC, threads=threads)


@pytest.mark.parametrize(
    ("states", "says"),
    [
        ([[-2, -1]], r"^a state of this rule set is an index, 0 to 5, or -1$"),
        ([[6, -1]], r"^a state of this rule set is an index, 0 to 5, or -1$"),
        ([[-1.0, -1.0]], r"^a state of this rule set is an index"),
        ([-1, -1], r"^the states of these deals have the shape \(1, 2\), not \(2,\)$"),
    ],
)
def test_what_are_no_states_is_refused(states, says):
    assert len(settlement(BASIC).states) == 6
    with pytest.raises(ValueError, match=says):
        score_batch(DEAL, BASIC, states=states)


def test_the_least_and_the_greatest_index_will_do():
    assert score_batch(DEAL, BASIC, states=[[5, -1]]).shape == (1, 2)
    assert score_batch([[range(13), range(39, 52)]], BASIC).shape == (1, 2)
    nothing = np.zeros((0, 3, 13), int)
    assert score_batch(nothing, BASIC, states=np.zeros((0, 3), int)).shape == (0, 3)


@pytest.mark.parametrize(("name", "banker", "code"), [("basic", 0, "no_banker"), ("malaya", None, "missing_banker")])
def test_whether_there_is_a_banker_is_for_the_rules_to_say(name, banker, code):
    with pytest.raises(DealError) as error:
        batch._check_banker(banker, load_rules(name), 2)
    assert error.value.code == code
    with pytest.raises(DealError, match="no_banker"):
        score_batch(DEAL, BASIC, banker=1)


@pytest.mark.parametrize("banker", [-1, 2])
def test_a_banker_sits_in_a_seat(banker):
    with pytest.raises(DealError) as error:
        batch._check_banker(banker, RULES["home run against a banker"], 2)
    assert str(error.value) == f"/banker: banker_seat: {banker} is no player's seat; seats count from 0"
    batch._check_banker(banker % 2, RULES["home run against a banker"], 2)


def test_a_run_is_all_lists_or_all_arrays(monkeypatch):
    monkeypatch.setattr(batch, "compiled", lambda kernel: (kernel, "compiled"))
    interpreted, compiled = (batch._Run(DEAL, BASIC, 1, compile) for compile in (False, True))
    for run in (interpreted, compiled):
        assert (run.n, run.players, run.hands, run.threads) == (1, 2, 2, 1)
    assert interpreted.cards == list(range(26)) == compiled.cards.tolist()
    assert compiled.cards.dtype == np.uint8
    assert interpreted.use(len) is len
    assert compiled.use(len) == (len, "compiled")
    assert interpreted.zeros(3, np.int8) == compiled.zeros(3, np.int8).tolist() == [0, 0, 0]
    assert compiled.zeros(3, np.int8).dtype == np.int8
    for lists, arrays in zip(interpreted.judging, compiled.judging, strict=True):
        assert isinstance(lists, list | int)
        assert isinstance(arrays, np.ndarray | int)
        assert np.array_equal(lists, arrays)
    assert {array.dtype.kind for array in compiled.judging if isinstance(array, np.ndarray)} <= {"i", "u"}


def test_the_tables_of_settling_are_arrays_of_the_rules():
    rules = RULES["suits and wheels"]
    settling, table = batch._settling(rules, 3, None), tables(rules.wheel)
    assert settling.suit.tolist() == list(rules.suit_worth)
    leads = [evaluate_lead(strength) for strength in table.strength_of_five.tolist()]
    assert settling.lead_of_five.tolist() == leads
    assert settling.lead_of_front.tolist() == [evaluate_lead(each) for each in table.strength_of_front.tolist()]
    assert not len(settling.scoops)
    assert {each.dtype.kind for each in settling if isinstance(each, np.ndarray)} == {"i", "u"}
    assert not len(batch._settling(BASIC, 2, None).suit)


def evaluate_lead(strength):
    """The rank, 0 to 12, that a strength names first."""
    return (strength >> 16 & 15) - 2


@pytest.mark.parametrize("call", [judge_batch, score_batch, settle_batch])
def test_deals_are_compiled_as_asked(monkeypatch, call):
    monkeypatch.setattr(batch, "compiled", lambda kernel: lambda *arguments: 0)
    with pytest.raises(ValueError, match="deal 0 has a card twice"):
        call(DEAL, BASIC, compile=True)
    monkeypatch.setattr(batch, "_is_worth_compiling", lambda n: n == 1)
    call(DEAL, BASIC, compile=False)
    with pytest.raises(ValueError, match="deal 0 has a card twice"):
        call(DEAL, BASIC)


def test_machine_code_is_loaded_when_it_is_worth_its_time(monkeypatch):
    assert not batch._is_worth_compiling(19_999)
    assert batch._is_worth_compiling(20_000)
    monkeypatch.setattr(batch, "is_compiling", lambda: False)
    assert not batch._is_worth_compiling(20_000)
    monkeypatch.setitem(sys.modules, "numba", object())
    assert batch._is_worth_compiling(1)


def test_cards_are_laid_out_for_the_kernels():
    frozen = np.asfortranarray(DEAL)
    frozen.flags.writeable = False
    cards = batch._checked_cards(frozen)
    assert cards.tolist() == DEAL.tolist()
    assert cards.flags.c_contiguous
    assert cards.flags.writeable
    assert cards.dtype == np.int8
    states = batch._checked_states(np.asfortranarray([[1, 2], [3, -1]]), (2, 2), 4)
    assert states.tolist() == [[1, 2], [3, -1]]
    assert states.flags.c_contiguous
    assert states.dtype == np.int16
    assert batch._checked_states(None, (2, 2), 4).tolist() == [[-1, -1]] * 2
    frozen = np.array([[1, 2]], np.int16)
    frozen.flags.writeable = False
    assert batch._checked_states(frozen, (1, 2), 4).flags.writeable


def test_every_rule_set_has_tables_of_its_own():
    dearer = RuleSet(name="basic", middle_may_equal_back=False)
    assert batch._judging(BASIC).distinct == 0
    assert len(batch._judging(BASIC).value) == 16384
    assert batch._as_lists(batch._judging, dearer).distinct == 1


@pytest.mark.parametrize(
    ("row", "suits"), [("Qc2d3d Qd4d5d6d7d Qs8d9dTdJd", "cds"), ("2d3dQs 4d5d6d7dQh 8d9dTdJdQc", "shc")]
)
def test_the_best_suit_of_a_segment_is_that_of_its_own_cards(row, suits):
    """Each segment is led by a queen, and the next one's queen is beside it."""
    cards = [*range(13), *parse_cards(row.replace(" ", ""))]
    for segment, suit in enumerate(suits):
        assert batch.best_suit(cards, 1, segment, [3, 10], 1, [10, 11, 12, 13]) == 10 + "cdhs".index(suit)
    assert batch.best_suit(cards, 1, 1, [3, 12], 1, [10, 11, 12, 13]) == 0


def test_a_state_that_is_given_counts_in_place_of_the_arrangement():
    settled = settlement(BASIC)
    assert settle_batch(DEAL, BASIC).states.tolist() == [[0, settled.foul]]
    given = settle_batch(DEAL, BASIC, states=[[JUDGE, 0]])
    assert given.states.tolist() == [[0, 0]]
    items = settle(settled.states[0], settled.states[0], (-1, -1, 1), BASIC)  # 222 | 23333 | 44445, 555 | 66667 | 77788
    assert given.totals[0, 0] == sum(item.units for item in items)


def test_the_first_deal_that_has_a_card_twice_is_told():
    cards = np.concatenate([DEAL, DEAL, DEAL])
    cards[1:, 1, 12] = 0
    run, settling = batch._Run(cards, BASIC, 1, False), batch._as_lists(batch._settling, BASIC, 2, None)
    for end, told in ((1, -1), (2, 1), (3, 1)):
        values, states, totals = [0] * 18, [0] * 6, [0] * 6
        assert batch.judge_deals(run.cards, 2, 0, end, run.judging, values, states) == told
        work = batch.Work(values, states, [0] * 3, [0] * 2)
        arguments = (run.cards, 2, [-1] * 6, 0, end, run.judging, settling, 0, work, totals)
        assert batch.score_deals(*arguments) == told
