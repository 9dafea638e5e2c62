"""Requests to the server, without a network: a first line, headers, an empty line and any bytes as the body."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from commanding import DRAGON, deal
from fuzzing import folder
from thrift import be_thrifty

from chinese_poker.presets import load_rules
from chinese_poker.web.app import ROUTES, Settings, create_app
from chinese_poker.web.guard import JSON, LINES
from chinese_poker.web.problems import MEDIA_TYPE, STATUSES

be_thrifty()
_APP = create_app(Settings(data=str(folder() / "ledger.db")))
_LOOP = asyncio.new_event_loop()
_LEDGER = _APP.state.ledger.open()
_LEDGER._db.execute("PRAGMA synchronous = OFF")
_NIGHT = _LEDGER.new(rules=load_rules("western"), title="Friday")
_LEDGER.add(_NIGHT.id, deal(), key="k")
_KEPT = b"".join(_LEDGER.export(_NIGHT.id))
_KNOWN = {200, 201, 204, 304, 307, 400, 404, 405, 406, 416, *STATUSES.values(), 422} - {503, 507}
_OF_THE_PROTOCOL = {"type", "title", "status", "detail", "errors"}


def _seed(method: str, target: str, body: bytes = b"", kind: str = JSON, **headers: str) -> bytes:
    lines = [f"{method} {target}", f"content-type: {kind}", *(f"{key}: {value}" for key, value in headers.items())]
    return "\n".join(lines).replace("NIGHT", _NIGHT.id).encode() + b"\n\n" + body


_HAND = {"hand": "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c", "samples": 20, "top": 1}
_BODIES: dict[str, Any] = {
    "/api/score": deal(rules="western"),
    "/api/check": {"front": "QhQd2c", "middle": "9s9h4d4c7s", "back": "AsKsJs8s3s", "id": 7},
    "/api/suggest": {**_HAND, "rules": {"base": "mandarin", "cap": 9}, "opponents": 2, "dead": "Ks", "seed": 3},
    "/api/deal": {"players": 3, "seed": 1, "_mine": []},
    "/api/arrange": {"hands": [DRAGON], "strategy": "greedy", "players": 2},
    "/api/review": {"deal": deal(), "seat": 1, "samples": 20, "top": 1, "against": "heuristic"},
    "/api/nights": {"title": "x", "rules": "basic", "unit": "0.5", "currency": "EUR", "players": ["Ann"]},
    "/api/nights/{night}/deals": deal(),
    "/api/nights/{night}/deals/{number}": deal({"name": "Ann"}),
    "/api/nights/{night}/undo": None,
}


def _seeds() -> Iterator[bytes]:
    for path, method, _ in ROUTES:
        target = path.replace("{night}", "NIGHT").replace("{number}", "1").replace("{name}", "taiwan")
        body = _BODIES.get(path) if method in ("POST", "PUT") else None
        yield _seed(method, target, b"" if body is None else json.dumps(body).encode())
    hands = {"hand": DRAGON}, {"surrender": True}
    yield _seed(
        "POST", "/api/score?rules=taiwan&auto_declare=1", json.dumps({"players": hands}).encode() + b"\n{\n", LINES
    )
    yield _seed("POST", "/api/score?strategy=greedy", json.dumps({"players": [*hands, None]}).encode(), accept="*/*")
    yield _seed("POST", "/api/suggest", json.dumps(_HAND).encode(), accept="text/event-stream")
    yield _seed("POST", "/api/nights/import", _KEPT, LINES, origin="http://localhost", host="localhost")
    yield _seed("POST", "/api/nights/NIGHT/undo", b"{}", **{"if-match": '"1"', "sec-fetch-site": "same-origin"})
    yield _seed("POST", "/api/nights/NIGHT/deals", json.dumps(deal()).encode(), **{"idempotency-key": "k"})
    yield _seed("GET", "/api/nights/NIGHT?since=1", authorization="Bearer x")
    yield _seed("GET", "/static/page.js", range="bytes=0-9", **{"if-none-match": "x", "accept-encoding": "gzip"})
    yield _seed("OPTIONS", "/api/%2e%2e/%ff?rules=%00&rules", origin="null")
    yield _seed("GET", "/openapi.json")


SEEDS = list(_seeds())


class _Answer:
    """What the application sends."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]


async def _ask(method: str, target: str, headers: list[tuple[bytes, bytes]], body: bytes) -> _Answer:
    path, _, query = target.partition("?")
    answer, asked, seen = _Answer(), False, asyncio.Event()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path.encode("latin-1", "replace"),
        "query_string": query.encode("latin-1", "replace"),
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": body, "more_body": False}
        await seen.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in message["headers"]}
            return
        answer.body += message.get("body", b"")
        if path.endswith("/events") and answer.body:
            seen.set()  # who looks on for ever goes away

    await _APP(scope, receive, send)
    return answer


def _send(method: str, target: str, headers: list[tuple[bytes, bytes]], body: bytes) -> _Answer:
    return _LOOP.run_until_complete(_ask(method, target, headers, body))


def _good() -> bytes:
    answer = _send("POST", "/api/score", [(b"content-type", JSON.encode())], json.dumps(deal(rules="western")).encode())
    assert answer.status == 200, answer.body
    return answer.body


_ANSWER = _good()
assert [player["total"] for player in json.loads(_ANSWER)["players"]] == [2, -2]


def one(data: bytes) -> None:
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.decode("latin-1").split("\n")
    method, _, target = first.partition(" ")
    pairs = (line.partition(": ") for line in lines)
    headers = [(key.lower().encode("latin-1"), value.strip().encode("latin-1")) for key, _, value in pairs if key]
    answer = _send(method, target, headers, body)
    assert answer.status in _KNOWN, (answer.status, answer.body)
    if answer.status >= 400:
        _check_problem(answer)
    elif answer.kind == JSON and answer.body and method != "HEAD":
        json.loads(answer.body)
    elif answer.kind == LINES:
        for line in answer.body.splitlines():
            json.loads(line)
    assert _good() == _ANSWER, "a good request is answered right after"
    if method not in ("GET", "HEAD") and answer.status in (200, 201, 204):
        for night in _LEDGER.nights():
            _LEDGER.delete(night.id)
        _APP.state.ledger.open()
        _send("POST", "/api/nights/import", [(b"content-type", LINES.encode())], _KEPT)
    assert b"".join(_LEDGER.export(_NIGHT.id)) == _KEPT, "what is refused leaves the ledger as it was"


def _check_problem(answer: _Answer) -> None:
    assert answer.kind == MEDIA_TYPE, answer.headers
    document = json.loads(answer.body)
    assert document.keys() == _OF_THE_PROTOCOL
    assert document["status"] == answer.status
    assert document["title"]
    for error in document["errors"]:
        assert {"code", "pointer", "message"} <= error.keys() <= {"code", "pointer", "message", "line"}
        assert error["message"].isprintable()
        assert STATUSES.get(document["errors"][0]["code"], 422) == answer.status
