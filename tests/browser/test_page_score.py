"""Scoring deals and keeping a night: what the page says is what the command says, and nothing is lost."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from acting import card, place, tab_to, until
from commanding import json_lines, lines, run
from serving import Server, serving

DATA = Path(__file__).parents[2] / "chinese_poker" / "vectors"
CASES = [
    json.loads(line)
    for file in ("cases.jsonl", "presets.jsonl")
    for line in (DATA / file).read_text("utf-8").splitlines()
]
DEALS = [case["deal"] for case in CASES if case["kind"] == "score"]
NAMES = ("Mei", "Jonas", "Anh")
MEI, JONAS, ANH = (
    "Qs Qh 4d | 7s 7h 7d 2s 2h | Ts Th Td Tc 9d",
    "Kd Ad 2c | 6s 6h 6d 3c Kc | Ks Js 8s 4s 3s",
    "6c 5c 4h | 8h 7c 9c 5h 3h | As Jd 4c 9h 8d",
)
HANDS = [
    (MEI, JONAS, ANH),
    (JONAS, ANH, MEI),
    (ANH, MEI, JONAS),
    (MEI, ANH, JONAS),
    (JONAS, MEI, ANH),
]


def document(hands: tuple[str, ...], rules: str = "mandarin") -> dict[str, Any]:
    segments = [dict(zip(("front", "middle", "back"), hand.split(" | "), strict=True)) for hand in hands]
    return {"rules": rules, "players": [{"name": name, **held} for name, held in zip(NAMES, segments, strict=False)]}


def totals(*deals: tuple[str, ...]) -> dict[str, int]:
    """What the command says that each player has after these deals."""
    results = lines(run("score", "-", "--json", stdin=json_lines(map(document, deals))).stdout)
    return {name: sum(result["players"][seat]["total"] for result in results) for seat, name in enumerate(NAMES)}


def number(text: str) -> int:
    return int(text.replace("\u2212", "-").replace("+", "") or 0)


def standings(page: Any) -> dict[str, int]:
    rows = page.locator(".standings tbody tr").all()
    return {row.locator("th").inner_text(): number(row.locator(".sum").inner_text()) for row in rows}


def stand(page: Any, *deals: tuple[str, ...]) -> None:
    """Waits until the standings are those of these deals."""
    expected, end = totals(*deals), time.monotonic() + 20
    while standings(page) != expected:
        assert time.monotonic() < end, (standings(page), expected)
        page.wait_for_timeout(50)


def type_hands(page: Any, hands: tuple[str, ...]) -> None:
    """Types a hand to each seat; on a phone a seat that has cards shows no field, so they are cleared first."""
    for seat, hand in enumerate(hands):
        page.locator(f'[data-k="typed:{seat}"]').fill(hand)
    page.wait_for_selector(".matchup")


def three_seats(page: Any) -> None:
    page.wait_for_selector(".seat")
    page.locator('[data-k="add-seat"]').click()
    for seat, name in enumerate(NAMES):
        page.locator(f'[data-k="name:{seat}"]').fill(name)


def new_night(page: Any) -> None:
    """Starts a night in the dialog, under mandarin, a quarter euro a unit."""
    page.locator("dialog select").select_option("mandarin")
    page.locator("dialog .pair input").nth(0).fill("0.25")
    page.locator("dialog .pair input").nth(1).fill("EUR")
    page.locator("dialog .main").click()
    page.wait_for_selector("dialog", state="detached")


def add(page: Any, deals: int) -> None:
    page.locator('[data-k="add"]').click()
    until(page, f"document.querySelectorAll('.deal').length === {deals}")


def a_night(page: Any, *deals: tuple[str, ...]) -> None:
    three_seats(page)
    page.locator('[data-k="new-night"]').click()
    new_night(page)
    for count, hands in enumerate(deals, 1):
        type_hands(page, hands)
        add(page, count)


def test_every_case_of_the_referee_scores_on_the_page_as_by_the_command(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#score")
    page.wait_for_selector(".seat")
    expected = lines(run("score", "-", "--json", stdin=json_lines(DEALS)).stdout)
    assert len(expected) == len(DEALS) > 500
    shown = page.evaluate(
        """async (deals) => {
            const { mode_of } = await import("/static/app.js");
            const score = mode_of("score");
            const units = (text) => Number(text.replace("\\u2212", "-").replace("+", ""));
            const all = (selector) => [...document.querySelectorAll(selector)];
            const seen = [];
            for (const deal of deals) {
                await score.load(deal);
                seen.push({
                    totals: all(".seat").map((seat) => seat.classList.contains("vacant")
                        ? null : units(seat.querySelector(".seat-total").textContent)),
                    table: all("table.units tbody tr").map((row) =>
                        [...row.querySelectorAll("td")].slice(0, -1).map((cell) => units(cell.textContent) || 0)),
                    items: all(".matchup li").length,
                    faults: all(".faults, .notice .message").map((fault) => fault.textContent),
                });
            }
            return seen;
        }""",
        DEALS,
    )
    for deal, told, said in zip(DEALS, expected, shown, strict=True):
        seats = [player["seat"] for player in told["players"] if not player.get("vacant")]
        table = [[0] * len(seats) for _ in seats]
        for matchup in told["matchups"]:
            i, j = map(seats.index, matchup["players"])
            table[i][j], table[j][i] = matchup["total"], -matchup["total"]
        totals_told = [None if player.get("vacant") else player["total"] for player in told["players"]]
        items = sum(len(matchup["items"]) for matchup in told["matchups"])
        assert said == {"totals": totals_told, "table": table, "items": items, "faults": []}, deal.get("id")


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_typed_hands_are_settled_in_words(server: Server, open_page: Any, size: str) -> None:
    page = open_page(server.url, "#score", size=size)
    three_seats(page)
    page.select_option('[data-k="rules"]', "mandarin")
    type_hands(page, HANDS[0])
    until(page, "document.querySelectorAll('.matchup').length === 3")
    said = page.locator(".matchup").first.inner_text()
    explained = run("score", "-", "--explain", stdin=json_lines([document(HANDS[0])])).stdout.decode()
    assert "Mei wins 12 from Jonas" in said
    assert "Mei wins 12 from Jonas" in explained
    assert "pair of queens, four kicker over ace high, king-deuce kickers" in said
    assert "bonus for four tens, nine kicker" in said
    assert "scoop, doubled" in said
    assert [number(text) for text in page.locator(".seat-total").all_inner_texts()] == list(totals(HANDS[0]).values())


def test_what_is_missing_or_doubled_is_marked_where_it_is(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#score", size="phone")
    page.wait_for_selector(".seat")
    page.locator('[data-k="typed:0"]').fill(MEI)
    page.locator('[data-k="typed:1"]').fill(JONAS.replace("Kd", "Qs"))
    page.locator('[data-k="typed:1"]').press("Enter")
    page.wait_for_selector(".mini.twice")
    marked = page.locator(".seat").nth(1).locator(".mini.twice")
    assert marked.count() == 1
    assert "Qs is also in North's front" in page.locator(".seat").nth(1).inner_text()
    assert page.locator(".seat").nth(0).locator(".mini.twice").count() == 1
    page.locator('[data-k="clear:1"]').tap()
    page.locator('[data-k="typed:1"]').fill(JONAS.replace(" 2c", ""))
    page.locator('[data-k="typed:1"]').press("Enter")
    page.wait_for_selector(".seat:nth-child(2) .faults")
    assert "12 of 13 cards, 1 missing" in page.locator(".seat").nth(1).inner_text()
    page.locator('[data-k="clear:1"]').tap()
    page.locator('[data-k="typed:1"]').fill(JONAS.replace("2c", "Q1"))
    page.locator('[data-k="typed:1"]').press("Enter")
    page.wait_for_selector(".seat:nth-child(2) .faults")
    assert "'Q1' is not a card" in page.locator(".seat").nth(1).inner_text()


def test_a_night_by_mouse_with_a_correction_and_an_undo(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#score")
    a_night(page, *HANDS)
    stand(page, *HANDS)
    money = page.locator(".standings tbody tr").first.locator("td").last.inner_text()
    assert money == f"+{max(totals(*HANDS).values()) * 0.25:.2f}"
    page.locator('[data-k="correct:3"]').click()
    page.wait_for_selector(".correcting")
    type_hands(page, HANDS[3])
    page.wait_for_timeout(300)
    page.locator('[data-k="add"]').click()
    page.wait_for_selector("[data-k^=history]")
    stand(page, *HANDS[:2], HANDS[3], *HANDS[3:])
    page.locator('[data-k="undo"]').click()
    stand(page, *HANDS)
    page.locator('[data-k="undo"]').click()
    until(page, "document.querySelectorAll('.deal').length === 4")
    stand(page, *HANDS[:4])
    assert page.locator(".chart polyline").count() == 3


def test_a_night_by_touch_with_a_correction_and_an_undo(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#score", size="phone")
    a_night(page, *HANDS[:4])
    page.locator('[data-k="set:0"]').tap()
    page.wait_for_selector("dialog .grid")
    segments = dict(zip(("front", "middle", "back"), (part.split() for part in HANDS[4][0].split(" | ")), strict=True))
    for zone, names in segments.items():
        for name in names:
            card(page, name, "dialog .grid").tap()
            card(page, name, "dialog .board").tap()
            place(page, zone, "dialog .board").tap()
    page.wait_for_selector("dialog .verdict .legal")
    page.locator('[data-k="done"]').tap()
    for seat in (1, 2):
        page.locator(f'[data-k="typed:{seat}"]').fill(HANDS[4][seat])
    page.wait_for_selector('[data-k="add"]')
    page.locator('[data-k="add"]').tap()
    until(page, "document.querySelectorAll('.deal').length === 5")
    stand(page, *HANDS)
    page.locator('[data-k="correct:1"]').tap()
    page.wait_for_selector(".correcting")
    for seat in range(3):
        page.locator(f'[data-k="clear:{seat}"]').tap()
    type_hands(page, HANDS[1])
    page.locator('[data-k="add"]').tap()
    page.wait_for_selector("[data-k^=history]")
    stand(page, HANDS[1], *HANDS[1:])
    page.locator('[data-k="undo"]').tap()
    stand(page, *HANDS)


def test_a_night_by_keys_alone_with_a_correction_and_an_undo(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#score")
    page.wait_for_selector(".seat")

    def press(selector: str) -> None:
        tab_to(page, selector)
        page.keyboard.press("Enter")

    def typed(hands: tuple[str, ...]) -> None:
        for seat, hand in enumerate(hands):
            tab_to(page, f'[data-k="typed:{seat}"]')
            page.keyboard.type(hand)
            page.keyboard.press("Enter")
        page.wait_for_selector('[data-k="add"]')
        page.wait_for_timeout(300)

    press('[data-k="add-seat"]')
    for seat, name in enumerate(NAMES):
        tab_to(page, f'[data-k="name:{seat}"]')
        page.keyboard.type(name)
    press('[data-k="new-night"]')
    page.wait_for_selector("dialog")
    tab_to(page, "dialog select")
    page.keyboard.type("Mand")
    press("dialog .main")
    page.wait_for_selector("dialog", state="detached")
    for count, hands in enumerate(HANDS, 1):
        typed(hands)
        press('[data-k="add"]')
        until(page, f"document.querySelectorAll('.deal').length === {count}")
    stand(page, *HANDS)
    press('[data-k="correct:2"]')
    page.wait_for_selector(".correcting")
    typed(HANDS[0])
    press('[data-k="add"]')
    page.wait_for_selector("[data-k^=history]")
    stand(page, HANDS[0], HANDS[0], *HANDS[2:])
    press('[data-k="undo"]')
    stand(page, *HANDS)


def test_two_browsers_on_one_night_see_each_others_deals(server: Server, open_page: Any) -> None:
    first = open_page(server.url, "#score")
    a_night(first, HANDS[0])
    second = open_page(server.url, first.url.removeprefix(f"{server.url}/"), size="phone")
    second.wait_for_selector(".deal")
    assert standings(second) == totals(HANDS[0])
    type_hands(second, HANDS[1])
    add(second, 2)
    until(first, "document.querySelectorAll('.deal').length === 2")
    type_hands(first, HANDS[2])
    add(first, 3)
    until(second, "document.querySelectorAll('.deal').length === 3")
    first.locator('[data-k="undo"]').click()
    until(second, "document.querySelectorAll('.deal').length === 2")
    assert standings(first) == standings(second) == totals(*HANDS[:2])


def test_reload_and_restart_lose_nothing(open_page: Any, free_port: int, ledger: Path) -> None:
    options = ("--port", free_port, "--data", ledger)
    with serving(*options) as server:
        page = open_page(server.url, "#score", may_lose_server=True)
        a_night(page, *HANDS[:2])
        type_hands(page, HANDS[2])
        page.reload()
        page.wait_for_selector(".matchup")
        stand(page, *HANDS[:2])
    page.locator('[data-k="set:0"]').wait_for()
    with serving(*options):
        page.reload()
        page.wait_for_selector(".matchup")
        page.wait_for_selector(".deal")
        add(page, 3)
        stand(page, *HANDS[:3])


def test_with_the_server_gone_the_page_says_so_and_keeps_the_input(
    open_page: Any, free_port: int, ledger: Path
) -> None:
    options = ("--port", free_port, "--data", ledger)
    with serving(*options) as server:
        page = open_page(server.url, "#score", size="phone", may_lose_server=True)
        a_night(page, HANDS[0])
        type_hands(page, HANDS[1])
    page.locator('[data-k="add"]').tap()
    page.wait_for_selector(".banner.shown")
    assert "The server does not answer. What you entered is kept" in page.locator(".banner").inner_text()
    assert "1 deal waits for the server" in page.locator(".night").inner_text()
    for seat, hand in enumerate(HANDS[2]):
        page.locator(f'[data-k="typed:{seat}"]').fill(hand)
    page.wait_for_selector(".notice .todo")
    assert "The deal is kept" in page.locator(".notice").inner_text()
    with serving(*options):
        page.wait_for_selector(".banner.shown", state="hidden")
        until(page, "document.querySelectorAll('.deal').length === 2")
        page.wait_for_selector(".matchup")
        stand(page, *HANDS[:2])
        add(page, 3)
        stand(page, *HANDS[:3])


def test_a_deal_goes_over_a_link_and_nothing_is_stored(open_page: Any, ledger: Path) -> None:
    with serving("--data", ledger) as server:
        page = open_page(server.url, "#score")
        three_seats(page)
        page.select_option('[data-k="rules"]', "taiwan")
        type_hands(page, HANDS[0])
        page.locator('[data-k="share"]').click()
        link = page.locator("dialog .link").input_value()
        assert link.startswith(f"{server.url}/#score?deal=")
        other = open_page(server.url, link.removeprefix(f"{server.url}/"), size="phone")
        other.wait_for_selector(".matchup")
        page.keyboard.press("Escape")
        assert other.locator(".seat-total").all_inner_texts() == page.locator(".seat-total").all_inner_texts()
        assert other.locator('[data-k="rules"]').input_value() == "taiwan"
        with server.client() as client:
            assert client.get("/api/nights").json() == []


def test_names_with_markup_are_text(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#score")
    evil = "<img src=x onerror=alert(1)><b>Bo</b>"
    three_seats(page)
    page.locator('[data-k="name:0"]').fill(evil)
    page.locator('[data-k="new-night"]').click()
    new_night(page)
    type_hands(page, HANDS[0])
    add(page, 1)
    page.locator('[data-k="look:1"]').click()
    page.wait_for_selector("dialog .matchup")
    assert page.locator("img, main b:has-text('Bo'):not([class])").count() == 0
    assert evil in page.locator(".standings").inner_text()
    assert evil in page.locator("dialog .matchup").first.inner_text()


def test_a_night_is_exported_and_brought_in_again(server: Server, open_page: Any, tmp_path: Path) -> None:
    page = open_page(server.url, "#score")
    a_night(page, *HANDS[:2])
    with page.expect_download() as saved:
        page.locator('[data-k="jsonl"]').click()
    saved.value.save_as(tmp_path / "night.jsonl")
    page.locator('[data-k="delete"]').click()
    page.locator("dialog .danger").click()
    until(page, "!document.querySelector('.deal')")
    with page.expect_file_chooser() as asked:
        page.locator('[data-k="import"]').click()
    asked.value.set_files(tmp_path / "night.jsonl")
    until(page, "document.querySelectorAll('.deal').length === 2")
    stand(page, *HANDS[:2])
