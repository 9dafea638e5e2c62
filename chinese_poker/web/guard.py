"""What holds for every request: who may ask, from where, how much; and what every response forbids a browser."""

from __future__ import annotations

import asyncio
import logging
import secrets
import tempfile
from collections.abc import Collection
from typing import BinaryIO, cast
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..documents import MOST_BYTES
from ..errors import ChinesePokerError, DealError
from .problems import plain_problem, problem

JSON, LINES = "application/json", "application/x-ndjson"
MOST_BYTES_OF_LINES = 8 << 20
"""The longest body of JSON Lines that is read; one document is at most :data:`~chinese_poker.documents.MOST_BYTES`."""
SECONDS_FOR_A_BODY = 30.0
_IN_MEMORY = 1 << 18
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OPEN = frozenset({"/api/health"})
"""What is answered without the token: nothing of anybody's is in it."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "connect", "font", "manifest", "worker")),
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Middleware that refuses what may not be asked, and adds the headers.

    :param token: what ``Authorization: Bearer`` must say under ``/api``; none is asked for where it is ``None``.
    :param hosts: the names by which the server may be called; any where it is empty.
    :param origins: origins of other pages that may write, as in ``https://poker.example``.
    """

    def __init__(
        self, app: ASGIApp, token: str | None = None, hosts: Collection[str] = (), origins: Collection[str] = ()
    ) -> None:
        self.app = app
        self.token = token.encode() if token else None
        self.hosts = frozenset(hosts)
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False
        default_cache = "no-store" if scope["path"].startswith("/api") else "no-cache"

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", default_cache)
            await send(message)

        refusal = self._refusal(scope)
        try:
            await (problem(refusal) if refusal else self.app)(scope, receive, send_guarded)
        except ClientDisconnect:
            pass
        except Exception:
            logging.getLogger("uvicorn.error").exception("%s %s", scope["method"], scope["path"])
            if not started:
                fault = "the server failed at this; its log says more"
                await plain_problem(500, fault)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> ChinesePokerError | None:
        headers = Headers(scope=scope)
        try:
            scope["query_string"].decode()
        except UnicodeDecodeError:
            return DealError("not_utf8", "the query of the address is no UTF-8; write it in percents of UTF-8")
        host = headers.get("host", "")
        if self.hosts and _name_of(host) not in self.hosts:
            fault = f"called as {host!r}; call it by its address, or give serve its --origin"
            return DealError("foreign_host", fault)
        if scope["method"] not in _SAFE:
            origin = headers.get("origin")
            same_site = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
            is_ours = same_site if origin is None else origin in self.origins or _is_of(origin, host)
            if not is_ours:
                return DealError("foreign_origin", f"a page of {origin or 'another site'} may not write here")
        path = scope["path"]
        if self.token and path.startswith("/api") and path not in _OPEN and not self._is_known(headers):
            return DealError("no_token", "send the server's token, as Authorization: Bearer TOKEN")
        if scope["method"] in ("POST", "PUT") and media_type(headers) not in (JSON, LINES):
            return DealError("content_type", f"send {JSON} or {LINES}")
        return None

    def _is_known(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), self.token or b"")


def _is_of(origin: str, host: str) -> bool:
    """Whether a page's origin is the address by which the server is called."""
    try:
        return host != "" and urlsplit(origin).netloc == host
    except ValueError:  # no address at all, as "http://["
        return False


def _name_of(host: str) -> str:
    """A host without its port."""
    return host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host


def media_type(headers: Headers) -> str:
    """The media type of a body, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_lines(request: Request) -> bool:
    """Whether the body is JSON Lines."""
    return media_type(request.headers) == LINES


async def body_of(request: Request) -> bytes:
    """The body of a request that holds one document.

    :raises DealError: ``too_long``, as soon as that is known; ``slow_body``.
    """
    with await spooled(request, MOST_BYTES) as file:
        return file.read()


async def spooled(request: Request, most: int = MOST_BYTES_OF_LINES) -> BinaryIO:
    """The whole body as a file, on disk where it is long: so nobody who sends slowly holds a thread or much memory.

    :raises DealError: ``too_long``, as soon as that is known; ``slow_body``.
    """
    fault = f"more than {most:,} bytes; send less at a time"
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise DealError("too_long", fault)
    file = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115  its reader closes it
    size = 0
    try:
        async with asyncio.timeout(SECONDS_FOR_A_BODY):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise DealError("too_long", fault)
                file.write(chunk)
    except TimeoutError:
        file.close()
        fault = f"the body was not there after {SECONDS_FOR_A_BODY:.0f} seconds"
        raise DealError("slow_body", fault) from None
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
