"""The application: routes and what they answer.

A request's body is read by :mod:`chinese_poker.documents` and :mod:`chinese_poker.wire` and by nothing else, so that
faults have the codes, pointers and lines that the command gives them, and answers are the command's, byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from .. import __version__, wire
from ..answers import arrange_answer, deal_answer, one_document, review_answer, settle, suggest_answers
from ..documents import Document, read_documents
from ..errors import ChinesePokerError
from ..presets import load_rules, rule_names, rules_document
from ..rules import RuleSet
from .guard import JSON, LINES, Guard, body_of, is_lines, spooled
from .problems import on_error, plain_problem, problem_document

STATIC = Path(__file__).with_name("static")
STEPS = (500, 2000)
"""The samples of the first suggestions that are sent, while those asked for are still being drawn."""
_INLINE = 1 << 14
"""The longest document that is answered without a thread."""
_LINES_AT_ONCE = 100

T = TypeVar("T")
Answer = Callable[[Any], Mapping[str, Any]]


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
    app.state.hard_work = CapacityLimiter(os.cpu_count() or 1)
    app.add_middleware(Guard, token=settings.token, hosts=settings.hosts, origins=settings.origins)
    app.add_exception_handler(ChinesePokerError, on_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    for path, method, endpoint in ROUTES:
        app.add_api_route(path, endpoint, methods=[method])
    app.mount("/static", StaticFiles(directory=STATIC))
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    if app.state.settings.warm:
        await to_thread.run_sync(_warm)
    yield


def _warm() -> None:
    """One suggestion for the game of each base rule set: imports, tables, pools, compiled code."""
    for name in rule_names()[:4]:
        hand = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"
        for _ in suggest_answers({"hand": hand, "rules": name}, STEPS):
            pass


async def _on_http_exception(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return plain_problem(error.status_code, f"{request.method} {request.url.path}: {error.detail}", error.headers)


async def hard(request: Request, work: Callable[[], T]) -> T:
    """Work that takes a processor for long: in a thread, no more at a time than there are processors."""
    return await to_thread.run_sync(work, limiter=request.app.state.hard_work)


def json_response(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type=JSON)


def answered(document: Document, answer: Callable[[Any], T]) -> T:
    """What a document is answered.

    :raises ChinesePokerError: its problems, each with its line and a pointer that exists.
    """
    if document.error:
        raise ChinesePokerError.of(document.place(document.error))
    try:
        return answer(document.value)
    except ChinesePokerError as error:
        raise ChinesePokerError.of(document.place(error)) from None


def text_of(answer: Mapping[str, Any]) -> bytes:
    """An answer as the command writes it."""
    return wire.dumps(answer) + b"\n"


async def page(_: Request) -> Response:
    """The page."""
    return FileResponse(STATIC / "index.html")


async def health(_: Request) -> Response:
    """Whether the server is up."""
    return json_response(b'{"status":"ok"}\n')


async def version(_: Request) -> Response:
    """The version of the package."""
    return json_response(text_of({"version": __version__}))


async def rules_list(_: Request) -> Response:
    """The rule sets that ship."""
    listed = [
        {"name": rules.name, "title": rules.title, "aliases": rules.aliases} for rules in map(load_rules, rule_names())
    ]
    return json_response(orjson.dumps(listed) + b"\n")


async def rules_shown(request: Request) -> Response:
    """One rule set, everything written out: as ``rules NAME --json``."""
    try:
        rules = wire.read_rules(request.path_params["name"])
    except ChinesePokerError as error:
        raise type(error)("no_such_rules", error.message) from None
    return json_response(text_of(rules_document(rules)))


async def strategies_list(request: Request) -> Response:
    """The strategies, from the weakest to the strongest."""

    def names() -> bytes:
        from ..strategy import strategies

        return orjson.dumps(strategies()) + b"\n"

    return json_response(await hard(request, names))


def asked_rules(request: Request) -> RuleSet | None:
    """The rule set that ``?rules=`` names."""
    name = request.query_params.get("rules")
    return None if name is None else wire.read_rules(name)


async def score(request: Request) -> Response:
    """Settle a deal: as ``score - --json``. JSON Lines are answered in lines, a bad one by ``{"error": problem}``."""
    rules, query = asked_rules(request), request.query_params
    strategy = query.get("strategy")
    auto_declare = query.get("auto_declare", "false").lower() in ("true", "1", "")

    def scored(value: Any) -> bytes:  # noqa: ANN401
        deal, result = settle(value, rules, strategy=strategy, auto_declare=auto_declare)
        return text_of(wire.result_document(value, deal, result))

    if is_lines(request):
        return StreamingResponse(_in_lines(await spooled(request), scored), media_type=LINES)
    body = await body_of(request)
    if len(body) <= _INLINE and strategy is None and b"strategy" not in body:
        return json_response(answered(one_document(body), scored))
    return json_response(await hard(request, lambda: answered(one_document(body), scored)))


def _in_lines(file: BinaryIO, answer: Callable[[Any], bytes]) -> Iterator[bytes]:
    lines = []
    with file:
        for document in read_documents(file):
            try:
                lines.append(answered(document, answer))
            except ChinesePokerError as error:
                lines.append(text_of({"error": problem_document(error.problems)}))
            if len(lines) == _LINES_AT_ONCE:
                yield b"".join(lines)
                lines.clear()
        yield b"".join(lines)


async def check(request: Request) -> Response:
    """Whether an arrangement is legal, and which naturals the cards hold: as ``check - --json``."""
    rules = asked_rules(request) or load_rules("basic")
    document = one_document(await body_of(request))
    return json_response(answered(document, lambda value: text_of(wire.check_arrangement(value, rules))))


def _asks_for_hard_work(answer: Answer) -> Callable[[Request], Any]:
    """An end point whose answer is one document, and takes a processor for long."""

    async def endpoint(request: Request) -> Response:
        document = one_document(await body_of(request))
        return json_response(await hard(request, lambda: text_of(answered(document, answer))))

    endpoint.__doc__ = answer.__doc__
    endpoint.__name__ = answer.__name__.removesuffix("_answer")
    return endpoint


async def suggest(request: Request) -> Response:
    """The best arrangements of a hand: as ``suggest --json``; as server-sent events, better and better ones."""
    document = one_document(await body_of(request))
    streamed = "text/event-stream" in request.headers.get("accept", "")
    answers = answered(document, partial(suggest_answers, steps=STEPS if streamed else ()))
    first = await hard(request, lambda: answered(document, lambda _: next(answers)))
    if not streamed:
        return json_response(text_of(first))

    async def events() -> AsyncIterator[bytes]:
        answer: Mapping[str, Any] | None = first
        while answer:
            yield event("suggestions", wire.dumps(answer))
            answer = await hard(request, lambda: next(answers, None))
        yield event("done", b"{}")

    return StreamingResponse(events(), media_type="text/event-stream")


def event(name: str, data: bytes) -> bytes:
    """One server-sent event; the data is on one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


ROUTES: tuple[tuple[str, str, Callable[[Request], Any]], ...] = (
    ("/", "GET", page),
    ("/api/health", "GET", health),
    ("/api/version", "GET", version),
    ("/api/rules", "GET", rules_list),
    ("/api/rules/{name}", "GET", rules_shown),
    ("/api/strategies", "GET", strategies_list),
    ("/api/score", "POST", score),
    ("/api/check", "POST", check),
    ("/api/suggest", "POST", suggest),
    ("/api/deal", "POST", _asks_for_hard_work(deal_answer)),
    ("/api/arrange", "POST", _asks_for_hard_work(arrange_answer)),
    ("/api/review", "POST", _asks_for_hard_work(review_answer)),
)
