"""Deals as JSON text, settled by the referee too where a preset is played."""

import json
import re
from typing import Any

from fuzzing import DATA, check_places, check_told
from referee import HOUSES, SEGMENTS
from referee import score as referee_score
from settling import check_sums

from chinese_poker.cards import parse_cards
from chinese_poker.documents import Document, loads
from chinese_poker.errors import ChinesePokerError
from chinese_poker.presets import load_rules
from chinese_poker.score import score
from chinese_poker.wire import check_arrangement, dumps, read_deal, read_hand, result_document

_LINES = [line for name in ("cases", "presets") for line in (DATA / f"{name}.jsonl").read_bytes().splitlines()]
_DEALS = [json.loads(line)["deal"] for line in _LINES if b'"deal"' in line]
SEEDS = [
    *(json.dumps(deal, ensure_ascii=False).encode() for deal in _DEALS[::3]),
    b'{"hand": "2c3c4c5c6c7c8c9cTcJcQcKcAc", "dead": ["Ah"]}',
    b'{"id": -1, "front": "KsKhAd", "middle": ["Kd", "Kc", "Qs", "Js", "Ts"], "back": "AsAc3d3h2c", "_a": 1e3}',
    b'{"players": [{"surrender": true}, null, {"front": "", "_": "\\ud800"}], "rules": {"base": "us-2-4", "cap": 3}}',
]


def one(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        value = loads(text)
    except ChinesePokerError as error:
        check_told(error)
        return
    assert json.loads(text) == value
    document = Document(1, text, value)
    for read in (_deal, _checked, read_hand):
        try:
            read(value)
        except ChinesePokerError as error:
            check_told(error)
            check_places(document, error)


def _checked(value: Any) -> None:
    json.loads(dumps(check_arrangement(value, load_rules("taiwan"))))


def _deal(value: Any) -> None:
    deal, rules = read_deal(value)
    result = score(deal, rules)
    check_sums(result)
    written = json.loads(dumps(result_document(value, deal, result)))
    assert [player["total"] for player in written["players"]] == list(result.totals)
    if rules.name in HOUSES and not isinstance(value.get("rules", ""), dict):
        players = [_plain(player) for player in value["players"]]
        totals, matchups = referee_score(players, rules.name, deal.banker)
        assert totals == list(result.totals)
        assert matchups == {matchup.players: matchup.total for matchup in result.matchups}


def _plain(player: dict[str, Any] | None) -> dict[str, Any] | None:
    """A player as the referee reads one, who knows one spelling of everything."""
    if player is None:
        return None
    plain = {key: [str(card) for card in parse_cards(player[key])] for key in (*SEGMENTS, "hand") if key in player}
    if "declare" in player:
        plain["declare"] = re.sub(r"[\s-]+", "_", player["declare"].strip().lower())
    return {**player, **plain}
