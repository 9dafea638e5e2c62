"""The game for OpenSpiel. Needs the extra ``openspiel``; importing this module registers ``python_chinese_poker``.

Cards are dealt one by one, each hand in ascending order, so that every deal is one history, as likely as any other.
Then all players choose at once, a :mod:`move <chinese_poker.adapters.game>` each, and the deal is settled. For what
wants turns there is OpenSpiel's own ``pyspiel.convert_to_turn_based(game)``, which hides what was chosen before.

=========== ======== ===================================================================================================
parameter   default
=========== ======== ===================================================================================================
``players`` 2        2 to 4
``rules``   basic    a preset's name or alias, or a rule file (``./my-club.toml``)
``banker``  -1       the banker's seat, -1 for none
``moves``   legal    ``legal`` arrangements, about 22,000 a hand, or the ``undominated`` ones, about 120
``suits``   4        cards in play: so many suits, the highest of c, d, h, s
``ranks``   13       and so many ranks, down from the ace
``front``   3        cards in the front
``back``    5        cards in the back, and in the middle
=========== ======== ===================================================================================================

>>> game = pyspiel.load_game("python_chinese_poker(players=3,rules=mandarin)")
>>> game.num_players(), game.num_distinct_actions(), game.max_utility()
(3, 72074, 60.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from ..arrangement import SEGMENTS
from ..cards import DECK, format_cards
from ..engine.tables import Array
from ..extras import needs
from ..strategy import Strategy
from .game import Game, Hand

with needs("openspiel"):
    import pyspiel
    from open_spiel.python import policy

_GAME_TYPE = pyspiel.GameType(
    short_name="python_chinese_poker",
    long_name="Chinese Poker",
    dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={
        "players": 2,
        "rules": "basic",
        "banker": -1,
        "moves": "legal",
        "suits": 4,
        "ranks": 13,
        "front": 3,
        "back": 5,
    },
)


class ChinesePokerGame(pyspiel.Game):  # type: ignore[misc]
    """The game as OpenSpiel has it; its ``game`` says what its moves are.

    :raises ChinesePokerError: parameters that make no game, each with its code.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.game = Game.of(**{**_GAME_TYPE.parameter_specification, **given})
        players, units = self.game.players, float(self.game.most_units)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.move_count,
            max_chance_outcomes=52,
            num_players=players,
            min_utility=-units,
            max_utility=units,
            utility_sum=0.0,
            max_game_length=1,
        )
        super().__init__(_GAME_TYPE, info, given)

    def new_initial_state(self) -> ChinesePokerState:
        return ChinesePokerState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ChinesePokerObserver:  # noqa: ANN401
        return ChinesePokerObserver(self.game, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    def max_chance_nodes_in_history(self) -> int:
        return self.game.players * self.game.hand_size


class ChinesePokerState(pyspiel.State):  # type: ignore[misc]
    """A deal: cards on their way to the players, then what each has done with them."""

    def __init__(self, game: ChinesePokerGame) -> None:
        super().__init__(game)
        self._dealt = b""  # OpenSpiel copies states by copying what is in them: bytes cost nothing
        self._moves: tuple[int, ...] | None = None

    @property
    def game(self) -> Game:
        game: Game = self.get_game().game
        return game

    def hand(self, player: int) -> Hand:
        """The cards that a player has so far, ascending."""
        size = self.game.hand_size
        return tuple(self._dealt[player * size : (player + 1) * size])

    @property
    def moves(self) -> tuple[int, ...] | None:
        """What the players have done, once all have."""
        return self._moves

    def current_player(self) -> int:
        if self._moves:
            return int(pyspiel.PlayerId.TERMINAL)
        game = self.game
        if len(self._dealt) < game.players * game.hand_size:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.SIMULTANEOUS)

    def _legal_actions(self, player: int) -> list[int]:
        moves: list[int] = self.game.moves_of(self.hand(player)).tolist()
        return moves

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The next card of the hand that is being dealt: of all hands left, as many as go on with it."""
        size = self.game.hand_size
        held = len(self._dealt) % size
        before = self._dealt[: len(self._dealt) - held]
        lowest = self._dealt[-1] if held else -1
        cards = [card for card in self.game.deck if card > lowest and card not in before]
        more = size - held
        hands = comb(len(cards), more)
        return [
            (card, comb(len(cards) - i - 1, more - 1) / hands) for i, card in enumerate(cards[: len(cards) - more + 1])
        ]

    def _apply_action(self, action: int) -> None:
        self._dealt += bytes([action])

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self._moves = tuple(map(int, actions))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {DECK[action]}"
        return self.game.words(self.hand(player), action)

    def is_terminal(self) -> bool:
        return bool(self._moves)

    def returns(self) -> list[float]:
        """Units won by each player."""
        if not self._moves:
            return [0.0] * self.game.players
        hands = [self.hand(player) for player in range(self.game.players)]
        return [float(total) for total in self.game.totals(hands, self._moves)]

    def __str__(self) -> str:
        return "\n".join(
            self.game.words(self.hand(player), self._moves[player])
            if self._moves
            else format_cards(DECK[card] for card in self.hand(player))
            for player in range(self.game.players)
        )


class ChinesePokerObserver:
    """What players see: their own cards, and at the end what everybody did with theirs.

    :ivar tensor: all the pieces in ``dict``, flat float32, of zeros and ones: ``player`` (players,); ``hand`` (52,) by
        card index, or ``hands`` (players, 52); ``set`` (players, 3, 52), the cards of each segment; ``declared``
        (players, 2), a natural or a surrender. The last two are all 0 until the end.
    """

    def __init__(self, game: Game, iig_obs_type: Any, params: Any) -> None:  # noqa: ANN401
        if params:
            raise ValueError(f"an observation takes no parameters, not {params}")
        players = game.players
        pieces: list[tuple[str, tuple[int, ...]]] = [("player", (players,))]
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            pieces.append(("hand", (52,)))
        elif iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            pieces.append(("hands", (players, 52)))
        if iig_obs_type.public_info:
            pieces += [("set", (players, len(SEGMENTS), 52)), ("declared", (players, 2))]
        self.tensor: Array = np.zeros(sum(int(np.prod(shape)) for _, shape in pieces), np.float32)
        self.dict: dict[str, Array] = {}
        at = 0
        for name, shape in pieces:
            end = at + int(np.prod(shape))
            self.dict[name] = self.tensor[at:end].reshape(shape)
            at = end

    def set_from(self, state: ChinesePokerState, player: int) -> None:
        """Fill in what a player sees."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if "hand" in self.dict:
            self.dict["hand"][list(state.hand(player))] = 1
        for seat, hands in enumerate(self.dict.get("hands", ())):
            hands[list(state.hand(seat))] = 1
        for seat, move in enumerate(state.moves or () if "set" in self.dict else ()):
            if move >= state.game.declare:
                self.dict["declared"][seat, move - state.game.declare] = 1
            else:
                for i, cards in enumerate(state.game.split(state.hand(seat), move)):
                    self.dict["set"][seat, i, list(cards)] = 1

    def string_from(self, state: ChinesePokerState, player: int) -> str:
        """What a player sees, in words."""
        seats = [player] if "hand" in self.dict else range(state.game.players) if "hands" in self.dict else []
        lines = [f"player {player}"]
        lines += [f"hand {seat}: {format_cards(DECK[card] for card in state.hand(seat))}" for seat in seats]
        for seat, move in enumerate(state.moves or () if "set" in self.dict else ()):
            lines.append(f"set {seat}: {state.game.words(state.hand(seat), move)}")
        return "\n".join(lines)


class StrategyBot(pyspiel.Bot):  # type: ignore[misc]
    """One of the package's strategies as a player of OpenSpiel, also of the game in turns.

    >>> from chinese_poker.strategy import strategy
    >>> game = pyspiel.load_game("python_chinese_poker(moves=undominated)")
    >>> bots = [StrategyBot(game, seat, strategy(name)) for seat, name in enumerate(("expected", "greedy"))]
    """

    def __init__(self, game: ChinesePokerGame, player: int, strategy: Strategy) -> None:
        super().__init__()
        self.player = player
        self.strategy = strategy

    def player_id(self) -> int:
        return self.player

    def restart_at(self, state: ChinesePokerState) -> None:
        """Nothing is remembered from deal to deal."""

    def step(self, state: Any) -> int:  # noqa: ANN401
        dealt = _dealt(state)
        return dealt.game.move_by(self.strategy, dealt.hand(self.player))


class HandPolicy(policy.Policy):  # type: ignore[misc]
    """A policy that looks at the hand alone, for OpenSpiel's algorithms; of the game as it is or in turns.

    :param game: the game of OpenSpiel, also in turns.
    :param chances: the chance of each move, by hand.
    """

    def __init__(self, game: Any, chances: Callable[[Hand], Mapping[int, float]]) -> None:  # noqa: ANN401
        super().__init__(game, list(range(game.num_players())))
        self.chances = chances

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:  # noqa: ANN401
        return dict(self.chances(_dealt(state).hand(state.current_player() if player_id is None else player_id)))


def _dealt(state: Any) -> ChinesePokerState:  # noqa: ANN401
    """The deal behind a state, also behind one of the game in turns."""
    if isinstance(state, ChinesePokerState):
        return state
    dealt: ChinesePokerState = state.simultaneous_game_state()
    return dealt


pyspiel.register_game(_GAME_TYPE, ChinesePokerGame)
