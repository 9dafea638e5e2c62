"""Every error that this package raises at its users.

Each names the place (``line``, ``pointer``), the fault (``code``) and the remedy (in its text).
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from itertools import islice
from typing import Self

from .texts import one_line

MOST_PROBLEMS = 100
"""The problems of one document that are told, from its beginning; who has more is told enough."""

_LONGEST_MESSAGE = 300
_LONGEST_POINTER = 60


class ChinesePokerError(ValueError):
    """What was read, where, what is wrong and what would be right.

    :param code: the stable name of the fault, such as ``duplicate_card``.
    :param message: one line for a person.
    :param pointer: RFC 6901 JSON Pointer into the document; ``""`` is the whole document.
    :param line: 1-based line of the file, where the text came from one.

    >>> str(CardError("unknown_card", "'1s' is not a card", pointer="/players/0/front/2", line=17))
    "17: /players/0/front/2: unknown_card: '1s' is not a card"
    """

    def __init__(self, code: str, message: str, *, pointer: str = "", line: int | None = None) -> None:
        super().__init__(code, message, pointer, line)
        self.code = code
        self.message = one_line(message, _LONGEST_MESSAGE)
        self.pointer = pointer
        self.line = line
        self.problems: tuple[ChinesePokerError, ...] = (self,)

    @classmethod
    def of(cls, problems: Iterable[ChinesePokerError]) -> Self:
        """One error for the problems of a document: it reads as the first, and ``problems`` holds the first hundred.

        >>> error = DealError.of([DealError("too_few_players", "1 player"), CardError("unknown_card", "'1s'")])
        >>> error.code, len(error.problems)
        ('too_few_players', 2)
        """
        held = tuple(islice((problem for error in problems for problem in error.problems), MOST_PROBLEMS))
        first = held[0]
        error = cls(first.code, first.message, pointer=first.pointer, line=first.line)
        error.problems = held
        return error

    def __str__(self) -> str:
        pointer = one_line(self.pointer, _LONGEST_POINTER)
        where = (str(self.line) if self.line else "", pointer, self.code, self.message)
        return ": ".join(part for part in where if part)

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross from process to process."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def at(self, pointer: str, line: int | None = None) -> Self:
        """The same fault seen from a document that holds it at ``pointer``.

        >>> CardError("unknown_card", "'1s' is not a card", pointer="/2").at("/front").pointer
        '/front/2'
        """
        placed = type(self)(self.code, self.message, pointer=pointer + self.pointer, line=line or self.line)
        if len(self.problems) > 1:
            placed.problems = tuple(problem.at(pointer, line) for problem in self.problems)
        return placed


_NO_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "can't start new thread",
    "returned NULL without setting an exception",
)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether Python lacks memory, which it also says by what cannot be imported or started.

    >>> is_out_of_memory(RuntimeError("can't start new thread")), is_out_of_memory(ImportError("no module"))
    (True, False)
    """
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in _NO_MEMORY)


class CardError(ChinesePokerError):
    """A card, or a run of cards, that cannot be read."""


class ArrangementError(ChinesePokerError):
    """Cards that are no arrangement of a hand: other than 13, repeated, or no 3 or 5 to rank."""


class DealError(ChinesePokerError):
    """A deal that cannot be scored."""


class RuleSetError(ChinesePokerError):
    """A rule set that is unknown, unreadable or at odds with itself."""


class SimulationError(ChinesePokerError):
    """A simulation that cannot be run, merged or gone on with."""


class LedgerError(ChinesePokerError):
    """A ledger that cannot be read or written, or that holds no such night or deal."""


class StrategyError(ChinesePokerError):
    """A strategy or a program from outside that cannot be had, fails, or does not answer as agreed."""
