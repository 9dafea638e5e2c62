"""End points of the ledger."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import orjson
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .. import wire
from ..answers import one_document
from ..documents import read_documents
from ..errors import ChinesePokerError, DealError
from ..ledger import CSV_HEADER, Action, Ledger, Night, csv_rows, night_document, undone_document
from ..report import csv_lines, read_unit
from ..texts import quote, text_fault
from .common import Routes, T, answered, event, json_response
from .guard import LINES, body_of, spooled

LOOK_EVERY = 0.5
"""Seconds between looks at whether a night has changed, by whichever process."""
_SIGN_OF_LIFE = 15.0


class LedgerOf:
    """The ledger of a server, opened when it is first asked for."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._ledger: Ledger | None = None
        self._lock = threading.Lock()

    def open(self) -> Ledger:
        """The ledger, opened on first use."""
        with self._lock:
            self._ledger = self._ledger or Ledger(self._path)
            return self._ledger

    def close(self) -> None:
        """Close the ledger if it is open."""
        with self._lock:
            if self._ledger:
                self._ledger.close()
            self._ledger = None


async def _with_ledger(request: Request, work: Callable[[Ledger], T]) -> T:
    """Work with the ledger in a thread, as it may wait for the disk or for other writers."""
    ledger: LedgerOf = request.app.state.ledger
    return await to_thread.run_sync(lambda: work(ledger.open()))


async def _with_document(request: Request, work: Callable[[Ledger, Any], T]) -> T:
    document = one_document(await body_of(request))
    return await _with_ledger(request, lambda ledger: answered(document, lambda value: work(ledger, value)))


def _response(value: Any, status: int = 200) -> Response:  # noqa: ANN401
    return json_response(orjson.dumps(value) + b"\n", status)


def _name(request: Request) -> str:
    return str(request.path_params["night"])


def _number(request: Request) -> int:
    return _whole(str(request.path_params["number"]), "a deal's number")


def _whole(text: str, what: str) -> int:
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise DealError("bad_value", f"{quote(text)} is not {what}; write a whole number")
    return int(text)


def _seen(request: Request) -> int | None:
    """The version that the client knows, by ``If-Match``."""
    known = request.headers.get("if-match")
    return None if known is None else _whole(known.strip().strip('"'), "a version")


async def nights_list(request: Request) -> Response:
    """The nights, the newest first."""
    return _response(await _with_ledger(request, lambda ledger: [night.document() for night in ledger.nights()]))


async def night_new(request: Request) -> Response:
    """Begin a night."""

    def new(ledger: Ledger, value: Any) -> Night:  # noqa: ANN401
        asked = wire.read_as("night", value)
        unit = asked.get("unit")
        return ledger.new(
            title=asked.get("title", ""),
            rules=_at("/rules", wire.read_rules, asked.get("rules", "basic")),
            unit=None if unit is None else _at("/unit", read_unit, unit),
            currency=asked.get("currency", ""),
            players=asked.get("players", ()),
        )

    night = await _with_document(request, new)
    response = _response(night.document(), 201)
    response.headers["Location"] = f"/api/nights/{night.id}"
    return response


def _at(pointer: str, read: Callable[[Any], T], value: Any) -> T:  # noqa: ANN401
    try:
        return read(value)
    except ChinesePokerError as error:
        raise error.at(pointer) from None


async def night_shown(request: Request) -> Response:
    """A night with its deals and standings; 204 where nothing is newer than ``?since=``."""
    name, since = _name(request), request.query_params.get("since")
    known = None if since is None else _whole(since, "a version")

    def look(ledger: Ledger) -> bytes | None:
        if known is not None and ledger.version(name) <= known:
            return None
        return orjson.dumps(night_document(*ledger.look(name))) + b"\n"

    found = await _with_ledger(request, look)
    return Response(status_code=204) if found is None else json_response(found)


async def night_deleted(request: Request) -> Response:
    """Delete a night with all that happened in it."""
    await _with_ledger(request, lambda ledger: ledger.delete(_name(request)))
    return Response(status_code=204)


def _acted(action: Action) -> Mapping[str, Any]:
    return {"number": action.number, "result": action.document()["result"], "version": action.version}


async def deal_added(request: Request) -> Response:
    """Settle a deal under the night's rules and keep it; not twice under one ``Idempotency-Key``."""
    key = request.headers.get("idempotency-key")
    if key is not None and (fault := text_fault(key)):
        raise DealError("bad_text", f"Idempotency-Key: {fault}")
    name = _name(request)
    action = await _with_document(request, lambda ledger, value: ledger.add(name, value, key=key))
    return _response(_acted(action), 201)


async def deal_corrected(request: Request) -> Response:
    """Put a deal in the place of one that stands; with ``If-Match``, of that version of it alone."""
    name, number, seen = _name(request), _number(request), _seen(request)
    return _response(
        _acted(await _with_document(request, lambda ledger, value: ledger.correct(name, number, value, seen=seen)))
    )


async def deal_history(request: Request) -> Response:
    """All that happened to a deal, in order."""
    name, number = _name(request), _number(request)
    return _response(
        await _with_ledger(request, lambda ledger: [action.document() for action in ledger.history(name, number)])
    )


async def undone(request: Request) -> Response:
    """Take back the last deal or correction that still counts; with ``If-Match``, from that version of the night."""
    name, seen = _name(request), _seen(request)

    return _response(await _with_ledger(request, lambda ledger: undone_document(*ledger.undo(name, seen=seen))))


async def night_events(request: Request) -> Response:
    """Server-sent events: ``version`` at once and whenever the night has changed, ``deleted`` when it is gone."""
    name = _name(request)

    def look(ledger: Ledger) -> int:
        return ledger.version(name)

    first = await _with_ledger(request, look)

    async def events() -> AsyncIterator[bytes]:
        known = first
        yield event("version", b'{"version":%d}' % known)
        quiet = 0.0
        while True:
            await asyncio.sleep(LOOK_EVERY)
            quiet += LOOK_EVERY
            try:
                version = await _with_ledger(request, look)
            except ChinesePokerError as error:
                if error.code == "unknown_night":
                    yield event("deleted", b"{}")
                return
            if version != known:
                known, quiet = version, 0.0
                yield event("version", b'{"version":%d}' % known)
            elif quiet >= _SIGN_OF_LIFE:
                quiet = 0.0
                yield b": still here\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


async def night_exported(request: Request) -> Response:
    """A night as JSON Lines, which :func:`night_imported` reads back without loss."""
    lines = await _with_ledger(request, lambda ledger: list(ledger.export(_name(request))))
    return _download(b"".join(lines), LINES, f"{_name(request)}.jsonl")


async def night_csv(request: Request) -> Response:
    """A night as CSV, one row a player of a deal."""

    def rows(ledger: Ledger) -> bytes:
        night, deals, _ = ledger.look(_name(request))
        return "".join(csv_lines(CSV_HEADER, csv_rows(night, deals))).encode()

    return _download(await _with_ledger(request, rows), "text/csv", f"{_name(request)}.csv")


def _download(content: bytes, media_type: str, name: str) -> Response:
    """Only an id of a night in the ledger comes here, so the name of the file needs no quoting."""
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def night_imported(request: Request) -> Response:
    """Read exported nights back: all of them, or after an error none."""
    file = await spooled(request)

    def load(ledger: Ledger) -> list[dict[str, Any]]:
        with file:
            return [night.document() for night in ledger.load(read_documents(file))]

    return _response({"nights": await _with_ledger(request, load)}, 201)


ROUTES: Routes = (
    ("/api/nights", "GET", nights_list),
    ("/api/nights", "POST", night_new),
    ("/api/nights/import", "POST", night_imported),
    ("/api/nights/{night}", "GET", night_shown),
    ("/api/nights/{night}", "DELETE", night_deleted),
    ("/api/nights/{night}/deals", "POST", deal_added),
    ("/api/nights/{night}/deals/{number}", "PUT", deal_corrected),
    ("/api/nights/{night}/deals/{number}/history", "GET", deal_history),
    ("/api/nights/{night}/undo", "POST", undone),
    ("/api/nights/{night}/events", "GET", night_events),
    ("/api/nights/{night}/export", "GET", night_exported),
    ("/api/nights/{night}/export.csv", "GET", night_csv),
)
