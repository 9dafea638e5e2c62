"""The page as a whole: no fault of access, no other host, no weight, no jumping, its words in five languages."""

from pathlib import Path
from typing import Any

import pytest
from acting import HAND
from serving import Server, serving

MODES = ("set", "score", "play")
_FILL = {
    "set": """async () => {}""",
    "score": """async () => {
        const { mode_of } = await import("/static/app.js");
        await mode_of("score").load({ players: [
            { name: "Mei", front: "Qs Qh 4d", middle: "7s 7h 7d 2s 2h", back: "Ts Th Td Tc 9d" },
            { name: "Jonas", front: "Kd Ad 2c", middle: "6s 6h 6d 3c Kc", back: "Ks Js 8s 4s 3s" },
            { name: "Anh", front: "6c 5c 4h", middle: "8h 7c 9c 5h 3h", back: "As Jd 4c 9h" }] });
    }""",
    "play": """async () => {}""",
}


def fill(page: Any, mode: str) -> None:
    """Brings a mode to where most of it is seen."""
    if mode == "set":
        page.fill(".typed", HAND)
        page.wait_for_selector(".suggestion")
        page.locator(".odds .text-button").first.click()
    elif mode == "play":
        page.locator(".welcome .main").click()
        page.wait_for_selector(".zone-hand .card")
    page.evaluate(_FILL[mode])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "desk"])
@pytest.mark.parametrize("mode", MODES)
def test_axe_finds_no_serious_fault(server: Server, open_page: Any, mode: str, size: str, theme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(server.url, f"#{mode}", size=size, color_scheme=theme, bypass_csp=True, reduced_motion="reduce")
    found = {}
    for step in ("empty", "filled"):
        if step == "filled":
            fill(page, mode)
        faults = Axe().run(page).response["violations"]
        found[step] = [
            (fault["id"], node["html"][:160])
            for fault in faults
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]
    assert found == {"empty": [], "filled": []}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "desk"])
def test_axe_finds_no_serious_fault_in_a_night_and_in_opened_hands(
    server: Server, open_page: Any, size: str, theme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    def faults() -> list[tuple[str, str]]:
        found = Axe().run(page).response["violations"]
        grave = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        return [(fault["id"], node["html"][:160]) for fault in grave for node in fault["nodes"]]

    page = open_page(server.url, "#score", size=size, color_scheme=theme, bypass_csp=True, reduced_motion="reduce")
    page.locator('[data-k="example"]').click()
    page.locator('[data-k="add"]').click()
    page.wait_for_selector("dialog .main")
    assert faults() == []
    page.locator("dialog .main").click()
    page.wait_for_selector(".deal")
    page.locator('[data-k="example"]').click()
    page.wait_for_selector(".matchup")
    assert faults() == []
    page.locator('[data-k="set:0"]').click()
    page.wait_for_selector("dialog .board")
    assert faults() == []
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#play'")
    page.locator(".welcome .main").click()
    for key in "3333322222111":
        page.locator(".zone-hand .card").first.focus()
        page.keyboard.press(key)
    page.locator('[data-k="open"]').click()
    page.wait_for_selector(".verdict-card .big")
    assert faults() == []


def test_settings_are_accessible_and_kept(server: Server, open_page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(server.url, "#set", bypass_csp=True)
    page.locator("#tune").click()
    faults = Axe().run(page).response["violations"]
    assert [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")] == []
    page.select_option('dialog [data-k="theme"]', "dark")
    page.locator('dialog [data-k="colours"]').click()
    page.select_option('dialog [data-k="language"]', "zh-Hant")
    page.wait_for_selector("html[lang=zh-Hant]")
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    root = page.locator("html")
    assert [root.get_attribute(name) for name in ("lang", "data-theme", "data-colours")] == ["zh-Hant", "dark", "2"]
    assert "頭墩" in page.locator(".felt").inner_text()


@pytest.mark.parametrize(
    ("locale", "lang", "middle"),
    [
        ("en-GB", "en", "Middle"),
        ("zh-TW", "zh-Hant", "中墩"),
        ("zh-CN", "zh-Hans", "中墩"),
        ("vi", "vi", "Chi giữa"),
        ("id", "id", "Tengah"),
    ],
)
def test_the_browsers_language_is_spoken(server: Server, open_page: Any, locale: str, lang: str, middle: str) -> None:
    page = open_page(server.url, "#set", size="phone", locale=locale)
    assert page.locator("html").get_attribute("lang") == lang
    assert page.locator(".zone-middle .zone-name").inner_text() == middle
    for mode in MODES:
        page.goto(f"{server.url}/#{mode}")
        page.wait_for_selector(f".mode.{mode}")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, mode


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_nothing_jumps(server: Server, open_page: Any, size: str) -> None:
    """Layout shift as browsers count it: what moves though nobody did anything."""
    page = open_page(server.url, "", size=size)
    page.evaluate("""() => {
        window.shifts = [];
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
        }).observe({ type: "layout-shift", buffered: true });
    }""")
    for mode in MODES:
        page.evaluate(f"location.hash = '#{mode}'")
        page.wait_for_selector(f".mode.{mode}")
        page.wait_for_timeout(500)
    page.evaluate("location.hash = '#set'")
    page.wait_for_selector(".mode.set")
    page.locator(".typed").click()
    page.keyboard.type(HAND)
    page.wait_for_selector(".suggestion")
    page.wait_for_timeout(1500)
    assert sum(page.evaluate("window.shifts")) < 0.01


@pytest.mark.parametrize("mode", MODES)
def test_the_page_weighs_less_than_150_kb(server: Server, open_page: Any, mode: str) -> None:
    """All that a browser fetches for a mode: before compression, without a cache."""
    page = open_page(server.url, f"#{mode}", locale="vi")
    page.wait_for_selector(f".mode.{mode}")
    fetched = page.evaluate("""() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
        .map((entry) => [new URL(entry.name).pathname, entry.decodedBodySize])""")
    files = {path: size for path, size in fetched if not path.startswith("/api/")}
    assert {"/", "/static/app.js", "/static/style.css", f"/static/{mode}.js", "/static/texts/vi.json"} <= files.keys()
    assert all(files.values())
    assert sum(files.values()) < 150_000
    print(f"{mode}: {sum(files.values()):,} bytes in {len(files)} files")


def test_the_policy_forbids_inline_code(server: Server, open_page: Any) -> None:
    page = open_page(server.url, "#set")
    policy = page.request.get(f"{server.url}/").headers["content-security-policy"]
    assert "unsafe" not in policy
    markup = page.request.get(f"{server.url}/").text()
    assert " style=" not in markup
    assert " onclick=" not in markup
    assert "http" not in markup.replace("http-equiv", "")


def test_from_the_thirteenth_card_to_the_first_suggestion(server: Server, open_page: Any) -> None:
    """The time is printed, and a suggestion is there each time; how fast depends on the machine."""
    page = open_page(server.url, "#set")
    with server.client() as client:
        hands = [client.post("/api/deal", json={"players": 2, "seed": seed}).json()["hands"][0] for seed in range(16)]
    times = []
    for hand in hands:
        page.evaluate("document.querySelector('[data-k=clear]').click()")
        *cards, last = hand.split()
        for name in cards:
            page.locator(f'.grid [data-card="{name}"]').click()
        times.append(
            page.evaluate(
                """async (last) => {
                    performance.clearMarks("first-suggestion");
                    const begun = performance.now();
                    document.querySelector(`.grid [data-card="${last}"]`).click();
                    while (!document.querySelector(".suggestion")) await new Promise(requestAnimationFrame);
                    return performance.now() - begun;
                }""",
                last,
            )
        )
        assert page.locator(".take").count() > 0
    print(
        f"thirteenth card to first suggestion: median {sorted(times[1:])[len(times) // 2]:.0f} ms of {len(times) - 1}"
    )


def test_a_server_with_a_token_is_opened_by_a_link_or_by_typing_it(open_page: Any, ledger: Path) -> None:
    with serving("--token", "open-sesame1", "--data", ledger) as server:
        page = open_page(server.url, "#set&token=open-sesame%31", size="phone")
        page.fill(".typed", HAND)
        page.wait_for_selector(".suggestion")
        assert "sesame" not in page.url
        other = open_page(server.url, "#set")
        other.wait_for_selector(".banner.shown")
        other.locator('[data-k="token"]').fill("open-sesame1")
        other.keyboard.press("Enter")
        other.wait_for_selector(".banner.shown", state="hidden")
        other.fill(".typed", HAND)
        other.wait_for_selector(".suggestion")
