"""Tables of worth: trained alike from a seed, shipped for every preset, cached with care."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from chinese_poker import user_cache
from chinese_poker.engine import worth as module
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.field import judged
from chinese_poker.engine.settlement import settlement
from chinese_poker.engine.worth import Worth, game_digest, train, worth
from chinese_poker.presets import load_rules, read_rules, rule_names
from chinese_poker.strategy import strategy

HOUSE = {"name": "house", "base": "eastern", "bonuses": {"front": {"three_of_a_kind": 5}}}


def _digest(name):
    return game_digest(settlement(load_rules(name)))


def _equal(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("name", rule_names())
def test_shipped_tables_never_fall_and_are_fair(name, monkeypatch):
    monkeypatch.setattr(module, "train", None)
    tables = worth(load_rules(name))
    assert [table.shape for table in tables] == [(455,), (7462,), (7462,)]
    for table in tables:
        assert table.dtype == np.float64
        assert (np.diff(table) >= 0).all()
        assert table[0] < 0 < table[-1]
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


def test_the_file_is_small():
    assert module.SHIPPED.stat().st_size < 100_000


def test_equal_games_share_their_tables():
    assert _digest("basic") == _digest("western") == _digest("us-2-4")
    games = {_digest(name) for name in ("basic", "eastern", "mandarin", "swc", "vietnam", "washington", "us-1-4")}
    assert len(games) == 7


@pytest.mark.parametrize("name", ["basic", "taiwan", "malaya"])
def test_worth_is_the_mean_over_pairs_of_hands(name):
    rules = load_rules(name)
    settled = settlement(rules)
    hands = judged(strategy("heuristic").arrange(deal(90, 0, 10).reshape(-1, 13)[::2], rules, 4).cards, rules).values
    chance = np.random.default_rng(91)
    for segment, table in enumerate(module._worth_against(hands, settled)):
        for value in [*chance.integers(0, len(table), 20), len(table) - 1, *hands[:3, segment]]:
            units = []
            for mine, other in itertools.permutations(hands, 2):
                changed = mine.copy()
                changed[segment] = value
                code = 13 + np.sign(changed - other) @ (9, 3, 1)
                first, second = settled.state_of(np.stack([changed, other]))
                units.append(settled.units[first, second, code, 0])
            assert table[value] == pytest.approx(np.mean(units), abs=1e-12)


def test_training_is_the_same_from_a_seed():
    rules = load_rules("mandarin")
    once, again, other = (train(rules, seed=seed, rounds=3, hands=300) for seed in (1, 1, 2))
    assert _equal(once, again)
    assert not _equal(once, other)


def test_what_is_shipped_is_what_training_gives():
    packed = module._packed(train(load_rules("washington")))
    assert _equal(packed, module._shipped()[_digest("washington")])


def test_packed_tables_are_true_to_a_part_in_60000():
    trained = train(load_rules("eastern"), rounds=2, hands=200)
    for table, packed in zip(trained, module._unpacked(module._packed(trained)), strict=True):
        assert packed == pytest.approx(table, abs=(table[-1] - table[0]) / 60_000)
    flat = Worth(*(np.full(size, 0.5) for size in (455, 7462, 7462)))
    assert _equal(module._unpacked(module._packed(flat)), flat)


def test_the_file_can_be_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "train", lambda rules: train(rules, rounds=1, hands=20))
    named = []
    for name in ("one", "two"):
        module.regenerate(tmp_path / f"{name}.npz", named.append)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    monkeypatch.setattr(module, "SHIPPED", tmp_path / "one.npz")
    assert module._shipped.__wrapped__().keys() == module._shipped().keys()
    assert named[0] == "basic"
    assert not {"western", "us-2-4"} & set(named)


def test_ranks_of_a_segment_matter_by_the_rules():
    """Trips in front, and quads in the middle, are worth what they are paid."""
    basic, eastern = worth(load_rules("basic")), worth(load_rules("eastern"))
    trips, quads = 454, 7440
    assert eastern.front[trips] - eastern.front[441] > basic.front[trips] - basic.front[441] + 1
    assert eastern.middle[quads] > basic.middle[quads] + 4


class _House:
    """A house's rules, whose training is quick and counted."""

    def __init__(self, folder, monkeypatch):
        self.rules = read_rules(HOUSE)
        self.folder = folder / "cache"
        self.trained = 0
        self.hands = 0
        self.patch = monkeypatch
        monkeypatch.setattr(user_cache, "folder", lambda: self.folder)
        monkeypatch.setattr(module, "train", self._train)

    def _train(self, rules, **options):
        self.trained += 1
        self.hands = options["hands"]
        return train(rules, rounds=1, hands=20, progress=options["progress"])

    def worth(self, rules=None, progress=None):
        """The tables as a process that starts afresh has them."""
        self.patch.setattr(module, "_known", {})
        return worth(rules or self.rules, progress)

    @property
    def file(self):
        [file] = self.folder.iterdir()
        return file


@pytest.fixture
def house(tmp_path, monkeypatch):
    return _House(tmp_path, monkeypatch)


def test_house_rules_are_trained_once(house):
    rounds = []
    first = house.worth(progress=lambda done, of: rounds.append((done, of)))
    assert rounds == [(1, 1)]
    assert worth(house.rules) is first
    assert _equal(house.worth(), first)
    assert house.trained == 1


def test_without_numba_the_sample_is_small_and_kept_apart(house, monkeypatch):
    house.worth()
    assert house.hands == module.HANDS
    monkeypatch.setattr(module, "is_compiling", lambda: False)
    house.worth()
    assert (house.trained, house.hands) == (2, module.FEW_HANDS)
    assert len(list(house.folder.iterdir())) == 2


def test_a_house_that_plays_a_shipped_game_trains_nothing(house):
    rules = read_rules(
        {"name": "house", "base": "eastern", "foul": {"units": 9}, "naturals": {"worth": {"dragon": 99}}}
    )
    assert _equal(house.worth(rules), worth(load_rules("eastern")))
    assert house.trained == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:-1],
        lambda whole: whole + b"\0",
        lambda whole: whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:],
        lambda whole: bytes(len(whole)),
        lambda whole: b"PK\3\4" + whole,
    ],
    ids=["empty", "short", "long", "a bit", "zeros", "another kind"],
)
def test_a_damaged_cache_is_trained_anew(house, damage):
    first = house.worth()
    whole = house.file.read_bytes()
    house.file.write_bytes(damage(whole))
    assert _equal(house.worth(), first)
    assert house.trained == 2
    assert house.file.read_bytes() == whole


def test_the_tables_of_another_game_are_not_taken(house):
    house.worth()
    other = house.file.read_bytes()
    house.file.unlink()
    rules = read_rules({"name": "other", "base": "mandarin", "scoop": {"factor": 5}})
    second = house.worth(rules)
    house.file.write_bytes(other)
    assert _equal(house.worth(rules), second)
    assert house.trained == 3


def test_a_cache_that_cannot_be_written_is_done_without(house):
    house.folder.write_text("in the way")
    first = house.worth()
    assert _equal(house.worth(), first)
    assert house.trained == 2
    assert house.folder.read_text() == "in the way"


def test_a_folder_in_the_place_of_the_file(house):
    first = house.worth()
    file = house.file
    file.unlink()
    file.mkdir()
    (file / "kept").touch()
    assert _equal(house.worth(), first)
    assert list(house.folder.iterdir()) == [file]
