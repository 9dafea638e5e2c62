"""What a person does on the page: with a finger, with a mouse, with keys alone."""

import time
from typing import Any

HAND = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"
SEGMENTS = ("front", "middle", "back")


def card(page: Any, name: str, within: str = ".board") -> Any:
    return page.locator(f'{within} [data-card="{name}"]')


def zone_of(page: Any, name: str, within: str = ".board") -> str:
    return str(card(page, name, within).get_attribute("data-zone"))


def held(page: Any, zone: str, within: str = ".board") -> list[str]:
    """The cards of a place, in their order."""
    cards = page.locator(f"{within} .zone-{zone} [data-card]")
    return [str(one.get_attribute("data-card")) for one in cards.all()]


def place(page: Any, zone: str, within: str = ".board") -> Any:
    """The first empty place of a segment."""
    return page.locator(f"{within} .zone-{zone} .slot").first


def middle_of(item: Any) -> tuple[float, float]:
    item.scroll_into_view_if_needed()
    box = item.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def mouse_drag(page: Any, item: Any, to: Any) -> None:
    to.scroll_into_view_if_needed()
    start, end = middle_of(item), middle_of(to)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 10, start[1] + 10, steps=2)
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def touch_drag(page: Any, item: Any, to: Any) -> None:
    start, end = middle_of(item), middle_of(to)
    start = middle_of(item)
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", start)
    for step in range(1, 6):
        touch("touchMove", tuple(a + (b - a) * step / 5 for a, b in zip(start, end, strict=True)))  # type: ignore[arg-type]
    touch("touchEnd")
    finger.detach()


def tab_to(page: Any, selector: str, most: int = 80) -> None:
    """Goes with the Tab key alone until what has the focus is what is looked for."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


def until(page: Any, expression: str, seconds: float = 20) -> None:
    """Waits for something to be true on the page; its policy lets Playwright's own waiting evaluate nothing."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(40)
