"""Rule files: read, written out, read again, and played."""

from fuzzing import check_told, folder
from settling import check_sums

from chinese_poker.arrangement import Arrangement, parse_hand
from chinese_poker.deal import Deal, Player
from chinese_poker.errors import ChinesePokerError, RuleSetError
from chinese_poker.presets import load_rules, preset_text, read_rules, rule_names, rules_document
from chinese_poker.rules import Banker
from chinese_poker.score import score

SEEDS = [
    *(preset_text(name).encode() for name in rule_names()),
    b'base = "mandarin"\nfoul = { pays = "scoop_with_bonuses" }\nhome_run = { players = 3, mode = "on_top" }\n',
    b'base = "fujian"\nnaturals = { order = "listed", big = "A", worth = { dragon = 0 } }\ncap = 9\nsuits = "cdhs"\n',
    b"[units.by_category.front]\nthree_of_a_kind = 5\n[bonuses]\ncap = 2\npaid_to = 'both'\nback.royal_flush = 7\n",
    b"foul = 2020-01-01\nrevision = 0x7f\nscoop.units = inf\n",
]
_FILE = folder() / "house.toml"
_SETS = (
    "5s 5h 5d | 8s 8h 8d 2c 2d | Js Jh Jd Jc 3s",
    "9d 4c 3d | Qd Qc 7d 6d 4s | Ac Ad Kc Kd 3c",
    "Kh Ks Ah | 9c 9h 6c 6h 2s | As Qs Ts 7s 6s",
    "4h 4d 2h | Th Tc Td 9s 8c | Qh 5c 7c 7h 3h",
)
_PLAYERS = [Player(name, Arrangement.parse(cards)) for name, cards in zip("abcd", _SETS, strict=True)]
_DRAGON = Player("e", hand=parse_hand("2s3h4d5c6s7h8d9cTsJhQdKcAs"))


def one(data: bytes) -> None:
    _FILE.write_bytes(data)
    try:
        rules = load_rules(str(_FILE))
    except RuleSetError as error:
        check_told(error)
        return
    assert read_rules(rules_document(rules)) == rules
    banker = None if rules.banker is Banker.NONE else 1
    for players in (_PLAYERS, _PLAYERS[:3], _PLAYERS[1:3]):
        for auto_declare in (False, True):
            check_sums(score(Deal(tuple(players), banker), rules, auto_declare=auto_declare))
    try:
        other = Player("f", Arrangement.parse("2c 2d 3s | 4s 4h 5d 5h 6d | Ad Ac Kd Ks Qs"))
        check_sums(score(Deal((_DRAGON, other), banker), rules, auto_declare=True))
    except ChinesePokerError as error:
        check_told(error)
