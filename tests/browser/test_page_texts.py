"""The page's words: every language says the same things, and every thing that can be said."""

import json
import re

import pytest

from chinese_poker.arrangement import Foul
from chinese_poker.evaluate import Category
from chinese_poker.matchup import Reason
from chinese_poker.naturals import Natural
from chinese_poker.presets import rule_names
from chinese_poker.web.app import STATIC

LANGUAGES = sorted(path.stem for path in (STATIC / "texts").glob("*.json"))
CODE = "\n".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.js"))


def texts(language: str) -> dict[str, str]:
    def once(pairs: list[tuple[str, str]]) -> dict[str, str]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    found: dict[str, str] = json.loads(
        (STATIC / "texts" / f"{language}.json").read_text("utf-8"), object_pairs_hook=once
    )
    return found


def test_the_languages_of_the_issue() -> None:
    assert LANGUAGES == ["en", "id", "vi", "zh-Hans", "zh-Hant"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_text_with_every_value(language: str) -> None:
    english, own = texts("en"), texts(language)
    assert own.keys() == english.keys()
    for key, text in own.items():
        assert text.strip(), key
        assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", english[key])), key


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_a_language_is_no_copy_of_english(language: str) -> None:
    english, own = texts("en"), texts(language)
    same = [key for key in own if own[key] == english[key] and re.search("[a-z]{3}", own[key])]
    assert len(same) < len(own) / 8, same


def test_everything_that_a_result_can_say_has_a_text() -> None:
    known = texts("en").keys()
    kinds = {
        "natural": list(Natural),
        "foul": [reason for flag in Foul for reason in flag.reasons],
        "made": [category.word for category in Category],
        "item": [reason.value for reason in Reason if reason is not Reason.SEGMENT],
        "rules": rule_names(),
    }
    assert [f"{kind}.{name}" for kind, names in kinds.items() for name in names if f"{kind}.{name}" not in known] == []


def test_every_text_that_the_code_names_is_there_and_none_is_left_over() -> None:
    known = texts("en").keys()
    named = set(re.findall(r"""\bt\((?:[^()"`]*\? )?"([a-z][\w.]*)\"""", CODE))
    assert named <= known
    built = {match.rstrip(".") for match in re.findall(r"`([a-z]+(?:\.[a-z]+)*\.)\$\{", CODE)}
    quoted = set(re.findall(r'"([a-z]+(?:\.[\w]+)*)"', CODE))
    unused = [key for key in known if key not in quoted and not any(key.startswith(f"{kind}.") for kind in built)]
    assert [key for key in unused if not re.match(r"night\.(undone|did)_|advice\.|short\.|tab\.", key)] == []


def test_nothing_reads_markup() -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"style", CODE
    )
