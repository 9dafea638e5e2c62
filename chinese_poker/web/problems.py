"""Problem details (RFC 9457) with the codes, pointers and lines of our errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from .. import wire
from ..errors import ChinesePokerError

MEDIA_TYPE = "application/problem+json"
STATUSES: Mapping[str, int] = {
    **dict.fromkeys(("bad_json", "cut_short", "repeated_key", "not_utf8", "empty_input"), 400),
    "no_token": 401,
    **dict.fromkeys(("foreign_origin", "foreign_host"), 403),
    **dict.fromkeys(("unknown_night", "unknown_deal", "no_such_rules"), 404),
    **dict.fromkeys(("nothing_to_undo", "night_differs", "key_used", "changed_meanwhile"), 409),
    "slow_body": 408,
    "too_long": 413,
    "content_type": 415,
    **dict.fromkeys(("ledger_unreadable", "ledger_read_only", "ledger_busy", "ledger_newer"), 503),
    "ledger_full": 507,
}
"""The status of a response whose first error has this code; that of all others is 422."""


def status_of(error: ChinesePokerError) -> int:
    """The HTTP status of an error."""
    return STATUSES.get(error.code, 422)


def problem_document(errors: Iterable[ChinesePokerError]) -> dict[str, Any]:
    """What went wrong, all of it.

    >>> from chinese_poker import DealError
    >>> document = problem_document([DealError("too_few_players", "1 player; a deal has 2 to 4", pointer="/players")])
    >>> document["status"], document["title"], document["errors"]
    (422, 'Unprocessable Entity', [{'code': 'too_few_players', 'pointer': '/players',
    'message': '1 player; a deal has 2 to 4'}])
    """
    found = list(errors)
    status = status_of(found[0])
    listed = [
        {"code": error.code, "pointer": error.pointer, "message": error.message}
        | ({"line": error.line} if error.line else {})
        for error in found
    ]
    return {**_head(status), "detail": found[0].message, "errors": listed}


def _head(status: int) -> dict[str, Any]:
    phrase = "Unprocessable Entity" if status == 422 else HTTPStatus(status).phrase
    return {"type": "about:blank", "title": phrase, "status": status}


def problem(error: ChinesePokerError) -> Response:
    """An error as an answer."""
    document = problem_document(error.problems)
    headers = {"WWW-Authenticate": "Bearer"} if document["status"] == 401 else None
    return Response(wire.dumps(document), document["status"], headers, MEDIA_TYPE)


def plain_problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """A problem that is the protocol's, not a document's: no such page, no such method, a fault of ours."""
    return Response(wire.dumps({**_head(status), "detail": detail, "errors": []}), status, headers, MEDIA_TYPE)


async def on_error(_: Request, error: Exception) -> Response:
    """What the server answers to an error of ours; any other goes on."""
    if not isinstance(error, ChinesePokerError):
        raise error
    return problem(error)
