"""Arrangements: what they hold, what makes them a foul, and what is told of cards that make none."""

from itertools import product

import pytest

from chinese_poker import Arrangement, ArrangementError, Card, CardError, Foul, Wheel, evaluate, parse_cards, parse_hand
from chinese_poker.arrangement import LEGAL, SIZES, Segment, card_problems, parse_segment

LOW, MID, HIGH = "2s 3h 5d", "7s 7h 8d 9c Js", "As Ad Ah Kc Ks"


@pytest.mark.parametrize(
    ("text", "foul", "distinct"),
    [
        (f"{LOW} | {MID} | {HIGH}", "NONE", "NONE"),
        (f"Qs Qh 5d | {MID} | {HIGH}", "FRONT_BEATS_MIDDLE", "FRONT_BEATS_MIDDLE"),
        (f"{LOW} | {HIGH} | {MID}", "MIDDLE_BEATS_BACK", "MIDDLE_BEATS_BACK"),
        (f"Qs Qh Qd | {HIGH} | {MID}", "MIDDLE_BEATS_BACK", "MIDDLE_BEATS_BACK"),
        (f"Qs Qh Qd | {MID} | 4s 4h 5c 6c Tc", "FRONT_BEATS_MIDDLE MIDDLE_BEATS_BACK", None),
        ("2s 3h 4d | 7s 7h 8d 9c Js | 7c 7d 8h 9s Jd", "NONE", "MIDDLE_EQUALS_BACK"),
        ("Ks Kh Ad | 7s 7h 8d 9c Js | 7c 7d 8h 9s Jd", "FRONT_BEATS_MIDDLE", "FRONT_BEATS_MIDDLE MIDDLE_EQUALS_BACK"),
        ("2s 3h | 7s 7h 8d 9c Js | As Ad Ah Kc Ks 5d", "FRONT_SIZE BACK_SIZE", None),
        ("2s 3h 5d 7s | 7h 8d 9c Js | As Ad Ah Kc Ks", "FRONT_SIZE MIDDLE_SIZE", None),
        ("2s 3h 5d | 7s 7h 8d 9c | As Ad Ah Kc Ks Js", "MIDDLE_SIZE BACK_SIZE", None),
        ("Qs Qh Qd | 7s 7h 8d 9c Js | As Ad Ah Kc Ks", "FRONT_BEATS_MIDDLE", None),
        ("2s 3h 5d 6c | As Ad Ah Kc Ks | 7h 8d 9c Js", "FRONT_SIZE BACK_SIZE", None),
        (" | | 2s 3h 5d 7s 7h 8d 9c Js As Ad Ah Kc Ks", "FRONT_SIZE MIDDLE_SIZE BACK_SIZE", None),
    ],
)
def test_everything_that_is_out_of_order_is_a_flag(text: str, foul: str, distinct: str | None) -> None:
    arrangement = Arrangement.parse(text)
    for equal, names in ((True, foul), (False, distinct or foul)):
        expected = Foul.NONE
        for name in names.split():
            expected |= Foul[name]
        judged = arrangement.judge(middle_may_equal_back=equal)
        assert judged.foul == arrangement.foul(middle_may_equal_back=equal) == expected
        assert set(judged.foul.reasons) == {name.lower() for name in names.split()} - {"none"}
        assert [strength is not None for strength in judged.strengths] == [
            len(segment) == size for segment, size in zip(arrangement.segments, SIZES, strict=True)
        ]
    assert arrangement.foul() == arrangement.judge().foul == arrangement.foul(Wheel.LOWEST, middle_may_equal_back=True)


def test_the_wheel_is_the_houses() -> None:
    """A-2-3-4-5 in the middle under K-Q-J-T-9 in the back, and the other way round."""
    under = Arrangement.parse("2s 3s 4d | Ac 2c 3d 4h 5h | Kc Qd Jh Ts 9s")
    over = Arrangement.parse("2s 3s 4d | Kc Qd Jh Ts 9s | Ac 2c 3d 4h 5h")
    fouls = [each.foul(wheel) for each, wheel in product((under, over), (Wheel.LOWEST, Wheel.SECOND_HIGHEST))]
    assert fouls == [LEGAL, Foul.MIDDLE_BEATS_BACK, Foul.MIDDLE_BEATS_BACK, LEGAL]
    for wheel in Wheel:
        assert under.judge(wheel).strengths[1] == evaluate(under.middle, wheel)


def test_what_an_arrangement_holds() -> None:
    arrangement = Arrangement.parse(f"{LOW} | {MID} | {HIGH}")
    parts = tuple(map(parse_cards, (LOW, MID, HIGH)))
    assert arrangement.segments == (arrangement.front, arrangement.middle, arrangement.back) == parts
    assert arrangement.cards == parts[0] + parts[1] + parts[2]
    assert arrangement.parts == dict(zip(Segment, parts, strict=True))
    assert str(arrangement) == f"{LOW} | {MID} | {HIGH}"
    assert Arrangement.of(iter(arrangement.cards)) == arrangement == Arrangement(*parts)


def problems(read: object, *arguments: object) -> list[tuple[str, str, str]]:
    with pytest.raises((ArrangementError, CardError)) as caught:
        read(*arguments)  # type: ignore[operator]
    return [(each.code, each.pointer, each.message) for each in caught.value.problems]


TWICE = "is there twice; a deal holds each card once"


def test_cards_that_make_no_arrangement() -> None:
    assert problems(Arrangement.parse, f"{LOW} | {MID}") == [
        ("wrong_segments", "", "2 segments; write 'front | middle | back'")
    ]
    assert problems(Arrangement.parse, f"{LOW} | {MID} | {HIGH} | As") == [
        ("wrong_segments", "", "4 segments; write 'front | middle | back'")
    ]
    assert problems(Arrangement.parse, f"2s 2s 5d | {MID} | As Ad Ah Kc 7s") == [
        ("duplicate_card", "/front/1", f"2s {TWICE}"),
        ("duplicate_card", "/back/4", "7s is also in middle; a deal holds each card once"),
    ]
    assert problems(Arrangement.parse, "As||") == [("wrong_count", "", "1 card; a hand has 13")]
    assert problems(Arrangement.of, parse_cards("As Ks")) == [("wrong_count", "", "2 cards; a hand has 13")]
    assert problems(Arrangement.of, ()) == [("wrong_count", "", "0 cards; a hand has 13")]
    assert problems(Arrangement.of, (*parse_cards("2s3s4s5s6s7s8s9sTsJsQsKs"), Card["2s"])) == [
        ("duplicate_card", "/back/4", "2s is also in front; a deal holds each card once")
    ]


def test_cards_that_make_no_hand_or_segment() -> None:
    assert problems(parse_hand, "2s3s4s5s6s7s8s9sTsJsQsKsKs2h") == [
        ("duplicate_card", "/12", f"Ks {TWICE}"),
        ("wrong_count", "", "14 cards; a hand has 13"),
    ]
    assert problems(parse_hand, "2s 1s")[0][:2] == ("unknown_card", "")
    assert problems(parse_segment, "As Kd As") == [("duplicate_card", "", f"As {TWICE}")]
    assert parse_segment("As Kd") == parse_cards("As Kd")
    assert parse_segment("") == ()


def test_a_card_is_told_by_whom_it_was_seen() -> None:
    seen = {Card["As"]: "Ann's front"}
    found = list(card_problems({"front": parse_cards("As Kd"), "hand": parse_cards("Kd")}, seen, "Bo"))
    assert [(each.code, each.pointer, each.message) for each in found] == [
        ("duplicate_card", "/front/0", "As is also in Ann's front; a deal holds each card once"),
        ("duplicate_card", "/hand/0", "Kd is also in Bo's front; a deal holds each card once"),
        ("wrong_count", "", "Bo has 3 cards; a hand has 13"),
    ]
    assert seen == {Card["As"]: "Ann's front", Card["Kd"]: "Bo's front"}
    assert [each.message for each in card_problems({"": parse_cards("As")}, {}, "Cy")] == [
        "Cy has 1 card; a hand has 13"
    ]
    named: dict[Card, str] = {}
    assert list(card_problems({"": parse_hand("2c3c4c5c6c7c8c9cTcJcQcKcAc")}, named)) == []
    assert set(named.values()) == {"the hand"}
    list(card_problems({"back": parse_cards("As")}, named))
    assert named[Card["As"]] == "back"
