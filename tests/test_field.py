"""Hands as they are set, against the core's judge; and the candidates, among which the best always is."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hands import PATTERNS, arranged
from plain import as_arrangement, bank_of, dealt, gain, legal_arrangements, set_legally, unseen_by
from test_engine_search import _ALL, _FIVES, _THREES
from test_kernels import KNOWN, MASK_OF_FIVE, MASK_OF_THREE, UNDOMINATED
from test_settlement import UNSAFE

from chinese_poker.arrangement import Arrangement, parse_hand
from chinese_poker.cards import DECK
from chinese_poker.deal import Deal, Player
from chinese_poker.engine import field as fields
from chinese_poker.engine.field import candidates, judged
from chinese_poker.engine.search import undominated
from chinese_poker.engine.settlement import settlement
from chinese_poker.evaluate import Wheel, evaluate
from chinese_poker.presets import load_rules
from chinese_poker.rules import Banker, Bonuses, HomeRun, PaidTo, RuleSet, Scoop, Ties
from chinese_poker.score import score
from chinese_poker.suggest import suggest


def sets(seed, count):
    """Arrangements of 3, 5 and 5 cards of hard hands, legal and foul, some with middle and back alike."""
    random = Random(seed)
    makers = list(PATTERNS.values())
    found = []
    while len(found) < count:
        front, middle, back = arranged(random, random.choice(makers)(random))
        if (len(front), len(middle), len(back)) == (3, 5, 5):
            found.append(Arrangement.parse("|".join(" ".join(part) for part in (front, middle, back))))
    alike = ["2c3c4c | 5c6c7c8c9d | 5d6d7d8d9c", "AcKcQd | Ad2d3d4d5d | Ah2h3h4h5h", "2c2d3c | AcKcQcJc9c | AdKdQdJd9d"]
    return found + [Arrangement.parse(text) for text in alike]


@pytest.mark.parametrize("wheel", Wheel)
@pytest.mark.parametrize("equal", [True, False])
def test_arrangements_are_judged_as_by_the_core(wheel, equal):
    rules = RuleSet(
        name="x",
        wheel=wheel,
        middle_may_equal_back=equal,
        bonuses=Bonuses(front={"three_of_a_kind": 1}, middle={"straight": 1, "flush": 2}, back={"straight_flush": 3}),
    )
    played = sets(1, 600)
    settled, field = settlement(rules), judged([other.cards for other in played], rules)
    fouls = 0
    for arrangement, state in zip(played, field.states, strict=True):
        foul, strengths = arrangement.judge(wheel, middle_may_equal_back=equal)
        fouls += bool(foul)
        assert (int(state) == settled.foul) is bool(foul)
        assert foul or settled.states[state].values == tuple(
            row[strength >> 20] for row, strength in zip(rules.values, strengths, strict=True)
        )
    assert 40 < fouls < len(played) - 40


@pytest.mark.parametrize("ties", [Ties.PUSH, Ties.SUIT])
@pytest.mark.parametrize("wheel", Wheel)
@pytest.mark.parametrize("suits", ["shdc", "dshc"])
def test_values_compare_as_in_the_core(ties, wheel, suits):
    """Hands of equal ranks in other suits, and what changes when a few of their cards change places."""
    rules = RuleSet(name="x", wheel=wheel, ties=ties, suits=suits)
    random = Random(2)
    compared = level = 0
    for arrangement in sets(3, 150):
        names = random.sample(range(4), 4)
        other = as_arrangement(card // 4 * 4 + names[card % 4] for card in arrangement.cards)
        if set(arrangement.cards) & set(other.cards):
            continue
        first, second = judged([arrangement.cards, other.cards], rules).values.tolist()
        items = score(Deal((Player("", arrangement), Player("", other))), rules).matchups[0].items
        units = [item.units for item in items if item.segment]
        if units:
            assert [np.sign(a - b) for a, b in zip(first, second, strict=True)] == units
            compared, level = compared + 1, level + units.count(0)
    assert compared > 10
    assert bool(level) is (ties is Ties.PUSH)


def test_what_is_declared_counts_in_place_of_the_arrangement():
    rules = load_rules("us-1-4")
    settled = settlement(rules)
    dragon, surrender = settled.naturals[next(iter(settled.naturals))], len(settled.states) - 1
    cards = [list(range(0, 52, 4)), list(range(51, -1, -4)), list(range(51, -1, -4))]
    assert judged(cards, rules, [-1, dragon, surrender]).states.tolist()[1:] == [dragon, surrender]
    assert judged(cards, rules, [-1, -1, -1]).states.tolist() == judged(cards, rules).states.tolist()


def test_parts_of_a_field_are_fields():
    rules = load_rules("basic")
    field = judged([other.cards for other in sets(4, 5)], rules)
    both = type(field).joined([field[2:], field[:2]])
    assert both.states.tolist() == [*field.states[2:], *field.states[:2]]
    assert both.values.tolist() == [*field.values[2:].tolist(), *field.values[:2].tolist()]
    assert len(field[slice(0, 0)]) == 0


@pytest.mark.parametrize("name", ["indonesia", "palomar-eastern", "vietnam", "washington"])
def test_candidates_are_legal_arrangements_of_the_hand(name):
    rules = load_rules(name)
    for hand in dealt(Random(5), 2):
        found = candidates(np.array(hand), rules)
        assert len({tuple(values) for values in found.values.tolist()}) == len(found)
        for row in found.cards[:: max(1, len(found) // 50)].tolist():
            assert sorted(row) == sorted(hand)
            assert not as_arrangement(row).foul(rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)


HOUSES = {name: load_rules(name) for name in ("indonesia", "malaya", "vietnam", "mandarin", "washington")} | UNSAFE
HOUSES |= {
    "by suit, unsafe": RuleSet(
        name="by suit", ties=Ties.SUIT, suits="cdhs", bonuses=Bonuses(middle={"straight": 3}, back={"two_pair": 2})
    ),
    "home run of two, unsafe": RuleSet(
        name="of two",
        scoop=Scoop(factor=5),
        home_run=HomeRun(factor=2, players=2),
        bonuses=Bonuses(front={"one_pair": 1}),
    ),
    "banker, unsafe": RuleSet(
        name="bank",
        banker=Banker.OPTIONAL,
        ties=Ties.BANKER,
        bonuses=Bonuses(paid_to=PaidTo.BOTH, front={"one_pair": 2}),
    ),
}
STRONG = "AsAhAdKsKhKdQsQhJs9s8s7h6h"
PAIRED = "2c2d4c4d6c6d8c8dTcTdQcQdKh"


@pytest.mark.parametrize("rules", HOUSES.values(), ids=HOUSES)
@pytest.mark.parametrize("hand", [STRONG, PAIRED, None], ids=["strong", "paired", "random"])
def test_no_arrangement_is_better_than_the_first_suggestion(rules, hand):
    """The best over all legal arrangements, by the core's score, against opponents whose arrangements are known."""
    random = Random(f"{rules.name} {hand}")
    mine = parse_hand(hand) if hand else dealt(random, 1)[0]
    others = [set_legally(random, held) for held in dealt(random, 2, unseen_by(mine))]
    banks = None if rules.banker is Banker.NONE else True
    expected = max(
        gain(arrangement, others, rules, bank_of(rules, banks))
        for arrangement in legal_arrangements(mine, rules, by_suit=rules.ties is Ties.SUIT)
    )
    found = suggest(mine, rules, known=others, banks=banks)
    assert found.best.ev == pytest.approx(expected / 2, abs=1e-9)
    assert gain(found.best.arrangement, others, rules, bank_of(rules, banks)) == expected


def test_a_dominated_arrangement_is_suggested_where_it_is_best():
    """To scoop both is paid twice; to scoop one, at four times, and beat the other is more."""
    rules = UNSAFE["home run in place of a larger scoop"]
    hand = parse_hand("7c 4d 8d Qd 2s 3c Th 3h 7s Jd Ks Tc 5d")
    others = [
        Arrangement.parse("Ts Jc 3d | 6h Kh Ac 5s Qh | 2h 2d 8s 3s 8h"),
        Arrangement.parse("Kc Qs 9c | 9h 5c 9d 7h 8c | As Ad 7d Kd Td"),
    ]
    undominated_ones = map(as_arrangement, undominated(hand).cards().tolist())
    assert max(gain(arrangement, others, rules, None) for arrangement in undominated_ones) == 12
    assert suggest(hand, rules, known=others).best.ev == 13 / 2


# ----------------------------------------------------------------------------------------------------
# Few hands, quickly: for mutation testing

BY_SUIT = {
    monotone: RuleSet(
        name=f"by suit {monotone}",
        ties=Ties.SUIT,
        suits="cdhs",
        middle_may_equal_back=False,
        bonuses=Bonuses() if monotone else Bonuses(middle={"straight": 3}),
    )
    for monotone in (True, False)
}


def finer_values(known):
    """The values of all legal arrangements of a hand as they are compared where ties go by suit, clubs the highest."""
    ranks, worth = [card // 4 for card in known.ordered], [3 - card % 4 for card in known.ordered]
    finer = []
    for places, masks, values in ((_THREES, MASK_OF_THREE, known.three), (_FIVES, MASK_OF_FIVE, known.five)):
        found = []
        for segment, mask in zip(places, masks.tolist(), strict=True):
            cards = [DECK[known.ordered[i]] for i in segment]
            lead = evaluate(cards).ranks[0] - 2
            found.append(4 * values[mask] + max(worth[i] for i in segment if ranks[i] == lead))
        finer.append(np.array(found))
    front, middle, back = finer[0][_ALL[:, 0]], finer[1][_ALL[:, 1]], finer[1][_ALL[:, 2]]
    behind = np.array(known.lookup.least_five)[front >> 2] <= middle >> 2
    return np.unique(np.stack([back, middle, front], axis=1)[behind & (middle >> 2 < back >> 2)], axis=0)[::-1]


HAND = KNOWN[5]
FINER = finer_values(HAND)


@pytest.mark.parametrize("monotone", [True, False])
def test_candidates_by_suit_are_those_of_plain_enumeration(monotone):
    rules = BY_SUIT[monotone]
    assert settlement(rules).is_monotone is monotone
    found = candidates(HAND.hand[::-1], rules)
    expected, left = [], FINER
    while monotone and len(left):
        expected.append(left[0].tolist())
        left = left[(left > left[0]).any(axis=1)]
    assert found.values[:, ::-1].tolist() == (expected if monotone else FINER.tolist())
    again = judged(found.cards, rules)
    assert again.values.tolist() == found.values.tolist()
    assert again.states.tolist() == found.states.tolist()
    assert settlement(rules).foul not in found.states
    assert (np.sort(found.cards, axis=1) == sorted(HAND.hand)).all()
    assert fields.plain_values(found, rules).tolist() == (found.values // 4).tolist()


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("number", [2, 4])
def test_candidates_are_those_of_plain_enumeration(number, equal):
    known = KNOWN[number]
    plain = RuleSet(name="plain", wheel=known.wheel, middle_may_equal_back=equal)
    unsafe = RuleSet(
        name="pair", wheel=known.wheel, middle_may_equal_back=equal, bonuses=Bonuses(front={"one_pair": 5})
    )
    for rules, expected in (
        (plain, UNDOMINATED[number, not equal]),
        (unsafe, np.unique(known.legal[not equal] >> 26)[::-1].tolist()),
    ):
        found = candidates(known.hand, rules)
        front, middle, back = found.values.T.astype(int)
        assert sorted((back << 22 | middle << 9 | front).tolist(), reverse=True) == expected
        again = judged(found.cards, rules)
        assert again.values.tolist() == found.values.tolist() == fields.plain_values(found, rules).tolist()
        assert again.states.tolist() == found.states.tolist()


def test_every_arrangement_is_there_once():
    arrangements = fields._all_arrangements.__wrapped__()
    assert arrangements.shape == (72072, 13)
    assert arrangements.dtype == np.int8
    assert (np.sort(arrangements, axis=1) == np.arange(13)).all()
    for part in (slice(0, 3), slice(3, 8), slice(8, 13)):
        assert (np.diff(arrangements[:, part]) > 0).all()
    assert len(np.unique(arrangements @ 13 ** np.arange(13))) == 72072
    assert not arrangements.flags.writeable


def test_a_skyline_has_the_rows_that_no_other_dominates():
    chance = np.random.default_rng(8)
    for most in (2, 5, 12):
        rows = np.unique(chance.integers(0, most, (40, 3)), axis=0)[::-1]  # descending in back, middle, front
        values = rows[:, ::-1]
        expected = [
            i for i, row in enumerate(rows) if not any((other >= row).all() and (other > row).any() for other in rows)
        ]
        assert fields._skyline(values).tolist() == expected
    assert fields._skyline(np.array([[0, 9, 1], [3, 4, 1], [2, 4, 0]])).tolist() == [0, 1]
    assert fields._skyline(np.array([[3, 4, 5], [2, 5, 4], [2, 4, 4]])).tolist() == [0, 1]


def test_fields_are_of_small_numbers():
    for rules in (load_rules("basic"), BY_SUIT[True], load_rules("us-1-4")):
        field = judged([range(0, 52, 4), range(51, -1, -4)], rules, np.array([-1, -1]))
        assert (field.cards.dtype, field.values.dtype, field.states.dtype) == (np.int8, np.int16, np.int16)
        assert judged(range(0, 52, 4), rules).cards.shape == (1, 13)
        joined = type(field).joined([field, field[1:]])
        assert joined.cards.tolist() == [[*range(0, 52, 4)], *[[*range(51, -1, -4)]] * 2]
        assert len(joined) == 3
        assert joined.states.tolist() == field.states[[0, 1, 1]].tolist()
