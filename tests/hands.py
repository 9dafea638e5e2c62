"""Hands and deals that are hard on a referee, made from a seed; cards are two-character strings as in ``referee``."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any

from referee import RANKS, naturals, rank_of, strength

SUITS = "cdhs"
DECK = [rank + suit for rank, suit in product(RANKS, SUITS)]
ACE_LOW = "A" + RANKS

# ----------------------------------------------------------------------------------------------------
# Hands that hold a natural


def _cards(random: Random, ranks: Sequence[str]) -> list[str]:
    """Cards of these ranks, in suits drawn by lot."""
    suits = {rank: random.sample(SUITS, 4) for rank in ranks}
    return [rank + suits[rank].pop() for rank in ranks]


def _filled(random: Random, cards: Sequence[str]) -> list[str]:
    """Any other cards to make up thirteen."""
    rest = [card for card in DECK if card not in cards]
    return [*cards, *random.sample(rest, 13 - len(cards))]


def _run(random: Random, length: int) -> str:
    low = random.randrange(len(ACE_LOW) - length + 1)
    return ACE_LOW[low : low + length]


def _suited_dragon(random: Random) -> list[str]:
    suit = random.choice(SUITS)
    return [rank + suit for rank in RANKS]


def _dragon(random: Random) -> list[str]:
    return _cards(random, RANKS)


def _twelve_royals(random: Random) -> list[str]:
    royals = [card for card in DECK if card[0] in "JQKA"]
    return _filled(random, random.sample(royals, random.choice((12, 13))))


def _three_straight_flushes(random: Random) -> list[str]:
    while True:
        parts = [[rank + random.choice(SUITS) for rank in _run(random, size)] for size in (3, 5, 5)]
        hand = [card[0] + part[0][1] for part in parts for card in part]
        if len(set(hand)) == 13:
            return hand


def _three_quads(random: Random) -> list[str]:
    return _filled(random, [rank + suit for rank in random.sample(RANKS, 3) for suit in SUITS])


def _out_of(ranks: str) -> Callable[[Random], list[str]]:
    return lambda random: random.sample([card for card in DECK if card[0] in ranks], 13)


def _one_colour(random: Random) -> list[str]:
    suits = random.choice(("cs", "dh"))
    return random.sample([card for card in DECK if card[1] in suits], 13)


def _twelve_of_a_suit(random: Random) -> list[str]:
    suit = random.choice(SUITS)
    return _filled(random, [rank + suit for rank in random.sample(RANKS, 12)])


def _four_trips(random: Random) -> list[str]:
    return _filled(random, _cards(random, [rank for rank in random.sample(RANKS, 4) for _ in range(3)]))


def _pairs(random: Random, count: int) -> list[str]:
    """Ranks of pairs; one rank twice is four of a kind."""
    return [rank for rank in random.sample(RANKS * 2, count) for _ in range(2)]


def _five_pairs_and_trips(random: Random) -> list[str]:
    pairs = _pairs(random, 5)
    trips = random.choice([rank for rank in RANKS if rank not in pairs])
    return _cards(random, [*pairs, *trips * 3])


def _six_pairs(random: Random) -> list[str]:
    return _filled(random, _cards(random, _pairs(random, 6)))


def _three_flushes(random: Random) -> list[str]:
    while True:
        counts = Counter(dict.fromkeys(SUITS, 0))
        for size in (3, 5, 5):
            counts[random.choice(SUITS)] += size
        if max(counts.values()) <= 13:
            return [rank + suit for suit, count in counts.items() for rank in random.sample(RANKS, count)]


def _three_straights(random: Random) -> list[str]:
    return _cards(random, _run(random, 3) + _run(random, 5) + _run(random, 5))


PATTERNS: Mapping[str, Callable[[Random], list[str]]] = {
    "suited_dragon": _suited_dragon,
    "dragon": _dragon,
    "twelve_royals": _twelve_royals,
    "three_straight_flushes": _three_straight_flushes,
    "three_quads": _three_quads,
    "all_big": _out_of("89TJQKA"),
    "all_small": _out_of("2345678"),
    "one_colour": _one_colour,
    "twelve_of_a_suit": _twelve_of_a_suit,
    "four_trips": _four_trips,
    "five_pairs_and_trips": _five_pairs_and_trips,
    "six_pairs": _six_pairs,
    "three_flushes": _three_flushes,
    "three_straights": _three_straights,
}
"""A maker of hands for each natural."""


def swapped(random: Random, hand: Sequence[str]) -> list[str]:
    """The hand with one card changed for another: often a near miss."""
    changed = list(hand)
    changed[random.randrange(13)] = random.choice([card for card in DECK if card not in hand])
    return changed


# ----------------------------------------------------------------------------------------------------
# Arrangements

Segments = tuple[list[str], list[str], list[str]]


def _runs_first(hand: Sequence[str]) -> list[str]:
    """One card of each rank from the lowest of the longest run on, then the others."""
    by_rank = {card[0]: card for card in hand}
    ranks = [rank for rank in RANKS if rank in by_rank]
    starts = [low for low in range(9) if RANKS[low : low + 5] in "".join(ranks) and low + 5 <= 13]
    run = [by_rank[rank] for rank in RANKS[starts[-1] : starts[-1] + 5]] if starts else []
    return run + [card for card in hand if card not in run]


def arranged(random: Random, hand: Sequence[str]) -> Segments:
    """A hand set as a player might: by groups, by suits, by runs, or by lot; legal, nearly legal, or neither."""
    ranks = Counter(card[0] for card in hand)
    suits = Counter(card[1] for card in hand)
    ways = (
        lambda: sorted(hand, key=lambda card: (ranks[card[0]], rank_of(card)), reverse=True),
        lambda: sorted(hand, key=lambda card: (suits[card[1]], card[1], rank_of(card)), reverse=True),
        lambda: _runs_first(hand),
        lambda: random.sample(list(hand), 13),
    )
    order = random.choices(ways, (6, 3, 2, 1))[0]()
    if random.random() < 0.5:  # the pairs of the middle go to the front, and the like
        place, other = random.randrange(5, 13), random.randrange(13)
        order[place], order[other] = order[other], order[place]
    back, middle, front = order[:5], order[5:10], order[10:]
    if random.random() < 0.9 and strength(middle) > strength(back):
        middle, back = back, middle
    if random.random() < 0.02:  # 4-4-5
        front.append(middle.pop())
    return front, middle, back


# ----------------------------------------------------------------------------------------------------
# Deals

Player = dict[str, Any]


def _shuffled_hands(random: Random, seats: int) -> list[list[str]]:
    deck = random.sample(DECK, 52)
    return [deck[13 * seat : 13 * seat + 13] for seat in range(seats)]


def _clumped_hands(random: Random, seats: int) -> list[list[str]]:
    """Cards of a rank, or of a suit, lie together: many quads, full houses and straight flushes."""
    by_rank = random.random() < 0.5
    noise = random.uniform(0.5, 6)
    places = {card: (RANKS.index(card[0]) if by_rank else 3 * SUITS.index(card[1])) for card in DECK}
    lots = {card: places[card] + random.uniform(0, noise) for card in DECK}
    deck = sorted(DECK, key=lots.__getitem__)
    return [deck[13 * seat : 13 * seat + 13] for seat in range(seats)]


def _natural_hands(random: Random, seats: int) -> list[list[str]]:
    """A natural, or nearly, in the first seat, and often another in the second."""
    hands = [random.choice(list(PATTERNS.values()))(random)]
    if random.random() < 0.3:
        hands[0] = swapped(random, hands[0])
    for _ in range(20 if random.random() < 0.6 and seats > 1 else 0):
        other = random.choice(list(PATTERNS.values()))(random)
        if not set(other) & set(hands[0]):
            hands.append(other)
            break
    rest = [card for card in DECK if not any(card in hand for hand in hands)]
    random.shuffle(rest)
    return [*hands, *(rest[13 * seat : 13 * seat + 13] for seat in range(seats - len(hands)))]


def _mirrored_sets(random: Random, seats: int) -> list[Segments]:
    """All seats hold the same ranks in the same segments, in different suits; a card or two then change places."""
    ranks = list(RANKS)
    if random.random() < 0.5:  # A-2-3, runs
        cut = random.choice((0, 3, 5, 8))
        ranks = ranks[cut:] + ranks[:cut]
    else:
        random.shuffle(ranks)
    flush = random.random() < 0.3
    suits = [0] * 13 if flush else [random.randrange(4) for _ in range(13)]
    sets = []
    for seat in range(seats):
        cards = [rank + SUITS[(suit + seat) % 4] for rank, suit in zip(ranks, suits, strict=True)]
        parts = sorted((cards[3:8], cards[8:]), key=strength)
        sets.append((cards[:3], *parts))
    for _ in range(random.choice((0, 0, 1, 2))):
        one, other = random.choice(sets), random.choice(sets)
        part = random.randrange(3)
        i, j = random.randrange(len(one[part])), random.randrange(len(other[part]))
        one[part][i], other[part][j] = other[part][j], one[part][i]
    return sets


def _paired_sets(random: Random, seats: int) -> list[Segments]:
    """Two seats with pairs of equal ranks in each segment, the kickers sometimes equal; the others as it comes."""
    a, b, c, d, e, *kickers = random.sample(RANKS, 13)
    fives = [[b, b, kickers[0], kickers[1], kickers[2]], [c, c, d, d, kickers[3]]]
    front = [a, a, kickers[4]] if random.random() < 0.7 else [e, kickers[4], kickers[5]]
    suits = {rank: random.sample(SUITS, 4) for rank in RANKS}
    sets = []
    for _ in range(2):
        parts = [[rank + suits[rank].pop() for rank in part] for part in (front, *fives)]
        parts[1:] = sorted(parts[1:], key=strength)
        sets.append((parts[0], parts[1], parts[2]))
    rest = [card for card in DECK if not any(card in part for three in sets for part in three)]
    if random.random() < 0.5:
        part = random.randrange(3)
        rest[0], sets[0][part][-1] = sets[0][part][-1], rest[0]
    random.shuffle(rest)
    return [*sets, *(arranged(random, rest[13 * seat : 13 * seat + 13]) for seat in range(seats - 2))]


_NATURAL_CHANCE = {"shuffled": 0.05, "clumped": 0.1, "natural": 0.8, "mirrored": 0.4, "paired": 0.1}
"""How often a player looks for a natural to declare; from the third seat on half as often."""


KINDS: Mapping[str, Sequence[str]] = {
    "random": ("shuffled",),
    "nasty": ("shuffled", "clumped", "clumped", "natural", "natural", "mirrored", "paired"),
}
"""How the hands of a deal come about, each as likely as the others."""


def deal_of(kind: str, random: Random, house: Mapping[str, Any]) -> tuple[list[Player | None], int | None]:
    """A deal for a house of the referee's, and the banker's seat if there is one.

    Ties, bonus hands, naturals declared and not, fouls of every kind, surrender, vacant seats.

    :param kind: one of :data:`KINDS`.
    """
    seats = random.choice((2, 2, 3, 4, 4, 4))
    kind = random.choice(KINDS[kind])
    if kind == "mirrored":
        sets = _mirrored_sets(random, seats)
    elif kind == "paired":
        sets = _paired_sets(random, seats)
    else:
        maker = {"shuffled": _shuffled_hands, "clumped": _clumped_hands, "natural": _natural_hands}[kind]
        sets = [arranged(random, hand) for hand in maker(random, seats)]
    players: list[Player | None] = []
    for seat, (front, middle, back) in enumerate(sets):
        player: Player = {"front": front, "middle": middle, "back": back}
        hand = front + middle + back
        if house["surrender"] is not None and random.random() < 0.1:
            player["surrender"] = True
        elif house["naturals"] and random.random() < _NATURAL_CHANCE[kind] / (1 + seat // 2):
            held = sorted(naturals(hand, house["big"], house["small"]) & set(house["naturals"]))
            if held:
                player = {"hand": hand} if random.random() < 0.5 else player
                player["declare"] = random.choice(held)
        elif random.random() < 0.02:
            random.shuffle(hand)
            player = {"front": hand[:3], "middle": hand[3:8], "back": hand[8:]}
        players.append(player)
    random.shuffle(players)
    players += [None] * random.choice((0, 0, 4 - seats))
    if random.random() < 0.5:
        random.shuffle(players)
    taken = [seat for seat, player in enumerate(players) if player]
    has_bank = house["banker"] == "must" or (house["banker"] == "may" and random.random() < 0.6)
    return players, random.choice(taken) if has_bank else None


def nasty_deal(random: Random, house: Mapping[str, Any]) -> tuple[list[Player | None], int | None]:
    """A deal made to be hard."""
    return deal_of("nasty", random, house)
