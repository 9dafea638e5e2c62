"""Timings, as ratios within one run: ``pytest tests/benchmarks --benchmark-only -s``. None of them passes or fails."""

import json
import os
import random
import resource
import subprocess
import sys
import time

import pytest

from chinese_poker import DECK, Arrangement, format_cards

DEALS = 100_000


def legal_deal(chance: random.Random, number: int) -> dict[str, object]:
    """A four-player deal in which everybody sets legally, as people do."""
    deck = list(DECK)
    chance.shuffle(deck)
    players = []
    for seat, name in enumerate(("Mei", "Jonas", "Anh", "Luz")):
        hand = deck[13 * seat : 13 * seat + 13]
        while (arrangement := Arrangement(tuple(hand[:3]), tuple(hand[3:8]), tuple(hand[8:]))).foul():
            chance.shuffle(hand)
        segments = {key: format_cards(cards).split() for key, cards in arrangement.parts.items()}
        players.append({"name": name, **segments})
    return {"id": number, "rules": "mandarin", "players": players}


@pytest.fixture(scope="module")
def night(tmp_path_factory):
    chance = random.Random(20)
    some = [legal_deal(chance, number) for number in range(2_000)]
    path = tmp_path_factory.mktemp("night") / "night.jsonl"
    with path.open("w") as file:
        for number in range(DEALS):
            file.write(json.dumps({**some[number % len(some)], "id": number}) + "\n")
    return path


def run(*command, **options):
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    return subprocess.run([sys.executable, *command], check=True, env=buffered, **options)


def test_score_json(benchmark, night, tmp_path):
    """``score --json`` of 100,000 deals against json.loads of each line and json.dumps of its result."""
    results = tmp_path / "results.jsonl"

    def score():
        with results.open("wb") as out:
            run("-m", "chinese_poker", "score", str(night), "--json", stdout=out)

    benchmark.pedantic(score, rounds=3)
    lines, scored = night.read_text().splitlines(), [json.loads(line) for line in results.read_text().splitlines()]
    start = time.perf_counter()
    for line, result in zip(lines, scored, strict=True):
        json.loads(line)
        json.dumps(result)
    floor = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    ratio = benchmark.stats.stats.median / floor
    benchmark.extra_info |= {"ratio to json alone": ratio, "peak MB of a child": peak, "deals": len(scored)}
    print(f"\nscore --json: {ratio:.2f} times json.loads and json.dumps alone; children peak at {peak:.0f} MB")


@pytest.mark.parametrize(
    ("name", "imports"),
    [
        ("imports alone", "import treys, pydantic, click"),
        ("imports, one pydantic reader", "import treys, click, pydantic; pydantic.TypeAdapter(list[int])"),
    ],
)
def test_one_deal(benchmark, night, tmp_path, name, imports):
    """A process that scores one deal against one that only imports the libraries."""
    one = tmp_path / "one.jsonl"
    one.write_text(night.open().readline())
    times = {"score": [], "imports": []}

    def pair():
        for key, command in (
            ("score", ("-m", "chinese_poker", "score", str(one), "--json")),
            ("imports", ("-c", imports)),
        ):
            start = time.perf_counter()
            run(*command, stdout=subprocess.DEVNULL)
            times[key].append(time.perf_counter() - start)

    benchmark.pedantic(pair, rounds=15, warmup_rounds=2)
    score, alone = (sorted(times[key])[len(times[key]) // 2] for key in ("score", "imports"))
    benchmark.extra_info |= {f"ratio to {name}": score / alone}
    print(f"\none deal: {score / alone:.2f} times {name}")
