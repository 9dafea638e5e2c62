"""Foreign texts and errors: what is shown of them, where it is cut, and what they hold."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from chinese_poker.errors import MOST_PROBLEMS, CardError, ChinesePokerError, DealError, is_out_of_memory
from chinese_poker.texts import did_you_mean, one_line, quote, text_fault


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("", 5, ""),
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "abcde..."),
        ("a\nb", 5, "a\\nb"),
        ("a\nbc", 5, "a\\nbc"),
        ("a\nbcd", 5, "a\\nbc..."),  # five characters that take six
        ("ab\n", 2, "ab..."),
        ("陳大文", 5, "陳大文"),
        ("\u202e", 9, "\\u202e"),
        ("é\n", 9, "é\\n"),
        ("\ud800", 9, "\\ud800"),
        ("\U000e0001", 12, "\\U000e0001"),
    ],
)
def test_a_text_on_one_line(text: str, limit: int, shown: str) -> None:
    assert one_line(text, limit) == shown
    assert quote(text, limit) == f"'{shown}'"


def test_what_is_quoted_is_cut_at_24_characters_where_nothing_else_is_said() -> None:
    assert quote("x" * 24) == f"'{'x' * 24}'"
    assert quote("x" * 25) == f"'{'x' * 24}...'"


def test_the_nearest_word_is_offered_whatever_its_capitals() -> None:
    known = ["three_straights", "three_flushes", "dragon"]
    assert did_you_mean("Three Straights", known) == ", did you mean 'three_straights'?"
    assert did_you_mean("dargon", iter(known)) == ", did you mean 'dragon'?"
    assert did_you_mean("xyz", known) == ";"
    assert did_you_mean("x" * 1_000_000, ["x" * 100]) == f", did you mean '{'x' * 100}'?"


@pytest.mark.parametrize(
    ("text", "least", "most", "fault"),
    [
        ("", 1, 3, "0 characters; write 1 to 3"),
        ("", 0, 3, None),
        ("abc", 1, 3, None),
        ("abcd", 1, 3, "4 characters; write 1 to 3"),
        ("x" * 1234, 0, 1000, "1,234 characters; write 0 to 1,000"),
        ("a\x7fb", 1, 3, "U+007F cannot stand in a text; leave it out"),
        ("\u2066", 1, 3, "U+2066 cannot stand in a text; leave it out"),
        ("\udfff", 1, 3, "U+DFFF cannot stand in a text; leave it out"),
        ("\u00ad\u200d", 1, 3, None),  # not printable, and harmless
    ],
)
def test_what_keeps_a_text_out(text: str, least: int, most: int, fault: str | None) -> None:
    assert text_fault(text, least=least, most=most) == fault


def test_a_text_has_1_to_100_characters_where_nothing_else_is_said() -> None:
    assert text_fault("") == "0 characters; write 1 to 100"
    assert text_fault("x" * 100) is None
    assert text_fault("x" * 101) == "101 characters; write 1 to 100"


# ----------------------------------------------------------------------------------------------------
# Errors


def test_an_error_says_what_it_was_given_and_stands_alone() -> None:
    error = DealError("bad_value", "write a list", pointer="/players", line=3)
    assert (error.code, error.message, error.pointer, error.line) == ("bad_value", "write a list", "/players", 3)
    assert error.problems == (error,)
    assert error.args == ("bad_value", "write a list", "/players", 3)
    assert str(error) == "3: /players: bad_value: write a list"
    bare = DealError("bad_value", "write a list")
    assert (bare.pointer, bare.line, str(bare)) == ("", None, "bad_value: write a list")
    assert isinstance(error, ChinesePokerError)
    assert isinstance(error, ValueError)


def test_messages_are_cut_at_300_characters_and_shown_pointers_at_60() -> None:
    error = CardError("unknown_card", "x" * 301, pointer="/" + "y" * 60)
    assert error.message == "x" * 300 + "..."
    assert error.pointer == "/" + "y" * 60
    assert str(error) == f"/{'y' * 59}...: unknown_card: {'x' * 300}..."
    assert CardError("unknown_card", "x" * 300).message == "x" * 300
    assert str(CardError("c", "m", pointer="/" + "y" * 59)) == f"/{'y' * 59}: c: m"


def test_the_errors_of_a_document_are_told_as_the_first_with_all_of_them() -> None:
    first = CardError("unknown_card", "'1s'", pointer="/0", line=2)
    more = [DealError("bad_value", str(i)) for i in range(150)]
    error = DealError.of([first, *more])
    assert (type(error), error.code, error.message, error.pointer, error.line) == (
        DealError,
        "unknown_card",
        "'1s'",
        "/0",
        2,
    )
    assert error.problems == (first, *more[: MOST_PROBLEMS - 1])
    assert DealError.of(each for each in [error, more[0]]).problems == error.problems


def test_an_error_within_a_document_is_at_its_place() -> None:
    error = CardError("unknown_card", "'1s'", pointer="/2")
    placed = error.at("/front", 7)
    assert (type(placed), placed.code, placed.message, placed.pointer, placed.line) == (
        CardError,
        "unknown_card",
        "'1s'",
        "/front/2",
        7,
    )
    assert placed.problems == (placed,)
    assert placed.at("/players/0").pointer == "/players/0/front/2"
    assert (placed.at("").line, placed.at("", 9).line) == (7, 9)
    several = DealError.of([error, CardError("bad_value", "x", line=4)]).at("/front", 5)
    assert [(each.pointer, each.line, type(each)) for each in several.problems] == [
        ("/front/2", 5, CardError),
        ("/front", 5, CardError),
    ]


@pytest.mark.parametrize("carried", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_crosses_from_process_to_process_whole(carried: Callable[[ChinesePokerError], Any]) -> None:
    first = CardError("unknown_card", "x" * 400, pointer="/2", line=3)
    for error in (first, DealError("bad_value", "write a list"), DealError.of([first, DealError("bad_text", "y")])):
        other = carried(error)
        assert other is not error
        assert (type(other), other.args, str(other)) == (type(error), error.args, str(error))
        assert (other.code, other.message, other.pointer, other.line) == (
            error.code,
            error.message,
            error.pointer,
            error.line,
        )
        assert [(type(each), str(each)) for each in other.problems] == [
            (type(each), str(each)) for each in error.problems
        ]


@pytest.mark.parametrize(
    ("error", "lacks"),
    [
        (MemoryError(), True),
        (ImportError("numpy.so: failed to map segment from shared object"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("can't start new thread"), True),
        (SystemError("<built-in function load> returned NULL without setting an exception"), True),
        (ImportError("No module named 'numba'"), False),
        (OSError(28, "No space left on device"), False),
        (RuntimeError(), False),
    ],
)
def test_what_says_that_memory_lacks(error: Exception, lacks: bool) -> None:
    assert is_out_of_memory(error) is lacks
