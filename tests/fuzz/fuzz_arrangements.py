"""Arrangements, hands and segments, judged by the referee too."""

import json

from fuzzing import DATA, check_told
from referee import is_foul, naturals

from chinese_poker.arrangement import Arrangement, parse_hand, parse_segment
from chinese_poker.errors import ChinesePokerError
from chinese_poker.evaluate import Wheel, evaluate
from chinese_poker.naturals import find_naturals

_CASES = [json.loads(line) for line in (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
SEEDS = [
    *(" | ".join(case["arrangement"].values()).encode() for case in _CASES if case["kind"] == "arrangement"),
    *(case["hand"].encode() for case in _CASES if case["kind"] == "naturals"),
    *(case["a"].encode() for case in _CASES[:20] if case["kind"] == "compare"),
    b"||",
    b"AhAdAc | 9s9h4d4c7s | KsQsJs8s3s",
]


def one(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for read in (_arrangement, _hand, _segment):
        try:
            read(text)
        except ChinesePokerError as error:
            check_told(error)


def _arrangement(text: str) -> None:
    arrangement = Arrangement.parse(text)
    assert Arrangement.parse(str(arrangement)) == arrangement
    parts = [[str(card) for card in part] for part in arrangement.segments]
    for wheel in Wheel:
        for equal in (True, False):
            foul = arrangement.foul(wheel, middle_may_equal_back=equal)
            assert bool(foul) == bool(foul.reasons) == is_foul(*parts, str(wheel), equal)


def _hand(text: str) -> None:
    hand = parse_hand(text)
    found = find_naturals(hand)
    assert {str(natural) for natural in found} == naturals([str(card) for card in hand])
    for witness in found.values():
        assert sorted(witness.cards) == sorted(hand)


def _segment(text: str) -> None:
    segment = parse_segment(text)
    strength = evaluate(segment)
    assert strength == evaluate(segment[::-1])
    assert strength.describe().isprintable()
