"""What holds of every rule set, deal and document."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hands import nasty_deal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from settling import check_sums, read

from chinese_poker import Arrangement, Card, ChinesePokerError, Deal, DealResult, Natural, Player, RuleSet, score
from chinese_poker.evaluate import Category
from chinese_poker.presets import load_rules, read_rules, rule_names, rules_document
from chinese_poker.rules import Ties
from chinese_poker.wire import check_arrangement, dumps, read_deal, result_document, schema

settings.register_profile(
    "chinese_poker", derandomize=True, deadline=None, max_examples=150, suppress_health_check=list(HealthCheck)
)
quickly = settings(settings.get_profile("chinese_poker"))
thoroughly = settings(quickly, max_examples=400)

# ----------------------------------------------------------------------------------------------------
# Rule sets over every option, and deals for them

UNITS = st.integers(0, 20)
WORDS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=5)
CATEGORIES = [category.word for category in Category]
FRONTS = ["high_card", "one_pair", "three_of_a_kind"]


def tables(**more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Units by segment and category, and other keys; each may be left out."""
    segments = {"front": FRONTS, "middle": CATEGORIES, "back": CATEGORIES}
    by_category = {name: st.dictionaries(st.sampled_from(known), UNITS) for name, known in segments.items()}
    return st.fixed_dictionaries({}, optional={**by_category, **more})


def one_of(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


@st.composite
def rule_documents(draw: Callable[..., Any]) -> dict[str, Any]:
    optional: dict[str, Any] = {
        "title": st.text("Any title, 十三", max_size=9),
        "revision": st.integers(1, 9),
        "aliases": st.lists(one_of("a", "b"), unique=True),
        "sources": st.lists(WORDS),
        "inferred": st.lists(WORDS),
        "open": st.lists(WORDS),
        "wheel": one_of("lowest", "second_highest"),
        "suits": st.permutations("cdhs").map("".join),
        "middle_may_equal_back": st.booleans(),
        "units": st.fixed_dictionaries(
            {}, optional={"front": UNITS, "middle": UNITS, "back": UNITS, "by_category": tables()}
        ),
        "majority": st.fixed_dictionaries(
            {}, optional={"units": UNITS, "rule": one_of("two_of_three", "more_than_opponent")}
        ),
        "bonuses": one_of(("add", "both"), ("add", "winner"), ("replace", "winner")).flatmap(
            lambda how: tables(cap=UNITS).map(lambda table: {"mode": how[0], "paid_to": how[1], **table})
        ),
        "scoop": st.fixed_dictionaries(
            {}, optional={"units": UNITS, "factor": st.integers(1, 5), "factor_on": one_of("regular", "all")}
        ),
        "home_run": st.fixed_dictionaries(
            {"players": st.integers(2, 4), "factor": st.integers(1, 5)},
            optional={
                "mode": one_of("in_place", "on_top"),
                "counts_fouls": st.booleans(),
                "counts_naturals": st.booleans(),
            },
        ),
        "foul": one_of("scoop", "scoop_with_bonuses").map(lambda pays: {"pays": pays})
        | UNITS.map(lambda units: {"pays": "flat", "units": units}),
        "surrender": UNITS,
        "naturals": st.fixed_dictionaries(
            {"worth": st.dictionaries(st.sampled_from(list(Natural)).map(str), UNITS)},
            optional={
                "between": one_of("dragon_first", "higher_wins", "push", "difference"),
                "order": one_of("worth", "listed"),
                "big": one_of("89TJQKA", "56789TJQKA", "A"),
                "small": one_of("2345678", "A23456789T"),
            },
        ),
        "cap": UNITS,
    }
    document: dict[str, Any] = draw(st.fixed_dictionaries({"name": one_of("ours", "theirs")}, optional=optional))
    banker = draw(one_of("none", "optional", "required"))
    ties = draw(one_of("push", "suit") if banker == "none" else one_of("push", "suit", "banker"))
    return {**document, "banker": banker, "ties": ties}


RULE_SETS = rule_documents().map(read_rules) | st.sampled_from(rule_names()).map(load_rules)
SEEDS = st.integers(0, 2**32)


def players_for(rules: RuleSet, seed: int) -> tuple[list[dict[str, Any] | None], int | None]:
    """Players as the referee knows them, and the banker."""
    return nasty_deal(
        Random(seed),
        {
            "surrender": rules.surrender,
            "naturals": {str(natural): rules.naturals.worth[natural] for natural in rules.naturals.ranking},
            "big": rules.naturals.big,
            "small": rules.naturals.small,
            "banker": {"none": "no", "optional": "may", "required": "must"}[rules.banker],
        },
    )


def settled(result: DealResult, order: list[int] | range) -> Any:
    """A result with its seats renumbered by ``order``: the new seat of each old one; without names."""
    players = {order[seat]: player and player[1:] for seat, player in enumerate(result.players)}
    matchups = {}
    for matchup in result.matchups:
        first, second = (order[seat] for seat in matchup.players)
        side = 1 if first < second else -1
        items = sorted((item.reason, str(item.segment), side * item.units) for item in matchup.items)
        matchups[min(first, second), max(first, second)] = (side * matchup.total, items)
    home_run = None if result.home_run is None else order[result.home_run]
    return players, matchups, home_run


@quickly
@given(RULE_SETS, SEEDS, st.booleans())
def test_totals_sum_to_zero_and_items_to_totals(rules: RuleSet, seed: int, auto_declare: bool) -> None:
    check_sums(score(read(*players_for(rules, seed)), rules, auto_declare=auto_declare))


@quickly
@given(RULE_SETS, SEEDS, st.booleans(), st.randoms())
def test_permuting_and_renaming_players_permutes_the_result(
    rules: RuleSet, seed: int, auto_declare: bool, random: Random
) -> None:
    deal = read(*players_for(rules, seed))
    order = random.sample(range(len(deal.players)), len(deal.players))
    moved: list[Player | None] = [None] * len(order)
    for seat, player in zip(order, deal.players, strict=True):
        moved[seat] = player and Player(
            f"Q{seat % 2}", player.arrangement, player.hand, player.declare, player.surrender
        )
    banker = None if deal.banker is None else order[deal.banker]
    found = score(Deal(tuple(moved), banker), rules, auto_declare=auto_declare)
    expected = score(deal, rules, auto_declare=auto_declare)
    assert settled(found, range(len(order))) == settled(expected, order)
    check_sums(found)


SUIT_ORDERS = list(permutations("cdhs"))
COLOURS_KEPT = [suits for suits in SUIT_ORDERS if {suits[0], suits[3]} in ({"c", "s"}, {"d", "h"})]
"""Clubs and spades in each other's place, or in that of the two red suits: one colour remains one."""


@quickly
@given(RULE_SETS.filter(lambda rules: rules.ties is not Ties.SUIT), SEEDS, st.booleans(), st.data())
def test_permuting_suits_changes_nothing(rules: RuleSet, seed: int, auto_declare: bool, data: st.DataObject) -> None:
    orders = COLOURS_KEPT if Natural.ONE_COLOUR in rules.naturals.ranking else SUIT_ORDERS
    suits = data.draw(st.sampled_from(orders))
    to = dict(zip("cdhs", suits, strict=True))
    players, banker = players_for(rules, seed)
    moved = [
        player
        and {
            key: [card[0] + to[card[1]] for card in value] if isinstance(value, list) else value
            for key, value in player.items()
        }
        for player in players
    ]
    expected = score(read(players, banker), rules, auto_declare=auto_declare)
    assert score(read(moved, banker), rules, auto_declare=auto_declare) == expected


@quickly
@given(RULE_SETS, SEEDS, st.booleans(), st.randoms())
def test_permuting_the_cards_of_a_segment_changes_nothing(
    rules: RuleSet, seed: int, auto_declare: bool, random: Random
) -> None:
    players, banker = players_for(rules, seed)
    moved = [
        player
        and {
            key: random.sample(value, len(value)) if isinstance(value, list) else value for key, value in player.items()
        }
        for player in players
    ]
    expected = score(read(players, banker), rules, auto_declare=auto_declare)
    assert score(read(moved, banker), rules, auto_declare=auto_declare) == expected


# ----------------------------------------------------------------------------------------------------
# Parse - write - parse


@quickly
@given(st.permutations(list(Card)), st.lists(st.integers(0, 13), min_size=2, max_size=2).map(sorted))
def test_arrangements_are_read_as_they_are_written(deck: list[Card], cuts: list[int]) -> None:
    """Whatever the sizes of the segments."""
    hand, (first, second) = tuple(deck[:13]), cuts
    arrangement = Arrangement(hand[:first], hand[first:second], hand[second:])
    assert Arrangement.parse(str(arrangement)) == arrangement
    assert eval(repr(arrangement), {"Arrangement": Arrangement, "Card": Card}) == arrangement


@quickly
@given(RULE_SETS)
def test_rule_sets_are_read_as_they_are_written(rules: RuleSet) -> None:
    document = json.loads(json.dumps(rules_document(rules)))
    assert read_rules(document) == rules
    assert rules_document(read_rules(document)) == document
    assert not list(VALIDATORS["rules"].iter_errors(document))


# ----------------------------------------------------------------------------------------------------
# Documents: the schema and the reader

VALIDATORS = {kind: Draft202012Validator(schema(kind)) for kind in ("deal", "arrangement", "rules", "result")}
READERS: Mapping[str, Callable[[Any], object]] = {
    "deal": read_deal,
    "arrangement": lambda document: check_arrangement(document, load_rules("basic")),
    "rules": read_rules,
}
VALID: dict[str, list[dict[str, Any]]] = {
    "deal": [
        {
            "id": "h17",
            "rules": "hong-kong",
            "banker": 1,
            "players": [
                {"name": "North", "front": ["Qh", "Qd", "2c"], "middle": "9s9h4d4c7s", "back": "A♠ K♠ J♠ 8♠ 3♠"},
                {"front": "🂱 🃎 5c", "middle": "8h,8d,6h,6c,2s", "back": "10c10d10h10s2h", "_chips": [1, None]},
                None,
            ],
            "_table": {"club": "night"},
        },
        {
            "rules": {"base": "us-2-4", "foul": {"units": 6}},
            "id": 17,
            "players": [
                {"name": "Ann", "hand": "2c3d4h5s6c7d8h9sTcJdQhKsAc", "declare": "dragon"},
                {"name": "Ann", "surrender": True},
                {"surrender": False, "front": "2h3h4c", "middle": ["5c", "6h", "7h", "8c", "Th"], "back": "AsAhKdKcQs"},
            ],
        },
    ],
    "arrangement": [
        {"id": "a", "front": "KsKhAd", "middle": ["Kd", "Kc", "Qs", "Js", "Ts"], "back": "AsAc3d3h2c", "_from": "club"},
        {"hand": "2c3d4h5s6c7d8h9sTcJdQhKsAc"},
    ],
    "rules": [
        {"base": "mandarin", "name": "ours", "foul": {"pays": "scoop", "units": None}, "bonuses": {"cap": 12}},
        *(rules_document(load_rules(name)) for name in ("malaya", "vietnam", "us-1-6")),
    ],
}
JUNK = [
    *(None, True, False, 0, 1, -1, 4, 1.0, 1.5, 10**9, 2**70, "", "x", "basic", "add", "As", "1s", "\u212as", "10h"),
    *("\x00", "a\nb", "\ud800", "x" * 101, "As Ah", "A♠\ufe0f🂱\ufe0f", "As\n", ["As"], ["As", None], [["As"]], ["As "]),
    *([], [[]], {}, {"a": 1}, {"_a": 1}, [1], [{}], [None, None], "2c3d4h5s6c7d8h9sTcJdQhKsAc", "five", 3),
]
KEYS = ["", "_", "_mine", "name", "front", "fornt", "hand", "players", "surrender", "declare", "units", "worth", "a/b~"]


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to everything within a value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in steps:
        yield (*path, step)
        yield from paths(below, (*path, step))


@st.composite
def mutated(draw: Callable[..., Any], kind: str, times: int) -> dict[str, Any]:
    """A valid document with something dropped, renamed, put in, repeated, exchanged, or of another kind."""
    document: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(VALID[kind])))
    for _ in range(draw(st.integers(1, times))):
        places = list(paths(document))
        *way, last = draw(st.sampled_from(places)) if places else ("_",)
        within: Any = document
        for step in way:
            within = within[step]
        if not places:
            break
        change = draw(one_of("drop", "rename", "replace", "replace", "put", "exchange"))
        if change == "drop":
            del within[last]
        elif change == "replace":
            within[last] = copy.deepcopy(draw(st.sampled_from(JUNK)))
        elif change == "exchange":
            other = draw(st.sampled_from(list(within) if isinstance(within, dict) else list(range(len(within)))))
            within[last], within[other] = within[other], within[last]
        elif isinstance(within, list):
            within.insert(last, copy.deepcopy(draw(st.sampled_from([*within, *JUNK]))))
        elif change == "rename":
            within[draw(st.sampled_from(KEYS))] = within.pop(last)
        else:
            within[draw(st.sampled_from(KEYS))] = copy.deepcopy(draw(st.sampled_from(JUNK)))
    return copy.deepcopy(document)


def refusals(kind: str, document: Any) -> list[tuple[str, ...]] | None:
    """Where the reader sees problems; ``None`` where it reads the document."""
    try:
        READERS[kind](document)
    except ChinesePokerError as error:
        pointers = [problem.pointer.split("/")[1:] for problem in error.problems]
        return [tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer) for pointer in pointers]
    return None


def objections(kind: str, document: Any) -> Iterator[tuple[str, ...]]:
    """Where the schema is not met: the place of the value, or the key that is missing or one too many."""
    for error in VALIDATORS[kind].iter_errors(document):
        place = tuple(map(str, error.absolute_path))
        if error.validator == "additionalProperties":
            known = error.schema.get("properties", {})
            patterns = error.schema.get("patternProperties", {})
            yield from (
                (*place, key) for key in error.instance if key not in known and not (patterns and key.startswith("_"))
            )
        elif error.validator == "required":
            yield from ((*place, key) for key in error.validator_value if key not in error.instance)
        else:
            yield place


def test_the_valid_documents_are_valid() -> None:
    for kind, documents in VALID.items():
        Draft202012Validator.check_schema(schema(kind))
        for document in documents:
            assert not list(VALIDATORS[kind].iter_errors(document))
            assert refusals(kind, document) is None


def check_agreement(kind: str, document: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    refused = refusals(kind, document)
    assert document == before, "a reader changes nothing"
    for place in objections(kind, document):
        assert refused is not None, f"the schema alone refuses {place}"
        assert any(place[: len(other)] == other[: len(place)] for other in refused), f"{place} is not in {refused}"


@thoroughly
@given(mutated("deal", 1))
def test_a_deal_that_the_schema_refuses_the_reader_refuses_at_the_same_place(document: dict[str, Any]) -> None:
    check_agreement("deal", document)


@thoroughly
@given(mutated("arrangement", 1))
def test_an_arrangement_that_the_schema_refuses_the_reader_refuses_at_the_same_place(document: dict[str, Any]) -> None:
    check_agreement("arrangement", document)


@thoroughly
@given(mutated("rules", 1))
def test_rules_that_the_schema_refuses_the_reader_refuses_at_the_same_place(document: dict[str, Any]) -> None:
    check_agreement("rules", document)


@pytest.mark.parametrize("kind", READERS)
@thoroughly
@given(st.data())
def test_everything_that_is_wrong_is_told_at_once(kind: str, data: st.DataObject) -> None:
    check_agreement(kind, data.draw(mutated(kind, 4)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=8,
)


@quickly
@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), JSON, max_size=5))
def test_any_object_is_read_or_refused(document: dict[str, Any]) -> None:
    for kind in READERS:
        check_agreement(kind, document)


@quickly
@given(RULE_SETS, SEEDS)
def test_results_are_as_their_schema_says(rules: RuleSet, seed: int) -> None:
    players, banker = players_for(rules, seed)
    document: dict[str, Any] = {"id": seed, "rules": rules_document(rules), "players": players, "_note": {"mine": None}}
    document |= {} if banker is None else {"banker": banker}
    assert not list(VALIDATORS["deal"].iter_errors(document))
    deal, read_back = read_deal(document)
    assert read_back == rules
    result = json.loads(dumps(result_document(document, deal, score(deal, rules))))
    assert not list(VALIDATORS["result"].iter_errors(result))
    assert (result["id"], result["_note"]) == (seed, {"mine": None})
    assert sum(player["total"] for player in result["players"]) == 0
