"""What the end points share: reading a document, answering it, working in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from .. import wire
from ..documents import Document
from ..errors import ChinesePokerError
from .guard import JSON

T = TypeVar("T")
Endpoint = Callable[[Request], Any]
Routes = tuple[tuple[str, str, Endpoint], ...]
"""Paths, methods and end points."""


async def hard(request: Request, work: Callable[[], T]) -> T:
    """Work that takes a processor for long: in threads of its own, no more of them than there are processors.

    The allocator keeps what a thread has freed for that thread, so hard work that came to any thread would in time be
    held many times over.
    """
    pool: Executor = request.app.state.hard_work
    return await asyncio.get_running_loop().run_in_executor(pool, work)


def json_response(content: bytes, status: int = 200) -> Response:
    """An answer of JSON that is written already."""
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


def event(name: str, data: bytes) -> bytes:
    """One server-sent event; the data is on one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)
