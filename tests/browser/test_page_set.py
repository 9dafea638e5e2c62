"""Setting a hand: by mouse, by touch, by keys; what the page says as one goes."""

from typing import Any

import pytest
from acting import HAND, card, held, mouse_drag, place, tab_to, touch_drag, until, zone_of
from serving import Server

from chinese_poker import Arrangement
from chinese_poker.presets import load_rules
from chinese_poker.wire import check_arrangement

SET = {"front": ["As", "Ad", "2c"], "middle": ["Kd", "Qc", "Jd", "Tc", "9s"], "back": ["8h", "7h", "6h", "4h", "3h"]}


def words(**segments: str) -> list[str]:
    """What the referee says of the segments."""
    said = check_arrangement({zone: segments[zone] for zone in ("front", "middle", "back")}, load_rules("basic"))
    return [said[zone]["words"] for zone in ("front", "middle", "back")]


def see_set(page: Any) -> None:
    """The board holds the arrangement and says its strength as the referee does."""
    assert {zone: sorted(held(page, zone)) for zone in SET} == {zone: sorted(cards) for zone, cards in SET.items()}
    page.wait_for_selector(".verdict .legal")
    expected = words(**{zone: " ".join(cards) for zone, cards in SET.items()})
    assert [page.locator(f".zone-{zone} .said").inner_text() for zone in SET] == expected


def test_by_mouse(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set")
    for name in HAND.split():
        card(page, name, ".grid").click()
    page.wait_for_selector(".suggestion")
    assert sorted(held(page, "hand")) == sorted(HAND.split())
    for zone, cards in SET.items():
        for name in cards:
            mouse_drag(page, card(page, name), place(page, zone))
            assert zone_of(page, name) == zone
    see_set(page)
    mouse_drag(page, card(page, "2c"), card(page, "9s"))
    assert (zone_of(page, "2c"), zone_of(page, "9s")) == ("middle", "front")


def test_by_touch(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set", size="phone")
    for name in HAND.split():
        card(page, name, ".grid").tap()
    page.wait_for_selector(".suggestion")
    for zone in ("front", "middle"):
        for name in SET[zone]:
            card(page, name).tap()
            place(page, zone).tap()
            assert zone_of(page, name) == zone
    place(page, "back").tap()  # the place first, then its cards
    for name in SET["back"][:3]:
        card(page, name).tap()
        assert zone_of(page, name) == "back"
    for name in SET["back"][3:]:
        touch_drag(page, card(page, name), page.locator(".zone-back"))
        assert zone_of(page, name) == "back"
    see_set(page)


def test_by_keys_alone(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set")
    tab_to(page, ".typed")
    page.keyboard.type(HAND)
    page.wait_for_selector(".suggestion")
    tab_to(page, ".zone-hand [data-card]")
    for _ in range(13):
        name = page.evaluate("document.activeElement.dataset.card")
        page.keyboard.press({"front": "1", "middle": "2", "back": "3"}[next(zone for zone in SET if name in SET[zone])])
    see_set(page)
    page.keyboard.press("Home")
    first = page.evaluate("document.activeElement.dataset.card")
    zone = zone_of(page, first)
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight" if zone == "back" else "ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    tab_to(page, ".take")
    page.keyboard.press("Enter")
    see_set(page)
    tab_to(page, ".odds .text-button")
    page.keyboard.press("Enter")
    assert "89%" in page.locator(".why").inner_text()


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_foul_is_told_at_once_and_why(server: Server, open_page: Any, size: str) -> None:
    page = open_page(server.url, "#set", size=size)
    page.fill(".typed", "Ks Kh Ad | Kd Kc Qs Js Ts | As Ac 3d 3h 2c")
    page.wait_for_selector(".verdict .foul")
    assert "front beats middle" in page.locator(".verdict").inner_text()
    fouled = [zone for zone in SET if "wrong" in str(page.locator(f".zone-{zone}").get_attribute("class"))]
    assert fouled == ["front", "middle"]


def test_a_foul_is_told_before_all_cards_are_placed(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set")
    page.fill(".typed", "Ks Kh Ad Kd Kc Qs Js Ts As Ac 3d 3h 2c")
    page.wait_for_selector(".suggestion")
    for zone, cards in (("front", "Ks Kh Ad"), ("middle", "Kd Kc Qs Js Ts")):
        for name in cards.split():
            card(page, name).focus()
            page.keyboard.press({"front": "1", "middle": "2"}[zone])
    page.wait_for_selector(".verdict .foul")
    assert len(held(page, "hand")) == 5


def test_a_natural_is_announced(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set")
    page.fill(".typed", "2h3s3d4c4h5s6d7cTsJhQdKcAs")
    page.wait_for_selector(".verdict .natural")
    assert "three straights" in page.locator(".verdict").inner_text()
    page.wait_for_selector(".offer.advised")


@pytest.mark.parametrize(
    "text",
    ["asadkdqcjdtc9s8h7h6h4h3h2c", "A♠ A♦ K♦, Q♣ J♦ 10♣ 9♠ 8♥ 7♥ 6♥ 4♥ 3♥ 2♣", "🂡🃁🃎🃝🃋🃚🂩🂸🂷🂶🂴🂳🃒"],
)
def test_what_is_pasted_is_read(server: Server, open_page: Any, text: str) -> None:
    page = open_page(server.url, "#set")
    page.fill(".typed", text)
    page.wait_for_selector(".suggestion")
    assert sorted(held(page, "hand")) == sorted(HAND.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("As Kx", "“Kx” is no card; write As, 10h or Q♦"),
        ("As Kd As", "As is there twice"),
        (HAND + " 2d", "14 cards; a hand has 13"),
    ],
)
def test_what_cannot_be_a_hand_is_told_and_kept(server: Server, open_page: Any, text: str, said: str) -> None:
    page = open_page(server.url, "#set")
    page.fill(".typed", text)
    page.keyboard.press("Enter")
    assert page.locator(".entry > .message").inner_text() == said
    assert page.locator(".typed").input_value() == text


def test_suggestions_sharpen_and_are_the_servers(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set")
    page.evaluate("""() => {
        window.seen = [];
        new MutationObserver(() => {
            const note = document.querySelector(".advice .note");
            if (note && window.seen.at(-1) !== note.textContent) window.seen.push(note.textContent);
        }).observe(document.getElementById("main"), { childList: true, subtree: true, characterData: true });
    }""")
    page.fill(".typed", "As Kd Qd Js Tc 9c 8s 7d 6s 5h 4h 3d 2c".replace("As", "Ah").replace("2c", "Kh"))
    page.wait_for_selector(".suggestion")
    until(page, "!window.seen.at(-1)?.includes('more to come')")
    counts = [
        int(text.split("each opponent. ")[1].split()[0].replace(",", "")) for text in page.evaluate("window.seen")
    ]
    assert len(set(counts)) >= 2
    assert counts == sorted(counts)
    best = page.locator(".take").first
    best.click()
    arrangement = Arrangement.parse(" | ".join(" ".join(held(page, zone)) for zone in SET))
    with server.client() as client:
        found = client.post("/api/suggest", json={"hand": " ".join(map(str, held_all(page))), "top": 1}).json()
    expected = found["suggestions"][0]
    told = Arrangement.parse(" | ".join(expected[zone] for zone in SET))
    assert [set(segment) for segment in arrangement.segments] == [set(segment) for segment in told.segments]


def held_all(page: Any) -> list[str]:
    return [name for zone in (*SET, "hand") for name in held(page, zone)]


def test_reload_keeps_the_board(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set", size="phone")
    page.fill(".typed", HAND)
    page.wait_for_selector(".suggestion")
    card(page, "As").tap()
    place(page, "front").tap()
    page.select_option('[data-k="rules"]', "mandarin")
    page.reload()
    page.wait_for_selector(".suggestion")
    assert (held(page, "front"), len(held(page, "hand"))) == (["As"], 12)
    assert page.locator('[data-k="rules"]').input_value() == "mandarin"


def test_a_dealt_hand_has_thirteen_cards(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set", size="phone")
    page.locator('[data-k="deal"]').tap()
    page.wait_for_selector(".suggestion")
    assert len(set(held(page, "hand"))) == 13


def test_a_few_typed_cards_come_to_those_that_are_there(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set")
    card(page, "Qc", ".grid").click()
    page.fill(".typed", "As 10h")
    page.keyboard.press("Enter")
    assert sorted(held(page, "hand")) == ["As", "Qc", "Th"]
