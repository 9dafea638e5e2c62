"""The game as toolkits see it: moves by number, what is legal, what is paid; and reduced games."""

import random
from itertools import combinations

import numpy as np
import pytest
from referee import is_foul
from referee import score as refereed

from chinese_poker import DealError, RuleSetError
from chinese_poker.adapters.exact import Exact
from chinese_poker.adapters.game import Game, reduced_strength
from chinese_poker.cards import DECK
from chinese_poker.engine.search import undominated
from chinese_poker.evaluate import evaluate
from chinese_poker.presets import load_rules
from chinese_poker.strategy import strategies, strategy

TINY = {"suits": 2, "ranks": 5, "front": 1, "back": 2}
SMALL = {"suits": 3, "ranks": 4, "front": 1, "back": 2}


def dealt(seed, players, size=13, deck=range(52)):
    cards = random.Random(seed).sample(list(deck), players * size)
    return [tuple(sorted(cards[size * seat : size * seat + size])) for seat in range(players)]


def test_moves_are_numbered_as_documented():
    """Fronts in lexicographic order, for each the middles out of what is left."""
    game, hand = Game.of(), dealt(1, 1)[0]
    number = 0
    for front in combinations(hand, 3):
        left = [card for card in hand if card not in front]
        for middle in combinations(left, 5):
            if number % 97 == 0:
                back = tuple(card for card in left if card not in middle)
                assert game.split(hand, number) == (front, middle, back)
                assert game.move_of(hand, [*random.Random(number).sample(front, 3), *middle, *back[::-1]]) == number
            number += 1
    assert number == game.declare == 72_072
    assert game.move_count == 72_074


@pytest.mark.parametrize("name", ["basic", "vietnam", "washington"])
def test_legal_moves_are_those_of_the_core(name):
    rules = load_rules(name)
    game = Game(rules=rules)
    for hand in dealt(2, 3):
        for moves in (game.moves_of(hand), Game(rules=rules, moves="undominated").moves_of(hand)):
            assert (np.diff(moves) > 0).all()
        legal = set(game.moves_of(hand).tolist())
        for move in random.Random(3).sample(range(game.declare), 2_000):
            front, middle, back = ([str(card) for card in segment] for segment in game.split(hand, move))
            foul = is_foul(front, middle, back, str(rules.wheel), rules.middle_may_equal_back)
            assert (move in legal) is not foul


def test_undominated_moves_are_those_of_the_search():
    game = Game.of(moves="undominated")
    for hand in dealt(4, 4):
        moves = game.moves_of(hand)
        assert len(moves) == len(undominated(hand))
        assert set(moves.tolist()) <= set(Game.of().moves_of(hand).tolist())


def as_played(game, hand, move):
    """The player of the referee."""
    if move == game.surrender:
        return {"hand": [str(DECK[card]) for card in hand], "surrender": True}
    if move == game.declare:
        return {"hand": [str(DECK[card]) for card in hand], "declare": str(game.natural(hand))}
    return dict(
        zip(("front", "middle", "back"), ([str(c) for c in part] for part in game.split(hand, move)), strict=True)
    )


DRAGONS = [
    tuple(sorted(4 * rank + (rank * step + shift) % 4 for rank in range(13))) for step, shift in ((1, 0), (1, 1))
]


@pytest.mark.parametrize("name", ["basic", "eastern", "western", "mandarin", "us-1-6"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_units_are_the_referees(name, players):
    """Random moves of random hands, fouls, naturals and surrenders among them."""
    game = Game.of(rules=name, players=players)
    chance = random.Random(5)
    for number in range(60):
        hands = dealt(number, players)
        if number % 6 == 0:
            left = [card for card in range(52) if card not in DRAGONS[0] + DRAGONS[1]]
            hands = [*DRAGONS, *dealt(number, players - 2, deck=left)]
        moves = [
            int(chance.choice(game.moves_of(hand)[-(1 + number % 2 * 20_000) :]))
            if number % 5
            else chance.randrange(72_072)
            for hand in hands
        ]
        played = [as_played(game, hand, move) for hand, move in zip(hands, moves, strict=True)]
        assert list(game.totals(hands, moves)) == refereed(played, name)[0]
        assert sum(game.totals(hands, moves)) == 0
        assert max(map(abs, game.totals(hands, moves))) <= game.most_units


@pytest.mark.parametrize("moves", ["legal", "undominated"])
@pytest.mark.parametrize("name", strategies())
def test_strategies_make_legal_moves(name, moves):
    game, player = Game.of(rules="mandarin", moves=moves), strategy(name)
    for hand in [*dealt(6, 4), DRAGONS[0]]:
        move = game.move_by(player, hand)
        assert move in game.moves_of(hand)
        setting = player.arrange(np.array([hand]), game.rules, 2)
        if setting.states[0] >= 0:
            assert move == game.declare
        else:
            cards = [DECK[card] for card in setting.cards[0]]
            split = game.split(hand, move)
            for mine, theirs in zip(split, (cards[:3], cards[3:8], cards[8:]), strict=True):
                assert evaluate(mine) == evaluate(theirs)


def test_the_reduced_ranking_is_the_cores_where_that_has_one():
    chance = random.Random(7)
    for _ in range(20_000):
        five = chance.sample(DECK, 5)
        if {card.rank for card in five} != {14, 2, 3, 4, 5}:  # the wheel is the core's alone
            assert reduced_strength(five, runs=True) == evaluate(five)
        assert reduced_strength(five[:3], runs=False) == evaluate(five[:3])


@pytest.mark.parametrize("sizes", [(1, 2), (2, 2), (1, 3), (2, 3), (3, 3), (1, 1)])
def test_every_reduced_hand_can_be_set_legally(sizes):
    front, back = sizes
    game = Game.of(suits=3, ranks=6, front=front, back=back)
    for hand in random.Random(8).sample(list(combinations(game.deck, game.hand_size)), 60):
        moves = game.moves_of(hand)
        assert game.totals((hand, dealt(9, 1, game.hand_size, set(game.deck) - set(hand))[0]), (moves[0], moves[0]))
        for move in moves.tolist():
            first, second, third = game.split(hand, move)
            assert reduced_strength(first, runs=False) <= reduced_strength(second, runs=True)
            assert reduced_strength(second, runs=True) <= reduced_strength(third, runs=True)


def plain_order(cards, runs):
    """Of one or two cards, how strong: a pair below a straight below a flush below both, then the higher ranks."""
    ranks = sorted((card.rank for card in cards), reverse=True)
    pair, suited = len(cards) == 2 and ranks[0] == ranks[1], len({card.suit for card in cards}) == 1
    straight = len(cards) == 2 and ranks[0] - ranks[1] == 1
    kinds = [pair, runs and straight, runs and len(cards) == 2 and suited, runs and straight and suited]
    return max((kind for kind, held in enumerate(kinds, 1) if held), default=0), ranks


def plain_gain(mine, theirs):
    """Under units-only: one for each segment, a foul against a legal arrangement as a scoop."""
    values = [[plain_order(part, i > 0) for i, part in enumerate(parts)] for parts in (mine, theirs)]
    assert all(front <= middle <= back for front, middle, back in values)
    return sum((a > b) - (a < b) for a, b in zip(*values, strict=True))


def test_a_reduced_game_by_plain_counting():
    """Exploitability of the uniform strategy, deal by deal and move by move, under one unit a segment."""
    game = Game.of(rules="units-only", **TINY)
    best = 0
    hands = list(combinations(game.deck, 5))
    for hand in hands:
        other = tuple(card for card in game.deck if card not in hand)
        splits = [[game.split(held, move) for move in game.moves_of(held).tolist()] for held in (hand, other)]
        best += max(sum(plain_gain(mine, theirs) for theirs in splits[1]) / len(splits[1]) for mine in splits[0])
    solver = Exact.of(game)
    assert solver.exploitability(solver.uniform()) == pytest.approx(best / len(hands), abs=1e-12)


@pytest.mark.parametrize("name", ["basic", "mandarin"])
def test_nothing_is_lost_with_the_dominated_moves(name):
    """The best reply to a strategy gains as much among the undominated moves as among all."""
    all_moves, few = (Exact.of(Game.of(rules=name, moves=moves, **TINY)) for moves in ("legal", "undominated"))
    strategy = few.fictitious_play(50)
    chances = few.chances(strategy)
    spread = np.array(
        [
            chances[hand].get(move, 0)
            for i, hand in enumerate(all_moves.hands)
            for move in all_moves.rows[all_moves.offsets[i] : all_moves.offsets[i + 1]].tolist()
        ]
    )
    assert spread.sum() == pytest.approx(len(few.hands))
    assert all_moves.exploitability(spread) == pytest.approx(few.exploitability(strategy), abs=1e-12)


@pytest.mark.parametrize("name", ["basic", "eastern", "mandarin"])
def test_fictitious_play_comes_to_an_equilibrium(name):
    solver = Exact.of(Game.of(rules=name, moves="undominated", **SMALL))
    measured = [solver.exploitability(solver.fictitious_play(rounds)) for rounds in (10, 100, 1_000)]
    print(f"{name}: exploitability after 10, 100, 1,000 rounds {measured}")
    assert measured[0] > measured[1] > measured[2] > -1e-12
    assert measured[2] < 0.01
    uniform, found = solver.uniform(), solver.fictitious_play(1_000)
    assert solver.value(found, found) == pytest.approx(0, abs=1e-12)
    assert solver.value(found, uniform) > 0
    response = solver.best_response(found)
    assert solver.value(response, found) == pytest.approx(measured[2], abs=1e-12)
    assert np.add.reduceat(response, solver.offsets[:-1]).tolist() == [1] * len(solver.hands)


@pytest.mark.parametrize(
    ("parameters", "code", "says"),
    [
        ({"players": 5}, "bad_game", "players=5; write 2 to 4"),
        ({"players": 1}, "bad_game", "players=1; write 2 to 4"),
        ({"suits": 0}, "bad_game", "write suits 1 to 4 and ranks 1 to 13"),
        ({"ranks": 14}, "bad_game", "write suits 1 to 4 and ranks 1 to 13"),
        ({"ranks": 6}, "bad_game", "2 hands of 13 cards are more than 24; take fewer"),
        ({"front": 4, "back": 3}, "bad_game", "no more cards in front than in back"),
        ({"back": 6}, "bad_game", "write front and back 1 to 5"),
        ({"moves": "all"}, "bad_game", "moves='all'; write legal or undominated"),
        ({"banker": 1}, "no_banker", "basic is played without a banker"),
        ({"rules": "malaya"}, "missing_banker", "malaya is played against a banker"),
        ({"rules": "malaya", "banker": 2}, "banker_seat", "2 is no player's seat"),
    ],
)
def test_bad_games(parameters, code, says):
    with pytest.raises(DealError, match=says) as caught:
        Game.of(**parameters)
    assert caught.value.code == code


def test_other_bad_input():
    with pytest.raises(RuleSetError, match="'nobody' is no rule set"):
        Game.of(rules="nobody")
    game = Game.of(rules="basic")
    hands = dealt(10, 2)
    for move in (game.surrender, game.declare, 72_074, -1):
        with pytest.raises(DealError, match="arrangements are 0 to 72071") as caught:
            game.totals(hands, (0, move))
        assert caught.value.code == "bad_move"
    reduced = Game.of(**SMALL)
    with pytest.raises(DealError, match="sets hands as 3-5-5"):
        reduced.move_by(strategy("greedy"), reduced.deck[:5])
    for solved in (game, Game.of(players=3, suits=4, ranks=4, front=1, back=2)):
        with pytest.raises(DealError, match="only a game of 2"):
            Exact.of(solved)
