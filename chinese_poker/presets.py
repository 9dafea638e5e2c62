"""Rule sets by name, by file, or written out: one reader for all of them."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from .documents import problems_of
from .errors import ChinesePokerError, RuleSetError
from .rules import RuleSet
from .texts import did_you_mean, quote

_OWN_KEYS = ("title", "aliases", "revision", "sources", "inferred", "open")
"""What a rule set does not take over from its base."""


@cache
def adapter() -> TypeAdapter[RuleSet]:
    """The reader of rule sets, built on first use."""
    return TypeAdapter(RuleSet)


@cache
def rule_names() -> tuple[str, ...]:
    """The presets: the four base rule sets first, the others by name.

    >>> rule_names()[:5]
    ('basic', 'eastern', 'western', 'mandarin', 'california-mandarin')
    """
    base = ("basic", "eastern", "western", "mandarin")
    names = {path.stem for path in _FOLDER.glob("*.toml")}
    return (*base, *sorted(names.difference(base)))


_FOLDER = Path(__file__).with_name("rulesets")


def preset_text(name: str) -> str:
    """A preset's TOML file.

    >>> preset_text("western").splitlines()[0]
    'base = "basic"'
    """
    return (_FOLDER / f"{name}.toml").read_bytes().decode()


def rules_document(rules: RuleSet) -> dict[str, Any]:
    """A rule set as JSON values, everything written out; :func:`read_rules` reads it back.

    >>> read_rules(rules_document(load_rules("taiwan"))) == load_rules("taiwan")
    True
    """
    document: dict[str, Any] = adapter().dump_python(rules, mode="json", exclude_none=True)
    return document


@cache
def _preset(name: str) -> tuple[RuleSet, Mapping[str, Any]]:
    return _read(tomllib.loads(preset_text(name)), name)


@cache
def _aliases() -> dict[str, str]:
    return {alias: name for name in rule_names() for alias in _preset(name)[0].aliases}


def load_rules(name: str) -> RuleSet:
    """A preset by name or alias, or a rule file by its path (a name that ends in ``.toml``).

    :raises RuleSetError: ``unknown_rules``, ``unreadable_rules``, or what is wrong within.

    >>> load_rules("mandarin").home_run.factor, load_rules("shisanshui").name
    (3, 'taiwan')
    """
    if name.endswith(".toml"):
        return _load_file(Path(name))
    return _preset(_preset_name(name))[0]


def _preset_name(name: str) -> str:
    plain = _plain(name)
    if plain in rule_names():
        return plain
    known = {_plain(alias): preset for alias, preset in _aliases().items()}
    if plain in known:
        return known[plain]
    hint = did_you_mean(plain, [*rule_names(), *known])
    fault = f"{quote(name)} is no rule set{hint} known: {', '.join(rule_names())}; or give a file, as in ./my-club.toml"
    raise RuleSetError("unknown_rules", fault)


def _plain(name: str) -> str:
    """A name as people may write it: without capitals and accents, words joined by hyphens."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "-".join(re.split(r"[-_\s]+", "".join(c for c in letters if not unicodedata.combining(c)).strip()))


def _load_file(path: Path) -> RuleSet:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        fault = f"{quote(str(path), 200)} cannot be read: {error.strerror}"
        raise RuleSetError("unreadable_rules", fault) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise RuleSetError(
            "unreadable_rules", f"{quote(str(path), 200)} is not TOML: {quote(str(error), 80)}"
        ) from None
    return read_rules(document, path.stem)


def read_rules(document: Mapping[str, Any], name: str = "house") -> RuleSet:
    """A rule set written out: its own keys over those of the preset that ``base`` names, if any.

    Keys that begin with ``_`` are the user's own. A result tells its rules by name, so what is called as a preset has
    to be that preset.

    :param name: what it is called where it does not say.
    :raises RuleSetError: everything that is wrong, each with its pointer.

    >>> read_rules({"base": "eastern", "foul": {"units": 6}}).foul.units
    6
    """
    rules = _read(document, name)[0]
    if rules.name in rule_names() and _values(rules) != _values(load_rules(rules.name)):
        fault = f"{rules.name} is a preset of other rules; name these otherwise, or write {rules.name} alone for it"
        raise RuleSetError("preset_name", fault, pointer="/name" if "name" in document else "")
    return rules


def kept_rules(document: Mapping[str, Any]) -> RuleSet:
    """A rule set that was written out when it was played: a preset may have been revised since.

    :raises RuleSetError: everything that is wrong, each with its pointer.

    >>> kept_rules({**rules_document(load_rules("panclub")), "revision": 1, "cap": 20}).cap
    20
    """
    return _read(document, "house")[0]


def _values(rules: RuleSet) -> dict[str, Any]:
    """What is played, without what is told of it."""
    return {key: value for key, value in rules_document(rules).items() if key not in _OWN_KEYS}


def _read(document: Mapping[str, Any], name: str) -> tuple[RuleSet, Mapping[str, Any]]:
    if not isinstance(document, Mapping):
        raise RuleSetError("bad_value", "write the rules as an object")
    own = {"name": name, **{key: value for key, value in document.items() if str(key)[:1] != "_"}}
    problems: list[ChinesePokerError] = []
    if "base" in own:
        base = own.pop("base")
        try:
            own = _over({key: value for key, value in _values_of(base).items() if key not in _OWN_KEYS}, own)
        except RuleSetError as error:
            problems.append(error.at("/base"))
    try:
        rules = adapter().validate_json(json.dumps(own, default=str, ensure_ascii=False).encode())
    except ValidationError as error:
        found = problems_of(error, adapter().json_schema(), RuleSetError).problems
        # without its base, keys may be at odds that are not with it
        problems += [problem for problem in found if not problems or problem.code != "contradiction"]
    except UnicodeEncodeError as error:
        fault = f"U+{ord(error.object[error.start]):04X} cannot stand in a text; leave it out"
        problems.append(RuleSetError("bad_text", fault))
    except (TypeError, ValueError, RecursionError) as error:
        problems.append(RuleSetError("bad_value", quote(str(error), 80)))
    if problems:
        raise RuleSetError.of(problems)
    return rules, own


def _values_of(base: Any) -> Mapping[str, Any]:  # noqa: ANN401
    if not isinstance(base, str):
        raise RuleSetError("unknown_rules", "write the name of a preset")
    if base.endswith(".toml"):
        raise RuleSetError("unknown_rules", f"a base is a preset, no file; known: {', '.join(rule_names())}")
    return _preset(_preset_name(base))[1]


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The base with the house's own keys over it; a foul that says what it pays is the house's own altogether."""
    merged = dict(base)
    for key, value in own.items():
        below = merged.get(key)
        merged[key] = value
        if isinstance(below, dict) and isinstance(value, dict) and not (key == "foul" and "pays" in value):
            merged[key] = _over(below, value)
    return merged
