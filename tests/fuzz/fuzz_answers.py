"""What an outside program writes: as a strategy that sets hands, and as one that scores deals."""

import contextlib
import json
from collections.abc import Iterator
from types import SimpleNamespace
from unittest import mock

import numpy as np
from commanding import DRAGON
from fuzzing import LONGEST_LINE, check_told

from chinese_poker import conformance, outside, program
from chinese_poker.cards import DECK, parse_cards
from chinese_poker.conformance import Question
from chinese_poker.engine.settlement import settlement
from chinese_poker.errors import StrategyError
from chinese_poker.presets import load_rules
from chinese_poker.score import played_naturals

_CARDS = [parse_cards(DRAGON), parse_cards("As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c")]
_HANDS = np.array(_CARDS, np.int8)
_RULES = [load_rules(name) for name in ("basic", "us-2-4")]
_TOTALS = {"a": [2, -2], "b": [1, -1]}
_QUESTIONS = [Question("score", "", {"id": id_, "rules": "basic"}, tuple(totals)) for id_, totals in _TOTALS.items()]
SEEDS = [
    b"2s 3s 4d | 5c 6d 7c 8c 9c | Ts Jh Qd Kc As\nAs Ad Kd | Qc Jd Tc 9s 8h | 7h 6h 4h 3h 2c\n",
    b"declare dragon\ndeclare six_pairs\n",
    b"DECLARE Dragon\r\nsurrender\n",
    b"| |\n\xff\n",
    b'{"a":' * 1_000,
    b'{"id": "a", "players": [{"total": 2}, {"total": -2}]}\n{"id": "b", "players": [{"total": 1}, {"total": -1}]}\n',
    b'{"players": [{"total": 2e0}, {"total": -2}]}\n{"id": null, "players": null}\n[[[[]]]]\nNaN\n',
]


def one(data: bytes) -> None:
    _strategy(data)
    _scorer(data)


@contextlib.contextmanager
def _saying(data: bytes) -> Iterator[None]:
    """Whatever program is run writes this, and ends well."""

    def says(_process: object, _given: bytes, said: bytearray, *_: object, **__: object) -> str:
        said += data
        return ""

    @contextlib.contextmanager
    def started(*_: object) -> Iterator[object]:
        yield SimpleNamespace(returncode=0)

    with mock.patch.object(outside, "_exchange", says), mock.patch.object(outside, "_started", started):
        yield


def _strategy(data: bytes) -> None:
    with _saying(data):
        for rules in _RULES:
            try:
                setting = program.Program("outside").arrange(_HANDS, rules, 2)
            except StrategyError as error:
                check_told(error)
                continue
            bad = {row for row, _ in setting.bad}
            states, foul = settlement(rules).states, settlement(rules).foul
            for row, (cards, state) in enumerate(zip(setting.cards.tolist(), setting.states.tolist(), strict=True)):
                assert sorted(cards) == sorted(_CARDS[row]), "nobody plays with other cards than the hand's"
                natural = states[state].natural if state >= 0 else None
                assert natural is None or natural in played_naturals([DECK[card] for card in cards], rules)
                assert (state == foul) == (row in bad), "a bad answer is a foul, and counted"
            for _, fault in setting.bad:
                assert fault.isprintable(), fault
                assert len(fault) <= LONGEST_LINE, fault


def _scorer(data: bytes) -> None:
    lines = data.decode(errors="replace").split("\n")
    with _saying(data):
        differences = conformance.check("outside", _QUESTIONS)
    differs = {difference.question.id for difference in differences}
    for difference in differences:
        assert isinstance(difference.answer, str) or difference.answer != difference.question.totals
    for question in _QUESTIONS:
        if question.id not in differs:
            assert any(_scores(line, question) for line in lines), "nobody agrees who has not answered"


def _scores(line: str, question: Question) -> bool:
    """Whether a line says these totals, in so many whole numbers."""
    try:
        totals = [json.dumps(player["total"]) for player in json.loads(line)["players"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
    return totals == [str(total) for total in question.totals]
