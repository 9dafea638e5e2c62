"""Tables against the core: row by row and item by item the same, under every preset."""

import random
from itertools import count

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hands import nasty_deal
from settling import read

from chinese_poker import DECK, Arrangement, ChinesePokerError, format_cards, score
from chinese_poker.adapters import rows, tables
from chinese_poker.adapters.tables import deal_table, item_table, result_tables, score_table, settle_table
from chinese_poker.arrangement import SEGMENTS
from chinese_poker.deal import Deal, Player
from chinese_poker.engine.batch import score_batch
from chinese_poker.engine.dealing import deal as shuffled
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import Banker
from chinese_poker.strategy import set_deal

DEALS = 300
BANKS = {Banker.NONE: "no", Banker.OPTIONAL: "may", Banker.REQUIRED: "must"}


def house_of(rules):
    return {
        "surrender": rules.surrender,
        "naturals": tuple(str(natural) for natural in rules.naturals.ranking),
        "big": rules.naturals.big,
        "small": rules.naturals.small,
        "banker": BANKS[rules.banker],
    }


def nasty_deals(rules, n, seed=1):
    """Deals of the referee's: ties, bonus hands, naturals, fouls of every kind, surrender, vacant seats, bankers."""
    dealer = random.Random(f"{rules.name} {seed}")
    for _ in range(n):
        players, banker = nasty_deal(dealer, house_of(rules))
        yield read(players, banker)


def rows_of(number, deal):
    """The rows of a deal, the vacant seats among them."""
    for seat, player in enumerate(deal.players):
        row = dict.fromkeys(("name", *SEGMENTS, "hand", "declare", "surrender"))
        if player:
            parts = {key: format_cards(cards) for key, cards in player.parts.items()}
            row |= {"name": player.name, "declare": player.declare, "surrender": player.surrender, **parts}
        yield {"deal": number, "seat": seat, "banker": deal.banker, **row}


def table_of(deals, dealer=None):
    rows = [row for number, deal in enumerate(deals) for row in rows_of(number, deal)]
    if dealer:
        dealer.shuffle(rows)
    schema = {"deal": pa.int64(), "seat": pa.int64(), "banker": pa.int64(), "surrender": pa.bool_()}
    texts = dict.fromkeys(("name", *SEGMENTS, "hand", "declare"), pa.string())
    return pa.Table.from_pylist(rows, pa.schema(list((schema | texts).items())))


def expected_row(deal, result, seat):
    """What the core says of a seat, in the columns of the table."""
    player, outcome = deal.players[seat], result.players[seat]
    row = {"total": 0, "foul": False, "foul_reasons": None, "natural": None, "surrender": False, "home_run": False}
    row |= dict.fromkeys([*SEGMENTS, *(f"{segment}_category" for segment in SEGMENTS)])
    if player is None:
        return row
    row |= {
        "total": outcome.total,
        "foul": bool(outcome.foul),
        "foul_reasons": ";".join(outcome.foul.reasons) or None,
        "natural": outcome.natural and str(outcome.natural),
        "surrender": outcome.surrender,
        "home_run": result.home_run == seat,
    }
    if player.arrangement:
        row |= {key: format_cards(cards) for key, cards in player.arrangement.parts.items()}
    for segment, strength in zip(SEGMENTS, outcome.strengths, strict=True):
        row[f"{segment}_category"] = None if strength is None else strength.category.word
    return row


def expected_items(number, result):
    for matchup in result.matchups:
        first, second = matchup.players
        for item in matchup.items:
            yield {
                "deal": number,
                "first": first,
                "second": second,
                "reason": str(item.reason),
                "segment": item.segment and str(item.segment),
                "units": item.units,
            }


def assert_as_the_core(settled, table, deals, rules, **options):
    results = [score(deal, rules, **options) for deal in deals]
    found = settled.scores.to_pylist()
    assert len(found) == table.num_rows
    for given, row in zip(table.to_pylist(), found, strict=True):
        number, seat = given["deal"], given["seat"]
        assert row["error"] is None, row
        assert (row["deal"], row["seat"]) == (number, seat)
        expected = expected_row(deals[number], results[number], seat)
        assert {key: row[key] for key in expected} == expected, (deals[number], row)
        vacant = deals[number].players[seat] is None
        assert (row["name"], row["rules"]) == ((None, None) if vacant else (given["name"], rules.name))
    items = [item for number, result in enumerate(results) for item in expected_items(number, result)]
    assert settled.items().to_pylist() == items
    assert not settled.problems


@pytest.mark.parametrize("name", rule_names())
def test_every_row_and_item_is_the_cores(name):
    rules = load_rules(name)
    deals = list(nasty_deals(rules, DEALS))
    table = table_of(deals)
    assert_as_the_core(settle_table(table, rules), table, deals, rules)


@pytest.mark.parametrize("name", ["mandarin", "taiwan", "us-1-6", "malaya"])
def test_rows_in_any_order_and_naturals_that_nobody_declared(name):
    rules = load_rules(name)
    deals = list(nasty_deals(rules, DEALS, seed=2))
    table = table_of(deals, random.Random(3))
    settled = settle_table(table, rules, auto_declare=True)
    numbers = list(dict.fromkeys(table["deal"].to_pylist()))
    assert [deal for deal, _ in zip(dict.fromkeys(settled.items()["deal"].to_pylist()), count())] == numbers
    by_deal = settled.items().sort_by([("deal", "ascending")])
    assert_as_the_core(tables.Settled(settled.scores, lambda: by_deal, ()), table, deals, rules, auto_declare=True)


def test_small_blocks_change_nothing(monkeypatch):
    rules = load_rules("eastern")
    table = table_of(list(nasty_deals(rules, 100)))
    whole = settle_table(table, rules)
    monkeypatch.setattr(rows, "_BLOCK", 7)
    parts = settle_table(table, rules)
    assert parts.scores.to_pylist() == whole.scores.to_pylist()
    assert parts.items().to_pylist() == whole.items().to_pylist()


NORTH = {"front": "QhQd2c", "middle": "9s9h4d4c7s", "back": "AsKsJs8s3s"}
SOUTH = {"front": "AhKd5c", "middle": "8h8d6h6c2s", "back": "TcTdThTs2h"}
BASIC = load_rules("basic")


def columns(*rows, **shared):
    """Rows as columns, and columns that are given whole."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: [row.get(key) for row in rows] for key in keys} | shared


PAIR = columns(NORTH, SOUTH, deal=["a", "a"], name=["Ann", None])


def totals(table, rules=BASIC, **options):
    return score_table(table, rules, **options)["total"].to_pylist()


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        dict,
        lambda columns: pl.DataFrame(columns, schema_overrides={"front": pl.Categorical}),
        lambda columns: pd.DataFrame(columns).astype({"back": "category", "name": object}),
        lambda columns: pd.DataFrame(columns, index=["x", "y"]),
        lambda columns: pa.table(columns).to_batches()[0],
        lambda columns: pa.chunked_array([pa.table(columns).to_struct_array().combine_chunks()]),
    ],
    ids=["pandas", "Polars", "Arrow", "columns", "categorical", "category", "index", "batch", "structs"],
)
def test_whatever_speaks_arrow_is_read(make):
    result = score_table(make(PAIR), BASIC)
    expected = score(Deal(tuple(Player(name, arranged(row)) for name, row in (("Ann", NORTH), ("East", SOUTH)))), BASIC)
    assert tuple(result["total"].to_pylist()) == expected.totals
    assert expected.totals != (0, 0)
    assert result["name"].to_pylist() == ["Ann", "East"]
    assert result["deal"].to_pylist() == ["a", "a"]


def arranged(row):
    return Arrangement.parse("|".join(row[segment] for segment in SEGMENTS))


def test_results_go_into_pandas_and_polars():
    result = score_table(PAIR, BASIC)
    assert result.to_pandas()["total"].tolist() == result["total"].to_pylist()
    assert pl.DataFrame(result)["back_category"].to_list() == ["flush", "four_of_a_kind"]
    assert dict(zip(result.column_names[1:], result.schema.types[1:], strict=True))["total"] == pa.int64()


@pytest.mark.parametrize(
    "notation",
    [
        lambda text: " ".join(text[i : i + 2] for i in range(0, len(text), 2)),
        lambda text: ",".join(text[i : i + 2] for i in range(0, len(text), 2)),
        lambda text: text.lower(),
        lambda text: text.replace("T", "10"),
        lambda text: text.translate(str.maketrans("cdhs", "♣♦♥♠")),
        lambda text: [text[i : i + 2] for i in range(0, len(text), 2)],
    ],
    ids=["spaces", "commas", "small", "10", "symbols", "lists"],
)
def test_every_notation_of_the_core(notation):
    rows = [{key: notation(text) for key, text in row.items()} for row in (NORTH, SOUTH)]
    assert totals(columns(*rows, deal=[1, 1])) == totals(PAIR)


def test_notations_mixed_and_lengths_that_mislead():
    """Texts as long as canonical ones that are none: the core's parser decides."""
    north = NORTH | {"front": "5♠ Kh,5c", "middle": "9s9h4d4c 7s"}
    assert totals(columns(north, SOUTH | {"front": "AhKd2c"}, deal=[1, 1]))[0] is not None
    wrong = score_table(columns(NORTH | {"front": "Qh;Qd;2c"}, SOUTH, deal=[1, 1]), BASIC)
    assert wrong["error"][0].as_py().startswith("/front: unknown_card")


def test_own_columns_are_copied_and_others_left_alone():
    result = score_table(PAIR | {"_table": [7, 7], "total": [99, 99], "date": ["x", "y"]}, BASIC)
    assert result["_table"].to_pylist() == [7, 7]
    assert "date" not in result.column_names
    assert result["total"].to_pylist() == totals(PAIR)


def test_the_rules_of_each_deal():
    names = ["eastern", "mandarin", "", None, "nobody's"]
    table = columns(*[NORTH, SOUTH] * 5, deal=np.repeat(range(5), 2), rules=np.repeat(np.array(names, object), 2))
    result = score_table(table)
    expected = [totals(PAIR, load_rules(name or "basic")) for name in names[:4]]
    assert result["total"].to_pylist() == [*np.concatenate(expected).tolist(), None, None]
    assert result["rules"].to_pylist()[::2] == ["eastern", "mandarin", "basic", "basic", None]
    assert "unknown_rules" in result["error"][8].as_py()
    assert totals(table, load_rules("eastern"))[2:4] == expected[0]


@pytest.mark.parametrize("name", ["basic", "us-1-6", "malaya"])
def test_hands_that_are_not_set_are_set_as_the_core_sets_them(name):
    rules = load_rules(name)
    hands = shuffled(3, 0, 60).reshape(60, 4, 13)
    banker = 1 if rules.banker is Banker.REQUIRED else None
    deals = [
        Deal(tuple(Player(f"P{i}", hand=tuple(DECK[card] for card in hand)) for i, hand in enumerate(deal)), banker)
        for deal in hands.tolist()
    ]
    table = table_of(deals)
    settled = settle_table(table, rules, strategy="heuristic")
    assert_as_the_core(settled, table, [set_deal(deal, rules, "heuristic") for deal in deals], rules)


FAULTS = {
    "unknown card": ({"front": "QhQx2c"}, {}, 0, "/front: unknown_card"),
    "two cards": ({"front": "QhQd"}, {}, 0, "wrong_count: "),
    "a card twice in a hand": ({"front": "QhQh2c"}, {}, 0, "/front/1: duplicate_card"),
    "a card twice in a deal": ({"front": "QhQd5c"}, {}, 1, "/front/2: duplicate_card"),
    "a segment missing": ({"middle": None}, {}, 0, "missing_segment"),
    "hand and segments": ({"hand": "2c3c4c5c6c7c8c9cTcJcQcKcAc"}, {}, 0, "/hand: contradiction"),
    "not set": ({"front": None, "middle": None, "back": None, "hand": "QhQd2c9s9h4d4c7sAsKsJs8s3s"}, {}, 0, "not_set"),
    "no natural": ({"declare": "dragon"}, {}, 0, "/declare: natural_not_held"),
    "no such natural": ({"declare": "dragons"}, {}, 0, "/declare: unknown_natural"),
    "surrender": ({"surrender": True}, {}, 0, "/surrender: no_surrender"),
    "declare and surrender": ({"declare": "dragon", "surrender": True}, {}, 0, "/surrender: contradiction"),
    "no banker here": ({}, {"banker": [0, 0]}, 0, "/banker: no_banker"),
    "two bankers": ({}, {"banker": [0, 1]}, 0, "/banker: contradiction"),
    "no such seat": ({"seat": "4"}, {}, 0, "/seat: bad_seat"),
    "no seat": ({"seat": None}, {}, 0, "/seat: bad_seat"),
    "a seat that is no number": ({"seat": "one"}, {}, 0, "/seat: bad_value"),
    "a seat twice": ({"seat": "1"}, {}, 1, "/seat: bad_seat"),
    "surrender that is no truth value": ({"surrender": "maybe"}, {}, 0, "/surrender: bad_value"),
    "a name that cannot be shown": ({"name": "a\x1b[2J"}, {}, 0, "/name: bad_text"),
    "a name too long": ({"name": "x" * 101}, {}, 0, "/name: bad_text"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_told_by_row_and_the_rest_scored(fault):
    changes, shared, row, says = FAULTS[fault]
    good = [NORTH | {"seat": "0"}, SOUTH | {"seat": "1"}]
    bad = [good[0] | changes, good[1]]
    shared = {key: [None, None, *values, None, None] for key, values in shared.items()}
    settled = settle_table(columns(*good, *bad, *good, deal=[7, 7, 8, 8, 9, 9], **shared), BASIC)
    result = settled.scores
    assert result["total"].to_pylist() == [*totals(PAIR), None, None, *totals(PAIR)]
    assert settled.problems[0][0] == 2 + row
    assert says in str(settled.problems[0][1])
    assert says in result["error"][2 + row].as_py()
    assert [error is None for error in result["error"].to_pylist()] == [True, True, False, False, True, True]
    assert set(settled.items()["deal"].to_pylist()) == {7, 9}


def test_a_row_without_its_deal():
    settled = settle_table(columns(NORTH, NORTH, SOUTH, deal=[None, "a", "a"]), BASIC)
    assert settled.scores["total"].to_pylist() == [None, *totals(PAIR)]
    assert str(settled.problems[0][1]) == "/deal: missing_key: say which deal it is"


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (3, "bad_table"),
        ({"front": ["x"]}, "missing_key"),
        ({"deal": [1], "name": ["x"]}, "missing_key"),
        ({"deal": [1], "front": ["x"], "middle": ["x"]}, "missing_key"),
        (PAIR | {"declared": ["dragon", None]}, "unknown_key"),
        ({"deal": [1, 2], "front": ["x"]}, "bad_table"),
    ],
)
def test_what_is_no_table_of_deals(table, code):
    with pytest.raises(ChinesePokerError) as error:
        score_table(table, BASIC)
    assert error.value.code == code
    assert "\n" not in str(error.value)


def test_nothing_comes_to_nothing():
    empty = pa.table({"deal": pa.array([], pa.int64()), **{s: pa.array([], pa.string()) for s in SEGMENTS}})
    assert score_table(empty, BASIC).num_rows == item_table(empty, BASIC).num_rows == 0
    assert item_table(empty, BASIC).schema == item_table(PAIR | {"deal": [1, 1]}, BASIC).schema
    assert score_table(empty, BASIC).schema == score_table(PAIR | {"deal": [1, 1]}, BASIC).schema


def test_results_of_the_core_make_the_same_tables():
    rules = load_rules("taiwan")
    deals = list(nasty_deals(rules, 100))
    made = result_tables((number, deal, score(deal, rules)) for number, deal in enumerate(deals))
    table = table_of(deals)
    settled = settle_table(table, rules)
    vacant = pc.is_null(settled.scores["name"])
    assert made.scores.to_pylist() == settled.scores.filter(pc.invert(vacant)).to_pylist()
    assert made.items().to_pylist() == settled.items().to_pylist()


def test_deals_as_a_table_and_back():
    rules = load_rules("malaya")
    deals = list(nasty_deals(rules, 50))
    table = deal_table((number, deal, "malaya") for number, deal in enumerate(deals))
    expected = [
        total for deal in deals for player, total in zip(deal.players, score(deal, rules).totals, strict=True) if player
    ]
    assert score_table(table)["total"].to_pylist() == expected


def test_totals_are_those_of_the_batch():
    cards = shuffled(5, 0, 500).reshape(500, 4, 13)
    texts = [
        [format_cards(DECK[card] for card in row[part]) for row in cards.reshape(-1, 13).tolist()]
        for part in (slice(0, 3), slice(3, 8), slice(8, 13))
    ]
    table = {"deal": np.repeat(np.arange(500), 4), **dict(zip(SEGMENTS, texts, strict=True))}
    for name in ("basic", "taiwan", "indonesia"):
        rules = load_rules(name)
        assert totals(table, rules) == score_batch(cards, rules).ravel().tolist()
