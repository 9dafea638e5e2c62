"""The arrangement to play: exact search, expected value, and the reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from .arrangement import SEGMENTS, SIZES, Arrangement, card_problems, parse_hand
from .cards import DECK, Card, format_cards, grouped, parse_cards
from .deal import SEATS, Deal, labels
from .engine.field import Field, candidates, judged
from .engine.search import legal_count, undominated
from .engine.settlement import settlement
from .engine.value import Odds, Table, Values, odds, value
from .errors import DealError
from .evaluate import Strength
from .naturals import Natural, find_naturals
from .opponents import POOL_SERVES, Drawn, draw, draw_tables
from .rules import Banker, RuleSet
from .score import played_naturals, score
from .shown import ShownAsText
from .strategy import Strategy, registered

AGAINST = "equilibrium"
"""The strategy that opponents play where nothing else is said."""
SAMPLES = POOL_SERVES
"""Opponents that a value is sampled from at most, where nothing else is said."""
TABLES = 600
"""Whole tables that home runs are sampled from."""


@dataclass(frozen=True)
class Suggestion:
    """One arrangement with what it is worth; figures are units per opponent and chances against one."""

    arrangement: Arrangement
    strengths: tuple[Strength, Strength, Strength]
    ev: float
    error: float
    """Standard error of ``ev``."""
    behind: float
    """How much less than the best suggestion."""
    behind_error: float
    """Standard error of ``behind``: all suggestions meet the same opponents, so it is the smaller one."""
    odds: Odds


@dataclass(frozen=True)
class Offer:
    """What ends the hand without comparing: declaring a natural, or surrendering."""

    ev: float
    error: float


@dataclass(frozen=True)
class Suggestions(ShownAsText):
    """What to do with a hand, best first."""

    hand: tuple[Card, ...]
    rules: RuleSet
    opponents: int
    against: str
    legal: int
    """How many of the 72,072 arrangements are no foul."""
    undominated: int
    """How many triples of strengths no legal arrangement dominates."""
    naturals: dict[Natural, Arrangement]
    """The naturals of the rule set that the hand holds, highest first, each with its witness."""
    declare: Offer | None
    surrender: Offer | None
    suggestions: tuple[Suggestion, ...]
    samples: int
    """How many opponents' hands the suggestions met."""
    how: str
    """``exact``; ``separated``: the best surely leads; ``budget``: the next best may be as good."""

    @property
    def best(self) -> Suggestion:
        """The suggestion that is worth most."""
        return self.suggestions[0]

    @property
    def advice(self) -> str:
        """``declare``, ``surrender`` or ``play``, whichever is worth most.

        >>> from chinese_poker.presets import load_rules
        >>> suggest("2h3s3d4c4h5s6d7cTsJhQdKcAs", load_rules("basic"), samples=500).advice
        'declare'
        """
        offers = {"play": self.best.ev}
        offers |= {"declare": self.declare.ev} if self.declare else {}
        offers |= {"surrender": self.surrender.ev} if self.surrender else {}
        return max(offers, key=lambda offer: offers[offer])


def suggest(
    hand: str | Iterable[str | Card],
    rules: RuleSet,
    *,
    opponents: int | None = None,
    against: str | Strategy = AGAINST,
    known: Sequence[Arrangement] = (),
    dead: str | Iterable[str | Card] = (),
    samples: int = SAMPLES,
    seed: int = 0,
    top: int = 3,
    banks: bool | None = None,
) -> Suggestions:
    """The best arrangements of 13 cards.

    :param opponents: 1 to 3, known ones included; all known ones where there are some, else as many as the unseen
        cards make up hands for, 3 at most (1 against a banker).
    :param against: the strategy of the unknown opponents, by its name if it comes with the package.
    :param known: opponents' arrangements; their cards are seen.
    :param dead: other cards that no opponent holds.
    :param samples: opponents' hands to sample at most.
    :param top: how many suggestions.
    :param banks: in a banker game whether the hand is the banker's, or a player's against the banker.
    :raises CardError: ``unknown_card``.
    :raises ArrangementError: ``wrong_count`` or ``duplicate_card``.
    :raises DealError: ``duplicate_card`` among all cards seen, ``bad_option``, ``unknown_strategy``.

    >>> from chinese_poker.presets import load_rules
    >>> they = Arrangement.parse("QsQh4d | AsAh9c7d2s | KdKc8s8h3c")
    >>> found = suggest("JdJc5s QdQc9d6s2c AdAc5h5d3d", load_rules("basic"), known=[they])
    >>> found.best.ev, found.how, str(found.best.arrangement)
    (4.0, 'exact', 'Qd Qc 6s | Ad Ac Jd 3d 2c | 5s 5h 5d Jc 9d')
    """
    cards = parse_hand(hand)
    seen = _seen(cards, known, parse_cards(dead))
    table = _table(seen, rules, opponents, against, known, samples, seed, top, banks)

    mine = candidates(np.array(cards, np.int8), rules)
    values = value(mine, table, top=top)
    rows = values.rows[:top]
    chances = odds(mine[rows], table)
    suggestions = tuple(
        _suggestion(mine.cards[row], rules, values, place, chances[place]) for place, row in enumerate(rows)
    )
    settled = settlement(rules)
    held_naturals = played_naturals(cards, rules)
    witnesses = find_naturals(cards, big=rules.naturals.big, small=rules.naturals.small) if held_naturals else {}
    given_up = [i for i, state in enumerate(settled.states) if state.surrender]
    equal = rules.middle_may_equal_back
    return Suggestions(
        hand=cards,
        rules=rules,
        opponents=table.opponents,
        against=_player(against).name,
        legal=int(legal_count(cards, wheel=rules.wheel, middle_may_equal_back=equal)[0]),
        undominated=len(undominated(cards, wheel=rules.wheel, middle_may_equal_back=equal)),
        naturals={natural: witnesses[natural] for natural in held_naturals},
        declare=_offer(settled.naturals[held_naturals[0]], table) if held_naturals else None,
        surrender=_offer(given_up[0], table) if given_up else None,
        suggestions=suggestions,
        samples=values.samples,
        how=values.how,
    )


def _seen(hand: Sequence[Card], known: Sequence[Arrangement], dead: Sequence[Card]) -> list[Card]:
    seen: dict[Card, str] = {}
    parts = {"the hand": hand, **{f"opponent {i}": other.cards for i, other in enumerate(known, start=1)}}
    for owner, held in parts.items():
        for problem in card_problems({"": held}, seen, owner):
            raise DealError(problem.code, problem.message)
    for card in dead:
        if card in seen:
            raise DealError("duplicate_card", f"dead card {card} is also in {seen[card]}; a deal holds each card once")
        seen[card] = "the dead cards"
    return list(seen)


def _table(
    seen: Sequence[Card],
    rules: RuleSet,
    opponents: int | None,
    against: str | Strategy,
    known: Sequence[Arrangement],
    samples: int,
    seed: int,
    top: int,
    banks: bool | None,
) -> Table:
    most = 1 if banks is False else min(3, (52 - len(seen)) // 13)
    count = opponents if opponents is not None else len(known) or most
    for fault in _option_faults(len(seen), rules, count, known, samples, top, banks):
        raise DealError("bad_option", fault)
    unknown = count - len(known)
    player = _player(against)
    met = _played(known, rules)
    nobody = met[slice(0, 0)]
    at = np.array(seen, np.int8)
    drawn = draw(at, player, rules, count + 1, samples, seed) if unknown else Drawn(nobody, np.arange(0), exact=True)
    tables = nobody
    if rules.pays_home_runs(count + 1):
        tables = met
        if unknown:
            deals = len(drawn.field) if drawn.exact else TABLES
            unseen = np.setdiff1d(np.arange(52), at)
            others = drawn.field if drawn.exact else draw_tables(unseen, player, rules, count + 1, unknown, deals, seed)
            rows = [
                np.tile(np.arange(len(known)), (deals, 1)),
                len(known) + np.arange(deals * unknown).reshape(deals, -1),
            ]
            tables = Field.joined([met, others])[np.concatenate(rows, axis=1).ravel()]
    return Table(rules, met, unknown, drawn.field, drawn.origins, drawn.exact, tables, banks)


def _player(against: str | Strategy) -> Strategy:
    return registered(against) if isinstance(against, str) else against


def _played(arrangements: Sequence[Arrangement], rules: RuleSet) -> Field:
    """Arrangements as they were played; one of other sizes than 3, 5 and 5 is a foul."""
    cards = np.array([played.cards for played in arrangements], np.int8).reshape(-1, 13)
    foul = settlement(rules).foul
    return judged(cards, rules, [-1 if tuple(map(len, played.segments)) == SIZES else foul for played in arrangements])


def _option_faults(
    seen: int, rules: RuleSet, count: int, known: Sequence[Arrangement], samples: int, top: int, banks: bool | None
) -> Iterator[str]:
    if not 1 <= count <= 3:
        yield f"{count} opponents; a deal has 1 to 3"
    if len(known) > count:
        yield f"{len(known)} known opponents of {count}; name as many opponents as there are"
    if 13 * (count - len(known)) > 52 - seen:
        yield f"{52 - seen} cards are not seen; {count - len(known)} unknown opponents hold {13 * (count - len(known))}"
    if samples < 1 or top < 1:
        yield "sample at least 1 opponent, and ask for at least 1 suggestion"
    if banks is not None and rules.banker is Banker.NONE:
        yield f"{rules.name} is played without a banker; leave the bank out"
    if banks is None and rules.banker is Banker.REQUIRED:
        yield f"{rules.name} is played against a banker; say whose the bank is, mine or theirs"
    if banks is False and count > 1:
        yield f"{count} opponents; against the bank there is 1"


def _suggestion(dealt: Sequence[int], rules: RuleSet, values: Values, place: int, chances: Odds) -> Suggestion:
    arrangement = _arranged(dealt)
    strengths = cast(tuple[Strength, Strength, Strength], arrangement.judge(rules.wheel).strengths)
    figures = (values.mean, values.error, values.behind, values.behind_error)
    ev, error, behind, behind_error = (float(figure[place]) for figure in figures)
    return Suggestion(arrangement, strengths, ev, error, behind, behind_error, chances)


def _arranged(dealt: Sequence[int]) -> Arrangement:
    arrangement = Arrangement.of(DECK[card] for card in dealt)
    return Arrangement(*map(grouped, arrangement.segments))


def _offer(state: int, table: Table) -> Offer:
    """What a state that compares nothing is worth at the table."""
    none = Field(np.zeros((1, 13), np.int8), np.zeros((1, 3), np.int16), np.array([state], np.int16))
    values = value(none, table)
    return Offer(float(values.mean[0]), float(values.error[0]))


@dataclass(frozen=True)
class Review:
    """What a player's arrangement gave away, in units against all opponents together."""

    played: Arrangement
    best: Arrangement
    """The best before any card but the hand was seen."""
    given_away: float
    error: float
    """Standard error of ``given_away``."""
    best_seen: Arrangement
    """The best against what the opponents set."""
    given_away_seen: int


def review(
    played: Arrangement,
    rules: RuleSet,
    others: Sequence[Arrangement],
    *,
    opponents: int | None = None,
    against: str | Strategy = AGAINST,
    samples: int = SAMPLES,
    seed: int = 0,
    banks: bool | None = None,
) -> Review:
    """What an arrangement gave away against the best one: before the cards were seen, and against what happened.

    :param others: what the opponents set, at least one of them.
    :param opponents: how many there were, if some declared a natural or surrendered; nothing was lost to those.
    :raises DealError: as :func:`suggest` does.

    >>> from chinese_poker.presets import load_rules
    >>> they = Arrangement.parse("QsQh4d | AsAh9c7d2s | KdKc8s8h3c")
    >>> review(Arrangement.parse("JdJc5s | QdQc9d6s2c | AdAc5h5d3d"), load_rules("basic"), [they]).given_away_seen
    6
    """
    count = len(others) if opponents is None else opponents
    unseen = _table(_seen(played.cards, (), ()), rules, count, against, (), samples, seed, 1, banks)
    seen = _table(_seen(played.cards, others, ()), rules, len(others), against, others, samples, seed, 1, banks)
    hand = np.array(played.cards, np.int8)
    mine = Field.joined([_played([played], rules), candidates(hand, rules)])
    before, after = value(mine, unseen, keep=[0]), value(mine, seen)
    place, seen_place = (int(np.flatnonzero(values.rows == 0)[0]) for values in (before, after))
    best, best_seen = (_arranged(mine.cards[values.rows[0]]) for values in (before, after))
    given_away, error = (float(figure[place]) * count for figure in (before.behind, before.behind_error))
    return Review(played, best, given_away, error, best_seen, round(float(after.behind[seen_place]) * len(others)))


@dataclass(frozen=True)
class Lapse:
    """A review with its place in the night."""

    deal: str | int
    name: str
    review: Review

    def document(self) -> dict[str, Any]:
        """The lapse as JSON values."""
        return {
            "deal": self.deal,
            "name": self.name,
            "played": _segments(self.review.played),
            "best": _segments(self.review.best),
            "given_away": self.review.given_away,
            "error": self.review.error,
            "best_seen": _segments(self.review.best_seen),
            "given_away_seen": self.review.given_away_seen,
        }


def review_deal(
    deal: Deal,
    rules: RuleSet,
    *,
    place: str = "",
    seats: Collection[int] = range(SEATS),
    against: str | Strategy = AGAINST,
    samples: int = SAMPLES,
    seed: int = 0,
) -> list[Lapse]:
    """A review of each player of a deal who played a hand against another; against the banker alone where there is one.

    :param place: what to call a deal that has no id.
    :param seats: whose arrangements.
    :raises DealError: as :func:`~chinese_poker.score.score` and :func:`suggest` do.
    """
    score(deal, rules)
    names = labels([player.name if player else None for player in deal.players])
    seated = {i: player for i, player in enumerate(deal.players) if player}
    played = {
        i: player.arrangement
        for i, player in seated.items()
        if player.arrangement and not (player.declare or player.surrender)
    }
    lapses = []
    for i, mine in played.items():
        met = met_by(deal, i)
        others = [played[j] for j in met if j in played]
        banks = None if deal.banker is None else i == deal.banker
        if others and i in seats:
            found = review(
                mine, rules, others, opponents=len(met), against=against, samples=samples, seed=seed, banks=banks
            )
            lapses.append(Lapse(place if deal.id is None else deal.id, names[i], found))
    return lapses


def met_by(deal: Deal, seat: int) -> list[int]:
    """The seats that settle with this one: all others, or where there is a banker the banker's alone."""
    seated = [j for j, player in enumerate(deal.players) if player and j != seat]
    return [j for j in seated if deal.banker is None or deal.banker in (seat, j)]


def explain_suggestions(found: Suggestions) -> Iterator[str]:
    """Where the value comes from, and what the runner-up gives up, in sentences.

    >>> from chinese_poker.presets import load_rules
    >>> they = Arrangement.parse("QsQh4d | AsAh9c7d2s | KdKc8s8h3c")
    >>> found = suggest("JdJc5s QdQc9d6s2c AdAc5h5d3d", load_rules("basic"), known=[they], top=1)
    >>> print(*explain_suggestions(found))
    The best wins the front 100%, the middle 100% and the back 100% of the time, scoops 100% and is scooped 0%.
    """
    best, *others = found.suggestions
    if found.declare:
        first = next(iter(found.naturals)).replace("_", " ")
        better = "declare" if found.advice == "declare" else "play on"
        yield f"The hand holds a natural, {first}: declaring it is worth {found.declare.ev:+.2f} an opponent,"
        yield f"playing on {best.ev:+.2f}; {better}."
    if found.surrender and found.advice == "surrender":
        yield f"Surrender: it costs {-found.surrender.ev:.2f} an opponent, playing on {-best.ev:.2f}."
    front, middle, back = (f"{chance:.0%}" for chance in best.odds.win)
    scoop, scooped = f"{best.odds.scoop:.0%}", f"{best.odds.scooped:.0%}"
    bonus = f" Bonuses bring {best.odds.bonus:+.2f}." if abs(best.odds.bonus) >= 0.005 else ""
    yield f"The best wins the front {front}, the middle {middle} and the back {back} of the time,"
    yield f"scoops {scoop} and is scooped {scooped}.{bonus}"
    if others:
        yield _runner_up(best, others[0], found.how)


def _points(share: float) -> str:
    percent = f"{100 * share:.0f}"
    return f"{percent} point{'' if percent == '1' else 's'}"


_THE_SEGMENTS = ("the front", "the middle", "the back")


def _runner_up(best: Suggestion, other: Suggestion, how: str) -> str:
    changes = [
        (theirs - mine, f"{what} {_points(abs(theirs - mine))} {'more' if theirs > mine else 'less'} often")
        for what, mine, theirs in zip(_THE_SEGMENTS, best.odds.win, other.odds.win, strict=True)
        if abs(theirs - mine) >= 0.005
    ]
    wins = f"it wins {', '.join(text for _, text in sorted(changes))}" if changes else "its segments win as often"
    lead = f"{other.behind:.3f}" + ("" if how == "exact" else f" ± {other.behind_error:.3f}")
    if other.behind < 0.0005:
        return f"The next best is as good: {wins}."
    if how != "exact" and other.behind <= 2 * other.behind_error:
        return f"The next best may be as good, {lead} behind: {wins}."
    return f"The next best is {lead} behind: {wins}."


def suggestions_document(found: Suggestions) -> dict[str, Any]:
    """Suggestions as JSON values."""
    document: dict[str, Any] = {
        "hand": format_cards(found.hand),
        "rules": found.rules.name,
        "revision": found.rules.revision,
        "opponents": found.opponents,
        "against": found.against,
        "legal": found.legal,
        "undominated": found.undominated,
        "naturals": [natural.value for natural in found.naturals],
        "advice": found.advice,
        "samples": found.samples,
        "how": found.how,
        "suggestions": [_suggestion_document(suggestion) for suggestion in found.suggestions],
    }
    for offer in ("declare", "surrender"):
        worth: Offer | None = getattr(found, offer)
        if worth:
            document[offer] = {"ev": worth.ev, "error": worth.error}
    if found.declare:
        natural, witness = next(iter(found.naturals.items()))
        document["declare"] |= {"natural": natural.value, **_segments(witness)}
    return document


def _suggestion_document(suggestion: Suggestion) -> dict[str, Any]:
    odds = suggestion.odds
    return {
        **_segments(suggestion.arrangement),
        "categories": [strength.category.word for strength in suggestion.strengths],
        "ev": suggestion.ev,
        "error": suggestion.error,
        "behind": suggestion.behind,
        "behind_error": suggestion.behind_error,
        "win": dict(zip(SEGMENTS, odds.win, strict=True)),
        "tie": dict(zip(SEGMENTS, odds.tie, strict=True)),
        "scoop": odds.scoop,
        "scooped": odds.scooped,
        "bonus": odds.bonus,
    }


def _segments(arrangement: Arrangement) -> dict[str, str]:
    return {segment: format_cards(cards) for segment, cards in arrangement.parts.items()}
