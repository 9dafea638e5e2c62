"""A real Chromium at two sizes, and servers for it; where there is no browser these tests are skipped, saying why."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Server, serving

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}
SIZES = {"phone": PHONE, "desk": DESK}
_QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
_GONE = ("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING")


def _missing(what: str) -> None:
    """In CI a missing browser is a fault, elsewhere a reason to skip."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """It keeps an event loop running for as long as it is there, and so is not there for tests of other files."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _missing("no Playwright: pip install 'chinese-poker[test]'")
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=found, args=list(_QUIET))
        except Error:
            _missing("no Chromium: apt-get install chromium, or name one in the variable CHROMIUM")
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Iterator[Server]:
    with serving("--data", tmp_path_factory.mktemp("ledger") / "ledger.db") as running:
        yield running


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page in a browser of its own; at the end, no page may have complained or asked another host."""
    contexts = []
    complaints: list[str] = []
    expected: list[str] = []

    def opened(
        url: str, fragment: str = "", *, size: str = "desk", may_lose_server: bool = False, **options: Any
    ) -> Any:
        context = chromium.new_context(**{"locale": "en-GB", **SIZES[size], **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        if may_lose_server:
            expected.extend(_GONE)

        def hear(message: Any) -> None:
            known = "status of 4" in message.text or any(gone in message.text for gone in expected)
            if message.type in ("error", "warning") and not known:
                complaints.append(message.text)

        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith((url, "blob:")) else complaints.append(asked.url))
        page.goto(f"{url}/{fragment}")
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"
