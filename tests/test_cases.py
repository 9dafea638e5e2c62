"""Every published or hand-worked case, through the documents that the command reads and writes."""

import json
from typing import Any

import pytest

from chinese_poker import evaluate, parse_cards, score
from chinese_poker.conformance import VECTORS as DATA
from chinese_poker.presets import load_rules
from chinese_poker.wire import check_arrangement, dumps, read_deal, result_document

FILES = ("cases.jsonl", "presets.jsonl")


def cases(*kinds: str) -> list[Any]:
    lines = [line for file in FILES for line in (DATA / file).read_text(encoding="utf-8").splitlines()]
    found = [json.loads(line) for line in lines]
    return [pytest.param(case, id=case["id"]) for case in found if case["kind"] in kinds or not kinds]


def result_of(case: dict[str, Any]) -> dict[str, Any]:
    deal, rules = read_deal(case["deal"])
    document: dict[str, Any] = json.loads(dumps(result_document(case["deal"], deal, score(deal, rules))))
    return document


@pytest.mark.parametrize("file", FILES)
def test_there_are_cases(file: str) -> None:
    assert (DATA / file).read_text(encoding="utf-8").strip()


def test_no_case_is_left_out_or_twice_there() -> None:
    ids = [parameter.id for parameter in cases()]
    assert len(cases("compare")) + len(cases("arrangement")) + len(cases("naturals")) + len(cases("score")) == len(ids)
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("case", cases("compare"))
def test_compare(case: dict[str, Any]) -> None:
    a, b = (evaluate(parse_cards(case[side])) for side in "ab")
    winner = "a" if a > b else "b" if b > a else "tie"
    categories = [strength.category.word.replace("royal", "straight") for strength in (a, b)]
    assert (winner, categories) == (case["winner"], case["categories"])


@pytest.mark.parametrize("case", cases("arrangement"))
def test_arrangement(case: dict[str, Any]) -> None:
    checked = check_arrangement(case["arrangement"], load_rules("basic"))
    assert checked["foul"] is case["foul"]
    assert bool(checked["foul_reasons"]) is case["foul"]


@pytest.mark.parametrize("case", cases("naturals"))
def test_naturals(case: dict[str, Any]) -> None:
    held = check_arrangement({"hand": case["hand"]}, load_rules("basic"))["naturals"]
    assert "naturals" in case or "includes" in case
    if "naturals" in case:
        assert sorted(held) == sorted(case["naturals"])
    if "includes" in case:
        assert case["includes"] in held


@pytest.mark.parametrize("case", cases("score"))
def test_score(case: dict[str, Any]) -> None:
    result = result_of(case)
    matchups = {tuple(matchup["players"]): matchup["total"] for matchup in result["matchups"]}
    assert "totals" in case or "matchups" in case
    if "totals" in case:
        assert [player["total"] for player in result["players"]] == case["totals"]
    for first, second, units in case.get("matchups", []):
        assert matchups[first, second] == units


@pytest.mark.parametrize("case", cases("score"))
def test_items_add_up_to_matchups_matchups_to_totals_and_totals_to_zero(case: dict[str, Any]) -> None:
    result = result_of(case)
    totals = [0] * len(result["players"])
    for matchup in result["matchups"]:
        first, second = matchup["players"]
        assert sum(item["units"] for item in matchup["items"]) == matchup["total"]
        totals[first] += matchup["total"]
        totals[second] -= matchup["total"]
    assert [player["total"] for player in result["players"]] == totals
    assert sum(totals) == 0


def test_every_preset_has_its_cases() -> None:
    """A foul, two fouls, and where the house has them a natural and a home run."""
    shown: dict[str, set[str]] = {}
    for parameter in cases("score"):
        case = parameter.values[0]
        result = result_of(case)
        seen = shown.setdefault(result["rules"], set())
        fouls = sum(player.get("foul", False) for player in result["players"])
        seen |= {"foul"} if fouls else set()
        seen |= {"two fouls"} if fouls > 1 else set()
        seen |= {"natural"} if any(player.get("natural") for player in result["players"]) else set()
        seen |= {"home run"} if result["home_run"] is not None else set()
    for name, seen in shown.items():
        rules = load_rules(name)
        expected = {"foul", "two fouls"}
        expected |= {"natural"} if rules.naturals.ranking else set()
        expected |= {"home run"} if rules.home_run.factor > 1 else set()
        assert expected <= seen, name
    assert len(shown) == 20
