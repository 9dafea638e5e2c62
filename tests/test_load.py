"""The load of the server, shortly: what is right passes, and whatever is wrong is noticed."""

import asyncio
import contextlib
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

import load
import orjson
import pytest
from asking import HOST, closed_loop, open_loop, precise_loop, request_of
from load import WAITS, WEIGHTS, Load, Mix, Settled
from serving import Server, serving

SEEN = [kind for kind in WEIGHTS if kind != "broken off"]
"""The kinds that wait for an answer."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving("--data", tmp_path_factory.mktemp("load") / "nights.db") as started:
        yield started


def main(server: Server, monkeypatch: pytest.MonkeyPatch, mix: Mix, *arguments: str) -> int:
    monkeypatch.setattr(load, "serving", lambda *_: contextlib.nullcontext(server))
    return load.main(["--minutes", "0.06", *arguments], mix)


def counts(printed: str) -> dict[str, tuple[int, int, int]]:
    """Requests, wrong answers and errors by kind, as printed."""
    rows = (re.match(r"(.{20}) *([\d,]+) .* ([\d,]+) +([\d,]+)$", line) for line in printed.splitlines())
    return {row[1].strip(): tuple(int(row[i].replace(",", "")) for i in (2, 3, 4)) for row in rows if row}


def off_by_one(random: Random, name: str) -> Settled:
    deal = Settled.of(random, name)
    return replace(deal, totals=[total + 1 for total in deal.totals])


def ask_each(load_: Load, kinds: Iterable[str]) -> None:
    """Ask for these, one at a time."""

    async def asked() -> None:
        with load_.asking() as ask:
            await closed_loop(1, lambda kind: ask(kind, time.monotonic()), kinds)

    asyncio.run(asked())


def test_the_command_finds_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(server, monkeypatch, Mix(deals=30), "--rate", "40") == 0
    printed = capsys.readouterr().out
    found = counts(printed)
    assert found.keys() == {*WEIGHTS, "all together"}
    assert sum(requests for requests, _, _ in found.values()) == 2 * 144
    assert all(found[kind][0] for kind in WEIGHTS if kind != "sender who stops")  # that takes half a minute
    assert {each[1:] for each in found.values()} == {(0, 0)}
    assert re.search(r"^at the end +\d+ MB in memory, \d+ open files, \d+ threads\n", printed, re.MULTILINE)
    assert printed.endswith("\n0 faults\n")


def test_totals_that_are_not_the_referees_are_noticed(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also while the best rate is looked for."""
    assert main(server, monkeypatch, Mix(off_by_one, deals=30), "--best", "0.5") == 1
    printed = capsys.readouterr().out
    assert re.match(r"best \d+ requests a second", printed)
    assert "score: wrong: totals: [" in printed
    found = counts(printed)
    for kind in ("score", "score, 20 in lines"):
        requests, wrong, _ = found[kind]
        assert wrong == requests > 0
    assert int(re.search(r"^(\d+) faults", printed, re.MULTILINE)[1]) > found["all together"][1]
    assert {found[kind][1:] for kind in ("check", "rules", "suggest", "bad deal")} == {(0, 0)}


def test_a_night_that_is_not_the_models_is_noticed(server: Server) -> None:
    asked = Load(Mix(deals=30), server.port)
    ask_each(asked, ["night, write"] * 200 + ["night, read"] * 50)
    assert asked.faults == []
    begun = [night for night in asked.mix.nights if night.path]
    with server.client() as client:
        for night in begun:
            document = asked.mix.deals[night.name][0].document
            assert client.post(f"{night.path}/deals", json=document).status_code == 201
    ask_each(asked, ["night, looking on", "night, read", "night, write"] * 3)
    assert asked.tallies["night, read"].wrong + asked.tallies["night, write"].wrong >= 4


PROBLEM = orjson.dumps({"errors": [{"code": "some_other"}]})


def answer_of(status: str, media_type: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (answer_of("200 OK", "application/json", b"{}"), True),
        (answer_of("200 OK", "application/json", b"{"), True),
        (answer_of("200 OK", "text/html", b"[]"), True),
        (answer_of("422 Unprocessable Entity", "application/problem+json", PROBLEM), True),
        (answer_of("500 Internal Server Error", "application/problem+json", PROBLEM), False),
        (answer_of("503 Service Unavailable", "text/plain", b"busy"), False),
        (answer_of("200 OK", "application/json", b"{}")[:50], False),
        (b"", False),
        (b"no HTTP at all\r\n\r\n", False),
    ],
)
def test_whatever_else_is_answered_is_noticed(
    answer: bytes, wrong: bool, monkeypatch: pytest.MonkeyPatch, mix: Mix
) -> None:
    """By each kind, several times, as its requests differ: a wrong answer, or a failing server."""
    monkeypatch.setattr(load, "PAUSE", 0.001)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while await reader.read(1 << 16):
                writer.write(answer)
                await writer.drain()
                if not wrong:
                    break
        writer.close()

    async def asked() -> Load:
        async with await asyncio.start_server(handle, HOST, 0) as liar:
            asked = Load(mix, liar.sockets[0].getsockname()[1])
            with asked.asking() as ask:
                await closed_loop(8, lambda kind: ask(kind, time.monotonic()), [*SEEN * 8, "broken off"])
        return asked

    tallies = asyncio.run(asked()).tallies
    assert {kind: (tally.wrong, tally.errors) for kind, tally in tallies.items()} == {
        **dict.fromkeys(SEEN, (8, 0) if wrong else (0, 8)),
        "broken off": (0, 0),
    }


@pytest.fixture(scope="module")
def mix() -> Mix:
    return Mix(deals=30)


def test_a_server_that_stops_makes_later_requests_late_too() -> None:
    """Requests are due at their times, whatever became of earlier ones."""
    seconds: list[float] = []

    async def asked() -> None:
        free = asyncio.Lock()

        async def begin(number: int, due: float) -> None:
            async with free:
                await asyncio.sleep(0.5 if number == 0 else 0)
            seconds.append(time.monotonic() - due)

        await open_loop(100, begin, range(20))

    with asyncio.Runner(loop_factory=precise_loop) as runner:
        runner.run(asked())
    assert len(seconds) == 20
    assert all(late > 0.5 - 0.01 * number - 0.001 for number, late in enumerate(seconds))


def test_who_takes_time_is_not_begun_before_the_end(mix: Mix) -> None:
    begun: list[tuple[str, float]] = []

    class Noting(Load):
        @contextlib.contextmanager
        def asking(self):
            async def note(kind: str, due: float) -> None:
                begun.append((kind, due))

            yield note

    asyncio.run(Noting(mix, 0, {"score": 1, **dict.fromkeys(WAITS, 1)}).steady(200, 3))
    end = begun[0][1] + 3
    assert {kind for kind, _ in begun} == {"score", "slow sender", "night, looking on"}
    assert all(due + WAITS.get(kind, 0) <= end + 1e-6 for kind, due in begun)


def test_a_request_is_written_whole() -> None:
    assert request_of("PUT", "/x", b"{}", If_Match="1") == (
        b"PUT /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
        b"If-Match: 1\r\n\r\n{}"
    )
