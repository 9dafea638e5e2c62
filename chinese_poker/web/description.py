"""The OpenAPI description, its examples, and the page that shows it (Swagger UI, served from here)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from .. import presets, wire
from .guard import JSON, LINES
from .problems import MEDIA_TYPE

EVENTS = "text/event-stream"
_NORTH = {"name": "North", "front": "Qh Qd 2c", "middle": "9s 9h 4d 4c 7s", "back": "As Ks Js 8s 3s"}
_SOUTH = {"name": "South", "front": "Ah Kd 5c", "middle": "8h 8d 6h 6c 2s", "back": "Tc Td Th Ts 2h"}
_DEAL = {"rules": "western", "players": [_NORTH, _SOUTH]}
_HAND = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"
_NIGHT_ID = {"name": "night", "in": "path", "required": True, "schema": {"type": "string"}, "description": "Its id"}
_NUMBER = {
    "name": "number",
    "in": "path",
    "required": True,
    "schema": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    "description": "The deal's number",
}


def _query(name: str, schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": description}


def _header(name: str, schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "schema": schema, "description": description}


_RULES = _query("rules", {"type": "string"}, "A preset's name; it wins over the document's rules")
_VERSION = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
_SHORT = {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[!-~]+$"}


def _body(schema: str, example: Any, lines: bool = False) -> dict[str, Any]:  # noqa: ANN401
    content: dict[str, Any] = {JSON: {"schema": _ref(schema), "example": example}}
    if lines:
        content[LINES] = {"schema": {"type": "string", "description": "One document a line"}}
    return {"requestBody": {"required": True, "content": content}}


def _ref(schema: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{schema}"}


def _list_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def _given(schema: Mapping[str, Any], *others: str, status: int = 200) -> dict[str, Any]:
    """The responses: one of the schema, in other media types too; problems by default."""
    content = {JSON: {"schema": schema}} | {other: {"schema": {"type": "string"}} for other in others}
    responses: dict[str, Any] = {
        str(status): {"description": "Done", "content": content},
        "default": {"description": "A problem (RFC 9457)", "content": {MEDIA_TYPE: {"schema": _ref("Problem")}}},
    }
    return {"responses": responses}


def _or_nothing(given: dict[str, Any], why: str) -> dict[str, Any]:
    return {"responses": {"204": {"description": why}, **given["responses"]}}


_ANY: Mapping[str, Any] = {"type": "object"}
_NIGHTS_PATH = "/api/nights/{night}"
_DESCRIBED: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("GET", "/api/health"): _given(_ANY),
    ("GET", "/api/version"): _given(_ANY),
    ("GET", "/api/rules"): _given(_list_of(_ANY)),
    ("GET", "/api/rules/{name}"): {
        "parameters": [
            {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}, "example": "mandarin"}
        ],
        **_given(_ref("RuleSet")),
    },
    ("GET", "/api/strategies"): _given(_list_of({"type": "string"})),
    ("POST", "/api/score"): {
        "parameters": [
            _RULES,
            _query("strategy", {"type": "string"}, "Who sets the hands that are not set, as in expected"),
            _query("auto_declare", {"type": "boolean"}, "Count a natural for players who did not declare it"),
        ],
        **_body("DealDocument", _DEAL, lines=True),
        **_given(_ref("ResultDocument"), LINES),
    },
    ("POST", "/api/check"): {
        "parameters": [_RULES],
        **_body("ArrangementDocument", {key: _NORTH[key] for key in ("front", "middle", "back")}),
        **_given(_ANY),
    },
    ("POST", "/api/suggest"): {
        **_body("SuggestRequest", {"hand": _HAND, "rules": "mandarin", "opponents": 2, "samples": 2000, "top": 2}),
        **_given(_ANY, EVENTS),
    },
    ("POST", "/api/deal"): {**_body("DealRequest", {"players": 4, "seed": 1}), **_given(_ANY)},
    ("POST", "/api/arrange"): {
        **_body("ArrangeRequest", {"hands": [_HAND], "strategy": "expected", "rules": "basic", "players": 4}),
        **_given(_ANY),
    },
    ("POST", "/api/review"): {
        **_body("ReviewRequest", {"deal": _DEAL, "seat": 0, "samples": 2000}),
        **_given(_ANY),
    },
    ("GET", "/api/nights"): _given(_list_of(_ref("Night"))),
    ("POST", "/api/nights"): {
        **_body("NightRequest", {"title": "Friday", "rules": "western", "unit": "0.25", "currency": "EUR"}),
        **_given(_ref("Night"), status=201),
    },
    ("POST", "/api/nights/import"): {
        "requestBody": {
            "required": True,
            "content": {LINES: {"schema": {"type": "string", "description": "An export"}}},
        },
        **_given(_ANY, status=201),
    },
    ("GET", _NIGHTS_PATH): {
        "parameters": [_NIGHT_ID, _query("since", _VERSION, "Answer 204 where nothing is newer than this version")],
        **_or_nothing(_given(_ref("Night")), "Nothing newer"),
    },
    ("DELETE", _NIGHTS_PATH): {
        "parameters": [_NIGHT_ID],
        "responses": {"204": {"description": "Deleted"}, "default": _given(_ANY)["responses"]["default"]},
    },
    ("POST", f"{_NIGHTS_PATH}/deals"): {
        "parameters": [_NIGHT_ID, _header("Idempotency-Key", _SHORT, "Names this deed, so that it is not done twice")],
        **_body("DealDocument", _DEAL),
        **_given(_ANY, status=201),
    },
    ("PUT", f"{_NIGHTS_PATH}/deals/{{number}}"): {
        "parameters": [_NIGHT_ID, _NUMBER, _header("If-Match", _VERSION, "The deal's version that you correct")],
        **_body("DealDocument", _DEAL),
        **_given(_ANY),
    },
    ("GET", f"{_NIGHTS_PATH}/deals/{{number}}/history"): {
        "parameters": [_NIGHT_ID, _NUMBER],
        **_given(_list_of(_ANY)),
    },
    ("POST", f"{_NIGHTS_PATH}/undo"): {
        "parameters": [_NIGHT_ID, _header("If-Match", _VERSION, "The night's version that you go back from")],
        "requestBody": {"required": True, "content": {JSON: {"schema": _ANY, "example": {}}}},
        **_given(_ANY),
    },
    ("GET", f"{_NIGHTS_PATH}/events"): {"parameters": [_NIGHT_ID], **_given(_ANY, EVENTS)},
    ("GET", f"{_NIGHTS_PATH}/export"): {"parameters": [_NIGHT_ID], **_given(_ANY, LINES)},
    ("GET", f"{_NIGHTS_PATH}/export.csv"): {"parameters": [_NIGHT_ID], **_given(_ANY, "text/csv")},
}

_PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": _list_of(
            {
                "type": "object",
                "properties": {
                    "code": {"type": "string"},
                    "pointer": {"type": "string", "description": "RFC 6901 JSON Pointer into the body"},
                    "message": {"type": "string"},
                    "line": {"type": "integer", "minimum": 1},
                },
                "required": ["code", "pointer", "message"],
            }
        ),
    },
    "required": ["type", "title", "status", "detail", "errors"],
}
_TEXT: Mapping[str, Any] = {"type": "string"}
_NIGHT = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("id", "title", "rules", "currency", "created"), _TEXT),
        "revision": {"type": "integer"},
        "version": {"type": "integer"},
        "unit": {"type": ["string", "null"], "description": "Money for one unit"},
        "players": _list_of(_TEXT),
        "deals": {"description": "How many stand; of one night that is asked for, the deals themselves"},
        "standings": _list_of(_ANY),
    },
    "required": ["id", "title", "rules", "revision", "unit", "currency", "players", "created", "version", "deals"],
}


def described(method: str, path: str) -> dict[str, Any]:
    """What FastAPI cannot know of an end point that reads its body itself."""
    return dict(_DESCRIBED.get((method, path), {}))


@cache
def _schemas() -> dict[str, Any]:
    kinds: Sequence[Any] = [*wire.SCHEMAS.values(), *wire.REQUESTS.values()]
    adapters = [(kind.__name__, "validation", TypeAdapter(kind)) for kind in kinds]
    rules = ("RuleSet", "validation", presets.adapter())
    _, found = TypeAdapter.json_schemas([*adapters, rules], ref_template="#/components/schemas/{model}")  # type: ignore[list-item]
    return {**found["$defs"], "Problem": _PROBLEM, "Night": _NIGHT}


def openapi(app: FastAPI) -> dict[str, Any]:
    """The whole description."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        routes=app.routes,
        description="Score, check and suggest 13-card Chinese Poker; keep nights. Cards as in `As Td 2c`.",
    )
    document["components"] = {
        "schemas": _schemas(),
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "The server's token, if any"}},
    }
    document["security"] = [{}, {"token": []}]
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"] = {
                status: response
                for status, response in operation["responses"].items()
                if response.get("description") != "Successful Response"
            }
    return document


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>chinese-poker: HTTP API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_START = """SwaggerUIBundle({url: "/openapi.json", dom_id: "#api", deepLinking: true, tryItOutEnabled: true});
"""


async def _page(_: Request) -> Response:
    return HTMLResponse(_PAGE)


async def _start(_: Request) -> Response:
    return Response(_START, media_type="text/javascript")


def pages() -> list[Route | Mount]:
    """The page at ``/docs`` and what it needs; nothing of it comes from another host."""
    assets = Path(str(files("fastapi_offline"))) / "static"
    return [
        Route("/docs", _page),
        Route("/docs/start.js", _start),
        Mount("/docs/assets", StaticFiles(directory=assets)),
    ]
