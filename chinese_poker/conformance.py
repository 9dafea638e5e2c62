"""Vectors that tell whether a program in any language scores as this one does, and the check of such a program.

Each vector is a published or hand-worked case with its source. So that a program need but score deals, the vectors that
are no deals are asked as deals: whether an arrangement is a foul, or a hand holds a natural, by what it wins from one
who is surely a foul; which of two segments is stronger, by whether the one may stand before the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from itertools import combinations
from pathlib import Path
from typing import Any

from . import __version__
from .cards import DECK, Card, format_cards, parse_cards
from .errors import StrategyError
from .evaluate import evaluate
from .files import faults_of, replacing
from .naturals import Natural
from .outside import answered
from .presets import load_rules, rule_names, rules_document
from .wire import schema

VERSION = 2
"""Of the vectors: it rises whenever one is changed or taken away; new ones leave it."""
VECTORS = Path(__file__).with_name("vectors")
KINDS = ("compare", "arrangement", "naturals", "score", "suggest")
TIMEOUT = 60.0
"""Seconds that a program has for all deals."""
_LONGEST_ANSWER = 1 << 14
"""Bytes of a line, on average, from which on a program floods its output."""


@dataclass(frozen=True)
class Question:
    """A deal, and what each seat wins in it."""

    kind: str
    """Of the vector: one of ``KINDS``."""
    about: str
    deal: Mapping[str, Any]
    totals: tuple[int, ...]

    @property
    def id(self) -> str:
        return str(self.deal["id"])

    @property
    def rules(self) -> str:
        return str(self.deal["rules"])


@dataclass(frozen=True)
class Difference:
    """A question that was answered otherwise: by other totals, or by none and why."""

    question: Question
    answer: tuple[int, ...] | str


@cache
def vectors() -> tuple[dict[str, Any], ...]:
    """All vectors, as they are in the files.

    >>> sorted({vector["kind"] for vector in vectors()}) == sorted(KINDS)
    True
    """
    files = (path.read_text(encoding="utf-8") for path in sorted(VECTORS.glob("*.jsonl")))
    return tuple(json.loads(line) for text in files for line in text.splitlines())


def questions(rules: Sequence[str] = ()) -> Iterator[Question]:
    """The vectors as deals, each under an id of its own.

    :param rules: only those of these rule sets.

    >>> len({question.id for question in questions()}) == len(list(questions()))
    True
    >>> next(questions(["taiwan"])).rules
    'taiwan'
    """
    asked = {"compare": _compared, "arrangement": _arranged, "naturals": _declared, "score": _scored}
    for vector in vectors():
        for number, (document, totals) in enumerate(asked.get(vector["kind"], _nothing)(vector)):
            deal = {"rules": "basic", **document, "id": f"{vector['id']}{f'/{number}' if number else ''}"}
            if not rules or deal["rules"] in rules:
                yield Question(vector["kind"], vector["about"], deal, totals)


_Asked = Iterator[tuple[dict[str, Any], tuple[int, ...]]]


def _nothing(vector: Mapping[str, Any]) -> _Asked:
    """What scores deals need not set hands."""
    yield from ()


def _scored(vector: Mapping[str, Any]) -> _Asked:
    if "totals" in vector:
        yield dict(vector["deal"]), tuple(vector["totals"])


def _arranged(vector: Mapping[str, Any]) -> _Asked:
    yield _against_a_foul(vector["arrangement"], vector["foul"])


def _declared(vector: Mapping[str, Any]) -> _Asked:
    worth = load_rules("basic").naturals.worth
    for name in [*vector.get("naturals", ()), *filter(None, [vector.get("includes")])]:
        deal, _ = _against_a_foul({"hand": vector["hand"], "declare": name}, False)
        yield deal, (worth[Natural(name)], -worth[Natural(name)])


def _compared(vector: Mapping[str, Any]) -> _Asked:
    a, b, winner = parse_cards(vector["a"]), parse_cards(vector["b"]), vector["winner"]
    if len(a) == 3:
        yield _fronts(a, b, {"a": 1, "b": -1}.get(winner, 0))
        return
    front = format_cards(_lowest(3, {*a, *b}))
    for middle, back, is_foul in ((a, b, winner == "a"), (b, a, winner == "b")):
        yield _against_a_foul({"front": front, "middle": format_cards(middle), "back": format_cards(back)}, is_foul)


def _fronts(a: Sequence[Card], b: Sequence[Card], side: int) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Two fronts that decide a deal: one player has the better middle, the other the better back."""
    untouched = [rank for rank in range(2, 15) if rank not in {card.rank for card in (*a, *b)}]
    quads = [[card for card in DECK if card.rank == rank] for rank in untouched[:4]]
    lower, low, high, higher = (
        format_cards([*quad, kicker])
        for quad, kicker in zip(quads, [card for card in DECK if card.rank == untouched[4]], strict=True)
    )
    players = [
        {"front": format_cards(a), "middle": low, "back": high},
        {"front": format_cards(b), "middle": lower, "back": higher},
    ]
    return {"rules": "units-only", "players": players}, (side, -side)


def _against_a_foul(player: Mapping[str, Any], is_foul: bool) -> tuple[dict[str, Any], tuple[int, ...]]:
    """A player and one whose front of three of a kind stands before less, under ``basic``."""
    held = {card for key in ("front", "middle", "back", "hand") for card in parse_cards(player.get(key, ""))}
    free = [card for card in DECK if card not in held]
    front = next(list(three) for three in combinations(free, 3) if len({card.rank for card in three}) == 1)
    rest = [card for card in free if card not in front]
    middle = next(list(five) for five in combinations(rest, 5) if evaluate(five) < evaluate(front))
    back = [card for card in rest if card not in middle][:5]
    foul = {
        key: format_cards(cards) for key, cards in zip(("front", "middle", "back"), (front, middle, back), strict=True)
    }
    pays = 0 if is_foul else load_rules("basic").foul.units or 0
    return {"players": [dict(player), foul]}, (pays, -pays)


def _lowest(count: int, held: set[Card]) -> list[Card]:
    """Cards of the lowest ranks there are, no two of one."""
    free = {card.rank: card for card in reversed(DECK) if card not in held}
    return [free[rank] for rank in sorted(free)[:count]]


def check(command: str, asked: Sequence[Question], timeout: float = TIMEOUT) -> list[Difference]:
    """What a program answers otherwise: it reads deals as JSON Lines from its standard input until that ends, and
    writes a result a line, an object with ``players``, each with its ``total``, and the deal's ``id`` or in the order
    of the deals.

    :param command: as in a shell, with its arguments; no shell runs it.
    :param timeout: seconds.
    :raises StrategyError: ``no_program``, ``program_hung``, ``program_flooded``, ``program_died``.
    """
    lines = _run(command, asked, timeout)
    results = dict(_by_id(lines, asked))
    answers = {question.id: _totals(results.get(question.id)) for question in asked}
    return [Difference(question, answers[question.id]) for question in asked if answers[question.id] != question.totals]


def _run(command: str, asked: Sequence[Question], timeout: float) -> list[str]:
    """The lines that a program writes, given all deals."""
    given = b"".join(json.dumps(question.deal).encode() + b"\n" for question in asked)
    most = _LONGEST_ANSWER * len(asked)
    answers = answered(command, given, len(asked), thing="deal", most=most, timeout=timeout)
    lines = list(filter(None, answers.lines))
    if answers.died and len(lines) < len(asked):
        raise StrategyError("program_died", answers.died)
    return lines


def _by_id(lines: Iterable[str], asked: Sequence[Question]) -> Iterator[tuple[str, Any]]:
    for place, line in enumerate(lines):
        try:
            result = json.loads(line)
        except (ValueError, RecursionError):
            result = None
        if isinstance(result, dict) and "id" in result:
            yield str(result["id"]), result
        elif place < len(asked):
            yield asked[place].id, result


def _totals(result: Any) -> tuple[int, ...] | str:  # noqa: ANN401
    if result is None:
        return "no result"
    try:
        totals = tuple(player["total"] for player in result["players"])
    except (TypeError, KeyError):
        return "no players with totals"
    return totals if all(type(total) is int for total in totals) else "totals that are no whole numbers"


def write(folder: Path) -> list[Path]:
    """Write the vectors to a folder with all that a port needs: the deals to score and what they come to, the rule sets
    as values, the schemas, a README, the licence.

    :raises ChinesePokerError: ``unwritable``.
    """
    asked = list(questions())
    deals = [{**question.deal, "_totals": question.totals, "_kind": question.kind} for question in asked]
    files = {path.name: path.read_bytes() for path in VECTORS.iterdir() if path.is_file()}
    files |= {
        "deals.jsonl": b"".join(json.dumps(deal).encode() + b"\n" for deal in deals),
        "rules.json": _pretty([rules_document(load_rules(name)) for name in rule_names()]),
        **{f"{kind}.schema.json": _pretty(schema(kind)) for kind in ("deal", "result", "rules")},
        "LICENSE": (distribution("chinese-poker").read_text("licenses/LICENSE") or "MIT\n").encode(),
    }
    counts = {kind: sum(vector["kind"] == kind for vector in vectors()) for kind in KINDS}
    digests = {name: hashlib.sha256(text).hexdigest() for name, text in sorted(files.items())}
    about = {"version": VERSION, "package": __version__, "licence": "MIT", "vectors": counts, "deals": len(deals)}
    files["manifest.json"] = _pretty({**about, "sha256": digests})
    with faults_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with replacing(folder / name) as file:
            file.write(text)
    return [folder / name for name in sorted(files)]


def _pretty(value: Any) -> bytes:  # noqa: ANN401
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"
