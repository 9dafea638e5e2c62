"""The server under load: ``python tests/load.py --minutes 10`` asks it as a day at tables would, and worse.

It starts ``chinese-poker serve`` with one worker, finds the best rate at which clients that wait for their answers are
answered, and then asks at 80 % of it, each request at its time, whether earlier ones are answered or not: a latency is
counted from when its request was due. A tenth of the requests is bad: broken, foreign, too large, slow, or broken off.
Every answer is looked at: scores against the referee's totals, nights against a model of them, suggestions for whether
they are the hand's cards and legal, bad requests for the documented status and code.

The exit status is 1 on any wrong answer, status of 500 or more, lost connection, or traceback in the server's log.
Latencies and memory are told, not judged.
"""

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import orjson
import psutil
from asking import Answer, Connection, Pool, closed_loop, open_loop, pool_of, precise_loop, request_of
from commanding import NORTH, SOUTH
from hands import DECK, deal_of
from referee import HOUSES, SEGMENTS, category, house, is_foul
from referee import score as referee_score
from serving import Held, Server, serving

from chinese_poker.documents import MOST_BYTES
from chinese_poker.web.app import STATIC
from chinese_poker.web.guard import LINES, SECONDS_FOR_A_BODY
from chinese_poker.web.problems import MEDIA_TYPE

SHARE = 0.8
"""Of the best rate."""
CLIENTS = 64
"""Connections that are kept."""
ALONE = 300
"""Connections at most beside these, of those who break off or are slow."""
DEALS = 250
"""Deals of each house that are asked about."""
IN_LINES = 20
"""Deals of a request in lines."""
NIGHTS = 50
LONGEST_NIGHT = 40
"""Deals after which a night is deleted and another begun."""
PIECES, PAUSE = 5, 0.2
"""A slow sender's pieces of a body, and the seconds between them."""
LOOKS_ON = 2.0
"""Seconds that somebody looks on at a night."""
PATIENCE = 60.0
"""Seconds without an answer after which a request counts as failed."""
SHOWN = 10
"""Faults that are printed."""

WEIGHTS = {
    "score": 620,
    "score, 20 in lines": 10,
    "check": 70,
    "rules": 35,
    "page and files": 65,
    "deal": 10,
    "arrange": 6,
    "suggest": 2,
    "night, read": 40,
    "night, write": 40,
    "night, looking on": 2,
    "bad JSON": 20,
    "bad deal": 30,
    "unknown names": 12,
    "wrong method": 10,
    "wrong type": 10,
    "foreign": 5,
    "too large": 4,
    "not HTTP": 2,
    "broken off": 5,
    "slow sender": 1.9,
    "sender who stops": 0.1,
}
"""How often each kind is asked; those from ``bad JSON`` on are the bad ones."""
WAITS = {"night, looking on": LOOKS_ON, "slow sender": PIECES * PAUSE, "sender who stops": SECONDS_FOR_A_BODY}
"""Seconds that the client itself takes: no way to find the best rate, and not begun that shortly before the end."""


class WrongAnswerError(Exception):
    """An answer that is not what it should be."""


class ServerFaultError(Exception):
    """A status of 500 or more."""


def expect(what: str, found: object, expected: object) -> None:
    """:raises WrongAnswerError: they differ."""
    if found != expected:
        raise WrongAnswerError(f"{what}: {str(found)[:300]}, not {str(expected)[:300]}")


@dataclass
class Exchange:
    """One request and its answer."""

    pool: Pool
    alone: asyncio.Semaphore
    due: float
    answered: float | None = None

    async def ask(self, request: bytes) -> Answer:
        """Ask over a kept connection."""
        return self._told(await self.pool.ask(request))

    @contextlib.asynccontextmanager
    async def connection(self) -> Any:
        """A connection of its own."""
        async with self.alone:
            connection = await Connection.to(self.pool.port)
            try:
                yield connection
            finally:
                connection.hang_up()

    async def answer(self, connection: Connection) -> Answer:
        """The answer to what has been sent on a connection."""
        return self._told(await connection.answer())

    def _told(self, answer: Answer) -> Answer:
        self.answered = time.monotonic()
        if answer.status >= 500:
            raise ServerFaultError(f"{answer.status} {answer.body[:300]!r}")
        return answer


@dataclass(frozen=True)
class Settled:
    """A deal of a house, and what the referee says of it."""

    document: Mapping[str, Any]
    totals: Sequence[int]

    @classmethod
    def of(cls, random: Random, name: str) -> "Settled":
        """A deal, as likely a nasty one as any other."""
        players, banker = deal_of(random.choice(("random", "nasty")), random, house(name))
        totals, _ = referee_score(players, name, banker)
        seats = [
            None
            if player is None
            else {"name": f"P{seat}"}
            | {key: " ".join(cards) if isinstance(cards, list) else cards for key, cards in player.items()}
            for seat, player in enumerate(players)
        ]
        document = {"players": seats} if banker is None else {"players": seats, "banker": banker}
        return cls(document, totals)

    @property
    def players(self) -> Mapping[str, int]:
        """The total of each player, by name."""
        seats = zip(self.document["players"], self.totals, strict=True)
        return {player["name"]: total for player, total in seats if player}

    def check(self, result: Any) -> None:
        """That this is the deal's result."""
        expect("totals", [player["total"] for player in result["players"]], self.totals)


@dataclass
class Night:
    """What a night of the ledger holds."""

    name: str
    path: str = ""
    version: int = 0
    states: list[dict[int, Settled]] = field(default_factory=lambda: [{}])
    """The deals that stand, by number, after each action that still counts."""

    @property
    def deals(self) -> dict[int, Settled]:
        return self.states[-1]

    def acted(self, answer: Any, deal: Settled | None = None) -> None:
        """That the answer's version is the next, and its result the deal's."""
        self.version += 1
        expect("version", answer["version"], self.version)
        if deal:
            deal.check(answer["result"])

    def check(self, shown: Any) -> None:
        """That this is the night, and its standings the sum of its deals."""
        expect("version", shown["version"], self.version)
        shown_deals = {entry["number"]: entry["deal"]["players"] for entry in shown["deals"]}
        expect("deals", shown_deals, {number: deal.document["players"] for number, deal in self.deals.items()})
        units, deals = Counter[str](), Counter[str]()
        for deal in self.deals.values():
            units.update(deal.players)
            deals.update(deal.players.keys())
        expect("deals played", {row["name"]: row["deals"] for row in shown["standings"]}, dict(deals))
        expect(
            "standings", {row["name"]: row["units"] for row in shown["standings"]}, {key: units[key] for key in deals}
        )


def of_json(answer: Answer, status: int = 200) -> Any:
    """The document of an answer that must have this status."""
    expect("status", answer.status, status)
    expect("content type", answer.headers.get("content-type"), "application/json")
    try:
        return orjson.loads(answer.body)
    except orjson.JSONDecodeError as error:
        raise WrongAnswerError(f"{error}: {answer.body[:300]!r}") from None


def check_refusal(answer: Answer, status: int, code: str | None) -> None:
    """That this is a problem with that code; the protocol's own problems have none."""
    expect("status", answer.status, status)
    expect("content type", answer.headers.get("content-type"), MEDIA_TYPE)
    found = [error["code"] for error in orjson.loads(answer.body)["errors"]]
    expect("codes", found[:1], [code] if code else [])


class Mix:
    """The kinds of requests. Each asks once and looks at the answer.

    :param settled: makes a deal of a house with what the answer must be.
    :param deals: of each house, made now.
    """

    def __init__(self, settled: Callable[[Random, str], Settled] = Settled.of, deals: int = DEALS) -> None:
        self._random = Random(7)
        self.deals = {name: [settled(self._random, name) for _ in range(deals)] for name in HOUSES}
        self._scores = [
            (request_of("POST", "/api/score", orjson.dumps({**deal.document, "rules": name})), deal)
            for name, deals in self.deals.items()
            for deal in deals
        ]
        self._files = [("/", (STATIC / "index.html").read_bytes())] + [
            (f"/static/{path.name}", path.read_bytes()) for path in sorted(STATIC.iterdir()) if path.is_file()
        ]
        self._refused = _refused(self.deals["basic"][0].document, self.deals["malaya"][0].document)
        self._broken_off = _broken_off(orjson.dumps(self.deals["basic"][0].document))
        self.nights = [Night(self._random.choice(list(HOUSES))) for _ in range(NIGHTS)]
        self._kinds: Mapping[str, Callable[[Exchange], Awaitable[None]]] = {
            "score": self._score,
            "score, 20 in lines": self._score_lines,
            "check": self._check,
            "rules": self._rules,
            "page and files": self._file,
            "deal": self._deal,
            "arrange": self._arrange,
            "suggest": self._suggest,
            "night, read": self._night_read,
            "night, write": self._night_write,
            "night, looking on": self._look_on,
            "too large": self._too_large,
            "not HTTP": self._not_http,
            "broken off": self._break_off,
            "slow sender": self._send_slowly,
            "sender who stops": self._stop_sending,
            **{kind: self._refusal(kind) for kind in self._refused},
        }
        assert self._kinds.keys() == WEIGHTS.keys()

    async def exchange(self, kind: str, exchange: Exchange) -> None:
        """One of a kind.

        :raises WrongAnswerError: the answer is not what it should be.
        :raises ServerFaultError: the server says that it failed.
        :raises OSError: the connection is lost, or no answer comes.
        """
        try:
            async with asyncio.timeout(PATIENCE + WAITS.get(kind, 0)):
                await self._kinds[kind](exchange)
        except TimeoutError:
            raise TimeoutError(f"no answer in {PATIENCE:.0f} s") from None
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise WrongAnswerError(f"no such document: {error!r}") from None

    # what a table asks

    async def _score(self, exchange: Exchange) -> None:
        request, deal = self._random.choice(self._scores)
        deal.check(of_json(await exchange.ask(request)))

    async def _score_lines(self, exchange: Exchange) -> None:
        name = self._random.choice(list(HOUSES))
        deals = self._random.sample(self.deals[name], IN_LINES)
        body = b"".join(orjson.dumps(deal.document) + b"\n" for deal in deals)
        answer = await exchange.ask(request_of("POST", f"/api/score?rules={name}", body, Content_Type=LINES))
        expect("status", answer.status, 200)
        for deal, line in zip(deals, answer.body.splitlines(), strict=True):
            deal.check(orjson.loads(line))

    async def _check(self, exchange: Exchange) -> None:
        hand = self._random.sample(DECK, 13)
        parts = dict(zip(SEGMENTS, (hand[:3], hand[3:8], hand[8:]), strict=True))
        body = orjson.dumps({segment: " ".join(cards) for segment, cards in parts.items()})
        answer = of_json(await exchange.ask(request_of("POST", "/api/check", body)))
        expect("foul", answer["foul"], is_foul(**parts))
        for segment, cards in parts.items():
            expect(segment, answer[segment]["category"], category(cards))

    async def _rules(self, exchange: Exchange) -> None:
        name = self._random.choice([*HOUSES, ""])
        if name:
            answer = of_json(await exchange.ask(request_of("GET", f"/api/rules/{name}")))
            expect("name", answer["name"], name)
        else:
            answer = of_json(await exchange.ask(request_of("GET", "/api/rules")))
            expect("names", {rules["name"] for rules in answer}, set(HOUSES))

    async def _file(self, exchange: Exchange) -> None:
        path, content = self._random.choice(self._files)
        answer = await exchange.ask(request_of("GET", path))
        expect("status", answer.status, 200)
        expect(path, answer.body, content)

    async def _deal(self, exchange: Exchange) -> None:
        players = self._random.choice((2, 3, 4))
        answer = of_json(await exchange.ask(request_of("POST", "/api/deal", orjson.dumps({"players": players}))))
        hands = [hand.split() for hand in answer["hands"]]
        expect("cards", [len(hand) for hand in hands], [13] * players)
        expect("different cards of the deck", len({*DECK}.intersection(chain(*hands))), 13 * players)

    async def _arrange(self, exchange: Exchange) -> None:
        name = self._random.choice(list(HOUSES))
        cards = self._random.sample(DECK, 39)
        hands = [cards[:13], cards[13:26], cards[26:]]
        asked = {"hands": [" ".join(hand) for hand in hands], "rules": name, "strategy": "heuristic"}
        answer = of_json(await exchange.ask(request_of("POST", "/api/arrange", orjson.dumps(asked))))
        for hand, player in zip(hands, answer["arrangements"], strict=True):
            if "declare" in player:
                expect("cards", sorted(player["hand"].split()), sorted(hand))
            else:
                _check_arrangement(hand, player, name)

    async def _suggest(self, exchange: Exchange) -> None:
        hand = self._random.sample(DECK, 13)
        asked = {"hand": " ".join(hand), "rules": "basic", "opponents": self._random.choice((1, 2, 3))}
        answer = of_json(await exchange.ask(request_of("POST", "/api/suggest", orjson.dumps(asked))))
        expect("hand", sorted(answer["hand"].split()), sorted(hand))
        expect("any suggestion", bool(answer["suggestions"]), True)
        for suggestion in answer["suggestions"]:
            _check_arrangement(hand, suggestion, "basic")

    # nights; each is asked about by one at a time, and begun anew after a wrong answer

    @contextlib.asynccontextmanager
    async def _night(self) -> Any:
        while not self.nights:
            await asyncio.sleep(0.01)
        night = self.nights.pop(self._random.randrange(len(self.nights)))
        try:
            yield night
        except BaseException:
            night = Night(night.name)
            raise
        finally:
            self.nights.append(night)

    async def _night_read(self, exchange: Exchange) -> None:
        async with self._night() as night:
            if not night.path:
                known = {each.path for each in self.nights}
                listed = of_json(await exchange.ask(request_of("GET", "/api/nights")))
                expect("kind of document", type(listed), list)
                known &= {each.path for each in self.nights}  # others may be begun and deleted meanwhile
                expect("not listed", known - {"", *(f"/api/nights/{each['id']}" for each in listed)}, set())
            elif self._random.random() < 0.2:
                answer = await exchange.ask(request_of("GET", f"{night.path}/export.csv"))
                expect("status", answer.status, 200)
                expect(
                    "rows", len(answer.body.splitlines()), 1 + sum(len(deal.players) for deal in night.deals.values())
                )
            else:
                night.check(of_json(await exchange.ask(request_of("GET", night.path))))

    async def _night_write(self, exchange: Exchange) -> None:
        async with self._night() as night:
            deal, lot = self._random.choice(self.deals[night.name]), self._random.random()
            body = orjson.dumps(deal.document)
            if not night.path:
                asked = orjson.dumps({"rules": night.name, "unit": "0.25"})
                answer = await exchange.ask(request_of("POST", "/api/nights", asked))
                expect("rules", of_json(answer, 201)["rules"], night.name)
                night.path = answer.headers["location"]
            elif len(night.deals) == LONGEST_NIGHT:
                answer = await exchange.ask(request_of("DELETE", night.path))
                expect("status", answer.status, 204)
                night.path, night.version, night.states = "", 0, [{}]
            elif lot < 0.1 and night.deals:
                number = self._random.choice(list(night.deals))
                answer = of_json(await exchange.ask(request_of("PUT", f"{night.path}/deals/{number}", body)))
                night.acted(answer, deal)
                expect("number", answer["number"], number)
                night.states.append({**night.deals, number: deal})
            elif lot < 0.2 and len(night.states) > 1:
                night.acted(of_json(await exchange.ask(request_of("POST", f"{night.path}/undo"))))
                night.states.pop()
            else:
                key = f"{self._random.getrandbits(64):x}"
                asked = request_of("POST", f"{night.path}/deals", body, Idempotency_Key=key)
                answer = of_json(await exchange.ask(asked), 201)
                night.acted(answer, deal)
                expect("a new number", answer["number"] in night.deals, False)
                night.states.append({**night.deals, answer["number"]: deal})

    async def _look_on(self, exchange: Exchange) -> None:
        async with exchange.connection() as connection:
            async with self._night() as night:
                connection.expect(first_only=True)
                connection.send(request_of("GET", f"{night.path or '/api/nights/none'}/events"))
                answer = await exchange.answer(connection)
                if not night.path:
                    check_refusal(answer, 404, "unknown_night")
                    return
                expect("status", answer.status, 200)
                expect("event", answer.body, b'event: version\ndata: {"version":%d}\n\n' % night.version)
            await asyncio.sleep(LOOKS_ON)

    # what nobody should send

    def _refusal(self, kind: str) -> Callable[[Exchange], Awaitable[None]]:
        async def ask(exchange: Exchange) -> None:
            request, status, code = self._random.choice(self._refused[kind])
            check_refusal(await exchange.ask(request), status, code)

        return ask

    async def _too_large(self, exchange: Exchange) -> None:
        """As announced, with nothing sent; and as it comes, where nothing was announced."""
        announced = request_of("POST", "/api/score", Content_Length=str(10 << 20))
        chunk = b"%x\r\n%b\r\n" % (MOST_BYTES + 1, b" " * (MOST_BYTES + 1))
        in_chunks = request_of("POST", "/api/check", Transfer_Encoding="chunked", Content_Length="")
        in_chunks = in_chunks.replace(b"Content-Length: \r\n", b"") + chunk + b"0\r\n\r\n"
        async with exchange.connection() as connection:
            connection.expect()
            connection.send(announced if self._random.random() < 0.9 else in_chunks)
            check_refusal(await exchange.answer(connection), 413, "too_long")

    async def _not_http(self, exchange: Exchange) -> None:
        async with exchange.connection() as connection:
            connection.expect()
            connection.send(self._random.choice((b"\x16\x03\x01\x02\x00\x01\x00\x01", b"GET\r\n\r\n", b"{}\r\n\r\n")))
            expect("status", (await exchange.answer(connection)).status, 400)

    async def _break_off(self, exchange: Exchange) -> None:
        async with exchange.connection() as connection:
            connection.send(self._random.choice(self._broken_off))

    async def _send_slowly(self, exchange: Exchange) -> None:
        """The latency is counted from the last piece."""
        request, deal = self._random.choice(self._scores)
        size = -(-len(request) // PIECES)
        async with exchange.connection() as connection:
            connection.expect()
            for start in range(0, len(request), size):
                await asyncio.sleep(PAUSE)
                exchange.due = time.monotonic()
                connection.send(request[start : start + size])
            deal.check(of_json(await exchange.answer(connection)))

    async def _stop_sending(self, exchange: Exchange) -> None:
        """The latency is counted from the end of the server's patience."""
        request, _ = self._random.choice(self._scores)
        async with exchange.connection() as connection:
            connection.expect()
            connection.send(request[:-100])
            exchange.due = time.monotonic() + SECONDS_FOR_A_BODY
            check_refusal(await exchange.answer(connection), 408, "slow_body")


def _check_arrangement(hand: Sequence[str], arrangement: Mapping[str, str], name: str) -> None:
    parts = {segment: arrangement[segment].split() for segment in SEGMENTS}
    values = house(name)
    expect("cards", sorted(chain(*parts.values())), sorted(hand))
    expect(
        "foul", is_foul(**parts, wheel=values["wheel"], middle_may_equal_back=values["middle_may_equal_back"]), False
    )


Refused = tuple[bytes, int, str | None]


def _refused(deal: Mapping[str, Any], banked: Mapping[str, Any]) -> Mapping[str, Sequence[Refused]]:
    """By kind: requests, and the status and the code that refuse them."""
    good = orjson.dumps(deal)

    def posted(body: bytes, code: str, status: int = 422, path: str = "/api/score") -> Refused:
        return request_of("POST", path, body), status, code

    def table(code: str, *players: Any, **keys: Any) -> Refused:
        return posted(orjson.dumps({"players": players, **keys}), code)

    return {
        "bad JSON": [
            posted(body, code, 400, path)
            for body, code in (
                (b"", "empty_input"),
                (good[:-40], "cut_short"),
                (b"{]", "bad_json"),
                (good + b" {}", "bad_json"),
                (b"[" * 5000, "bad_json"),
                (b'{"players": [], "players": []}', "repeated_key"),
                (b'{"players": "\xff"}', "not_utf8"),
            )
            for path in ("/api/score", "/api/check", "/api/suggest")
        ],
        "bad deal": [
            posted(b"7", "bad_value"),
            posted(b"{}", "missing_key"),
            table("too_few_players"),
            table("too_many_players", *[NORTH] * 1000),
            table("duplicate_card", NORTH, NORTH),
            table("wrong_count", {**NORTH, "front": "QhQd"}, NORTH),
            table("unknown_card", {**NORTH, "back": "1s Ks Js 8s 3s"}, NORTH),
            table("natural_not_held", {**NORTH, "declare": "dragon"}, SOUTH),
            posted(orjson.dumps({"players": banked["players"], "rules": "malaya"}), "missing_banker"),
            posted(b'{"hand": "As"}', "wrong_count", path="/api/suggest"),
        ],
        "unknown names": [
            posted(orjson.dumps({**deal, "rules": "nowhere"}), "unknown_rules"),
            posted(good, "unknown_rules", path="/api/score?rules=../../etc/passwd"),
            (request_of("GET", "/api/rules/nowhere"), 404, "no_such_rules"),
            (request_of("GET", "/api/nights/nowhere"), 404, "unknown_night"),
            (request_of("GET", "/api/nothing"), 404, None),
            (request_of("GET", "/static/../app.py"), 404, None),
        ],
        "wrong method": [
            (request_of("PUT", "/api/score", good), 405, None),
            (request_of("GET", "/api/check"), 405, None),
            (request_of("DELETE", "/api/nights"), 405, None),
        ],
        "wrong type": [
            (request_of("POST", path, good, Content_Type=kind), 415, "content_type")
            for path in ("/api/score", "/api/nights")
            for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")
        ],
        "foreign": [
            (request_of("POST", "/api/score", good, Origin="https://example.net"), 403, "foreign_origin"),
            (request_of("GET", "/api/nights", Host="example.net"), 403, "foreign_host"),
        ],
    }


def _broken_off(body: bytes) -> Sequence[bytes]:
    """What is sent before somebody hangs up."""
    whole = request_of("POST", "/api/score", body)
    streamed = request_of(
        "POST", "/api/suggest", b'{"hand": "%b"}' % " ".join(DECK[::4]).encode(), Accept="text/event-stream"
    )
    return [b"", *[whole[:20], whole[:-100], whole] * 6, streamed[:-5], streamed]


# the load


@dataclass
class Tally:
    """What came of the requests of a kind."""

    requests: int = 0
    wrong: int = 0
    errors: int = 0
    seconds: "array[float]" = field(default_factory=lambda: array("d"))


class Load:
    """Asks a server, and counts what comes of it."""

    def __init__(self, mix: Mix, port: int, weights: Mapping[str, float] = WEIGHTS) -> None:
        self.mix, self.port, self.weights = mix, port, weights
        self.faults: list[str] = []
        self.forget()
        self._random = Random(11)

    def forget(self) -> None:
        """Count from nothing again, but keep the faults."""
        self.tallies = {kind: Tally() for kind in self.weights}

    @contextlib.contextmanager
    def asking(self) -> Iterator[Callable[[str, float], Coroutine[None, None, None]]]:
        """What asks for one of a kind that was due then, and counts what comes of it."""
        alone = asyncio.Semaphore(ALONE)
        with pool_of(self.port, CLIENTS) as pool:
            yield lambda kind, due: self._ask(kind, Exchange(pool, alone, due))

    async def _ask(self, kind: str, exchange: Exchange) -> None:
        tally = self.tallies[kind]
        tally.requests += 1
        try:
            await self.mix.exchange(kind, exchange)
        except WrongAnswerError as error:
            tally.wrong += 1
            self.faults.append(f"{kind}: wrong: {error}")
        except (ServerFaultError, OSError) as error:
            tally.errors += 1
            self.faults.append(f"{kind}: failed: {error}")
        if exchange.answered is not None:
            tally.seconds.append(exchange.answered - exchange.due)

    def _kinds(self, kinds: Sequence[str]) -> Iterator[str]:
        """Each kind once, then by their weights for ever."""
        yield from kinds
        while True:
            yield from self._random.choices(kinds, [self.weights[kind] for kind in kinds], k=1000)

    async def best(self, seconds: float) -> float:
        """Requests a second that are answered to clients who wait for their answers."""
        asked, end = 0, time.monotonic() + seconds

        def work() -> Iterator[str]:
            nonlocal asked
            for kind in self._kinds([kind for kind in self.weights if kind not in WAITS]):
                if time.monotonic() > end:
                    return
                asked += 1
                yield kind

        with self.asking() as ask:
            taken = await closed_loop(CLIENTS, lambda kind: ask(kind, time.monotonic()), work())
        return asked / taken

    async def steady(self, rate: float, seconds: float) -> list[float]:
        """Ask at a rate for some time.

        :return: how many seconds after its time each request was begun.
        """

        def work() -> Iterator[str]:
            kinds = self._kinds([kind for kind in self.weights if WAITS.get(kind, 0) < seconds])
            for number in range(round(rate * seconds)):
                kind = next(kinds)
                while WAITS.get(kind, 0) > seconds - number / rate:
                    kind = next(kinds)
                yield kind

        with self.asking() as ask:
            return await open_loop(rate, ask, work())


def table(tallies: Mapping[str, Tally]) -> Iterator[str]:
    """What is printed of the requests."""
    yield f"{'':20}{'requests':>10}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'max ms':>9}{'wrong':>7}{'errors':>7}"
    everything = Tally()
    for tally in tallies.values():
        everything.requests += tally.requests
        everything.wrong += tally.wrong
        everything.errors += tally.errors
        everything.seconds.extend(tally.seconds)
    for kind, tally in {**tallies, "all together": everything}.items():
        counts = f"{tally.wrong:7,}{tally.errors:7,}"
        shown = "".join(f"{value:9,.1f}" for value in percentiles(tally.seconds)) if tally.seconds else f"{'-':>9}" * 4
        yield f"{kind:20}{tally.requests:10,}{shown}{counts}"


def percentiles(seconds: Sequence[float]) -> list[float]:
    """The 50th, 95th, 99th and the last, in milliseconds."""
    return [float(value) * 1e3 for value in np.percentile(seconds, (50, 95, 99, 100))]


def told(what: str, held: Held) -> str:
    """What a server holds, as a line."""
    return f"{what:28}{held.memory:7,.0f} MB in memory, {held.files} open files, {held.threads} threads"


async def _watched(server: Server, seconds: float, at: float) -> Held:
    """What the server holds after some seconds; and every minute a line about it."""
    began, warm = time.monotonic(), None
    for moment in sorted({at, *range(60, int(seconds), 60)}):
        await asyncio.sleep(began + moment - time.monotonic())
        held = server.held()
        warm = held if moment == at else warm
        print(told(f"after {moment:.0f} s", held), file=sys.stderr, flush=True)
    return warm or server.held()


async def loaded(server: Server, load: Load, rate: float | None, best_seconds: float, seconds: float) -> bool:
    """Load a server and print what came of it.

    :return: whether everything was right.
    """
    server_started = server.held()
    if rate is None:
        await load.best(best_seconds / 4)
        best = await load.best(best_seconds)
        rate = SHARE * best
        load.forget()
        print(f"best {best:,.0f} requests a second, in {best_seconds:.0f} s by {CLIENTS} clients who wait", flush=True)
    print(f"{rate:,.0f} requests a second for {seconds:,.0f} s", flush=True)
    warming = min(60.0, seconds / 2)
    watching = asyncio.ensure_future(_watched(server, seconds, warming))
    used, began = psutil.Process().cpu_times(), time.monotonic()
    late = await load.steady(rate, seconds)
    taken, own = time.monotonic() - began, psutil.Process().cpu_times()
    warm = await watching
    await asyncio.sleep(1)
    ended = server.held()
    for line in table(load.tallies):
        print(line)
    print(
        told("at the start", server_started), told(f"after {warming:.0f} s", warm), told("at the end", ended), sep="\n"
    )
    middle, _, most, _ = percentiles(late)
    share = (own.user + own.system - used.user - used.system) / taken
    print(f"begun late by {middle:.1f} ms (median), {most:.1f} ms (p99); asking took {share:.0%} of a processor")
    log = server.log.read_text(errors="replace")
    faults = load.faults + [f"log: {line}" for line in log.splitlines() if "Traceback" in line]
    for fault in faults[:SHOWN]:
        print(fault)
    print(f"{len(faults)} faults")
    return not faults


def main(arguments: Sequence[str] | None = None, mix: Mix | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="of the steady load (10)")
    parser.add_argument("--rate", type=float, help=f"requests a second; {SHARE:.0%} of the best where not given")
    parser.add_argument("--best", type=float, default=20, help="seconds to find the best rate (20)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, serving("--data", Path(folder) / "nights.db") as server:
        load = Load(mix or Mix(), server.port)
        with asyncio.Runner(loop_factory=precise_loop) as runner:
            return int(not runner.run(loaded(server, load, given.rate, given.best, given.minutes * 60)))


if __name__ == "__main__":
    sys.exit(main())
