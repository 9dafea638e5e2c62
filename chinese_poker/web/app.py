"""The application: routes and what they answer.

A request's body is read by :mod:`chinese_poker.documents` and :mod:`chinese_poker.wire` and by nothing else, so that
faults have the codes, pointers and lines that the command gives them, and answers are the command's, byte for byte.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from .. import __version__
from ..answers import suggest_answers
from ..errors import ChinesePokerError
from ..presets import rule_names
from . import advice, description, nights
from .common import Routes, json_response, text_of
from .guard import Guard
from .problems import on_error, plain_problem

STATIC = Path(__file__).with_name("static")


@dataclass(frozen=True)
class Settings:
    """How a server is run; it comes to the workers in the environment."""

    data: str | None = None
    """The ledger's file; the one in the user's data folder where it is ``None``."""
    token: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    warm: bool = False
    """Whether what the first suggestion needs is made ready at the start."""

    def to_environment(self) -> None:
        """Leave them in the environment, for the workers."""
        os.environ[_VARIABLE] = orjson.dumps(asdict(self)).decode()


_VARIABLE = "CHINESE_POKER_SERVE"


def from_environment() -> FastAPI:
    """The application as ``serve`` has set it up: each worker calls this."""
    return create_app(Settings(**orjson.loads(os.environ[_VARIABLE])))


def create_app(settings: Settings = Settings()) -> FastAPI:
    """The ASGI application.

    >>> create_app().title
    'chinese-poker'
    """
    app = FastAPI(title="chinese-poker", version=__version__, docs_url=None, redoc_url=None, lifespan=_lifespan)
    app.state.settings = settings
    app.state.ledger = nights.LedgerOf(settings.data)
    app.state.hard_work = _workers()
    app.add_middleware(Guard, token=settings.token, hosts=settings.hosts, origins=settings.origins)
    app.add_exception_handler(ChinesePokerError, on_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    for path, method, endpoint in ROUTES:
        app.add_api_route(
            path,
            endpoint,
            methods=[method],
            summary=re.split("[:;,.]", text := " ".join((endpoint.__doc__ or "").split()))[0],
            description=text.replace("``", "`"),
            openapi_extra=description.described(method, path),
            include_in_schema=path.startswith("/api"),
        )
    app.router.routes.extend(description.pages())
    app.openapi = lambda: description.openapi(app)  # type: ignore[method-assign]
    app.mount("/static", GZipMiddleware(StaticFiles(directory=STATIC)))
    return app


_TURN = 0.0005
"""Seconds after which a thread gives way to others.

A ledger's thread waits for its turn after each call of SQLite; with Python's usual 5 ms, and a busy event loop, nights
would be answered ever later.
"""


def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, "hard work")


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    sys.setswitchinterval(_TURN)
    app.state.hard_work = _workers()
    if app.state.settings.warm:
        await asyncio.get_running_loop().run_in_executor(app.state.hard_work, _warm)
    yield
    app.state.hard_work.shutdown(wait=False, cancel_futures=True)
    app.state.ledger.close()


def _warm() -> None:
    """One suggestion for the game of each base rule set: imports, tables, pools, compiled code."""
    for name in rule_names()[:4]:
        hand = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"
        for _ in suggest_answers({"hand": hand, "rules": name}, advice.STEPS):
            pass


async def _on_http_exception(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return plain_problem(error.status_code, f"{request.method} {request.url.path}: {error.detail}", error.headers)


async def page(_: Request) -> Response:
    """The page."""
    return FileResponse(STATIC / "index.html")


async def health(_: Request) -> Response:
    """Whether the server is up."""
    return json_response(b'{"status":"ok"}\n')


async def version(_: Request) -> Response:
    """The version of the package."""
    return json_response(text_of({"version": __version__}))


ROUTES: Routes = (
    ("/", "GET", page),
    ("/api/health", "GET", health),
    ("/api/version", "GET", version),
    *advice.ROUTES,
    *nights.ROUTES,
)
