"""A second opinion on Chinese Poker, for tests only.

It shares no code with the package. It sorts, counts and compares, as plainly as it can, so that a
disagreement between the two is worth a look. Cards are two-character strings: ``As``, ``Td``.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

RANKS = "23456789TJQKA"
SEGMENTS = ("front", "middle", "back")
CATEGORIES = (
    "high_card",
    "one_pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
)
FOUR_OF_SOURCE = ("dragon", "six_pairs", "three_flushes", "three_straights")

# ----------------------------------------------------------------------------------------------------
# The houses: what differs from this default.

DEFAULT: dict[str, Any] = {
    "wheel": "lowest",
    "middle_may_equal_back": True,
    "majority": 0,  # added for at least two of the three segments won
    "scoop": 0,  # added for all three segments won
    "scoop_factor": 1,
    "home_run_factor": None,  # in place of the scoop factor; None: no home run
    "factor_on": "regular",  # or "all": bonuses are multiplied too
    "bonuses": {},  # (segment, category) -> units
    "bonus_mode": "replace",  # of the 1 of the won segment, or "add" to it
    "bonus_to": "winner",  # of the segment, or "both": each player for his own segment
    "regular_trips": 1,  # what a won front with trips is worth as a regular unit
    "cap": None,  # of the bonus units that one player takes from one opponent
    "ties": "push",  # "suit"; "banker" applies where there is a banker
    "banker": "no",  # "may" or "must" be given
    "foul": 4,
    "surrender": None,
    "naturals": {},  # name -> units, best kind first
    "two_naturals": "dragon",  # "worth", "kind" or "difference"
    "big": "89TJQKA",
    "small": "2345678",
}

TABLE_T = {
    ("front", "three_of_a_kind"): 3,
    ("middle", "full_house"): 2,
    ("middle", "four_of_a_kind"): 8,
    ("middle", "straight_flush"): 10,
    ("back", "four_of_a_kind"): 4,
    ("back", "straight_flush"): 5,
}

HOUSES: dict[str, dict[str, Any]] = {
    "basic": {"majority": 1, "naturals": dict.fromkeys(FOUR_OF_SOURCE, 4)},
    "western": {"majority": 1, "naturals": dict.fromkeys(FOUR_OF_SOURCE, 4)},
    "eastern": {"bonuses": TABLE_T, "naturals": dict.fromkeys(FOUR_OF_SOURCE, 3)},
    "mandarin": {
        "scoop_factor": 2,
        "home_run_factor": 3,
        "regular_trips": 3,
        "bonuses": {
            ("middle", "full_house"): 2,
            ("middle", "four_of_a_kind"): 8,
            ("middle", "straight_flush"): 10,
            ("back", "four_of_a_kind"): 4,
            ("back", "straight_flush"): 5,
        },
        "bonus_mode": "add",
        "naturals": dict.fromkeys(FOUR_OF_SOURCE, 6),
    },
    "units-only": {"foul": 3},
    "us-2-4": {"majority": 1, "surrender": 3, "naturals": dict.fromkeys(FOUR_OF_SOURCE, 4)},
    "us-1-4": {"scoop": 1, "surrender": 3, "naturals": dict.fromkeys(FOUR_OF_SOURCE, 4)},
    "us-1-6": {"scoop": 3, "foul": 6, "surrender": 3, "naturals": dict.fromkeys(FOUR_OF_SOURCE, 6)},
    "swc": {
        "majority": 1,
        "surrender": 3,
        "bonuses": {
            ("front", "three_of_a_kind"): 2,
            ("middle", "full_house"): 1,
            ("middle", "four_of_a_kind"): 3,
            ("middle", "straight_flush"): 4,
            ("back", "four_of_a_kind"): 3,
            ("back", "straight_flush"): 4,
        },
        "bonus_mode": "add",
        "naturals": dict.fromkeys(FOUR_OF_SOURCE, 4),
    },
    "palomar-eastern": {"bonuses": TABLE_T, "cap": 12, "naturals": dict.fromkeys(FOUR_OF_SOURCE, 3)},
    "washington": {"middle_may_equal_back": False, "foul": 3},
    "california-mandarin": {
        "scoop_factor": 2,
        "home_run_factor": 3,
        "bonuses": TABLE_T,
        "bonus_mode": "add",
        "naturals": dict.fromkeys(FOUR_OF_SOURCE, 6),
    },
    "hong-kong": {
        "bonuses": TABLE_T,
        "ties": "banker",
        "banker": "may",
        "foul": 3,
        "big": "56789TJQKA",
        "small": "A23456789T",
        "naturals": {
            "dragon": 13,
            "all_big": 3,
            "all_small": 3,
            "six_pairs": 3,
            "three_flushes": 3,
            "three_straights": 3,
        },
        "two_naturals": "worth",
    },
    "taiwan": {
        "scoop_factor": 2,
        "home_run_factor": 4,
        "factor_on": "all",
        "bonuses": TABLE_T,
        "foul": 6,
        "naturals": {
            "suited_dragon": 108,
            "dragon": 36,
            "twelve_royals": 24,
            "three_straight_flushes": 22,
            "three_quads": 20,
            "all_big": 15,
            "all_small": 12,
            "one_colour": 10,
            "four_trips": 6,
            "five_pairs_and_trips": 5,
            "six_pairs": 4,
            "three_flushes": 3,
            "three_straights": 3,
        },
        "two_naturals": "worth",
    },
    "fujian": {
        "scoop_factor": 2,
        "home_run_factor": 4,
        "factor_on": "all",
        "bonuses": TABLE_T,
        "foul": 6,
        "naturals": {
            "suited_dragon": 104,
            "dragon": 52,
            "four_trips": 52,
            "three_quads": 52,
            "three_straight_flushes": 26,
            "twelve_royals": 26,
            "all_big": 6,
            "all_small": 6,
            "one_colour": 6,
            "five_pairs_and_trips": 6,
            "six_pairs": 6,
            "three_flushes": 6,
            "three_straights": 6,
        },
        "two_naturals": "worth",
    },
    "vietnam": {
        "wheel": "second_highest",
        "scoop_factor": 2,
        "home_run_factor": 4,
        "factor_on": "all",
        "bonuses": TABLE_T,
        "foul": 6,
        "naturals": {
            "suited_dragon": 26,
            "dragon": 13,
            "five_pairs_and_trips": 6,
            "six_pairs": 3,
            "three_flushes": 3,
            "three_straights": 3,
        },
        "two_naturals": "kind",
    },
    "indonesia": {
        "scoop_factor": 2,
        "home_run_factor": 4,
        "bonuses": {
            ("front", "three_of_a_kind"): 6,
            ("middle", "full_house"): 4,
            ("middle", "four_of_a_kind"): 16,
            ("middle", "straight_flush"): 20,
            ("back", "four_of_a_kind"): 8,
            ("back", "straight_flush"): 10,
        },
        "ties": "suit",
        "foul": 3,
    },
    "philippines": {"scoop_factor": 2, "ties": "banker", "banker": "may", "foul": 6},
    "malaya": {
        "bonuses": {
            ("front", "three_of_a_kind"): 2,
            ("middle", "full_house"): 2,
            ("middle", "four_of_a_kind"): 6,
            ("middle", "straight_flush"): 8,
            ("back", "four_of_a_kind"): 4,
            ("back", "straight_flush"): 6,
        },
        "bonus_mode": "add",
        "bonus_to": "both",
        "ties": "banker",
        "banker": "must",
        "foul": 3,
        "naturals": {
            "suited_dragon": 26,
            "twelve_royals": 18,
            "three_straight_flushes": 18,
            "three_quads": 16,
            "all_big": 10,
            "all_small": 10,
            "one_colour": 10,
            "four_trips": 6,
            "five_pairs_and_trips": 5,
            "six_pairs": 4,
            "three_straights": 4,
            "three_flushes": 3,
        },
        "two_naturals": "difference",
    },
    "panclub": {
        "foul": 3,
        "naturals": {
            "suited_dragon": 13,
            "dragon": 13,
            "twelve_of_a_suit": 8,
            "five_pairs_and_trips": 4,
            "three_straights": 4,
            "three_flushes": 3,
            "six_pairs": 3,
        },
        "two_naturals": "kind",
    },
}

# ----------------------------------------------------------------------------------------------------
# Segments


def rank_of(card: str) -> int:
    """2 for a deuce ... 14 for an ace."""
    return RANKS.index(card[0]) + 2


def one_suit(cards: Sequence[str]) -> bool:
    """All cards of one suit."""
    return len({card[1] for card in cards}) == 1


def is_run(cards: Sequence[str]) -> bool:
    """Neighbours in rank; the ace is high or low, nothing wraps."""
    if len({card[0] for card in cards}) < len(cards):
        return False
    ranks = [rank_of(card) for card in cards]
    if max(ranks) - min(ranks) == len(ranks) - 1:
        return True
    low = [1 if rank == 14 else rank for rank in ranks]
    return max(low) - min(low) == len(low) - 1


def strength(cards: Sequence[str], wheel: str = "lowest") -> tuple[int, ...]:
    """The category's number, then the ranks from the most grouped down; the greater tuple wins.

    A tuple that runs out first is the lesser, so that a missing kicker is lower than a deuce.
    """
    if len(cards) not in (3, 5):
        raise ValueError(f"a segment has 3 or 5 cards, not {len(cards)}")
    counts = Counter(rank_of(card) for card in cards)
    groups = sorted(((count, rank) for rank, count in counts.items()), reverse=True)
    shape = [count for count, _ in groups]
    ranks = [rank for _, rank in groups]
    straight = len(cards) == 5 and is_run(cards)
    flush = len(cards) == 5 and one_suit(cards)
    if straight:
        if ranks != [14, 5, 4, 3, 2]:
            ranks = [ranks[0]]
        elif wheel == "second_highest":
            ranks = [13, 1]  # above (13,), below (14,)
        else:
            ranks = [5]
    tests = {
        "straight_flush": straight and flush,
        "four_of_a_kind": shape[0] == 4,
        "full_house": shape == [3, 2],
        "flush": flush,
        "straight": straight,
        "three_of_a_kind": shape[0] == 3,
        "two_pair": shape[:2] == [2, 2],
        "one_pair": shape[0] == 2,
        "high_card": True,
    }
    name = next(name for name, holds in tests.items() if holds)
    return (CATEGORIES.index(name), *ranks)


def category(cards: Sequence[str]) -> str:
    """The category's name; the best straight flush is a royal flush."""
    found = strength(cards)
    name = CATEGORIES[found[0]]
    return "royal_flush" if name == "straight_flush" and found[1] == 14 else name


def is_foul(
    front: Sequence[str],
    middle: Sequence[str],
    back: Sequence[str],
    wheel: str = "lowest",
    middle_may_equal_back: bool = True,
) -> bool:
    """Wrong sizes, or front above middle, or middle above back."""
    if (len(front), len(middle), len(back)) != (3, 5, 5):
        return True
    low, mid, high = strength(front, wheel), strength(middle, wheel), strength(back, wheel)
    if low > mid or mid > high:
        return True
    return mid == high and not middle_may_equal_back


# ----------------------------------------------------------------------------------------------------
# Naturals


def splits_into(hand: Sequence[str], fits: Callable[[Sequence[str]], bool], sizes: tuple[int, ...] = (3, 5, 5)) -> bool:
    """Whether the hand parts into three, five and five cards that all fit."""
    if not sizes:
        return True
    first, *others = hand  # the first card is in one of the parts: with which others?
    for size in set(sizes):
        left = list(sizes)
        left.remove(size)
        for chosen in combinations(others, size - 1):
            if fits((first, *chosen)):
                rest = [card for card in others if card not in chosen]
                if splits_into(rest, fits, tuple(left)):
                    return True
    return False


def runs(length: int) -> list[str]:
    """The ranks of every run; the ace is at both ends."""
    return [("A" + RANKS)[low : low + length] for low in range(15 - length)]


THREE_RUNS = {"".join(sorted(a + b + c)) for a, b, c in product(runs(3), runs(5), runs(5))}
"""The ranks of every hand that parts into three runs."""


def naturals(hand: Sequence[str], big: str = "89TJQKA", small: str = "2345678") -> set[str]:
    """The names of all naturals that the 13 cards hold."""
    if len(hand) != 13 or len(set(hand)) != 13:
        raise ValueError("a hand is 13 different cards")
    hand = sorted(hand, key=rank_of)
    counts = sorted(Counter(card[0] for card in hand).values(), reverse=True)
    suits = Counter(card[1] for card in hand)
    red = sum(card[1] in "hd" for card in hand)
    straights = "".join(sorted(card[0] for card in hand)) in THREE_RUNS
    flushes = any(Counter(3 * a + 5 * b + 5 * c) == suits for a, b, c in product("cdhs", repeat=3))
    held = {
        "dragon": len(counts) == 13,
        "suited_dragon": len(suits) == 1,
        "twelve_royals": sum(card[0] in "JQKA" for card in hand) >= 12,
        "three_straight_flushes": straights
        and flushes
        and splits_into(hand, lambda part: one_suit(part) and is_run(part)),
        "three_quads": counts.count(4) == 3,
        "four_trips": sum(count >= 3 for count in counts) == 4,
        "all_big": all(card[0] in big for card in hand),
        "all_small": all(card[0] in small for card in hand),
        "one_colour": red in (0, 13),
        "twelve_of_a_suit": max(suits.values()) >= 12,
        "five_pairs_and_trips": counts.count(3) == 1 and all(count in (2, 3, 4) for count in counts),
        "six_pairs": sum(count // 2 for count in counts) == 6,
        "three_flushes": flushes,
        "three_straights": straights,
    }
    return {name for name, holds in held.items() if holds}


# ----------------------------------------------------------------------------------------------------
# Scores

Player = Mapping[str, Any]


def house(rules: str) -> dict[str, Any]:
    """All values of one house."""
    return {**DEFAULT, **HOUSES[rules]}


def best_natural(player: Player, values: dict[str, Any]) -> str | None:
    """The best natural of a player who declares one, as the house pays them."""
    if not player.get("declare"):
        return None
    hand = list(player.get("hand") or [card for name in SEGMENTS for card in player[name]])
    held = naturals(hand, values["big"], values["small"])
    if player["declare"] not in held:
        raise ValueError(f"the hand does not hold {player['declare']}")
    worth: dict[str, int] = values["naturals"]
    kinds = [name for name in worth if name in held]  # the best kind first
    if not kinds:
        raise ValueError("the house pays no natural that this hand holds")
    return max(kinds, key=lambda name: worth[name])  # the first of equal ones


def state_of(player: Player, values: dict[str, Any]) -> tuple[str, str | None]:
    """What a player comes to the showdown with, and the natural if it is one."""
    if player.get("surrender"):
        if values["surrender"] is None:
            raise ValueError("the house knows no surrender")
        return "surrender", None
    natural = best_natural(player, values)
    if natural is not None:
        return "natural", natural
    front, middle, back = (list(player[name]) for name in SEGMENTS)
    if is_foul(front, middle, back, values["wheel"], values["middle_may_equal_back"]):
        return "foul", None
    return "set", None


def leading_suit(cards: Sequence[str]) -> int:
    """The best suit (S > H > C > D) in the rank group that leads the segment's strength."""
    leading = strength(cards)[1]
    return max("dchs".index(card[1]) for card in cards if rank_of(card) == leading)


def segment_winner(mine: Sequence[str], other: Sequence[str], values: dict[str, Any], bank: int) -> int:
    """1 if mine wins, -1 if the other does, 0 for a tie. `bank` likewise says who holds the bank."""
    left, right = strength(mine, values["wheel"]), strength(other, values["wheel"])
    if left != right:
        return 1 if left > right else -1
    if values["ties"] == "banker":
        return bank
    if values["ties"] == "suit":
        return 1 if leading_suit(mine) > leading_suit(other) else -1
    return 0


def winners(mine: Player, other: Player, values: dict[str, Any], bank: int) -> list[int]:
    """Front, middle and back: 1, -1 or 0."""
    return [segment_winner(mine[name], other[name], values, bank) for name in SEGMENTS]


def bonus_of(segment: str, cards: Sequence[str], values: dict[str, Any]) -> int:
    """What the house pays for these cards there; a royal flush is a straight flush."""
    return int(values["bonuses"].get((segment, category(cards).replace("royal", "straight")), 0))


def takings(player: Player, won: list[bool], values: dict[str, Any], home_run: bool) -> int:
    """What one player takes from one opponent."""
    regular = bonus = 0
    for name, is_won in zip(SEGMENTS, won, strict=True):
        extra = bonus_of(name, player[name], values)
        if is_won:
            trips = name == "front" and category(player[name]) == "three_of_a_kind"
            if values["bonus_mode"] == "add" or not extra:
                regular += values["regular_trips"] if trips else 1
            bonus += extra
        elif values["bonus_to"] == "both":
            bonus += extra
    if values["cap"] is not None:
        bonus = min(bonus, values["cap"])
    added = values["majority"] if sum(won) >= 2 else 0
    factor = 1
    if all(won):
        added += values["scoop"]
        factor = values["home_run_factor"] if home_run else values["scoop_factor"]
    if values["factor_on"] == "all":
        bonus *= factor
    return int(regular * factor + bonus + added)


def two_naturals(mine: str, other: str, values: dict[str, Any]) -> int:
    """What the first natural takes from the second."""
    left, right = values["naturals"][mine], values["naturals"][other]
    if values["two_naturals"] == "difference":
        return int(left - right)
    if values["two_naturals"] == "worth":
        above = left - right
    elif values["two_naturals"] == "kind":
        kinds = list(values["naturals"])
        above = kinds.index(other) - kinds.index(mine)
    else:
        above = (mine == "dragon") - (other == "dragon")
    if above > 0:
        return int(left)
    return -int(right) if above < 0 else 0


def score(
    players: Sequence[Player | None], rules: str, banker: int | None = None
) -> tuple[list[int], dict[tuple[int, int], int]]:
    """Each seat's total, and for each matchup played what the first of the two takes from the second."""
    values = house(rules)
    if banker is not None and (values["banker"] == "no" or players[banker] is None):
        raise ValueError("no banker there")
    if banker is None and values["banker"] == "must":
        raise ValueError("the house needs a banker")
    seated = {seat: player for seat, player in enumerate(players) if player is not None}
    states = {seat: state_of(player, values) for seat, player in seated.items()}
    pairs = [pair for pair in combinations(seated, 2) if banker is None or banker in pair]

    def bank(one: int, two: int) -> int:
        return (one == banker) - (two == banker)

    def scoops(one: int, two: int) -> bool:
        if states[one][0] != "set" or states[two][0] != "set":
            return False
        return winners(seated[one], seated[two], values, bank(one, two)) == [1, 1, 1]

    def home_run(one: int) -> bool:
        if values["home_run_factor"] is None or len(seated) != 4 or banker is not None:
            return False
        return all(scoops(one, two) for two in seated if two != one)

    def pays_instead(one: int, two: int) -> int:
        """What `two` pays `one` because `two` surrendered, fouled or meets a natural."""
        kind, natural = states[one]
        against, _ = states[two]
        if against == "surrender":
            return int(values["surrender"]) if kind in ("set", "natural") else 0
        if kind == "natural" and natural is not None and against != "natural":
            return int(values["naturals"][natural])
        if against == "foul":
            return int(values["foul"]) if kind == "set" else 0
        return 0

    matchups: dict[tuple[int, int], int] = {}
    for one, two in pairs:
        mine, other = states[one][1], states[two][1]
        if states[one][0] == states[two][0] == "set":
            wins = winners(seated[one], seated[two], values, bank(one, two))
            gain = takings(seated[one], [win > 0 for win in wins], values, home_run(one))
            loss = takings(seated[two], [win < 0 for win in wins], values, home_run(two))
            units = gain - loss
        elif mine is not None and other is not None:
            units = two_naturals(mine, other, values)
        else:
            units = pays_instead(one, two) - pays_instead(two, one)
        matchups[one, two] = units
    totals = [0] * len(players)
    for (one, two), units in matchups.items():
        totals[one] += units
        totals[two] -= units
    return totals, matchups
