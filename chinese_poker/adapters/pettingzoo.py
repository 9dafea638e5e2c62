"""The game for PettingZoo, as a parallel environment. Needs the extra ``pettingzoo``.

An episode is one deal: all agents see their cards and choose a :mod:`move <chinese_poker.adapters.game>` at once, the
rewards are the units they win, and the episode is over. An arrangement that the mask leaves out is played as it is: a
foul.

=============== ==============================================================================================
observation     a dict of ``observation``, (52,) int8, 1 for each card held, by card index, and ``action_mask``,
                int8, 1 for each legal move
action          the number of a move, 0 to 72,073
reward          float, units
infos           ``hand``, the cards in words
``render()``    ``ansi``: what was dealt, and after the step how it was set and settled; ``human`` prints that
=============== ==============================================================================================

>>> env = parallel_env(players=3, rules="mandarin")
>>> observations, infos = env.reset(seed=1)
>>> env.agents, int(observations["player_0"]["observation"].sum()), env.action_space("player_0")
(['player_0', 'player_1', 'player_2'], 13, Discrete(72074))
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import numpy as np

from ..cards import DECK, format_cards
from ..deal import SEAT_NAMES
from ..engine.dealing import deal_from
from ..engine.tables import Array
from ..errors import DealError
from ..extras import needs
from ..report import explain
from .game import Game, Hand

with needs("pettingzoo"):
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import ParallelEnv

Observation: TypeAlias = dict[str, Array]


class ChinesePokerEnv(ParallelEnv):  # type: ignore[misc]
    """A table of agents ``player_0``, ``player_1`` and so on.

    :param players: 2 to 4.
    :param rules: a preset's name or alias, or a rule file.
    :param render_mode: ``ansi`` or ``human``.
    :param parameters: ``banker``, ``moves``, ``suits``, ``ranks``, ``front``, ``back`` of
        :meth:`Game.of <chinese_poker.adapters.game.Game.of>`.
    :raises ChinesePokerError: parameters that make no game, each with its code.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "chinese_poker_v0", "render_modes": ["ansi", "human"]}

    def __init__(
        self, players: int = 2, rules: str = "basic", render_mode: str | None = None, **parameters: int | str
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise DealError("bad_game", f"render_mode={render_mode}; write ansi or human")
        self.game = Game.of(players=players, rules=rules, **parameters)  # type: ignore[arg-type]
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self.hands: tuple[Hand, ...] = ()
        self.moves: tuple[int, ...] = ()
        self._seed: int | None = None
        self._next = 0
        count = self.game.move_count
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (len(DECK),), np.int8),
                    "action_mask": spaces.Box(0, 1, (count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, str]]]:
        """Deal.

        :param seed: the deals from here on are those of the seed; without it the next one.
        :param options: not used.
        """
        if seed is not None or self._seed is None:
            self._seed = seeding.np_random(seed)[1]
            self._next = 0
        dealt = deal_from(self._seed, self.game.deck, 1, self.game.players, first=self._next, size=self.game.hand_size)
        self._next += 1
        self.hands = tuple(self.game.sorted_hand(hand) for hand in dealt[0].tolist())
        self.moves = ()
        self.agents = list(self.possible_agents)
        self._show()
        return {agent: self.observe(agent) for agent in self.agents}, self._infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, str]]]:
        """Settle the deal: everybody's move, and the end.

        :raises DealError: ``bad_move``: a declaration or surrender that the mask leaves out, a move that is missing,
            a deal that is over.
        """
        seated = self.agents
        if not seated or set(actions) != set(seated):
            fault = f"one move of each of {', '.join(seated)}" if seated else "the deal is over; reset() deals anew"
            raise DealError("bad_move", fault)
        moves = tuple(int(actions[agent]) for agent in seated)
        rewards = dict(zip(seated, map(float, self.game.totals(self.hands, moves)), strict=True))
        self.moves = moves
        self.agents = []
        self._show()
        observations = {agent: self.observe(agent) for agent in seated}
        return observations, rewards, dict.fromkeys(seated, True), dict.fromkeys(seated, False), self._infos()

    def observe(self, agent: str) -> Observation:
        """What an agent sees; when the deal is over no move is legal."""
        hand = self.hands[self.possible_agents.index(agent)]
        cards, mask = np.zeros(len(DECK), np.int8), np.zeros(self.game.move_count, np.int8)
        cards[list(hand)] = 1
        if not self.moves:
            mask[self.game.moves_of(hand)] = 1
        return {"observation": cards, "action_mask": mask}

    def state(self) -> Array:
        """(players, 52) int8: who holds what."""
        return np.stack([self.observe(agent)["observation"] for agent in self.possible_agents])

    def render(self) -> str | None:
        """The deal in words: for ``ansi`` the text; ``human`` has it printed by each step."""
        return self._words() if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._words())

    def _infos(self) -> dict[str, dict[str, str]]:
        return {
            agent: {"hand": format_cards(DECK[card] for card in hand)}
            for agent, hand in zip(self.possible_agents, self.hands, strict=True)
        }

    def _words(self) -> str:
        game = self.game
        if not self.moves:
            held = [format_cards(DECK[card] for card in hand) for hand in self.hands]
        else:
            held = [game.words(hand, move) for hand, move in zip(self.hands, self.moves, strict=True)]
        lines = [f"{name}: {cards}" for name, cards in zip(SEAT_NAMES, held, strict=False)]
        if self.moves and game.is_core:
            lines += explain(game.deal(self.hands, self.moves), game.result(self.hands, self.moves))
        elif self.moves:
            lines += [
                f"{name}: {units:+d}"
                for name, units in zip(SEAT_NAMES, game.totals(self.hands, self.moves), strict=False)
            ]
        return "\n".join(lines)


def parallel_env(
    players: int = 2, rules: str = "basic", render_mode: str | None = None, **parameters: int | str
) -> ChinesePokerEnv:
    """The environment, by PettingZoo's usual name for it; parameters of :class:`ChinesePokerEnv`."""
    return ChinesePokerEnv(players, rules, render_mode, **parameters)
