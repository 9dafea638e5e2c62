"""Tables against the core: row by row and item by item the same, under every preset."""

import random
from itertools import count

import pyarrow as pa
import pytest
from hands import nasty_deal
from settling import read

from chinese_poker import format_cards, score
from chinese_poker.adapters import tables
from chinese_poker.adapters.tables import settle_table
from chinese_poker.arrangement import SEGMENTS
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import Banker

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
    monkeypatch.setattr(tables, "_BLOCK", 7)
    parts = settle_table(table, rules)
    assert parts.scores.to_pylist() == whole.scores.to_pylist()
    assert parts.items().to_pylist() == whole.items().to_pylist()
