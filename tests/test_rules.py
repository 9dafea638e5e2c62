"""Rule sets: the presets, what they take over from each other, and what is refused."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from chinese_poker import Category, Natural, RuleSet, RuleSetError
from chinese_poker.presets import kept_rules, load_rules, preset_text, read_rules, rule_names, rules_document
from chinese_poker.rules import BonusMode, FoulPays, FoulRule, Naturals, SegmentValue

PRESETS = rule_names()


def test_the_presets_that_there_must_be() -> None:
    others = {
        *("us-2-4", "us-1-4", "us-1-6", "swc", "palomar-eastern", "washington", "units-only", "california-mandarin"),
        *("hong-kong", "taiwan", "fujian", "vietnam", "indonesia", "philippines", "malaya", "panclub"),
    }
    expected = ("basic", "eastern", "western", "mandarin", *sorted(others))
    assert PRESETS == rule_names.__wrapped__() == expected  # what is remembered, and what is found in the folder


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_what_it_is_and_where_it_is_from(name: str) -> None:
    rules = load_rules(name)
    assert rules.name == name
    assert rules.title
    assert rules.revision >= 1
    assert rules.sources
    assert all(rules.sources + rules.inferred + rules.open + rules.aliases)
    document = rules_document(rules)
    assert read_rules(document) == rules
    assert json.loads(json.dumps(document)) == document
    assert None not in document.values()


def test_names_and_aliases_are_unique_and_lead_to_their_preset() -> None:
    aliases = [(alias, name) for name in PRESETS for alias in load_rules(name).aliases]
    known = Counter([*PRESETS, *(alias for alias, _ in aliases)])
    assert aliases
    assert known.most_common(1)[0][1] == 1
    for alias, name in aliases:
        assert load_rules(alias) is load_rules(name)


@pytest.mark.parametrize("name", [name for name in PRESETS if "base" in tomllib.loads(preset_text(name))])
def test_a_preset_takes_over_from_its_base_all_but_what_it_names(name: str) -> None:
    own = tomllib.loads(preset_text(name))
    base, rules = rules_document(load_rules(own["base"])), rules_document(load_rules(name))
    differ = {key for key in base.keys() | rules.keys() if base.get(key) != rules.get(key)}
    assert differ - {"name", "title", "aliases", "sources", "inferred", "open", "revision"} <= own.keys()


def test_western_is_basic_in_every_number() -> None:
    basic, western = rules_document(load_rules("basic")), rules_document(load_rules("western"))
    words = ("name", "title", "aliases", "sources", "inferred", "open")
    assert {key: basic[key] for key in basic if key not in words} == {
        key: western[key] for key in western if key not in words
    }


# ----------------------------------------------------------------------------------------------------
# Bases


def test_own_keys_are_merged_into_the_tables_of_the_base() -> None:
    rules = read_rules(
        {"base": "eastern", "bonuses": {"back": {"four_of_a_kind": 6}}, "naturals": {"worth": {"dragon": 9}}}
    )
    assert rules.bonuses.mode is BonusMode.REPLACE
    assert rules.bonuses.front == {"three_of_a_kind": 3}
    assert rules.bonuses.back == {"four_of_a_kind": 6, "straight_flush": 5}
    assert rules.naturals.worth == {"dragon": 9, "six_pairs": 3, "three_flushes": 3, "three_straights": 3}
    assert rules.foul == FoulRule(pays=FoulPays.FLAT, units=4)


def test_a_foul_that_says_what_it_pays_takes_nothing_over() -> None:
    assert read_rules({"base": "basic", "foul": {"pays": "scoop"}}).foul == FoulRule(pays=FoulPays.SCOOP)


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("Mandarin", "mandarin"),
        ("Pusoy", "philippines"),
        ("mau binh", "vietnam"),
        ("Mậu Binh", "vietnam"),
        ("CAPSA susun", "indonesia"),
        ("us 2-4", "us-2-4"),
        (" US - 2--4", "us-2-4"),
        (" units_only", "units-only"),
        ("1_6", "us-1-6"),
    ],
)
def test_names_are_read_as_people_write_them(name: str, preset: str) -> None:
    assert load_rules(name).name == preset


def test_a_misspelt_name_is_answered_with_the_near_one() -> None:
    with pytest.raises(RuleSetError, match="did you mean 'mandarin'"):
        load_rules("mandrin")


def test_what_a_base_says_of_itself_is_not_taken_over() -> None:
    rules = read_rules({"base": "taiwan"}, "ours")
    assert (rules.name, rules.title, rules.aliases, rules.revision) == ("ours", "", (), 1)
    assert rules.sources == rules.inferred == rules.open == ()


def test_a_base_may_be_named_by_its_alias_and_have_a_base_itself() -> None:
    assert read_rules({"base": "palomar"}).bonuses == load_rules("palomar-eastern").bonuses
    assert read_rules({"base": "palomar"}).bonuses.cap == 12


@pytest.mark.parametrize("name", PRESETS)
def test_a_house_with_nothing_of_its_own_settles_as_its_base(name: str) -> None:
    own_words = ("title", "aliases", "revision", "sources", "inferred", "open")
    expected = {key: value for key, value in rules_document(load_rules(name)).items() if key not in own_words}
    found = rules_document(read_rules({"base": name, "name": name}))
    assert {key: found[key] for key in expected} == expected


def test_without_a_base_a_house_plays_one_unit_a_segment_and_nothing_else() -> None:
    plain = read_rules({})
    assert plain.name == "house"
    assert plain == RuleSet(name="house")
    assert plain.values == ((SegmentValue(1, 0),) * len(Category),) * 3
    assert plain.naturals.ranking == ()
    assert load_rules("units-only").values == plain.values


def test_a_rule_file_is_read_by_its_path_and_named_by_its_stem(tmp_path: Path) -> None:
    path = tmp_path / "my-club.toml"
    path.write_text('\ufeffbase = "mandarin"\nfoul = { units = 6 }\n', encoding="utf-8")
    rules = load_rules(str(path))
    assert (rules.name, rules.foul.units, rules.scoop.factor) == ("my-club", 6, 2)
    path.write_text('title = "Döppel 十三"', encoding="utf-8")
    assert load_rules(str(path)).title == "Döppel 十三"


# ----------------------------------------------------------------------------------------------------
# Values


def test_a_royal_flush_is_a_straight_flush_unless_it_has_its_own_figure() -> None:
    bonuses: dict[str, Any] = {"mode": "replace", "back": {"straight_flush": 5}}
    for own, worth in (({}, 5), ({"royal_flush": 7}, 7), ({"royal_flush": 0}, 0)):
        back = read_rules({"bonuses": {**bonuses, "back": {**bonuses["back"], **own}}}).values[2]
        assert back[Category.STRAIGHT_FLUSH] == SegmentValue(0, 5)
        assert back[Category.ROYAL_FLUSH] == SegmentValue(0 if worth else 1, worth)


@pytest.mark.parametrize(
    ("order", "between", "ranking"),
    [
        ("worth", "push", ["six_pairs", "dragon", "three_flushes"]),
        ("listed", "push", ["three_flushes", "six_pairs", "dragon"]),
        ("worth", "dragon_first", ["dragon", "six_pairs", "three_flushes"]),
        ("listed", "dragon_first", ["dragon", "three_flushes", "six_pairs"]),
    ],
)
def test_the_ranking_of_naturals(order: str, between: str, ranking: list[str]) -> None:
    worth = {"three_flushes": 3, "one_colour": 0, "six_pairs": 6, "dragon": 5}
    rules = read_rules({"naturals": {"worth": worth, "order": order, "between": between}})
    assert [str(natural) for natural in rules.naturals.ranking] == ranking


def test_rule_sets_are_values() -> None:
    assert hash(load_rules("taiwan")) == hash(read_rules(rules_document(load_rules("taiwan"))))
    assert load_rules("basic") != load_rules("western")
    one, other = (Naturals(worth=dict.fromkeys(order, 3)) for order in (list(Natural), list(Natural)[::-1]))
    assert one != other
    assert one == Naturals(worth=dict.fromkeys(Natural, 3))
    assert hash(one) == hash(Naturals(worth=dict.fromkeys(Natural, 3)))


# ----------------------------------------------------------------------------------------------------
# What is refused

REFUSED: list[tuple[dict[str, Any], str, str]] = [
    # Keys
    ({"fowl": {}}, "unknown_key", "/fowl"),
    ({"foul": {"_note": "mine"}}, "unknown_key", "/foul/_note"),
    ({"foul": {"unit": 4}}, "unknown_key", "/foul/unit"),
    ({"bonuses": {"rear": {}}}, "unknown_key", "/bonuses/rear"),
    ({"units": {"by_category": {"side": {}}}}, "unknown_key", "/units/by_category/side"),
    # Values of another kind
    ({"base": 4}, "unknown_rules", "/base"),
    ({"base": None}, "unknown_rules", "/base"),
    ({"base": "estern"}, "unknown_rules", "/base"),
    ({"ties": "bank"}, "bad_value", "/ties"),
    ({"wheel": "highest"}, "bad_value", "/wheel"),
    ({"title": 4}, "bad_value", "/title"),
    ({"name": None}, "bad_value", "/name"),
    ({"aliases": "club"}, "bad_value", "/aliases"),
    ({"revision": "1"}, "bad_value", "/revision"),
    ({"middle_may_equal_back": 1}, "bad_value", "/middle_may_equal_back"),
    ({"scoop": 3}, "bad_value", "/scoop"),
    ({"scoop": {"factor": 1.5}}, "bad_value", "/scoop/factor"),
    ({"scoop": {"factor": True}}, "bad_value", "/scoop/factor"),
    ({"bonuses": {"back": {"quads": 4}}}, "bad_value", "/bonuses/back/quads"),
    ({"bonuses": {"back": {"four_of_a_kind": "4"}}}, "bad_value", "/bonuses/back/four_of_a_kind"),
    ({"naturals": {"worth": {"royal_dragon": 4}}}, "bad_value", "/naturals/worth/royal_dragon"),
    ({"naturals": {"worth": {"dragon": None}}}, "bad_value", "/naturals/worth/dragon"),
    # Figures out of range
    ({"revision": 0}, "out_of_range", "/revision"),
    ({"units": {"front": -1}}, "out_of_range", "/units/front"),
    ({"units": {"middle": 1_000_001}}, "out_of_range", "/units/middle"),
    ({"units": {"back": -1}}, "out_of_range", "/units/back"),
    ({"units": {"by_category": {"back": {"flush": -1}}}}, "out_of_range", "/units/by_category/back/flush"),
    ({"majority": {"units": -1}}, "out_of_range", "/majority/units"),
    ({"bonuses": {"cap": -1}}, "out_of_range", "/bonuses/cap"),
    ({"bonuses": {"middle": {"full_house": -2}}}, "out_of_range", "/bonuses/middle/full_house"),
    ({"scoop": {"units": -1}}, "out_of_range", "/scoop/units"),
    ({"scoop": {"factor": 0}}, "out_of_range", "/scoop/factor"),
    ({"home_run": {"factor": 0}}, "out_of_range", "/home_run/factor"),
    ({"home_run": {"players": 1}}, "out_of_range", "/home_run/players"),
    ({"home_run": {"players": 5}}, "out_of_range", "/home_run/players"),
    ({"foul": {"pays": "flat", "units": -4}}, "out_of_range", "/foul/units"),
    ({"surrender": -3}, "out_of_range", "/surrender"),
    ({"cap": -12}, "out_of_range", "/cap"),
    ({"naturals": {"worth": {"dragon": -13}}}, "out_of_range", "/naturals/worth/dragon"),
    ({"naturals": {"big": "89TJQKX"}}, "out_of_range", "/naturals/big"),
    ({"naturals": {"small": "2234"}}, "out_of_range", "/naturals/small"),
    ({"naturals": {"small": ""}}, "out_of_range", "/naturals/small"),
    ({"suits": "shd"}, "out_of_range", "/suits"),
    ({"suits": "shdd"}, "out_of_range", "/suits"),
    # Keys at odds with each other
    ({"foul": {"pays": "flat"}}, "contradiction", "/foul/units"),
    ({"foul": {"pays": "scoop", "units": 4}}, "contradiction", "/foul/units"),
    ({"foul": {"pays": "scoop_with_bonuses", "units": 4}}, "contradiction", "/foul/units"),
    ({"ties": "banker"}, "contradiction", "/ties"),
    ({"bonuses": {"mode": "replace", "paid_to": "both"}}, "contradiction", "/bonuses/paid_to"),
    ({"bonuses": {"front": {"full_house": 2}}}, "contradiction", "/bonuses/front/full_house"),
    ({"units": {"by_category": {"front": {"flush": 2}}}}, "contradiction", "/units/by_category/front/flush"),
    # With a base, whose keys are not at fault
    ({"base": "taiwan", "foul": {"units": 6}}, "contradiction", "/foul/units"),
    ({"base": "malaya", "bonuses": {"mode": "replace"}}, "contradiction", "/bonuses/paid_to"),
    ({"base": "hong-kong", "banker": "none"}, "contradiction", "/ties"),
]


@pytest.mark.parametrize(
    ("document", "code", "pointer"), REFUSED, ids=[f"{place} {code}" for _, code, place in REFUSED]
)
def test_what_is_refused_is_named_with_its_place(document: dict[str, Any], code: str, pointer: str) -> None:
    with pytest.raises(RuleSetError) as caught:
        read_rules(document)
    assert [(problem.code, problem.pointer) for problem in caught.value.problems] == [(code, pointer)]
    assert caught.value.message
    assert "\n" not in str(caught.value)


def test_all_problems_at_once() -> None:
    document = {"cap": -1, "foul": {"pays": "flat"}, "ties": "banker", "home_run": {"players": 9}}
    with pytest.raises(RuleSetError) as caught:
        read_rules(document)
    places = {problem.pointer for problem in caught.value.problems}
    assert places == {"/cap", "/foul/units", "/ties", "/home_run/players"}
    with pytest.raises(RuleSetError) as caught:
        read_rules({"wheel": "high", "fowl": 1, "foul": {"pays": 4}})
    assert {problem.pointer for problem in caught.value.problems} == {"/wheel", "/fowl", "/foul/pays"}


def test_an_unknown_key_is_answered_with_the_known_ones() -> None:
    with pytest.raises(RuleSetError) as caught:
        read_rules({"foul": {"unit": 4}})
    assert all(word in caught.value.message for word in ("'unit'", "did you mean 'units'", "pays"))
    with pytest.raises(RuleSetError) as caught:
        load_rules("estern")
    assert (caught.value.code, "eastern" in caught.value.message) == ("unknown_rules", True)


@pytest.mark.parametrize(
    "text", ["base = ", "\x00", "[[[", "a = 1\na = 2", "name = nan-", 'name = "\\ud800"', "[" * 100_000]
)
def test_a_file_that_is_no_toml(text: str, tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RuleSetError) as caught:
        load_rules(str(path))
    assert caught.value.code == "unreadable_rules"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["missing", "folder", "bytes"])
def test_a_file_that_cannot_be_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    if kind == "folder":
        path.mkdir()
    elif kind == "bytes":
        path.write_bytes(b'title = "\xff"')
    with pytest.raises(RuleSetError) as caught:
        load_rules(str(path))
    assert caught.value.code == "unreadable_rules"


def refusal(read: Callable[[Any], object], given: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(RuleSetError) as caught:
        read(given)
    return [(each.pointer, each.code, each.message) for each in caught.value.problems]


def test_what_is_told_of_a_file_and_how_much_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fits, longer = "x" * 195 + ".toml", "x" * 196 + ".toml"
    shown = {fits: f"'{fits}'", longer: f"'{longer[:200]}...'"}
    with pytest.raises(ValueError, match="limit") as caught:
        int("9" * 4400)
    many = str(caught.value)[:80]
    for name, quoted in shown.items():
        fault = f"{quoted} cannot be read: No such file or directory"
        assert refusal(load_rules, name) == [("", "unreadable_rules", fault)]
        Path(name).write_text("a = 1 1", encoding="utf-8")
        fault = f"{quoted} is not TOML: 'Expected newline or end of document after a statement (at line 1, column 7)'"
        assert refusal(load_rules, name) == [("", "unreadable_rules", fault)]
    Path("club.toml").write_text("a = " + "9" * 4400, encoding="utf-8")
    fault = f"'club.toml' is not TOML: '{many}...'"
    assert refusal(load_rules, "club.toml") == [("", "unreadable_rules", fault)]


def test_what_is_told_of_a_name_or_a_base_that_is_none() -> None:
    known = f"known: {', '.join(PRESETS)}"
    told = f"'Mandrin' is no rule set, did you mean 'mandarin'? {known}; or give a file, as in ./my-club.toml"
    assert refusal(load_rules, "Mandrin") == [("", "unknown_rules", told)]
    assert refusal(load_rules, "zzz")[0][2].startswith(f"'zzz' is no rule set; {known}; or")
    assert refusal(read_rules, {"base": 4}) == [("/base", "unknown_rules", "write the name of a preset")]
    told = f"a base is a preset, no file; {known}"
    assert refusal(read_rules, {"base": "./club.toml"}) == [("/base", "unknown_rules", told)]


def test_naturals_are_equal_to_naturals_only() -> None:
    assert Naturals() == Naturals()
    assert Naturals() != ()
    assert Naturals() != Naturals(worth={Natural.DRAGON: 3})


def test_keys_of_another_kind_are_refused() -> None:
    fault = "keys must be str, int, float, bool or None, not "
    assert refusal(read_rules, {"title": "ours", (1, 2): 3}) == [("", "bad_value", f"'{fault}tuple'")]
    key = type("T" * 99, (), {})()
    assert refusal(read_rules, {key: 3}) == [("", "bad_value", f"'{fault}{'T' * (80 - len(fault))}...'")]


def test_a_date_is_a_text() -> None:
    """TOML writes dates without quotes."""
    assert read_rules({"title": date(2020, 1, 31)}).title == "2020-01-31"
    assert refusal(read_rules, {"revision": date(2020, 1, 31)}) == [("/revision", "bad_value", "write a whole number")]


def test_half_a_character_is_told() -> None:
    told = [("", "bad_text", "U+D800 cannot stand in a text; leave it out")]
    assert refusal(read_rules, {"title": "a\ud800"}) == told


def test_an_unknown_base_hides_no_fault_but_keys_at_odds() -> None:
    odds = {"foul": {"pays": "flat"}}
    for fault in ({"scoop": {"factor": 0}}, {"scoop": {"fctor": 1}}):
        [alone] = refusal(read_rules, fault)
        told = refusal(read_rules, {"base": "estern", **fault, **odds})
        assert [problem[:2] for problem in told] == [("/base", "unknown_rules"), alone[:2]]
    assert [problem[:2] for problem in refusal(read_rules, odds)] == [("/foul/units", "contradiction")]


ACCEPTED: list[dict[str, Any]] = [
    {"bonuses": {"cap": 0, "back": {"flush": 0}}},
    {"units": {"front": 0, "middle": 0, "back": 0}},
    {"units": {"by_category": {"front": {"high_card": 1, "one_pair": 2, "three_of_a_kind": 3}}}},
    {"majority": {"units": 0}, "scoop": {"units": 0, "factor": 1}, "home_run": {"factor": 1, "players": 2}},
    {"cap": 1_000_000, "surrender": 0, "revision": 1, "foul": {"pays": "flat", "units": 0}},
    {"naturals": {"big": "23456789TJQKA", "small": "A", "worth": {"dragon": 0}}},
    {"name": "x", "title": "", "aliases": ["", "x" * 1000], "sources": [""], "inferred": [""], "open": ["y" * 1000]},
]


@pytest.mark.parametrize("document", ACCEPTED)
def test_the_least_and_the_most_are_accepted(document: dict[str, Any]) -> None:
    rules = read_rules(document)
    assert read_rules(rules_document(rules)) == rules


@pytest.mark.parametrize(("suits", "worth"), [("shdc", (0, 1, 2, 3)), ("cdhs", (3, 2, 1, 0)), ("hscd", (1, 0, 3, 2))])
def test_what_suits_are_worth_in_ties(suits: str, worth: tuple[int, ...]) -> None:
    assert read_rules({"suits": suits}).suit_worth == worth


def test_different_houses_are_mostly_of_different_hashes() -> None:
    assert len({hash(load_rules(name)) for name in PRESETS}) == len(PRESETS)
    assert len({hash(Naturals(worth={natural: 3})) for natural in Natural}) == len(Natural)


@pytest.mark.parametrize(
    "document",
    [
        {"name": "mandarin"},
        {"name": "eastern", "base": "mandarin"},
        {"name": "swc", "base": "swc", "surrender": 5},
        {"name": "western", "revision": 9, "cap": 5},
        {"name": "panclub", "revision": 1, "cap": 5},
    ],
)
def test_what_is_called_as_a_preset_has_to_be_that_preset(document: dict[str, Any]) -> None:
    with pytest.raises(RuleSetError) as caught:
        read_rules(document)
    assert (caught.value.code, caught.value.pointer) == ("preset_name", "/name")


def test_a_file_called_as_a_preset_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "western.toml"
    path.write_text('base = "mandarin"\n')
    with pytest.raises(RuleSetError, match="western is a preset of other rules; name these otherwise") as caught:
        load_rules(str(path))
    assert (caught.value.code, caught.value.pointer) == ("preset_name", "")
    path.write_text('base = "mandarin"\nname = "ours"\n')
    assert load_rules(str(path)).name == "ours"


def test_a_preset_written_out_is_itself_with_other_words() -> None:
    document = rules_document(load_rules("taiwan"))
    assert read_rules(document | {"title": "As we play it", "sources": [], "revision": 99}).name == "taiwan"
    assert kept_rules(document | {"cap": 7}).cap == 7, "it was played when the preset was another"


@pytest.mark.parametrize("document", [[1], "western", 7, None])
def test_what_is_no_object_is_no_rule_set(document: Any) -> None:
    assert refusal(read_rules, document) == [("", "bad_value", "write the rules as an object")]


def test_keys_of_the_users_own_are_left_alone() -> None:
    assert read_rules({"base": "taiwan", "_note": ["as at Ann's"]}) == read_rules({"base": "taiwan"})
