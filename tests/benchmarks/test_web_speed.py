"""The server's speed, as ratios within one run: ``pytest tests/benchmarks --benchmark-only -s``.

None of them passes or fails. Requests a second are counted by the clock and by the processor time of the one worker:
on a machine that others use too, the second is what the worker can do.
"""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from statistics import median

import httpx
import pytest
import uvloop
from asking import closed_loop, pool_of, request_of
from commanding import deal
from serving import processor_time, serving

from chinese_poker.documents import loads
from chinese_poker.presets import load_rules
from chinese_poker.score import score
from chinese_poker.wire import dumps, read_deal, result_document

CLIENTS = 32
REQUESTS = 4_000
ROUNDS = 5
FOUR = json.loads((Path(__file__).parents[2] / "chinese_poker" / "examples" / "club-night.jsonl").open().readline())
EMPTY = """
import socket, sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.post("/empty")
async def empty():
    return {}
sock = socket.create_server(("127.0.0.1", 0))
print(sock.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[sock])
"""


@contextlib.contextmanager
def empty_server() -> Iterator[tuple[int, int]]:
    """The process and the port of a FastAPI application with one empty route."""
    process = subprocess.Popen([sys.executable, "-c", EMPTY], stdout=subprocess.PIPE)
    try:
        port = int(process.stdout.readline())
        for _ in range(100):
            with contextlib.suppress(httpx.HTTPError):
                httpx.post(f"http://127.0.0.1:{port}/empty", trust_env=False)
                break
            time.sleep(0.1)
        yield process.pid, port
    finally:
        process.terminate()
        process.wait()


def load(pid: int, port: int, path: str, body: bytes) -> tuple[float, float]:
    """Seconds by the clock and of the worker's processor that many requests over a few connections take."""
    request = request_of("POST", path, body)

    async def asked() -> tuple[float, float]:
        with pool_of(port, CLIENTS) as pool:
            answer = await pool.ask(request)
            assert answer.status == 200, answer
            used = processor_time(pid)
            seconds = await closed_loop(CLIENTS, pool.ask, repeat(request, REQUESTS))
            return seconds, processor_time(pid) - used

    return uvloop.run(asked())


@pytest.mark.parametrize(("name", "document"), [("two players", deal()), ("four players", FOUR)])
def test_score_of_one_deal(benchmark, tmp_path, name, document):
    """``POST /api/score`` on one worker against an empty route of FastAPI on another, in turns."""
    body = json.dumps(document).encode()
    taken = {"score": [], "empty": []}
    with serving("--data", tmp_path / "nights.db") as server, empty_server() as (empty_pid, empty_port):

        def turn():
            taken["score"].append(load(server.process.pid, server.port, "/api/score", body))
            taken["empty"].append(load(empty_pid, empty_port, "/empty", b"{}"))

        benchmark.pedantic(turn, rounds=ROUNDS, warmup_rounds=1)
    by_clock, by_processor = (
        {key: median(REQUESTS / pair[which] for pair in pairs) for key, pairs in taken.items()} for which in (0, 1)
    )
    start = time.process_time()
    for _ in range(1000):
        value = loads(body.decode())
        settled, rules = read_deal(value)
        dumps(result_document(value, settled, score(settled, rules)))
    alone = 1000 / (time.process_time() - start)
    assert rules == load_rules(value.get("rules", "basic"))
    benchmark.extra_info |= {
        "requests a second": by_clock["score"],
        "requests a second of the worker's processor": by_processor["score"],
        "an empty FastAPI route": by_processor["empty"],
        "ratio to an empty route": by_processor["empty"] / by_processor["score"],
        "deals a second of the processor without HTTP": alone,
    }
    print(f"\n{name}: " + ", ".join(f"{key} {value:,.2f}" for key, value in benchmark.extra_info.items()))


def test_first_suggestions(benchmark, tmp_path):
    """The first of the streamed suggestions, on a warm server, against an empty answer of it."""
    hands = json.dumps([FOUR["players"][0][key] for key in ("front", "middle", "back")])
    hand = " ".join(json.loads(hands))
    with serving("--data", tmp_path / "nights.db") as server, server.client() as client:
        first, health = [], []

        def once():
            start = time.perf_counter()
            with client.stream(
                "POST", "/api/suggest", json={"hand": hand, "top": 5}, headers={"Accept": "text/event-stream"}
            ) as response:
                for number, _ in enumerate(response.iter_raw()):
                    if number == 0:
                        first.append(time.perf_counter() - start)
            start = time.perf_counter()
            client.get("/api/health")
            health.append(time.perf_counter() - start)

        benchmark.pedantic(once, rounds=30, warmup_rounds=2)
    benchmark.extra_info |= {
        "ms to the first suggestions": median(first) * 1e3,
        "ratio to health": median(first) / median(health),
    }
    print(f"\nfirst suggestions after {median(first) * 1e3:.0f} ms (median), health {median(health) * 1e3:.1f} ms")
