"""Playing against strategies: by mouse, by touch, by keys; the clock, the record, the hints."""

from typing import Any

from acting import SEGMENTS, card, held, mouse_drag, place, tab_to
from serving import Server


def best_of(server: Server, page: Any) -> dict[str, list[str]]:
    """The best way to set the hand that was dealt, as the server has it."""
    hand = page.evaluate("JSON.parse(localStorage.getItem('cp.play')).hands[0]")
    with server.client() as client:
        found = client.post("/api/suggest", json={"hand": hand, "top": 1}).json()["suggestions"][0]
    return {zone: found[zone].split() for zone in SEGMENTS}


def opened(page: Any) -> None:
    page.wait_for_selector(".verdict-card .big")


def see_opened(server: Server, page: Any) -> None:
    """The settlement is the server's, and the hand gave away nothing."""
    table, result = page.evaluate(
        "[JSON.parse(localStorage.getItem('cp.play')).table, JSON.parse(localStorage.getItem('cp.play')).result]"
    )
    with server.client() as client:
        assert client.post("/api/score", json=table).json() == result
        names = client.get("/api/strategies").json()
        others = client.post(
            "/api/arrange",
            json={
                "hands": page.evaluate("JSON.parse(localStorage.getItem('cp.play')).hands.slice(1)"),
                "strategy": names[-1],
                "players": 4,
            },
        ).json()
    assert [
        {key: cards for key, cards in player.items() if key != "name"} for player in table["players"][1:]
    ] == others["arrangements"]
    shown = [
        text.replace("\u2212", "-").replace("+", "") for text in page.locator(".opened .seat-total").all_inner_texts()
    ]
    assert list(map(int, shown)) == [player["total"] for player in result["players"]]
    assert "The best there was" in page.locator(".verdict-card").inner_text()
    assert page.locator(".suggestion.mine").count() == 1


def test_by_mouse(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play")
    page.locator(".welcome .main").click()
    page.wait_for_selector(".zone-hand .card")
    for zone, cards in best_of(server, page).items():
        for name in cards:
            mouse_drag(page, card(page, name), place(page, zone))
    page.locator('[data-k="open"]').click()
    opened(page)
    see_opened(server, page)
    page.locator('[data-k="deal"]').click()
    page.wait_for_selector(".zone-hand .card")
    assert len(held(page, "hand")) == 13


def test_by_touch(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play", size="phone")
    page.locator(".welcome .main").tap()
    page.wait_for_selector(".zone-hand .card")
    for zone, cards in best_of(server, page).items():
        for name in cards:
            card(page, name).tap()
            place(page, zone).tap()
    page.locator('[data-k="open"]').tap()
    opened(page)
    see_opened(server, page)


def test_by_keys_alone(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play")
    tab_to(page, ".welcome .main")
    page.keyboard.press("Enter")
    page.wait_for_selector(".zone-hand .card")
    best = best_of(server, page)
    where = {name: str(digit) for digit, zone in enumerate(SEGMENTS, 1) for name in best[zone]}
    tab_to(page, ".zone-hand [data-card]")
    for _ in range(13):
        page.keyboard.press(where[page.evaluate("document.activeElement.dataset.card")])
    tab_to(page, '[data-k="open"]')
    page.keyboard.press("Enter")
    opened(page)
    see_opened(server, page)


def test_what_was_given_away_is_recorded_and_kept(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play")
    losses = []
    for _ in range(2):
        page.locator('[data-k="deal"]').click()
        page.wait_for_selector(".zone-hand .card")
        for key in "3333322222111":
            page.locator(".zone-hand .card").first.focus()
            page.keyboard.press(key)
        page.locator('[data-k="open"]').click()
        opened(page)
        game = page.evaluate("JSON.parse(localStorage.getItem('cp.play'))")
        with server.client() as client:
            review = client.post(
                "/api/review", json={"deal": game["table"], "seat": 0, "against": game["strategy"], "top": 5}
            ).json()
        found = review["suggestions"]
        offered = max(found.get("declare", {}).get("ev", -99), found["suggestions"][0]["ev"])
        losses.append(review["given_away"] + 3 * (offered - found["suggestions"][0]["ev"]))
    page.reload()
    page.wait_for_selector(".facts")
    kept = page.evaluate("JSON.parse(localStorage.getItem('cp.record'))")
    assert [round(hand["lost"], 6) for hand in kept] == [round(loss, 6) for loss in losses]
    shown = page.locator(".fact dd").nth(1).inner_text()
    assert shown.startswith(f"{sum(losses) / 2:.2f}")
    assert page.locator(".losses rect").count() == 2
    assert page.locator(".opened .seat").count() == 4


def test_the_skill_figure_holds_losses_against_the_weakest_strategy(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play")
    figures = page.evaluate("""async () => {
        const { skill } = await import("/static/play.js");
        return [skill([]), skill([{ lost: 0, weakest: 2 }]), skill([{ lost: 1, weakest: 2 }, { lost: 0, weakest: 2 }]),
            skill([{ lost: 9, weakest: 2 }]), skill([{ lost: 1, weakest: 2, hinted: true }])];
    }""")
    assert figures == [None, 100, 75, 0, None]


def test_the_clock_opens_the_hands(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play", size="phone")
    page.clock.install()
    page.select_option('[data-k="clock"]', "30")
    page.locator(".welcome .main").tap()
    page.wait_for_selector(".zone-hand .card")
    page.clock.run_for(12_000)
    assert page.locator(".clock").inner_text() in ("0:17", "0:18")
    page.clock.run_for(20_000)
    page.wait_for_selector(".opened")
    assert len(page.locator(".opened .seat").first.locator(".mini").all()) == 13


def test_hints_are_off_and_told_apart(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play")
    assert not page.locator('[data-k="hints"]').is_checked()
    page.locator(".welcome .main").click()
    page.wait_for_selector(".zone-hand .card")
    assert page.locator(".suggestion").count() == 0
    page.locator('[data-k="hints"]').check()
    page.locator(".take").first.click()
    page.locator('[data-k="open"]').click()
    opened(page)
    assert page.evaluate("JSON.parse(localStorage.getItem('cp.record')).map((hand) => hand.hinted)") == [True]


def test_a_hand_being_set_survives_a_reload(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#play", size="phone")
    page.locator(".welcome .main").tap()
    page.wait_for_selector(".zone-hand .card")
    first = held(page, "hand")[0]
    card(page, first).tap()
    place(page, "back").tap()
    hands = page.evaluate("JSON.parse(localStorage.getItem('cp.play')).hands")
    page.reload()
    page.wait_for_selector(".zone-hand .card")
    assert held(page, "back") == [first]
    assert page.evaluate("JSON.parse(localStorage.getItem('cp.play')).hands") == hands
