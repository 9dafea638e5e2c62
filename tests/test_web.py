"""The server over HTTP: the command's answers, what it refuses, and that it stays up."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from anyio import to_thread
from commanding import COMMAND, DRAGON, NORTH, SOUTH, deal, json_lines, lines, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import JSON, LINES, Server, serving
from test_cases import cases

from chinese_poker import DECK, __version__, format_cards
from chinese_poker.presets import load_rules, rule_names, rules_document
from chinese_poker.strategy import strategies
from chinese_poker.web.app import Settings, create_app

EXAMPLE = Path(__file__).parents[1] / "chinese_poker" / "examples" / "club-night.jsonl"
HAND = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving("--data", tmp_path_factory.mktemp("web") / "nights.db") as started:
        yield started
        assert started.process.poll() is None
        log = started.log.read_text()
    assert "Traceback" not in log, log


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened


def ask(client: httpx.Client, path: str, document: Any, **headers: str) -> httpx.Response:
    return client.post(path, content=json.dumps(document).encode(), headers={**JSON, **headers})


def test_an_app_is_started_again(tmp_path: Path) -> None:
    app = create_app(Settings(str(tmp_path / "nights.db"), hosts=("test",), warm=False))

    async def asked() -> int:
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
        ):
            return (await client.get("/api/strategies")).status_code

    assert [asyncio.run(asked()) for _ in range(2)] == [200, 200]


def problem(response: httpx.Response) -> Any:
    """The problem of a response, which must be one as RFC 9457 has it."""
    assert response.headers["content-type"] == "application/problem+json"
    document = response.json()
    assert document["status"] == response.status_code
    assert {"type", "title", "status", "detail", "errors"} == document.keys()
    assert "Traceback" not in response.text
    return document


def code(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, problem(response)["errors"][0]["code"]


@pytest.fixture
def night(client: httpx.Client) -> str:
    return str(ask(client, "/api/nights", {"rules": "western", "unit": "0.25"}).json()["id"])


# the command's documents, byte for byte


def test_small_things(client: httpx.Client) -> None:
    assert client.get("/api/health").json() == {"status": "ok"}
    assert client.get("/api/version").json() == {"version": __version__}
    assert client.get("/api/strategies").json() == list(strategies())
    assert [rules["name"] for rules in client.get("/api/rules").json()] == list(rule_names())
    assert client.get("/api/rules/shisanshui").json() == rules_document(load_rules("taiwan"))
    assert client.get("/api/rules/mandarin").content == run("rules", "mandarin", "--json").stdout
    assert code(client.get("/api/rules/nothing")) == (404, "no_such_rules")
    assert code(client.get("/api/rules/pyproject.toml")) == (404, "no_such_rules")
    assert problem(client.get("/api/nothing"))["status"] == 404
    assert problem(client.put("/api/score", headers=JSON))["status"] == 405


def test_scores_are_the_commands(client: httpx.Client, tmp_path: Path) -> None:
    """Every case of tests/data, one document at a time and all in lines."""
    documents = [parameter.values[0]["deal"] for parameter in cases("score")]
    stream = json_lines(documents)
    command = run("score", "-", "--json", stdin=stream)
    assert (command.returncode, command.stderr) == (0, b"")
    assert b"".join(ask(client, "/api/score", document).content for document in documents) == command.stdout
    assert client.post("/api/score", content=stream, headers=LINES).content == command.stdout


def test_checks_are_the_commands(client: httpx.Client) -> None:
    documents = [parameter.values[0]["arrangement"] for parameter in cases("arrangement")]
    documents += [{"hand": parameter.values[0]["hand"]} for parameter in cases("naturals")]
    command = run("check", "-", "--json", stdin=json_lines(documents))
    assert b"".join(ask(client, "/api/check", document).content for document in documents) == command.stdout
    taiwan = run("check", "-", "--json", "--rules", "taiwan", stdin=json_lines(documents))
    assert b"".join(ask(client, "/api/check?rules=taiwan", each).content for each in documents) == taiwan.stdout


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, []),
        ({"rules": "mandarin", "opponents": 2, "top": 1}, ["--rules", "mandarin", "--opponents", "2", "--top", "1"]),
        ({"against": "heuristic", "samples": 700}, ["--against", "heuristic", "--samples", "700"]),
        ({"seed": 5, "samples": 600}, ["--seed", "5", "--samples", "600"]),
        ({"rules": "malaya", "bank": "theirs"}, ["--rules", "malaya", "--bank", "theirs"]),
        (
            {"known": ["QsQh4d | AsAh9c7d2s | KdKc8s8h3c"]},
            ["--opponent", "QsQh4d | AsAh9c7d2s | KdKc8s8h3c"],
        ),
    ],
)
def test_suggestions_are_the_commands(client: httpx.Client, options: dict[str, Any], arguments: list[str]) -> None:
    hand = {"hand": "JdJc5s QdQc9d6s2c AdAc5h5d3d", "id": "x", "_mine": [1], "dead": "2h 3h"}
    command = run("suggest", "-", "--json", *arguments, stdin=json_lines([hand]))
    assert command.stderr == b""
    response = ask(client, "/api/suggest", {**hand, **options})
    assert response.content == command.stdout


def test_suggestions_sharpen_as_one_looks(client: httpx.Client) -> None:
    with client.stream(
        "POST", "/api/suggest", json={"hand": HAND, "top": 2}, headers={"Accept": "text/event-stream"}
    ) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        text = response.read().decode()
    events = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
    assert [each["event"] for each in events] == ["suggestions"] * 3 + ["done"]
    answers = [json.loads(each["data"]) for each in events[:-1]]
    errors = [answer["suggestions"][0]["error"] for answer in answers]
    assert errors == sorted(errors, reverse=True)
    assert answers[-1] == ask(client, "/api/suggest", {"hand": HAND, "top": 2}).json()
    refused = ask(client, "/api/suggest", {"hand": "As"}, Accept="text/event-stream")
    assert code(refused) == (422, "wrong_count")


def test_hands_are_dealt(client: httpx.Client) -> None:
    for players in (2, 3, 4):
        hands = ask(client, "/api/deal", {"players": players}).json()["hands"]
        cards = " ".join(hands).split()
        assert [len(hand.split()) for hand in hands] == [13] * players
        assert len(set(cards)) == len(cards)
    first, again = (ask(client, "/api/deal", {"players": 4, "seed": 7}).json() for _ in range(2))
    assert first == again
    assert ask(client, "/api/deal", {"players": 4}).json() != ask(client, "/api/deal", {"players": 4}).json()
    assert code(ask(client, "/api/deal", {"players": 5}))[0] == 422


def test_hands_are_set_as_the_command_sets_them(client: httpx.Client) -> None:
    hands = [" ".join(map(str, DECK[seat::4])) for seat in range(4)] + [HAND]
    asked = [(name, hand) for name in strategies() for hand in hands]
    others = {hand: format_cards([card for card in DECK if str(card) not in hand][:13]) for hand in hands}
    raw = [{"players": [{"hand": hand}, {"hand": others[hand]}], "strategy": name} for name, hand in asked]
    results = lines(run("score", "-", "--json", stdin=json_lines(raw)).stdout)
    for (name, hand), result in zip(asked, results, strict=True):
        request = {"hands": [hand], "strategy": name, "players": 2}
        (player,) = ask(client, "/api/arrange", request).json()["arrangements"]
        expected = result["players"][0]
        if expected["natural"]:
            assert player == {"hand": hand, "declare": expected["natural"]}
        else:
            assert player == {key: expected[key]["cards"] for key in ("front", "middle", "back")}
    assert code(ask(client, "/api/arrange", {"hands": [HAND], "strategy": "best"})) == (422, "unknown_strategy")
    response = ask(client, "/api/arrange", {"hands": [HAND, "As"], "strategy": "greedy"})
    assert problem(response)["errors"][0]["pointer"] == "/hands/1"


def test_reviews_are_the_commands(client: httpx.Client) -> None:
    first = json.loads(EXAMPLE.read_bytes().splitlines()[0])
    command = lines(run("review", "-", "--json", stdin=json_lines([first])).stdout)
    hands = [{"hand": " ".join(player[key] for key in ("front", "middle", "back"))} for player in first["players"]]
    suggested = lines(run("suggest", "-", "--json", "--rules", "mandarin", stdin=json_lines(hands)).stdout)
    for seat, player in enumerate(first["players"]):
        answer = ask(client, "/api/review", {"deal": first, "seat": seat}).json()
        assert answer.pop("suggestions") == suggested[seat]
        assert answer == next(lapse for lapse in command if lapse["name"] == player["name"])
    assert code(ask(client, "/api/review", {"deal": deal(), "seat": 2})) == (422, "no_hand")
    assert problem(ask(client, "/api/review", {"deal": deal({"front": "Q"}), "seat": 0}))["errors"][0][
        "pointer"
    ].startswith("/deal/players/0")


def test_a_bad_line_is_answered_in_its_place(client: httpx.Client) -> None:
    stream = json_lines([deal(id=1)]) + b'{"players": [\n' + json_lines([deal({"front": "QhQdQh"}), deal(id=4)])
    answers = lines(client.post("/api/score", content=stream, headers=LINES).content)
    assert [answer.get("id") for answer in answers] == [1, None, None, 4]
    command = run("score", "-", "--json", "--errors", "json", stdin=stream)
    told = [{key: error[key] for key in ("code", "pointer", "message", "line")} for error in lines(command.stderr)]
    assert [error for answer in answers[1:3] for error in answer["error"]["errors"]] == told


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
CARDS = st.lists(st.sampled_from(["As", "10h", "kd", "A♠", "2c", "1s", "", "QhQd"]), max_size=6)
PLAYERS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(max_size=4) | JSON_VALUES,
        "front": CARDS | JSON_VALUES,
        "middle": CARDS | st.just(NORTH["middle"]),
        "back": CARDS | st.just(NORTH["back"]),
        "hand": st.just(DRAGON) | JSON_VALUES,
        "declare": st.sampled_from(["dragon", "six_pairs"]) | JSON_VALUES,
        "surrender": st.booleans() | JSON_VALUES,
        "_mine": JSON_VALUES,
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {"players": st.lists(PLAYERS | st.just(NORTH) | st.just(SOUTH) | st.none(), max_size=5)},
    optional={
        "rules": st.sampled_from([*rule_names(), "none"]) | JSON_VALUES,
        "banker": st.integers(-1, 4),
        "id": st.integers() | st.text(max_size=3),
        "_mine": JSON_VALUES,
    },
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    documents=st.lists(DOCUMENTS | JSON_VALUES.filter(lambda value: isinstance(value, dict)), min_size=8, max_size=8)
)
def test_the_server_says_what_the_command_says(client: httpx.Client, documents: list[Any]) -> None:
    """The same bytes of results, and of errors the same codes, pointers, messages and lines, whatever is sent."""
    stream = json_lines(documents)
    command = run("score", "-", "--json", "--errors", "json", stdin=stream)
    bodies = client.post("/api/score", content=stream, headers=LINES).content.splitlines(keepends=True)
    assert b"".join(line for line in bodies if b'{"error":{"type"' not in line) == command.stdout
    told = [error for line in bodies if b'{"error":{"type"' in line for error in json.loads(line)["error"]["errors"]]
    expected = [{key: error[key] for key in ("code", "pointer", "message", "line")} for error in lines(command.stderr)]
    assert told == expected
    for document, line in zip(documents, bodies, strict=True):
        response = ask(client, "/api/score", document)
        if response.status_code == 200:
            assert response.content == line
        else:
            found = [{**error, "line": 0} for error in problem(response)["errors"]]
            assert found == [{**error, "line": 0} for error in json.loads(line)["error"]["errors"]]


# what is refused


def test_errors_name_place_fault_and_remedy(client: httpx.Client) -> None:
    response = ask(client, "/api/score", deal({"front": "QhQdQh"}, {"front": "AhKdZ9"}))
    assert response.status_code == 422
    (error,) = problem(response)["errors"]
    assert (error["code"], error["pointer"], error["line"]) == ("unknown_card", "/players/1/front", 1)
    text = json.dumps(deal({"front": "QhQdQh"}), indent=1).encode()
    response = client.post("/api/score", content=text, headers=JSON)
    (error,) = problem(response)["errors"]
    assert text.splitlines()[error["line"] - 1].strip() == b'"front": "QhQdQh",'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", (400, "empty_input")),
        (b"{", (400, "cut_short")),
        (b"{]", (400, "bad_json")),
        (b'{"a": 1, "a": 2}', (400, "repeated_key")),
        (b"\xff\xfe{}", (400, "not_utf8")),
        (b'{"a": "\xff"}', (400, "not_utf8")),
        (b"{} {}", (400, "bad_json")),
        (json_lines([deal(), deal()]), (400, "bad_json")),
        (b"[" * 5000, (400, "bad_json")),
        (b'{"players": ' + b"9" * 5000 + b"}", (400, "bad_json")),
        (b"7", (422, "bad_value")),
        (b"{}", (422, "missing_key")),
        (b'{"players": []}', (422, "too_few_players")),
        (json.dumps({"players": [{}] * 10_000}).encode(), (422, "too_many_players")),
        (json.dumps({"players": [NORTH] * 10_000}).encode(), (422, "too_many_players")),
        (json.dumps({"players": [NORTH] * 20_000}).encode(), (413, "too_long")),
    ],
)
def test_broken_bodies(client: httpx.Client, body: bytes, expected: tuple[int, str]) -> None:
    assert code(client.post("/api/score", content=body, headers=JSON)) == expected
    for path in ("check", "suggest", "deal", "arrange", "review", "nights"):
        response = client.post(f"/api/{path}", content=body, headers=JSON)
        asks_for_a_night = path == "nights" and body in (b"{}", b'{"players": []}')
        assert 400 <= response.status_code < 500 or asks_for_a_night


@pytest.mark.parametrize("path", ["score", "check", "suggest", "deal", "arrange", "review", "nights", "nights/import"])
def test_ten_megabytes_are_refused_before_they_are_read(server: Server, path: str) -> None:
    """By what is announced, of which nothing is sent; and by what comes where nothing was announced."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        head = f"POST /api/{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/x-ndjson\r\n"
        raw.sendall(f"{head}Content-Length: 10485760\r\n\r\n".encode())
        answer = raw.recv(4096)
    assert answer.startswith(b"HTTP/1.1 413 ")

    sent = 0

    def chunks() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(160):
            sent += 1 << 16
            yield b" " * (1 << 16)

    with server.client() as client, contextlib.suppress(httpx.WriteError, httpx.ReadError):
        response = client.post(f"/api/{path}", content=chunks(), headers=LINES)
        assert code(response) == (413, "too_long")
    with server.client() as client:
        assert client.get("/api/health").status_code == 200


def test_headers_of_everything(client: httpx.Client) -> None:
    paths = ["/", "/static/icon.svg", "/docs", "/openapi.json", "/api/rules", "/api/nothing", "/nothing"]
    for path in paths:
        headers = client.get(path).headers
        policy = {part.split()[0]: part.split()[1:] for part in headers["content-security-policy"].split("; ")}
        assert policy["default-src"] == ["'none'"]
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:"} & {
            each for part in policy.values() for each in part
        }
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers
    assert client.get("/api/nights").headers["cache-control"] == "no-store"
    assert ask(client, "/api/score", {}).headers["content-security-policy"]


def test_no_page_of_ours_holds_inline_code_or_another_host(client: httpx.Client) -> None:
    for path in ("/", "/docs"):
        text = client.get(path).text
        assert "<script>" not in text
        assert "<style" not in text
        assert " onclick" not in text
        assert "http://" not in text.replace("http://www.w3.org/", "")
        assert "https://" not in text


WRITES = [
    ("POST", "/api/nights"),
    ("POST", "/api/nights/import"),
    ("POST", "/api/nights/x/deals"),
    ("PUT", "/api/nights/x/deals/1"),
    ("POST", "/api/nights/x/undo"),
    ("DELETE", "/api/nights/x"),
    ("POST", "/api/score"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_no_other_site_writes(client: httpx.Client, server: Server, method: str, path: str) -> None:
    foreign = [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        server.url.replace("http", "https") + ".evil.example",
    ]
    for origin in foreign:
        response = client.request(method, path, content=b"{}", headers={**JSON, "Origin": origin})
        assert code(response) == (403, "foreign_origin")
    response = client.request(method, path, content=b"{}", headers={**JSON, "Sec-Fetch-Site": "cross-site"})
    assert code(response) == (403, "foreign_origin")
    ours = client.request(method, path, content=b"{}", headers={**JSON, "Origin": server.url})
    assert ours.status_code != 403
    if method != "DELETE":
        for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            response = client.request(method, path, content=b"{}", headers={"Content-Type": media_type})
            assert code(response) == (415, "content_type")


def test_a_name_that_leads_here_by_another_site_is_not_answered(client: httpx.Client, server: Server) -> None:
    """DNS that turns a foreign name to this machine gives its pages our origin; so names count."""
    port = server.url.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", ""):
        assert code(client.get("/api/nights", headers={"Host": host})) == (403, "foreign_host")
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
        assert client.get("/api/nights", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/....//app.py",
        "/docs/assets/../__init__.py",
        "/api/nights/..%2f..%2fetc%2fpasswd",
        "/api/nights/../../etc/passwd",
        "/api/nights/%00",
        "/api/nights/x'%20OR%201=1%20--",
        "/api/rules/..%2f..%2fpyproject.toml",
        "/api/rules/%2fetc%2fpasswd.toml",
    ],
)
def test_paths_lead_nowhere_else(server: Server, path: str) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 405 "))
    assert b"import" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize("origin", ["http://[", "http://]", "[", "//[x]"])
def test_an_origin_that_is_no_address_is_foreign(client: httpx.Client, origin: str) -> None:
    assert code(ask(client, "/api/nights", {}, Origin=origin)) == (403, "foreign_origin")


def test_no_file_is_read_as_rules(client: httpx.Client, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text("base = 'western'\n")
    for rules in (str(house), "./house.toml", {"base": str(house)}):
        assert ask(client, "/api/score", deal(rules=rules)).status_code == 422
        assert ask(client, "/api/suggest", {"hand": HAND, "rules": rules}).status_code == 422
        assert ask(client, "/api/nights", {"rules": rules}).status_code == 422
    assert client.post(f"/api/score?rules={house}", content=json.dumps(deal()), headers=JSON).status_code == 422


# nights


def test_a_night(client: httpx.Client) -> None:
    asked = {"title": "Friday", "rules": "western", "unit": "0.25", "currency": "EUR", "players": ["North", "Zoe"]}
    created = ask(client, "/api/nights", asked)
    assert created.status_code == 201
    path = created.headers["location"]
    shown = client.get(path).json()
    assert shown.keys() - created.json().keys() == {"standings"}
    assert (shown["players"], shown["deals"], shown["version"]) == (["North", "Zoe"], [], 0)
    results = []
    for i in range(5):
        response = ask(client, f"{path}/deals", deal(id=i))
        assert (response.status_code, response.json()["number"], response.json()["version"]) == (201, i + 1, i + 1)
        results.append(response.json()["result"])
    assert results == lines(
        run("score", "-", "--json", "--rules", "western", stdin=json_lines(deal(id=i) for i in range(5))).stdout
    )
    north, south = deal()["players"]
    exchanged = {"players": [{**south, "name": "North"}, {**north, "name": "South"}]}
    corrected = client.put(f"{path}/deals/2", content=json.dumps(exchanged), headers=JSON)
    assert (corrected.status_code, corrected.json()["version"]) == (200, 6)
    standings = client.get(path).json()["standings"]
    assert [(row["name"], row["units"], row["money"]) for row in standings] == [
        ("North", 6, "1.50"),
        ("South", -6, "-1.50"),
    ]
    history = client.get(f"{path}/deals/2/history").json()
    assert [(past["kind"], past["version"]) for past in history] == [("add", 2), ("correct", 6)]
    assert client.get(path).json()["deals"][1]["history"] == 2
    undone = client.post(f"{path}/undo", headers=JSON).json()
    assert undone == {"undone": "correct", "number": 2, "version": 7}
    assert client.get(path).json()["standings"][0]["units"] == 10
    assert client.get(f"{path}?since=7").status_code == 204
    assert client.get(f"{path}?since=6").json()["version"] == 7
    export = client.get(f"{path}/export")
    assert export.headers["content-disposition"].startswith("attachment; ")
    assert client.delete(path).status_code == 204
    assert code(client.get(path)) == (404, "unknown_night")
    imported = client.post("/api/nights/import", content=export.content, headers=LINES)
    assert imported.status_code == 201
    assert client.get(f"{path}/export").content == export.content
    assert "North" in client.get(f"{path}/export.csv").text


def test_a_deed_is_done_once(client: httpx.Client, night: str) -> None:
    path = f"/api/nights/{night}/deals"
    first, again = (ask(client, path, deal(), **{"Idempotency-Key": "k1"}) for _ in range(2))
    assert first.json() == again.json()
    assert len(client.get(f"/api/nights/{night}").json()["deals"]) == 1
    assert code(ask(client, path, deal(id=2), **{"Idempotency-Key": "k1"})) == (409, "key_used")


def test_two_who_change_at_once(client: httpx.Client, night: str) -> None:
    path = f"/api/nights/{night}"
    ask(client, f"{path}/deals", deal())
    correct = lambda seen: client.put(  # noqa: E731
        f"{path}/deals/1", content=json.dumps(deal(id=seen)), headers={**JSON, "If-Match": seen}
    )
    assert correct('"1"').status_code == 200
    assert code(correct('"1"')) == (409, "changed_meanwhile")
    assert code(client.post(f"{path}/undo", headers={**JSON, "If-Match": "1"})) == (409, "changed_meanwhile")
    assert client.post(f"{path}/undo", headers={**JSON, "If-Match": "2"}).status_code == 200
    assert client.post(f"{path}/undo", headers=JSON).status_code == 200
    assert code(client.post(f"{path}/undo", headers=JSON)) == (409, "nothing_to_undo")
    assert code(correct("x")) == (422, "bad_value")


def test_who_looks_on_sees_what_others_add(client: httpx.Client, server: Server, night: str) -> None:
    with server.client() as other, other.stream("GET", f"/api/nights/{night}/events") as events:
        told = events.iter_lines()
        assert [next(told) for _ in range(3)] == ["event: version", 'data: {"version":0}', ""]
        ask(client, f"/api/nights/{night}/deals", deal())
        assert [next(told) for _ in range(3)] == ["event: version", 'data: {"version":1}', ""]
        client.delete(f"/api/nights/{night}")
        assert [next(told) for _ in range(2)] == ["event: deleted", "data: {}"]


def test_names_with_markup_are_text(client: httpx.Client, night: str) -> None:
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "=HYPERLINK(1)", "'; DROP TABLE night; --"]
    for name in names:
        response = ask(client, f"/api/nights/{night}/deals", deal({"name": name}))
        assert response.headers["content-type"] == "application/json"
        assert response.json()["result"]["players"][0]["name"] == name
    table = client.get(f"/api/nights/{night}/export.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert "'=HYPERLINK(1)" in table.text
    assert [row["name"] for row in client.get(f"/api/nights/{night}").json()["standings"]].count(names[3]) == 1


def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    data = tmp_path / "nights.db"
    with serving("--data", data) as first, first.client() as client:
        path = ask(client, "/api/nights", {}).headers["location"]
        ask(client, f"{path}/deals", deal())
        before = client.get(path).content
        first.process.kill()
    with serving("--data", data) as second, second.client() as client:
        assert client.get(path).content == before


# who may ask at all


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("guarded") / "nights.db"
    with serving("--data", data, "--host", "0.0.0.0", "--token", "s3cret-token", "--origin", "https://p.example") as it:
        yield it


def test_without_the_token_nothing_is_done(guarded: Server) -> None:
    with guarded.client() as client:
        description = client.get("/openapi.json").json()
        for path, operations in description["paths"].items():
            for method in operations:
                for scheme in (
                    "",
                    "Bearer",
                    "Bearer wrong",
                    "Basic s3cret-token",
                    "Bearer s3cret-tokenx",
                    "s3cret-token",
                ):
                    response = client.request(
                        method,
                        path.replace("{night}", "x").replace("{number}", "1").replace("{name}", "basic"),
                        content=b"{}",
                        headers={**JSON, **({"Authorization": scheme} if scheme else {})},
                    )
                    if path == "/api/health":
                        assert response.json() == {"status": "ok"}
                    else:
                        assert code(response) == (401, "no_token")
                        assert response.headers["www-authenticate"] == "Bearer"
    with guarded.client(headers={"Authorization": "Bearer s3cret-token"}) as client:
        assert client.get("/api/nights").json() == []
        assert ask(client, "/api/nights", {}, Origin="https://p.example").status_code == 201
        assert code(ask(client, "/api/nights", {}, Origin="https://q.example")) == (403, "foreign_origin")


def refused(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [*COMMAND, "serve", *arguments], capture_output=True, check=False, timeout=60, env={**os.environ, **environment}
    )
    text = done.stderr.decode()
    assert done.returncode != 0
    assert "Traceback" not in text
    return text


def test_other_hosts_are_warned_of(guarded: Server) -> None:
    text = refused("--host", "0.0.0.0")
    assert "everybody who reaches it could read and write the ledger" in text
    assert "--token" in text
    assert "a token has 8" in refused("--token", "short")
    assert "not encrypted" in guarded.log.read_text()


def test_what_keeps_a_server_from_starting_is_one_line(server: Server, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    for arguments in (("--port", port), ("--host", "256.0.0.1", "--token", "12345678"), ("--host", "::1%nothing")):
        text = refused(*arguments, "--data", str(tmp_path / "x.db"))
        assert text.startswith("Error: cannot listen on ") or "open to other machines" in text
    (tmp_path / "text").write_text("no database, but text; " * 100)
    assert refused("--port", "0", "--data", str(tmp_path / "text")).count("\n") == 1


def test_without_the_extra_the_remedy_is_named(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('No module', name='uvicorn')")
    assert "pip install 'chinese-poker[web]'" in refused(PYTHONPATH=str(tmp_path))


# that it stays up


def test_two_hundred_clients_at_once(server: Server) -> None:
    """Some ask for scores, some for suggestions, some look on, some add deals; memory stays flat."""

    async def one(client: httpx.AsyncClient, number: int, night: str) -> None:
        for turn in range(4):
            match (number + turn) % 4:
                case 0:
                    response = await client.post("/api/score", json=deal(id=number))
                    assert response.json()["id"] == number
                case 1:
                    response = await client.post("/api/suggest", json={"hand": HAND, "samples": 500, "id": number})
                    assert response.json()["id"] == number
                case 2:
                    response = await client.post(f"/api/nights/{night}/deals", json=deal(id=number))
                    assert response.status_code == 201
                case _:
                    response = await client.get("/api/rules/taiwan")
                    assert response.status_code == 200

    async def everybody(night: str) -> None:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=server.url, timeout=120, limits=limits, trust_env=False) as client:
            await asyncio.gather(*(one(client, number, night) for number in range(200)))

    def night() -> str:
        with server.client() as client:
            return str(ask(client, "/api/nights", {}).json()["id"])

    asyncio.run(everybody(night()))
    before = server.memory()
    workers = server.workers()
    last = night()
    for name in (night(), last):
        asyncio.run(everybody(name))
    assert server.workers() == workers
    assert server.memory() < before * 1.1 + 10
    with server.client() as client:
        shown = client.get(f"/api/nights/{last}").json()
    assert sorted(entry["deal"]["id"] for entry in shown["deals"]) == list(range(200))


def test_large_streams_in_flat_memory(server: Server) -> None:
    stream = json_lines([deal(id=i) for i in range(30_000)])[: 8 << 20]
    stream = stream[: stream.rfind(b"\n") + 1]
    with server.client() as client:
        assert client.post("/api/score", content=stream, headers=LINES).content.count(b"\n") == stream.count(b"\n")
        before = server.memory()
        for _ in range(3):
            client.post("/api/score", content=stream, headers=LINES)
    assert server.memory() < before * 1.1 + 10


def test_many_rule_sets_in_flat_memory(server: Server) -> None:
    def ask_by(client: httpx.Client, numbers: range) -> None:
        for number in numbers:
            rules = {"base": "western", "name": f"house {number}"}
            assert ask(client, "/api/suggest", {"hand": HAND, "rules": rules, "samples": 500}).status_code == 200
            assert ask(client, "/api/score", deal(rules=rules)).status_code == 200

    with server.client() as client:
        ask_by(client, range(66))
        before = server.memory()
        ask_by(client, range(66, 126))
    assert server.memory() < before + 12


def test_hard_work_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As many as there are processors, whatever threads the ledger has had: what each has used is kept for it."""
    threads = set()

    def noting() -> list[str]:
        threads.add(threading.get_ident())
        return []

    async def asked() -> None:
        transport = httpx.ASGITransport(create_app(Settings(str(tmp_path / "nights.db"), hosts=("test",))))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            for held in range(1, 12, 2):
                free = threading.Event()
                async with asyncio.TaskGroup() as others:
                    for _ in range(held):
                        others.create_task(to_thread.run_sync(free.wait))
                    await asyncio.sleep(0.01)
                    answers = await asyncio.gather(*(client.get("/api/strategies") for _ in range(3)))
                    free.set()
                assert [answer.json() for answer in answers] == [[]] * 3

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr("chinese_poker.strategy.strategies", noting)
    asyncio.run(asked())
    assert 1 <= len(threads) <= 2


def test_slow_clients_hold_nobody_up(server: Server) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    head = f"POST /api/score HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection((host, int(port)), timeout=60)) for _ in range(150)]
        for number, raw in enumerate(slow):
            raw.sendall(head.encode()[: None if number % 2 else 40])
        with server.client() as client:
            for _ in range(20):
                assert ask(client, "/api/score", deal()).status_code == 200
        body = json.dumps(deal()).encode().ljust(900)
        slow[1].sendall(body[:100])
        time.sleep(0.3)
        slow[1].sendall(body[100:])
        assert slow[1].recv(20).startswith(b"HTTP/1.1 200")
    with server.client() as client:
        assert client.get("/api/health").status_code == 200


def test_who_hangs_up_breaks_nothing(server: Server) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    request = f"POST /api/suggest HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    body = json.dumps({"hand": HAND}).encode()
    for accept in ("application/json", "text/event-stream"):
        for cut in (10, len(body)):
            with socket.create_connection((host, int(port)), timeout=20) as raw:
                raw.sendall(f"{request}Accept: {accept}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:cut])
    with server.client() as client:
        assert ask(client, "/api/suggest", {"hand": HAND, "samples": 500}).status_code == 200


def test_workers_share_a_ledger(tmp_path: Path) -> None:
    with serving("--data", tmp_path / "nights.db", "--workers", "2") as server:
        assert len(server.workers()) == 2
        with server.client() as client:
            path = ask(client, "/api/nights", {}).headers["location"]

        async def everybody() -> list[int]:
            limits = httpx.Limits(max_keepalive_connections=0)
            async with httpx.AsyncClient(base_url=server.url, timeout=120, limits=limits, trust_env=False) as client:
                answers = await asyncio.gather(*(client.post(f"{path}/deals", json=deal(id=i)) for i in range(60)))
                return [answer.json()["number"] for answer in answers]

        assert sorted(asyncio.run(everybody())) == list(range(1, 61))
        with server.client() as client:
            assert len(client.get(path).json()["deals"]) == 60


# the description


def test_the_examples_of_the_description_work(client: httpx.Client, night: str) -> None:
    ask(client, f"/api/nights/{night}/deals", deal())
    shown = 0
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            example = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            if example is not None:
                shown += 1
                url = path.replace("{night}", night).replace("{number}", "1")
                response = client.request(method, url, content=json.dumps(example), headers=JSON)
                assert str(response.status_code) in operation["responses"], (path, response.text)
                assert response.status_code < 300
    assert shown == 10


def test_every_end_point_is_described(client: httpx.Client) -> None:
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for operation in operations.values():
            assert operation["summary"], path
            assert "default" in operation["responses"], path
            named = {part[1:-1] for part in path.split("/") if part.startswith("{")}
            assert named == {each["name"] for each in operation.get("parameters", []) if each["in"] == "path"}


@schemathesis.serializer("application/x-ndjson")
def as_it_is(_: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


described = schemathesis.openapi.from_dict(create_app().openapi())


@described.exclude(path_regex="/events$").parametrize()
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_sent_there_is_no_server_error(case: Any, server: Server) -> None:
    response = case.call(base_url=server.url, timeout=60)
    assert response.status_code < 500, response.text
    case.validate_response(
        response,
        checks=[
            schemathesis.checks.not_a_server_error,
            schemathesis.checks.status_code_conformance,
            schemathesis.checks.content_type_conformance,
            schemathesis.checks.response_schema_conformance,
        ],
    )


@pytest.mark.parametrize("name", ["os:system", "chinese_poker.strategy:_PLAYERS", "mybot:Greedy"])
def test_no_request_names_code_to_run(client: httpx.Client, name: str) -> None:
    hand = "JdJc5s QdQc9d6s2c AdAc5h5d3d"
    players = [{"hand": hand}, {"front": "QsQh4d", "middle": "AsAh9c7d2s", "back": "KdKc8s8h3c"}]
    deal = {"players": [{"front": "JdJc5s", "middle": "QdQc9d6s2c", "back": "AdAc5h5d3d"}, players[1]]}
    for path, document in {
        "/api/suggest": {"hand": hand, "against": name},
        "/api/arrange": {"hands": [hand], "strategy": name},
        "/api/score": {"players": players, "strategy": name},
        "/api/review": {"deal": deal, "seat": 0, "against": name},
    }.items():
        response = ask(client, path, document)
        assert response.status_code == 422, path
        assert [error["code"] for error in response.json()["errors"]] == ["unknown_strategy"]
