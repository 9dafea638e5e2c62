"""Documents: JSON of deals, arrangements and results, into values and back, with their JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, NotRequired

import orjson
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    with_config,
)
from typing_extensions import TypedDict

from . import naturals, presets
from .arrangement import SEGMENTS, Arrangement, Foul, card_problems
from .cards import CARD_PATTERN, SEPARATORS, Card, format_cards, parse_cards
from .deal import SEAT_NAMES, SEATS, Deal, Player, deal_problems, too_many_seats
from .documents import pointer_to, problems_of, unknown_key
from .errors import MOST_PROBLEMS, CardError, ChinesePokerError, DealError
from .evaluate import CategoryName, Strength
from .matchup import Item
from .rules import RuleSet
from .score import DealResult, Matchup, PlayerResult, played_naturals
from .texts import LONGEST_TEXT, UNFIT, text_fault

MOST_CARDS = 1000
"""Cards of a list, or characters of a string of cards, that are read."""
MOST_SAMPLES = 10_000
"""Opponents that a request may ask to sample; the command takes more."""
MOST_NAMES = 100
"""Players of one night."""
_LEAST_ID, _MOST_ID = -(1 << 63), (1 << 63) - 1


def _read_text(value: Any) -> str:  # noqa: ANN401
    if not isinstance(value, str):
        raise DealError("bad_value", "write a text in quotes")
    if fault := text_fault(value):
        raise DealError("bad_text", fault)
    return value


def _read_id(value: Any) -> str | int:  # noqa: ANN401
    if type(value) is not int:
        return _read_text(value)
    if not _LEAST_ID <= value <= _MOST_ID:
        raise DealError("bad_value", "an id has at most 64 bits; write a longer one as a text")
    return value


def _read_cards(value: Any) -> tuple[Card, ...]:  # noqa: ANN401
    if not isinstance(value, str | list):
        raise CardError("bad_value", 'write cards as one string or a list, as in "AhKd5c" or ["Ah", "Kd", "5c"]')
    if len(value) > MOST_CARDS:
        what = "characters" if isinstance(value, str) else "cards"
        raise CardError("bad_value", f"{len(value):,} {what}; write at most 13 cards")
    try:
        return parse_cards(value)
    except TypeError:
        places = [place for place, card in enumerate(value) if not isinstance(card, str)]
        fault = 'write a card as a text, as in "As"'
        raise CardError.of(CardError("bad_value", fault, pointer=f"/{place}") for place in places) from None


def _read_arrangement(value: Any) -> Arrangement:  # noqa: ANN401
    return Arrangement.parse(_read_text(value))


def _name_or_object(value: Any) -> Any:  # noqa: ANN401
    if not isinstance(value, str | dict):
        raise DealError("bad_value", "write the name of a rule set, or the rules as an object")
    return value


_CARD_KEYS = ("front", "middle", "back", "hand")
_TEXT_SCHEMA = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT, "pattern": f"^[^{UNFIT}]*$"}
_CARDS_SCHEMA = {
    "anyOf": [
        {"type": "array", "maxItems": MOST_CARDS, "items": {"type": "string", "pattern": f"^(?:{CARD_PATTERN})$"}},
        {
            "type": "string",
            "maxLength": MOST_CARDS,
            "pattern": f"^[{SEPARATORS}]*(?:(?:{CARD_PATTERN})[{SEPARATORS}]*)*$",
        },
    ],
    "description": 'Cards, as "AhKd5c" or ["Ah", "Kd", "5c"]',
}
Text = Annotated[str, PlainValidator(_read_text), WithJsonSchema(_TEXT_SCHEMA)]
Id = Annotated[
    str | int,
    PlainValidator(_read_id),
    WithJsonSchema({"anyOf": [_TEXT_SCHEMA, {"type": "integer", "minimum": _LEAST_ID, "maximum": _MOST_ID}]}),
]
Rules = Annotated[Any, PlainValidator(_name_or_object), WithJsonSchema({"type": ["string", "object"]})]
Cards = Annotated[tuple[Card, ...], PlainValidator(_read_cards), WithJsonSchema(_CARDS_SCHEMA)]
OneArrangement = Annotated[
    Arrangement,
    PlainValidator(_read_arrangement),
    WithJsonSchema({**_TEXT_SCHEMA, "description": "An arrangement, as 'front | middle | back'"}),
]
Seed = Annotated[StrictInt, Field(ge=_LEAST_ID, le=_MOST_ID)]


def _at_most_four(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list) and len(value) > SEATS:
        raise too_many_seats(len(value))
    return value


def _open_to_user_keys(schema: dict[str, Any]) -> None:
    schema["additionalProperties"] = False
    schema["patternProperties"] = {"^_": {}}


_CONFIG = ConfigDict(extra="allow", strict=True, json_schema_extra=_open_to_user_keys)


@with_config(_CONFIG)
class PlayerDocument(TypedDict, total=False):
    """One player: the three segments, or the hand of a declared natural, or a surrender."""

    name: Text
    front: Cards
    middle: Cards
    back: Cards
    hand: Cards
    declare: Text
    surrender: StrictBool


@with_config(_CONFIG)
class DealDocument(TypedDict):
    """A deal: 2 to 4 seats in order, null where vacant; ``banker`` is a seat, ``strategy`` sets hands not set."""

    id: NotRequired[Id]
    rules: NotRequired[Rules]
    players: Annotated[
        list[PlayerDocument | None], BeforeValidator(_at_most_four), Field(json_schema_extra={"maxItems": SEATS})
    ]
    banker: NotRequired[StrictInt]
    strategy: NotRequired[Text]


@with_config(_CONFIG)
class ArrangementDocument(TypedDict, total=False):
    """An arrangement to be checked, or a hand."""

    id: Id
    front: Cards
    middle: Cards
    back: Cards
    hand: Cards


@with_config(_CONFIG)
class HandDocument(TypedDict):
    """A hand to be set, and cards that no opponent holds."""

    id: NotRequired[Id]
    hand: Cards
    dead: NotRequired[Cards]


@with_config(_CONFIG)
class SuggestRequest(HandDocument):
    """A hand to be set, and what ``suggest`` has options for; ``rules`` says by which rule set."""

    rules: NotRequired[Rules]
    opponents: NotRequired[StrictInt]
    against: NotRequired[Text]
    known: NotRequired[Annotated[list[OneArrangement], Field(max_length=SEATS - 1)]]
    bank: NotRequired[Literal["mine", "theirs"]]
    top: NotRequired[Annotated[StrictInt, Field(ge=1)]]
    samples: NotRequired[Annotated[StrictInt, Field(ge=1, le=MOST_SAMPLES)]]
    seed: NotRequired[Seed]


@with_config(_CONFIG)
class DealRequest(TypedDict):
    """How many hands to deal; without a seed it is a real shuffle."""

    players: Annotated[StrictInt, Field(ge=2, le=SEATS)]
    seed: NotRequired[Seed]


@with_config(_CONFIG)
class ArrangeRequest(TypedDict):
    """Hands that a strategy is to set, each as if it were the only one, at a table of so many ``players``."""

    hands: Annotated[list[Cards], Field(min_length=1, max_length=SEATS)]
    strategy: Text
    rules: NotRequired[Rules]
    players: NotRequired[Annotated[StrictInt, Field(ge=2, le=SEATS)]]


@with_config(_CONFIG)
class ReviewRequest(TypedDict):
    """A played deal, and the seat whose arrangement is held against the best."""

    deal: dict[str, Any]
    seat: Annotated[StrictInt, Field(ge=0, lt=SEATS)]
    rules: NotRequired[Rules]
    against: NotRequired[Text]
    top: NotRequired[Annotated[StrictInt, Field(ge=1)]]
    samples: NotRequired[Annotated[StrictInt, Field(ge=1, le=MOST_SAMPLES)]]
    seed: NotRequired[Seed]


@with_config(_CONFIG)
class NightRequest(TypedDict, total=False):
    """A night to be kept: what it is called, its rule set, money per unit, and who is expected."""

    title: Text
    rules: Rules
    unit: Text
    currency: Text
    players: Annotated[list[Text], Field(max_length=MOST_NAMES)]


_DEAL_KEYS = frozenset(DealDocument.__annotations__)
_PLAYER_KEYS = frozenset(PlayerDocument.__annotations__)
_SEGMENT_KEYS = frozenset(SEGMENTS)
_SET_KEYS = _SEGMENT_KEYS | {"name"}


class SegmentResult(TypedDict):
    """A segment: its cards, its category, and the whole in words; no category where it has the wrong size."""

    cards: str
    category: CategoryName | None
    words: str


class SegmentResults(TypedDict, total=False):
    """The segments of an arrangement."""

    front: SegmentResult
    middle: SegmentResult
    back: SegmentResult


@with_config(_CONFIG)
class PlayerResultDocument(SegmentResults):
    """What one player did and won."""

    seat: int
    name: NotRequired[str]
    vacant: NotRequired[Literal[True]]
    total: int
    foul: NotRequired[bool]
    foul_reasons: NotRequired[list[str]]
    natural: NotRequired[naturals.Natural | None]
    surrender: NotRequired[Literal[True]]


class ItemDocument(TypedDict):
    """Units that the first player of the matchup gains, and why."""

    reason: str
    segment: NotRequired[Literal["front", "middle", "back"]]
    units: int


class MatchupDocument(TypedDict):
    """Two seats, what the first gains from the second, and the items of it."""

    players: tuple[int, int]
    total: int
    items: list[ItemDocument]


@with_config(_CONFIG)
class ResultDocument(TypedDict):
    """A settled deal."""

    id: NotRequired[str | int]
    rules: str
    revision: int
    players: list[PlayerResultDocument]
    matchups: list[MatchupDocument]
    home_run: int | None


SCHEMAS: Mapping[str, Any] = {
    "deal": DealDocument,
    "arrangement": ArrangementDocument,
    "hand": HandDocument,
    "result": ResultDocument,
}
"""The documents that have a schema, beside ``rules``."""
REQUESTS: Mapping[str, Any] = {
    "suggest request": SuggestRequest,
    "deal request": DealRequest,
    "arrange request": ArrangeRequest,
    "review request": ReviewRequest,
    "night": NightRequest,
}
"""What a client asks that is none of these documents."""
_KINDS = {**SCHEMAS, **REQUESTS}


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return presets.adapter() if kind == "rules" else TypeAdapter(_KINDS[kind])


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``deal``, ``arrangement``, ``hand``, ``result`` or ``rules``.

    >>> schema("deal")["required"]
    ['players']
    """
    document = _adapter(kind).json_schema()
    if kind == "rules":
        document["properties"] |= {"base": {"type": "string", "description": "The preset that fills what is left out"}}
        document |= {"required": [], "patternProperties": {"^_": {}}}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}


def _validated(kind: str, value: Any) -> Any:  # noqa: ANN401
    if not isinstance(value, dict):
        raise DealError("bad_value", f"{_json_name(value)} is no {kind}; write a JSON object")
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        raise DealError.of([*_all_unknown_keys(kind, value), problems_of(error, {}, DealError)]) from None


def _json_name(value: Any) -> str:  # noqa: ANN401
    names = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _unknown_keys(value: Mapping[str, Any], known: frozenset[str]) -> list[ChinesePokerError]:
    if value.keys() <= known:
        return []
    unknown = [key for key in value if key not in known and not key.startswith("_")]
    return [
        DealError("unknown_key", unknown_key(key, sorted(known)), pointer=pointer_to([key]))
        for key in unknown[:MOST_PROBLEMS]
    ]


def _all_unknown_keys(kind: str, value: Mapping[str, Any]) -> Iterator[ChinesePokerError]:
    """The unknown keys of a document that need not be valid."""
    yield from _unknown_keys(value, frozenset(_KINDS[kind].__annotations__))
    players = value.get("players") if kind == "deal" else None
    for seat, entry in enumerate(players[:SEATS] if isinstance(players, list) else ()):
        if isinstance(entry, dict):
            yield from (problem.at(f"/players/{seat}") for problem in _unknown_keys(entry, _PLAYER_KEYS))


def read_deal(value: Any, rules: RuleSet | None = None) -> tuple[Deal, RuleSet]:  # noqa: ANN401
    """A deal out of a JSON value, and the rule set in force: the one given, else the document's, else ``basic``.

    :raises DealError: every problem of the document, each with its pointer.

    >>> deal, rules = read_deal({"players": [
    ...     {"name": "North", "front": "QhQd2c", "middle": "9s9h4d4c7s", "back": "AsKsJs8s3s"},
    ...     {"front": ["Ah", "Kd", "5c"], "middle": "8h8d6h6c2s", "back": "TcTdThTs2h"}]})
    >>> deal.players[1].name, rules.name
    ('East', 'basic')
    """
    document: DealDocument = _validated("deal", value)
    entries = document["players"]
    problems = _unknown_keys(document, _DEAL_KEYS)
    for seat, entry in enumerate(entries):
        if entry is not None and not _SEGMENT_KEYS <= entry.keys() <= _SET_KEYS:
            found = [*_unknown_keys(entry, _PLAYER_KEYS), *_shape_problems(entry)]
            problems += [problem.at(f"/players/{seat}") for problem in found]
    try:
        rules = rules or read_rules(document.get("rules", "basic"))
    except ChinesePokerError as error:
        problems += error.at("/rules").problems
    if problems or rules is None:
        raise DealError.of(problems)
    names = [None if entry is None else entry.get("name", SEAT_NAMES[i]) for i, entry in enumerate(entries)]
    banker = document.get("banker")
    try:
        players = tuple([_player(entry, name) for entry, name in zip(entries, names, strict=True)])
        return Deal(players, banker, document.get("id"), document.get("strategy")), rules
    except ChinesePokerError:
        raise DealError.of(deal_problems(names, [_parts(entry or {}) for entry in entries], banker)) from None


def _parts(entry: PlayerDocument | ArrangementDocument) -> dict[str, tuple[Card, ...]]:
    return {key: cards for key in _CARD_KEYS if (cards := entry.get(key)) is not None}  # type: ignore[misc]


def _shape_problems(entry: PlayerDocument | ArrangementDocument) -> Iterator[ChinesePokerError]:
    """What is wrong with the keys that a player has, whatever the cards."""
    given = entry.keys() & _CARD_KEYS
    if "hand" in given and len(given) > 1:
        yield DealError("contradiction", "give the hand or its segments, not both", pointer="/hand")
    elif "hand" not in given and len(given) < len(SEGMENTS) and (given or not entry.get("surrender")):
        missing = " and ".join(segment for segment in SEGMENTS if segment not in given)
        yield DealError("missing_segment", f"{missing} missing; give front, middle and back, or hand")
    if entry.get("surrender") and "declare" in entry:
        yield DealError("contradiction", "a hand is declared or given up, not both", pointer="/surrender")


def _player(entry: PlayerDocument | None, name: str | None) -> Player | None:
    if entry is None or name is None:
        return None
    arrangement = Arrangement(entry["front"], entry["middle"], entry["back"]) if "front" in entry else None
    return Player(name, arrangement, entry.get("hand", ()), entry.get("declare"), entry.get("surrender", False))


def read_rules(value: Any) -> RuleSet:  # noqa: ANN401
    """The rule set that a document names or writes out; never a file's.

    :raises ChinesePokerError: ``unknown_rules``, or what is wrong within.

    >>> read_rules("shisanshui").name, read_rules({"base": "western", "name": "ours"}).name
    ('taiwan', 'ours')
    """
    if isinstance(value, str):
        if value.endswith(".toml"):
            fault = "a document names a preset or writes its rules out; give a file with --rules"
            raise DealError("unknown_rules", fault)
        return presets.load_rules(value)
    return presets.read_rules(value)


def check_arrangement(value: Any, rules: RuleSet) -> dict[str, Any]:  # noqa: ANN401
    """What ``check`` says of an arrangement, or of a hand, which is not set and so no foul.

    :raises DealError: every problem of the document, each with its pointer.

    >>> rules = presets.load_rules("basic")
    >>> check_arrangement({"front": "KsKhAd", "middle": "KdKcQsJsTs", "back": "AsAc3d3h2c"}, rules)["foul_reasons"]
    ['front_beats_middle']
    """
    document: ArrangementDocument = _validated("arrangement", value)
    problems = _unknown_keys(document, frozenset(ArrangementDocument.__annotations__))
    problems += _shape_problems(document)
    problems = problems or list(card_problems(_parts(document), {}))
    if problems:
        raise DealError.of(problems)
    result: dict[str, Any] = {"id": document["id"]} if "id" in document else {}
    foul, segments = Foul.NONE, SegmentResults()
    if "hand" in document:
        cards = document["hand"]
    else:
        arrangement = Arrangement(document["front"], document["middle"], document["back"])
        foul, strengths = arrangement.judge(rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)
        cards, segments = arrangement.cards, _segment_results(arrangement, strengths)
    natural_names = [str(natural) for natural in played_naturals(cards, rules)]
    result |= {"foul": bool(foul), "foul_reasons": list(foul.reasons), "naturals": natural_names, **segments}
    return result | user_keys(document)


def read_hand(value: Any, kind: str = "hand") -> Any:  # noqa: ANN401
    """A hand out of a JSON value, its cards read; ``kind`` may be that of a request that holds a hand.

    :raises DealError: every problem of the document, each with its pointer.

    >>> len(read_hand({"hand": "2c3c4c5c6c7c8c9cTcJcQcKcAc"})["hand"])
    13
    """
    document = read_as(kind, value)
    problems = list(card_problems({"hand": document["hand"]}, {}))
    if problems:
        raise DealError.of(problems)
    return document


def read_as(kind: str, value: Any) -> Any:  # noqa: ANN401
    """A document out of a JSON value, its cards read; ``kind`` is one of :data:`SCHEMAS` or :data:`REQUESTS`.

    :raises DealError: every problem of the document, each with its pointer.

    >>> read_as("deal request", {"players": 3})
    {'players': 3}
    """
    document = _validated(kind, value)
    problems = _unknown_keys(document, frozenset(_KINDS[kind].__annotations__))
    if problems:
        raise DealError.of(problems)
    return document


def user_keys(document: Mapping[str, Any]) -> dict[str, Any]:
    """What of a document is the user's own and copied to the result."""
    return {key: value for key, value in document.items() if key[:1] == "_"}


def _segment_results(arrangement: Arrangement, strengths: tuple[Strength | None, ...]) -> SegmentResults:
    front, middle, back = (
        _segment_result(cards, strength) for cards, strength in zip(arrangement.segments, strengths, strict=True)
    )
    return {"front": front, "middle": middle, "back": back}


def _segment_result(cards: tuple[Card, ...], strength: Strength | None) -> SegmentResult:
    category, words = _words(strength) if strength else (None, f"{len(cards)} cards")
    return {"cards": format_cards(cards), "category": category, "words": words}


@lru_cache(maxsize=8192)
def _words(strength: Strength) -> tuple[CategoryName, str]:
    return strength.category.word, strength.describe()


def result_document(value: Mapping[str, Any], deal: Deal, result: DealResult) -> ResultDocument:
    """A settled deal as its JSON document; the user's keys of the deal's document are copied."""
    players: list[PlayerResultDocument] = []
    for seat, (entry, player, outcome) in enumerate(zip(value["players"], deal.players, result.players, strict=True)):
        if player is None or outcome is None:
            players.append({"seat": seat, "vacant": True, "total": 0})
        else:
            players.append(_player_result(seat, entry, player, outcome))
    document: ResultDocument = {
        "rules": result.rules.name,
        "revision": result.rules.revision,
        "players": players,
        "matchups": [_matchup(matchup) for matchup in result.matchups],
        "home_run": result.home_run,
    }
    if deal.id is not None:
        document["id"] = deal.id
    return {**document, **user_keys(value)}  # type: ignore[typeddict-item]


def _player_result(seat: int, entry: Mapping[str, Any], player: Player, outcome: PlayerResult) -> PlayerResultDocument:
    document: PlayerResultDocument = {
        "seat": seat,
        "name": player.name,
        "total": outcome.total,
        "foul": bool(outcome.foul),
        "natural": outcome.natural,
    }
    if outcome.foul:
        document["foul_reasons"] = list(outcome.foul.reasons)
    if outcome.surrender:
        document["surrender"] = True
    if player.arrangement:
        document |= _segment_results(player.arrangement, outcome.strengths)  # type: ignore[typeddict-item]
    if not entry.keys() <= _SET_KEYS:
        document |= user_keys(entry)  # type: ignore[typeddict-item]
    return document


def _matchup(matchup: Matchup) -> MatchupDocument:
    return {"players": matchup.players, "total": matchup.total, "items": _items(matchup.items)}


@lru_cache(maxsize=1 << 16)
def _items(items: tuple[Item, ...]) -> list[ItemDocument]:
    return [
        {"reason": item.reason.value, "segment": item.segment.value, "units": item.units}
        if item.segment
        else {"reason": item.reason.value, "units": item.units}
        for item in items
    ]


def dumps(document: Mapping[str, Any]) -> bytes:
    """The JSON text of a document, in UTF-8 on one line.

    >>> dumps({"name": "陳", "total": -4})
    b'{"name":"\xe9\x99\xb3","total":-4}'
    """
    try:
        return orjson.dumps(document)
    except orjson.JSONEncodeError:  # a user's own key with what JSON allows and orjson does not: 2 ** 64, "\ud800"
        return json.dumps(document, separators=(",", ":")).encode()
