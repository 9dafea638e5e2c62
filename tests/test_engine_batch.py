"""Batch scoring against the core: the same totals on every deal, under every preset and under stranger rule sets."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hands import nasty_deal

from chinese_poker.arrangement import Arrangement
from chinese_poker.cards import DECK, parse_cards
from chinese_poker.deal import Deal, Player
from chinese_poker.engine import batch
from chinese_poker.engine.batch import JUDGE, judge_batch, score_batch
from chinese_poker.engine.settlement import settlement
from chinese_poker.engine.tables import tables
from chinese_poker.errors import DealError
from chinese_poker.evaluate import Wheel, evaluate
from chinese_poker.naturals import Natural
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import (
    Banker,
    Bonuses,
    FoulPays,
    FoulRule,
    HomeRun,
    HomeRunMode,
    Majority,
    MajorityRule,
    Naturals,
    PaidTo,
    RuleSet,
    Scoop,
    Ties,
)
from chinese_poker.score import played_naturals, score

DEALS = int(os.environ.get("CHINESE_POKER_DEALS", "4000"))
"""Deals for each rule set, a quarter of them nasty ones."""

BOTH = pytest.mark.parametrize("compile", [False, True], ids=["interpreted", "compiled"])

STRANGE = {
    "home run of two": RuleSet(
        name="home run of two",
        scoop=Scoop(factor=2),
        home_run=HomeRun(factor=3, players=2, counts_fouls=True, counts_naturals=True),
        foul=FoulRule(pays=FoulPays.SCOOP_WITH_BONUSES),
        bonuses=Bonuses(back={"straight": 1, "flush": 2, "full_house": 3}, front={"one_pair": 1}),
        naturals=Naturals(worth={Natural.DRAGON: 13, Natural.SIX_PAIRS: 3, Natural.THREE_STRAIGHTS: 2}),
    ),
    "home run against a banker": RuleSet(
        name="home run against a banker",
        banker=Banker.OPTIONAL,
        ties=Ties.BANKER,
        scoop=Scoop(units=3),
        home_run=HomeRun(factor=2, players=3, mode=HomeRunMode.ON_TOP, counts_fouls=True),
        surrender=5,
        cap=40,
    ),
    "suits upside down": RuleSet(
        name="suits upside down",
        ties=Ties.SUIT,
        suits="cdhs",
        wheel=Wheel.SECOND_HIGHEST,
        middle_may_equal_back=False,
        majority=Majority(units=2, rule=MajorityRule.MORE_THAN_OPPONENT),
    ),
    "suits and wheels": RuleSet(
        name="suits and wheels",
        ties=Ties.SUIT,
        suits="dshc",
        bonuses=Bonuses(paid_to=PaidTo.BOTH, cap=3, back={"straight": 2}, middle={"straight": 4, "flush": 1}),
    ),
}
RULES = {name: load_rules(name) for name in rule_names()} | STRANGE
EVERY_RULES = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


def nasty_batches(rules, n, seed):
    """Nasty deals of 2 to 4 players, as (players, banker) -> (cards, states, deals of the core)."""
    dealer = random.Random(f"{rules.name} {seed}")
    settled = settlement(rules)
    banks = {Banker.NONE: "no", Banker.OPTIONAL: "may", Banker.REQUIRED: "must"}
    house = {"surrender": rules.surrender, "naturals": (), "banker": banks[rules.banker]}
    batches = defaultdict(lambda: ([], [], []))
    for _ in range(n):
        seats, banker = nasty_deal(dealer, house)
        taken = [seat for seat, player in enumerate(seats) if player]
        banker = None if banker is None else taken.index(banker)
        cards, states, players = batches[len(taken), banker]
        rows = [_read(dealer, seats[seat], rules, settled) for seat in taken]
        cards.append([row[0] for row in rows])
        states.append([row[1] for row in rows])
        players.append(Deal(tuple(row[2] for row in rows), banker))
    return {key: (np.array(cards, np.int8), np.array(states), deals) for key, (cards, states, deals) in batches.items()}


def _read(dealer, player, rules, settled):
    """The cards, the state and the core's player of one of the nasty players, who may declare what the cards hold."""
    parts = [tuple(parse_cards(" ".join(player[key]))) for key in ("front", "middle", "back")]
    cards = [card for part in parts for card in part]
    arrangement = Arrangement(*parts)
    if player.get("surrender"):
        return cards, len(settled.states) - 1, Player("", surrender=True)
    held = played_naturals(cards, rules) if dealer.random() < 0.4 else []
    if held:
        hand = Player("", hand=tuple(cards), declare=dealer.choice(held))
        return cards, settled.naturals[held[0]], dealer.choice((hand, replace(hand, arrangement=arrangement)))
    of_wrong_size = [len(part) for part in parts] != [3, 5, 5]
    return cards, settled.foul if of_wrong_size else JUDGE, Player("", arrangement)


def assert_equal(totals, deals, rules):
    expected = np.array([score(deal, rules).totals for deal in deals])
    wrong = np.flatnonzero((totals != expected).any(axis=1))
    assert not len(wrong), (deals[wrong[0]], expected[wrong[0]], totals[wrong[0]])


@EVERY_RULES
def test_totals_are_those_of_the_core(rules):
    for (_, banker), (cards, states, deals) in nasty_batches(rules, DEALS // 4, 1).items():
        totals = score_batch(cards, rules, states=states, banker=banker, compile=True)
        assert_equal(totals, deals, rules)
        few = score_batch(cards[:50], rules, states=states[:50], banker=banker, compile=False)
        assert np.array_equal(few, totals[:50])
        assert np.array_equal(totals, score_batch(cards, rules, states=states, banker=banker, compile=True, threads=3))


@EVERY_RULES
def test_shuffled_deals_have_the_totals_of_the_core(rules):
    """Random cards in every place, but the better five in the back: half of the arrangements are legal."""
    dealer = np.random.default_rng(2)
    for players in (2, 3, 4):
        cards = dealer.permuted(np.tile(np.arange(52), (DEALS // 4, 1)), axis=1)[:, : 13 * players]
        cards = cards.reshape(-1, players, 13)
        middle, back = judge_batch(cards, rules)[0][..., 1:].T
        swapped = np.r_[0:3, 8:13, 3:8]
        cards = np.where((middle > back).T[..., None], cards[..., swapped], cards)
        for banker in {Banker.NONE: [None], Banker.OPTIONAL: [None, 1], Banker.REQUIRED: [0, 1]}[rules.banker]:
            deals = [
                Deal(tuple(Player("", Arrangement(*_segments(hand))) for hand in deal), banker)
                for deal in cards.tolist()
            ]
            assert_equal(score_batch(cards, rules, banker=banker, compile=True), deals, rules)


def _segments(hand):
    cards = [DECK[card] for card in hand]
    return tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:])


@BOTH
@EVERY_RULES
def test_arrangements_are_judged_as_by_the_core(rules, compile):
    table, settled = tables(rules.wheel), settlement(rules)
    for cards, _, _ in nasty_batches(rules, 60, 3).values():
        values, states = judge_batch(cards, rules, compile=compile)
        assert values.dtype == states.dtype == np.int16
        for hand, value, state in zip(
            cards.reshape(-1, 13).tolist(), values.reshape(-1, 3), states.ravel(), strict=True
        ):
            foul, strengths = Arrangement(*_segments(hand)).judge(
                rules.wheel, middle_may_equal_back=rules.middle_may_equal_back
            )
            assert table.strength_of_front[value[0]] == strengths[0]
            assert table.strength_of_five[value[1:]].tolist() == list(strengths[1:])
            assert state == (settled.foul if foul else settled.state_of(value[None])[0])


@pytest.mark.parametrize("wheel", Wheel)
def test_every_segment_has_a_slot_of_its_own(wheel):
    judging, table = batch._as_lists(batch._judging, RuleSet(name="x", wheel=wheel)), tables(wheel)
    fronts = [_cards(ranks) for ranks in combinations_with_replacement(range(13), 3)]
    mixed = [_cards(ranks) for ranks in combinations_with_replacement(range(13), 5) if ranks[0] < ranks[4]]
    suited = [[4 * rank + 2 for rank in ranks] for ranks in combinations(range(13), 5)]
    for segments, start, value_of in (
        (fronts, 0, table.value_of_front),
        (mixed, batch.FIVE, table.value_of_five),
        (suited, batch.FIVE, table.value_of_five),
    ):
        found = [batch.value_of(start + sum(judging.key[card] for card in segment), judging) for segment in segments]
        assert found == value_of([evaluate([DECK[card] for card in segment], wheel) for segment in segments]).tolist()


def _cards(ranks):
    """Cards of these ascending ranks, the first and the last in different suits."""
    return [4 * rank + (ranks[:i].count(rank) + (i == 4 and ranks.count(rank) == 1)) for i, rank in enumerate(ranks)]


def test_states_of_judged_arrangements_change_nothing():
    for name in ("mandarin", "indonesia"):
        rules = load_rules(name)
        for cards, _, _ in nasty_batches(rules, 100, 4).values():
            states = judge_batch(cards, rules)[1]
            assert np.array_equal(score_batch(cards, rules, states=states), score_batch(cards, rules))


@BOTH
def test_any_integers_in_any_layout_are_cards(compile):
    rules = load_rules("taiwan")
    cards = np.random.default_rng(5).permuted(np.tile(np.arange(52), (40, 1)), axis=1).reshape(-1, 4, 13)
    expected = score_batch(cards.astype(np.int8), rules, compile=compile)
    assert expected.shape == (40, 4)
    assert expected.dtype == np.int64
    assert not expected.sum(axis=1).any()
    for other in (cards.tolist(), cards.astype(np.uint16), np.asfortranarray(cards)):
        assert np.array_equal(score_batch(other, rules, compile=compile), expected)
    frozen = cards.astype(np.int8)
    frozen.flags.writeable = False
    assert np.array_equal(score_batch(frozen, rules, compile=compile), expected)
    assert np.array_equal(score_batch(cards[:, ::-1], rules, compile=compile), expected[:, ::-1])


@BOTH
def test_no_deals_have_no_totals(compile):
    nothing = np.zeros((0, 3, 13), int)
    assert score_batch(nothing, load_rules("basic"), compile=compile).shape == (0, 3)
    assert judge_batch(nothing, load_rules("basic"), compile=compile, threads=2)[0].shape == (0, 3, 3)


@BOTH
@pytest.mark.parametrize("threads", [1, 2])
def test_a_card_twice_is_refused(compile, threads):
    cards = np.tile(np.arange(39).reshape(3, 13), (9, 1, 1))
    cards[7, 2, 12] = 0
    for call in (score_batch, judge_batch):
        with pytest.raises(ValueError, match="deal 7 has a card twice"):
            call(cards, load_rules("basic"), compile=compile, threads=threads)


DEAL = np.arange(26).reshape(1, 2, 13)


@pytest.mark.parametrize(
    "cards",
    [DEAL[0], DEAL[:, :1], np.zeros((1, 5, 13), int), DEAL[:, :, 1:], DEAL + 27, DEAL - 1, DEAL / 2],
    ids=["one deal", "one player", "five players", "12", "52", "-1", "fractions"],
)
def test_what_are_no_deals_is_refused(cards):
    with pytest.raises(ValueError, match=r"an array of deals|a card is"):
        score_batch(cards, load_rules("basic"))


@pytest.mark.parametrize("states", [[[-2, -1]], [[6, -1]], [[-1.0, -1.0]], [-1, -1], [[-1] * 3]])
def test_what_are_no_states_is_refused(states):
    with pytest.raises(ValueError, match="state"):
        score_batch(DEAL, load_rules("basic"), states=states)


@pytest.mark.parametrize(
    ("name", "banker", "code"),
    [
        ("basic", 0, "no_banker"),
        ("malaya", None, "missing_banker"),
        ("malaya", 2, "banker_seat"),
        ("hong-kong", -1, "banker_seat"),
    ],
)
def test_the_banker_is_checked_as_by_the_core(name, banker, code):
    with pytest.raises(DealError) as error:
        score_batch(DEAL, load_rules(name), banker=banker)
    assert error.value.code == code


def test_rule_sets_of_one_name_are_told_apart():
    basic = load_rules("basic")
    dearer = replace(basic, majority=Majority(units=10))
    assert score_batch(DEAL, basic, states=[[0, 0]]).tolist() != score_batch(DEAL, dearer, states=[[0, 0]]).tolist()


def test_a_few_deals_are_scored_without_numba():
    code = (
        "import sys; from chinese_poker.engine.batch import score_batch; from chinese_poker.presets import load_rules;"
        "score_batch([[range(13), range(13, 26)]], load_rules('basic')); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
