"""End points that keep nothing: rules, score, check, suggest, deal, arrange, review."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .. import wire
from ..answers import arrange_answer, deal_answer, one_document, review_answer, settle, suggest_answers
from ..documents import read_documents
from ..errors import ChinesePokerError
from ..presets import load_rules, rule_names, rules_document
from ..rules import RuleSet
from .common import Endpoint, Routes, answered, event, hard, json_response, text_of
from .guard import LINES, body_of, is_lines, spooled
from .problems import problem_document

STEPS = (500, 2000)
"""The samples of the first suggestions that are sent, while those asked for are still being drawn."""
_INLINE = 1 << 14
"""The longest document that is answered without a thread."""
_LINES_AT_ONCE = 100

Answer = Callable[[Any], Mapping[str, Any]]


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


def _asks_for_hard_work(answer: Answer) -> Endpoint:
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


ROUTES: Routes = (
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
