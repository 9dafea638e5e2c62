"""Documents read in this process: every bad one of ``test_bad_input`` once more, with the very words that are told.

``data/messages.jsonl`` holds the words, so that a change of what users are told is seen. A line is a case, and its
problems: line, pointer, code, message.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commanding import DRAGON, deal, json_lines
from test_bad_input import BAD_LINES as ALL_BAD_LINES
from test_bad_input import FILES, RULES

from chinese_poker.arrangement import Arrangement, parse_hand
from chinese_poker.deal import Deal, Player, labels
from chinese_poker.documents import read_documents
from chinese_poker.errors import ChinesePokerError, DealError, RuleSetError
from chinese_poker.presets import load_rules, read_rules
from chinese_poker.score import score
from chinese_poker.wire import check_arrangement, dumps, read_deal, read_hand, result_document

BAD_LINES = {name: bad for name, bad in ALL_BAD_LINES.items() if name != "strategy unknown"}
"""What the readers refuse; strategies are the command's."""
WORDS = Path(__file__).parent / "data" / "messages.jsonl"
Problem = tuple[int | None, str, str, str]


def told(stream: bytes) -> tuple[list[Any], list[Problem]]:
    """What the command makes of a stream: the results, and the problems."""
    results: list[Any] = []
    problems: list[Problem] = []
    for document in read_documents(io.BytesIO(stream)):
        try:
            if document.error:
                raise document.error
            deal, rules = read_deal(document.value)
            results.append(json.loads(dumps(result_document(document.value, deal, score(deal, rules)))))
        except ChinesePokerError as error:
            problems += [(each.line, each.pointer, each.code, each.message) for each in document.place(error)]
    return results, problems


def refused(read: Any, value: Any) -> list[Problem]:
    with pytest.raises(ChinesePokerError) as caught:
        read(value)
    return [(each.line, each.pointer, each.code, each.message) for each in caught.value.problems]


RULE_DOCUMENTS: dict[str, dict[str, Any]] = {
    "category nearly known": {"bonuses": {"back": {"full house": 2}}},
    "category not known": {"bonuses": {"middle": {"quads": 4}}},
    "natural nearly known": {"naturals": {"worth": {"three straights": 3}}},
    "option nearly known": {"foul": {"pays": "Scoop"}},
    "option a number": {"ties": 3},
    "flush in front": {"units": {"by_category": {"front": {"flush": 2}}}},
    "figure too large": {"cap": 1_000_001},
    "figure of many digits": {"cap": 10**30},
    "revision 0": {"revision": 0},
    "home run of one": {"home_run": {"players": 1}},
    "suits": {"suits": "shd"},
    "big": {"naturals": {"big": "X"}},
    "title too long": {"title": "x" * 1001},
    "name empty": {"name": ""},
    "source with an escape": {"sources": ["a\x1b"]},
    "foul that pays a scoop with units": {"foul": {"pays": "scoop", "units": 4}},
    "ties to no banker": {"ties": "banker"},
    "bonus replaced and paid to both": {"bonuses": {"mode": "replace", "paid_to": "both"}},
    "base a file": {"base": "club.toml"},
    "factor half": {"scoop": {"factor": 1.5}},
    "title a list": {"title": []},
    "scoop a list": {"scoop": []},
    "sources a text": {"sources": "a"},
    "switch a text": {"middle_may_equal_back": "yes"},
    "key within": {"bonuses": {"rear": {}}},
}
DEALS = {
    "natural nearly known": deal({"declare": "Three strihgts"}),
    "natural not played": deal({"declare": "dragon"}, rules="units-only"),
    "vacant and unnamed": {"players": [{"front": ""}, None, {"front": "As"}]},
    "surrendered without cards": deal(south={"front": None}),
}
CHECKED: dict[str, Any] = {
    "no object": [],
    "a number": 7,
    "nothing": {},
    "front alone": {"front": "As"},
    "hand and front": {"hand": DRAGON, "front": "As"},
    "12 cards": {"hand": DRAGON[2:]},
    "a card twice": {"front": "AsAsKd", "middle": "2s3s4s5s6s", "back": "7s8s9sTsJs"},
    "unknown key": {"hand": DRAGON, "hnad": 1},
    "id a list": {"hand": DRAGON, "id": []},
    "1,001 characters": {"hand": "A" * 1001},
    "1,001 cards": {"hand": ["As"] * 1001},
    "cards a number": {"hand": 13},
    "cards of numbers": {"hand": [13, "As", None]},
}
HANDS: dict[str, Any] = {
    "no hand": {},
    "a text": "As",
    "a card twice": {"hand": DRAGON[:24] + "2s"},
    "dead cards of numbers": {"hand": DRAGON, "dead": [1]},
    "unknown key": {"hand": DRAGON, "opponents": 2},
    "id too long": {"hand": DRAGON, "id": 2**63},
}


def basic(value: Any) -> dict[str, Any]:
    return check_arrangement(value, load_rules("basic"))


KINDS: dict[str, Callable[[], Iterable[tuple[str, list[Problem]]]]] = {
    "deal": lambda: ((name, told(bad.line)[1]) for name, bad in BAD_LINES.items() if name != "trailing comma"),
    "rare deal": lambda: ((name, told(json_lines([document]))[1]) for name, document in DEALS.items()),
    "file": lambda: ((name, told(file.text)[1]) for name, file in FILES.items()),
    "rules": lambda: ((name, refused(read_rules, document)) for name, document in RULE_DOCUMENTS.items()),
    "arrangement": lambda: ((name, refused(basic, value)) for name, value in CHECKED.items()),
    "hand": lambda: ((name, refused(read_hand, value)) for name, value in HANDS.items()),
}
"""All that is refused, by kind, and what is told of it; Python 3.13 has other words for a trailing comma."""


def written(kind: str) -> Iterator[str]:
    """The lines of the file of words, of many alike problems the first three."""
    for name, problems in KINDS[kind]():
        yield json.dumps({"case": f"{kind}: {name}", "problems": problems[:3], "count": len(problems)})


@pytest.mark.parametrize("kind", KINDS)
def test_every_message_word_for_word(kind: str) -> None:
    expected = WORDS.read_text(encoding="utf-8").splitlines()
    found = list(written(kind))
    assert found
    assert found == [line for line in expected if line.startswith(f'{{"case": "{kind}: ')]


def test_no_message_is_of_another_kind() -> None:
    told = [json.loads(line)["case"].partition(":")[0] for line in WORDS.read_text(encoding="utf-8").splitlines()]
    assert set(told) == set(KINDS)


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_refused_at_its_place(name: str) -> None:
    results, problems = told(BAD_LINES[name].line)
    assert results == []
    assert [(pointer, code) for _, pointer, code, _ in problems] == BAD_LINES[name].problems
    assert {line for line, *_ in problems} == {1}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_far_as_it_is_good(name: str) -> None:
    results, problems = told(FILES[name].text)
    assert len(results) == FILES[name].scored
    assert [(line, pointer, code) for line, pointer, code, _ in problems] == FILES[name].errors


@pytest.mark.parametrize("name", [name for name, text in RULES.items() if text is not None])
def test_a_rule_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_bytes(RULES[name] or b"")
    with pytest.raises(RuleSetError) as caught:
        load_rules(str(tmp_path / "house.toml"))
    for problem in caught.value.problems:
        assert str(problem).isprintable()
        assert len(problem.message) <= 310


@pytest.mark.parametrize("seats", [5, 1000])
def test_a_deal_has_four_seats_at_most(seats: int) -> None:
    with pytest.raises(DealError) as caught:
        Deal((Player("North", surrender=True),) * seats)
    assert [(each.code, each.pointer) for each in caught.value.problems] == [("too_many_players", "/players")]


@pytest.mark.parametrize("banker", [-1, 2, 4])
def test_the_banker_sits_in_a_players_seat(banker: int) -> None:
    players = (Player("North", surrender=True), Player("South", surrender=True), None)
    with pytest.raises(DealError) as caught:
        Deal(players, banker)
    assert [(each.code, each.pointer) for each in caught.value.problems] == [("banker_seat", "/banker")]
    assert [Deal(players, seat).banker for seat in (None, 0, 1)] == [None, 0, 1]


def test_the_cards_of_a_player_are_under_the_keys_of_a_document() -> None:
    hand = parse_hand(DRAGON)
    assert Player("Ann", hand=hand).parts == Player("Ann", hand=hand, surrender=True).parts == {"hand": hand}
    assert Player("Ann", surrender=True).parts == {}
    arrangement = Arrangement.of(hand)
    assert Player("Ann", arrangement).parts == arrangement.parts
    assert Player("Ann", arrangement).cards == Player("Ann", hand=hand).cards == hand


def test_players_of_one_name_are_told_apart_and_nobody_has_none() -> None:
    assert labels(("Ann", None, "Ann", "Bo")) == ("Ann (seat 0)", "", "Ann (seat 2)", "Bo")


def test_a_seat_of_many_digits_is_cut() -> None:
    players = (Player("North", surrender=True), Player("South", surrender=True))
    for seat, shown in ((10**8, "100000000"), (10**9, "100000000...")):
        with pytest.raises(DealError) as caught:
            Deal(players, seat)
        assert caught.value.message == f"{shown} is no player's seat; seats count from 0"


if __name__ == "__main__":  # writes the words as they are now, to be read before they are kept
    WORDS.write_text("".join(f"{line}\n" for kind in KINDS for line in written(kind)), encoding="utf-8")
