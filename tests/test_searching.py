"""The searches in the interpreter, as they are called: quick, for mutation testing."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from test_kernels import GAINS, KNOWN, UNDOMINATED, WORTH, best_of, plain_gain, plain_shifts

from chinese_poker import engine
from chinese_poker.engine import _kernels, search
from chinese_poker.engine.search import Arrangements, best_gain, best_sum, legal, legal_count, undominated
from chinese_poker.engine.tables import tables
from chinese_poker.evaluate import Wheel

FEW = [known.hand for known in KNOWN[:3]]
IN_WHEEL = KNOWN[4]
"""A hand whose wheel is the second highest straight."""


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch):
    """The searches as in a process that has no numba loaded and has searched nothing."""
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setitem(search._met, "hands", 0)


def of_each(found):
    return [found.of_hand(i) for i in range(len(found.hands))]


def triples(found):
    """The values, greatest back, middle, front first."""
    return sorted((found.packed >> 26).tolist(), reverse=True)


@pytest.mark.parametrize("distinct", [0, 1])
def test_the_undominated_of_each_hand(distinct):
    found = undominated(FEW, middle_may_equal_back=not distinct)
    for number, part in enumerate(of_each(found)):
        assert triples(part) == UNDOMINATED[number, distinct]
        assert part.hands.tolist() == [KNOWN[number].ordered]
        assert part.offsets.tolist() == [0, len(part)]
        assert (part.owners == 0).all()
        assert np.isin(part.packed, KNOWN[number].legal[distinct]).all()
    assert len(found) == sum(len(UNDOMINATED[number, distinct]) for number in range(3))
    assert (found.packed.dtype, found.offsets.dtype, found.hands.dtype) == (np.int64, np.int64, np.int8)
    assert found.owners.tolist() == sorted(found.owners)


def test_hands_may_be_of_any_integers():
    for hands in (FEW[0], np.array(FEW[:1], np.uint16), np.array(FEW[0], np.int8)):
        found = undominated(hands, compile=False)
        assert triples(found) == UNDOMINATED[0, 0]


def test_what_an_arrangement_is_made_of():
    packed = np.array([7461 << 48 | 8000 << 35 | 454 << 26 | 0b11111 << 13 | 0b1110000000000, 3 << 48 | 31 << 13 | 224])
    hands = np.array([range(0, 52, 4), range(1, 52, 4)], np.int8)
    found = Arrangements(hands, np.array([0, 1, 2]), packed)
    assert found.values.tolist() == [[454, 8000, 7461], [0, 0, 3]]
    assert found.masks.tolist() == [[0b1110000000000, 0b1111100000, 0b11111], [224, 8191 - 224 - 31, 31]]
    assert found.owners.tolist() == [0, 1]
    places = [[12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], [7, 6, 5, 12, 11, 10, 9, 8, 4, 3, 2, 1, 0]]
    assert found.cards().tolist() == [[4 * i + suit for i in row] for suit, row in enumerate(places)]
    assert found.values.dtype == found.masks.dtype == np.int16
    assert found.cards().dtype == np.int8
    second = found.of_hand(1)
    assert second.hands.tolist() == hands[1:].tolist()
    assert second.offsets.tolist() == [0, 1]
    assert second.packed.tolist() == packed[1:].tolist()


@pytest.mark.parametrize("equal", [True, False])
def test_the_legal_ones_have_every_triple_once(equal):
    found = legal([KNOWN[3].hand, KNOWN[5].hand], middle_may_equal_back=equal)
    for known, part in zip((KNOWN[3], KNOWN[5]), of_each(found), strict=True):
        arrangements = known.legal[not equal]
        assert (part.packed >> 26).tolist() == np.unique(arrangements >> 26)[::-1].tolist()
        assert np.isin(part.packed, arrangements).all()
        assert part.hands.tolist() == [known.ordered]
    assert len(found) == found.offsets[-1]


def test_there_is_room_for_many_hands():
    found = undominated([KNOWN[5].hand] * 40)
    assert np.diff(found.offsets).tolist() == [len(UNDOMINATED[5, 0])] * 40


def test_there_may_be_more_than_there_is_room_for():
    assert triples(legal(KNOWN[0].hand)) == np.unique(KNOWN[0].legal[0] >> 26)[::-1].tolist()


def test_the_wheel_of_the_rules_is_the_wheel_of_the_search():
    known = {"wheel": Wheel.SECOND_HIGHEST}
    hand = IN_WHEEL.hand
    assert triples(undominated(hand, **known)) == UNDOMINATED[4, 0]
    assert triples(undominated(hand)) != UNDOMINATED[4, 0]
    assert legal_count(hand, **known).tolist() == [len(IN_WHEEL.legal[0])]
    assert legal_count(hand, **known, middle_may_equal_back=False).tolist() == [len(IN_WHEEL.legal[1])]
    widened = legal(hand, **known)
    assert (widened.packed >> 26).tolist() == np.unique(IN_WHEEL.legal[0] >> 26)[::-1].tolist()
    for distinct in (0, 1):
        options = {**known, "middle_may_equal_back": not distinct}
        assert (best_sum(hand, *WORTH[0], **options).packed >> 26).tolist() == [best_of(IN_WHEEL, distinct, WORTH[0])]


def test_counts_of_hands():
    counts = legal_count(FEW)
    assert counts.tolist() == [len(known.legal[0]) for known in KNOWN[:3]]
    assert counts.dtype == np.int64


def test_the_best_sum_of_hands():
    found = best_sum(FEW, *map(np.array, WORTH[0]))
    assert (found.packed >> 26).tolist() == [best_of(known, 0, WORTH[0]) for known in KNOWN[:3]]
    assert found.hands.tolist() == [known.ordered for known in KNOWN[:3]]
    assert found.offsets.tolist() == [0, 1, 2, 3]


def test_of_straights_that_are_equal_one_is_in_the_middle_or_none():
    """The hand can set the same straight twice, so the two rules lead to different arrangements."""
    known = KNOWN[2]
    [twice] = {*UNDOMINATED[2, 0]} - {*UNDOMINATED[2, 1]}
    least = (twice & 511, 455), (twice >> 9 & 8191, 7462), (twice >> 22, 7462)
    worth = [np.arange(size) >= value for value, size in least]
    for distinct in (0, 1):
        options = {"middle_may_equal_back": False} if distinct else {}
        found = best_sum(known.hand, *worth, **options)
        assert (found.packed >> 26).tolist() == [best_of(known, distinct, worth)]
    assert best_of(known, 0, worth) == twice != best_of(known, 1, worth)


FLAT = [np.zeros(455), np.zeros(7462), np.zeros(7462)]


@pytest.mark.parametrize("segment", range(3))
@pytest.mark.parametrize("change", [lambda table: table[1:], lambda table: -np.arange(len(table)), lambda table: 0.0])
def test_worth_that_falls_or_is_of_another_size_is_refused(segment, change):
    tables_of_worth = [change(table) if i == segment else table for i, table in enumerate(FLAT)]
    with pytest.raises(ValueError, match=f"a table of worth has {len(FLAT[segment])} numbers that never fall"):
        best_sum(FEW[0], *tables_of_worth)


ARRAYS = GAINS._replace(**{name: np.array(table) for name, table in GAINS._asdict().items() if isinstance(table, list)})


@pytest.mark.parametrize("distinct", [0, 1])
def test_the_best_gain_of_hands(distinct):
    numbers = (2, 0)
    found, gained = best_gain([KNOWN[i].hand for i in numbers], ARRAYS, middle_may_equal_back=not distinct)
    assert found.hands.tolist() == [KNOWN[i].ordered for i in numbers]
    assert found.offsets.tolist() == [0, 1, 2]
    for i, best, total in zip(numbers, found.packed.tolist(), gained.tolist(), strict=True):
        shifts = plain_shifts(KNOWN[i].hand)
        gains = [plain_gain(triple << 26, shifts) for triple in UNDOMINATED[i, distinct]]
        assert total == pytest.approx(max(gains), rel=1e-9)
        assert best >> 26 == UNDOMINATED[i, distinct][int(np.argmax(gains))]
    assert gained.dtype == np.float64
    in_wheel, _ = best_gain(IN_WHEEL.hand, ARRAYS, wheel=Wheel.SECOND_HIGHEST, middle_may_equal_back=not distinct)
    shifts = plain_shifts(IN_WHEEL.hand)
    best = max(UNDOMINATED[4, distinct], key=lambda triple: plain_gain(triple << 26, shifts))
    assert (in_wheel.packed >> 26).tolist() == [best]


def test_memory_grows_while_gains_are_looked_for(monkeypatch):
    calls = []

    def best_gain_many(*arguments):
        calls.append(arguments)
        return 0 if len(calls) == 1 else 1

    monkeypatch.setattr(_kernels, "best_gain_many", best_gain_many)
    best_gain(FEW[0], ARRAYS)
    assert [first for _, first, *_ in calls] == [0, 0]
    assert [len(arguments[8]) for arguments in calls] == [8192, 2 * 8192]
    best_gain(FEW[0], ARRAYS, middle_may_equal_back=False)
    assert [distinct for _, _, distinct, *_ in calls] == [0, 0, 1]


def test_the_interpreter_is_given_lists(monkeypatch):
    given = []
    monkeypatch.setattr(_kernels, "best_gain_many", lambda *arguments: given.extend(arguments) or 1)
    monkeypatch.setattr(_kernels, "best_sum_many", lambda *arguments: given.extend(arguments))
    best_gain(FEW[0], ARRAYS)
    best_sum(FEW[0], *FLAT)
    given += [each for argument in given if isinstance(argument, tuple) for each in argument]
    assert not any(isinstance(each, np.ndarray) for each in given)
    assert GAINS in given


def test_a_run_is_all_lists_or_all_arrays(monkeypatch):
    monkeypatch.setattr(search, "compiled", lambda kernel: (kernel, "compiled"))
    wheel = Wheel.SECOND_HIGHEST
    interpreted, compiled = (search._Run(FEW, wheel, True, compile) for compile in (False, True))
    assert interpreted.n == compiled.n == 3
    assert interpreted.hands == compiled.hands.tolist() == FEW
    assert interpreted.ordered == compiled.ordered.tolist() == [[0] * 13] * 3
    assert interpreted.lookup is tables(wheel).lists
    assert compiled.lookup is tables(wheel).arrays
    assert isinstance(interpreted.work.values, list)
    assert isinstance(compiled.work.values, np.ndarray)
    assert (interpreted.word, compiled.word) == (9, 6)
    assert interpreted.use(len) is len
    assert compiled.use(len) == (len, "compiled")
    assert interpreted.zeros(3) == compiled.zeros(3).tolist() == [0, 0, 0]
    assert compiled.zeros(3).dtype == compiled.grown(compiled.zeros(3)).dtype == np.int64
    assert interpreted.grown([1, 2]) == compiled.grown(np.array([1, 2])).tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize("call", [undominated, legal, legal_count])
def test_a_search_is_compiled_as_asked(monkeypatch, call):
    class AskedError(Exception):
        pass

    def compiled(_kernel):
        raise AskedError

    monkeypatch.setattr(search, "compiled", compiled)
    with pytest.raises(AskedError):
        call(FEW, compile=True)
    monkeypatch.setitem(search._met, "hands", search.WORTH_COMPILING)
    call(FEW[:1], compile=False)
    with pytest.raises(AskedError):
        call(FEW)


def test_best_ones_are_compiled_as_asked(monkeypatch):
    monkeypatch.setattr(search, "compiled", lambda kernel: lambda *arguments: 1)
    assert best_sum(FEW[0], *FLAT, compile=True).packed.tolist() == [0]
    assert best_gain(FEW[0], ARRAYS, compile=True)[1].tolist() == [0.0]
    arguments = []
    monkeypatch.setattr(search, "compiled", lambda kernel: lambda *given: arguments.extend(given) or 1)
    best_sum(FEW[0], *FLAT, compile=True)
    best_gain(FEW[0], ARRAYS, compile=True)
    assert not any(isinstance(each, list) for each in arguments)
    assert any(each is ARRAYS for each in arguments)


def test_machine_code_is_loaded_when_it_is_worth_its_time(monkeypatch):
    assert search.is_compiling()
    assert not search._is_worth_compiling(999)
    assert search._is_worth_compiling(1)
    monkeypatch.setitem(search._met, "hands", 0)
    monkeypatch.setattr(search, "find_spec", lambda name: {"numba": None}[name])
    assert not search.is_compiling()
    assert not search._is_worth_compiling(2_000)
    monkeypatch.setitem(sys.modules, "numba", object())
    assert search._is_worth_compiling(1)


@pytest.mark.parametrize(
    ("hands", "says"),
    [
        (range(12), r"an array of hands has the shape \(n, 13\) or \(13,\), not \(12,\)"),
        (np.zeros((2, 2, 13), int), r"not \(2, 2, 13\)"),
        (np.zeros((0, 12), int), r"not \(0, 12\)"),
        ([0, *range(12)], "^a hand has 13 different cards, of the indices 0 to 51$"),
        (range(40, 53), "a hand has 13 different cards"),
        (range(-1, 12), "a hand has 13 different cards"),
        (np.arange(13) / 1, "a hand has 13 different cards"),
        ([range(13), [*range(12), 11]], "a hand has 13 different cards"),
    ],
)
def test_no_hands(hands, says):
    with pytest.raises(ValueError, match=says):
        search._checked(hands)


def test_hands_are_laid_out_for_the_kernels():
    hands = search._checked(np.asfortranarray([range(39, 52), range(13)]))
    assert hands.flags.c_contiguous
    assert hands.dtype == np.int8
    assert hands.tolist() == [[*range(39, 52)], [*range(13)]]
    assert search._checked(np.zeros((0, 13), int)).shape == (0, 13)
    assert engine.undominated(np.zeros((0, 13), np.uint8)).hands.shape == (0, 13)
