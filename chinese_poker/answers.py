"""What the command and the server answer: a document in, a document out, the same for both.

Each raises :class:`~chinese_poker.errors.ChinesePokerError` with every problem of what it was given.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import wire
from .arrangement import HAND_SIZE, parse_hand
from .cards import DECK, format_cards
from .deal import SEATS, Deal, Player
from .documents import Document, read_documents
from .errors import ChinesePokerError, DealError
from .rules import RuleSet
from .score import DealResult, score

if TYPE_CHECKING:
    from .strategy import Strategy
    from .suggest import Suggestions


def one_document(text: bytes) -> Document:
    """The one JSON document of a text; two are an error of it.

    >>> one_document(b'{"a": 1}').value, one_document(b"{} {}").error.code
    ({'a': 1}, 'bad_json')
    """
    first, *others = islice(read_documents(io.BytesIO(text)), 2)
    if others:
        fault = "more than one document; send one, or one a line as application/x-ndjson"
        return Document(others[0].line, "", error=DealError("bad_json", fault))
    return first


def settle(
    value: Any,  # noqa: ANN401
    rules: RuleSet | None = None,
    *,
    strategy: str | Strategy | None = None,
    auto_declare: bool = False,
) -> tuple[Deal, DealResult]:
    """A deal out of a JSON value, and its settlement.

    :param rules: the rule set in force; else the document's, else ``basic``.
    :param strategy: who sets the hands that are not set; else the document's.

    >>> deal, result = settle({"players": [
    ...     {"name": "North", "front": "QhQd2c", "middle": "9s9h4d4c7s", "back": "AsKsJs8s3s"},
    ...     {"name": "South", "hand": "AhKd5c 8h8d6h6c2s TcTdThTs2h"}], "strategy": "greedy"})
    >>> result.totals
    (2, -2)
    """
    deal, in_force = wire.read_deal(value, rules)
    if name := strategy or deal.strategy:
        deal = _set_by(name, deal, in_force)
    return deal, score(deal, in_force, auto_declare=auto_declare)


def _set_by(name: str | Strategy, deal: Deal, rules: RuleSet) -> Deal:
    from .strategy import set_deal

    try:
        return set_deal(deal, rules, name)
    except ChinesePokerError as error:
        raise error.at("/strategy") from None


def suggestions_answer(value: Mapping[str, Any], found: Suggestions) -> dict[str, Any]:
    """Suggestions for a hand document, as ``suggest --json`` writes them; its id and user keys are copied."""
    from .suggest import suggestions_document

    identity = {"id": value["id"]} if "id" in value else {}
    return {**identity, **suggestions_document(found), **wire.user_keys(value)}


def suggest_answers(value: Any, steps: Iterable[int] = ()) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """What a suggest request asks for; before that the same from fewer samples, as soon as it is there.

    :param steps: the lesser numbers of samples.

    >>> hand = {"hand": "2h3s3d4c4h5s6d7cTsJhQdKcAs", "samples": 900}
    >>> [answer["samples"] for answer in suggest_answers(hand, steps=(500, 1000))]
    [500, 900]
    """
    from .suggest import AGAINST, SAMPLES, suggest

    request = wire.read_hand(value, "suggest request")
    rules = _rules_of(request)
    samples = request.get("samples", SAMPLES)
    bank = request.get("bank")
    for count in (*(step for step in steps if step < samples), samples):
        found = suggest(
            request["hand"],
            rules,
            opponents=request.get("opponents"),
            against=request.get("against", AGAINST),
            known=request.get("known", ()),
            dead=request.get("dead", ()),
            samples=count,
            seed=request.get("seed", 0),
            top=request.get("top", 3),
            banks=None if bank is None else bank == "mine",
        )
        yield suggestions_answer(value, found)
        if found.how == "exact":
            return


def _rules_of(request: Mapping[str, Any]) -> RuleSet:
    try:
        return wire.read_rules(request.get("rules", "basic"))
    except ChinesePokerError as error:
        raise error.at("/rules") from None


def deal_answer(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Hands as dealt: of a seed always the same, else from the system's randomness.

    >>> deal_answer({"players": 2, "seed": 1}) == deal_answer({"players": 2, "seed": 1})
    True
    >>> len(deal_answer({"players": 4})["hands"])
    4
    """
    request = wire.read_as("deal request", value)
    if "seed" in request:
        from .engine.dealing import deal

        deck = [DECK[card] for card in deal(request["seed"], 0, 1)[0].tolist()]
    else:
        import secrets

        deck = list(DECK)
        secrets.SystemRandom().shuffle(deck)
    hands = [deck[HAND_SIZE * seat :][:HAND_SIZE] for seat in range(request["players"])]
    return {"hands": list(map(format_cards, hands)), **wire.user_keys(value)}


def arrange_answer(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Hands as a strategy sets them: players of a deal document.

    >>> arrange_answer({"hands": ["2d3d4d5d6d7d8d9dTdJdQdKdKh"], "strategy": "greedy"})["arrangements"]
    [{'front': 'Kh 3d 2d', 'middle': '8d 7d 6d 5d 4d', 'back': 'Kd Qd Jd Td 9d'}]
    """
    from .strategy import registered, set_player

    request = wire.read_as("arrange request", value)
    rules = _rules_of(request)
    try:
        player_of = registered(request["strategy"])
    except ChinesePokerError as error:
        raise error.at("/strategy") from None
    seated = request.get("players", SEATS)
    arrangements = []
    for i, cards in enumerate(request["hands"]):
        try:
            hand = parse_hand(cards)
        except ChinesePokerError as error:
            raise error.at(f"/hands/{i}") from None
        arrangements.append(_player_document(set_player(Player("", hand=hand), rules, player_of, seated)))
    return {"arrangements": arrangements, **wire.user_keys(value)}


def _player_document(player: Player) -> dict[str, Any]:
    document: dict[str, Any] = {key: format_cards(cards) for key, cards in player.parts.items()}
    document |= {"declare": player.declare} if player.declare else {}
    return document | ({"surrender": True} if player.surrender else {})


def review_answer(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """What the arrangement of one seat gave away, and what the hand should have been; no figures where none was played.

    >>> ann = {"front": "QsQh4d", "middle": "AsAh9c7d2s", "back": "KdKc8s8h3c"}
    >>> bo = {"front": "JdJc5s", "middle": "QdQc9d6s2c", "back": "AdAc5h5d3d"}
    >>> answer = review_answer({"deal": {"players": [ann, bo]}, "seat": 1, "samples": 500, "top": 1})
    >>> answer["given_away_seen"], len(answer["suggestions"]["suggestions"])
    (6, 1)
    """
    from .suggest import AGAINST, SAMPLES, met_by, review_deal, suggest, suggestions_document

    request = wire.read_as("review request", value)
    seat, samples, seed = request["seat"], request.get("samples", SAMPLES), request.get("seed", 0)
    against = request.get("against", AGAINST)
    try:
        deal, result = settle(request["deal"], _rules_of(request) if "rules" in request else None)
    except ChinesePokerError as error:
        raise error.at("/deal") from None
    player = deal.players[seat] if seat < len(deal.players) else None
    if player is None or not player.cards:
        raise DealError("no_hand", f"seat {seat} has no hand to review; name one that has", pointer="/seat")
    lapses = review_deal(deal, result.rules, seats=[seat], against=against, samples=samples, seed=seed)
    found = suggest(
        player.cards,
        result.rules,
        opponents=len(met_by(deal, seat)),
        against=against,
        samples=samples,
        seed=seed,
        top=request.get("top", 3),
        banks=None if deal.banker is None else deal.banker == seat,
    )
    figures = lapses[0].document() if lapses else {}
    return {**figures, "suggestions": suggestions_document(found), **wire.user_keys(value)}
