"""Outside programs as strategies: hands in, arrangements out.

A program is run as a filter, anew for each batch of hands, so it may keep what it writes until its input ends, and
needs no memory of other batches. The protocol is ``PROTOCOL``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrangement import SEGMENTS, SIZES, Arrangement
from .cards import DECK, format_cards
from .engine.settlement import Settlement, settlement
from .errors import ArrangementError, ChinesePokerError, DealError, StrategyError
from .outside import answered
from .rules import RuleSet
from .setting import Bad, Setting, checked
from .texts import quote

PROTOCOL = """\
A program reads hands from its standard input, one a line, to the end of the
input: 13 cards, high to low, as in "As Kd Kc Jh Ts 9s 9h 7d 6c 5c 4s 3h 2d".

For each hand, in the same order, it writes one line:
  front | middle | back   as in "As Jh Ts | 9s 9h 7d 6c 4s | Kd Kc 5c 3h 2d"
  declare NATURAL         as in "declare six_pairs"; names as in the rules
  surrender               where the rules know it

Cards that are not the hand's, wrong sizes, a natural that the hand does not
hold, and lines that cannot be read are fouls, and are counted as bad answers.

It may keep its output until its input ends. Then it ends, with status 0. It is
started anew for each batch of deals, with CHINESE_POKER_RULES (the name) and
CHINESE_POKER_PLAYERS (2 to 4) in its environment. With all that it has started
it is stopped after --timeout seconds for a batch, or if it floods its output."""
TIMEOUT = 60.0
"""Seconds for a batch."""

_LONGEST_ANSWER = 400
"""Bytes of a line, on average, from which on a program floods its output."""


@dataclass(frozen=True)
class Program:
    """A program as a strategy.

    >>> from chinese_poker.presets import load_rules
    >>> rules, hand = load_rules("basic"), range(0, 52, 4)
    >>> setting = Program("sed 's/.*/declare dragon/'").arrange([hand], rules, 4)
    >>> settlement(rules).states[setting.states[0]].natural
    <Natural.DRAGON: 'dragon'>
    >>> Program("sed 's/ / | /3; s/ / | /9'").arrange([hand], rules, 4).bad
    ()
    """

    command: str
    """As in a shell, with its arguments; no shell runs it."""
    timeout: float = TIMEOUT
    """Seconds for a batch."""

    @property
    def name(self) -> str:
        return self.command

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, players: int) -> Setting:
        """As :meth:`Strategy.arrange <chinese_poker.setting.Strategy.arrange>`, all hands as one batch.

        :raises StrategyError: ``no_program``, ``program_died``, ``program_hung``, ``program_flooded``,
            ``wrong_count``.
        """
        dealt = -np.sort(-np.asarray(hands, np.int8), axis=1)
        given = "".join(format_cards(DECK[card] for card in hand) + "\n" for hand in dealt.tolist())
        environment = {"CHINESE_POKER_RULES": rules.name, "CHINESE_POKER_PLAYERS": str(players)}
        answers = _answers(self, given, len(dealt), environment)
        cards, states, bad = dealt.copy(), np.full(len(dealt), -1, np.int16), []
        settled = settlement(rules)
        for row, answer in enumerate(answers):
            try:
                states[row], held = _read(answer, settled)
                cards[row] = held or cards[row]
            except ChinesePokerError as error:
                bad.append(Bad(row, f"{quote(answer, 60)}: {error.message}"))
                states[row] = settled.foul
        return checked(Setting(cards, states, tuple(bad)), hands, rules, self.name)


def _read(answer: str, settled: Settlement) -> tuple[int, list[int]]:
    """What one line says: the state that is chosen, and the cards of an arrangement.

    :raises ChinesePokerError: what is wrong with it.
    """
    rules = settled.rules
    match answer.lower().split():
        case ["declare", *name]:
            return settled.naturals[rules.natural(" ".join(name))], []
        case ["surrender"]:
            if rules.surrender is None:
                raise DealError("no_surrender", f"{rules.name} knows no surrender")
            return next(i for i, state in enumerate(settled.states) if state.surrender), []
    arrangement = Arrangement.parse(answer)
    sizes = tuple(map(len, arrangement.segments))
    if sizes != SIZES:
        got = ", ".join(f"{size} in the {segment}" for segment, size in zip(SEGMENTS, sizes, strict=True))
        raise ArrangementError("wrong_sizes", f"{got}; write 3, 5 and 5")
    return -1, list(map(int, arrangement.cards))


def _answers(program: Program, given: str, wanted: int, environment: dict[str, str]) -> list[str]:
    """The lines that a program writes when it is given this, as many as are wanted."""
    answers = answered(
        program.command,
        given.encode(),
        wanted,
        most=wanted * _LONGEST_ANSWER,
        timeout=program.timeout,
        environment=environment,
    )
    lines, got = answers.lines, len(answers.lines)
    if answers.died:
        raise StrategyError("program_died", answers.died)
    if got != wanted:
        fault = f"{quote(program.command, 60)} wrote {got:,} lines for {wanted:,} hands; write one line a hand"
        raise StrategyError("wrong_count", fault)
    return lines
