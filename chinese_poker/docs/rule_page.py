"""The page of the rules, written from the presets and settled by the core: nothing in it is typed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..arrangement import SEGMENTS
from ..evaluate import Category
from ..matchup import Sides, State, settle
from ..naturals import Natural
from ..presets import load_rules, rule_names
from ..report import rules_lines
from ..rules import RuleSet

_OUTCOMES: dict[str, Sides] = {"3-0-0": (1, 1, 1), "2-1-0": (1, 1, -1), "2-0-1": (1, 1, 0), "1-0-2": (1, 0, 0)}
_HEAD = """# The rule sets, side by side

Written from the presets of this version and settled by the same code that scores. `chinese-poker rules NAME` shows one
of them, `chinese-poker rules NAME NAME` sets some side by side, and the page on house rules says how to write your own.

## What a matchup pays

Units by segments won, lost and tied, without any bonus; a home run is what each opponent pays; a foul is what it pays
to a player without bonus hands.
"""


def rules_page() -> str:
    """The page as Markdown: all presets in tables, then each with its sources and what is open.

    >>> print(next(line for line in rules_page().splitlines() if line.startswith("| `mandarin`")))
    | `mandarin` | 6 | 1 | 2 | 1 | 9 | 4 | push | none | lowest | |
    """
    presets = [load_rules(name) for name in rule_names()]
    special = _special_hands(presets)
    parts = [
        _HEAD,
        *_table(("", *_OUTCOMES, "home run", "foul", "ties", "banker", "A-2-3-4-5", "cap"), presets, _matchup_cells),
        "\n## What a won segment is worth\n\nUnits by the hand in it, its regular units and its bonus together.\n",
        *_table(
            ("", *(f"{SEGMENTS[i]} {_words(category.word)}" for i, category in special)),
            presets,
            lambda rules: (sum(rules.values[i][category]) for i, category in special),
        ),
        "\n## What a natural is worth\n",
        *_table(("", *map(_words, Natural)), presets, _natural_cells),
    ]
    for rules in presets:
        parts += _section(rules)
    return "\n".join(parts) + "\n"


def _table(head: Sequence[str], presets: Iterable[RuleSet], cells: Callable[[RuleSet], Iterable[object]]) -> list[str]:
    rows = [head, ["---"] * len(head), *([f"`{rules.name}`", *map(str, cells(rules))] for rules in presets)]
    return [" ".join(f"| {cell}".rstrip() for cell in row) + " |" for row in rows]


def _matchup_cells(rules: RuleSet) -> Iterator[object]:
    plain = State(values=rules.plain_values)
    for sides in _OUTCOMES.values():
        yield _paid(plain, plain, sides, rules)
    yield _paid(plain, plain, (1, 1, 1), rules, home_run=True) if rules.home_run.factor > 1 else ""
    yield _paid(plain, State(foul=True), (0, 0, 0), rules)
    yield from (rules.ties, rules.banker, _words(rules.wheel), "" if rules.cap is None else rules.cap)


def _paid(first: State, second: State, sides: Sides, rules: RuleSet, home_run: bool = False) -> int:
    return sum(item.units for item in settle(first, second, sides, rules, home_run))


def _special_hands(presets: Iterable[RuleSet]) -> list[tuple[int, Category]]:
    """The segments and categories that some preset pays otherwise than a plain win."""
    return sorted(
        (i, Category[word.upper()])
        for i, segment in enumerate(SEGMENTS)
        for word in {
            word
            for rules in presets
            for table in (rules.units.by_category, rules.bonuses)
            for word in getattr(table, segment)
        }
    )


def _natural_cells(rules: RuleSet) -> Iterator[object]:
    for natural in Natural:
        yield rules.naturals.worth.get(natural) or ""


def _section(rules: RuleSet) -> Iterator[str]:
    yield f"\n## `{rules.name}`\n\n{rules.title}; revision {rules.revision}.\n"
    if rules.aliases:
        yield f"Also called {', '.join(f'`{alias}`' for alias in rules.aliases)}.\n"
    yield "| | |\n|---|---|"
    yield from (f"| {question} | {answer} |" for question, answer in rules_lines(rules))
    for heading in ("sources", "inferred", "open"):
        texts = getattr(rules, heading)
        if texts:
            yield "\n".join([f"\n{heading.capitalize()}:\n", *(f"- {text}" for text in texts)])


def _words(name: str) -> str:
    return name.replace("_", " ")
