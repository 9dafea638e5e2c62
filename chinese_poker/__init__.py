"""A referee and an adviser for 13-card Chinese Poker."""

from .arrangement import Arrangement, Foul, Segment, parse_hand
from .cards import DECK, Card, format_cards, parse_cards
from .deal import Deal, Player
from .errors import ArrangementError, CardError, ChinesePokerError, DealError, LedgerError, RuleSetError, StrategyError
from .evaluate import Category, Strength, Wheel, evaluate
from .matchup import Item, Reason
from .naturals import Natural, find_naturals
from .rules import RuleSet
from .score import DealResult, Matchup, PlayerResult, score

__version__ = "0.1.0"

__all__ = [
    "DECK",
    "Arrangement",
    "ArrangementError",
    "Card",
    "CardError",
    "Category",
    "ChinesePokerError",
    "Deal",
    "DealError",
    "DealResult",
    "Foul",
    "Item",
    "LedgerError",
    "Matchup",
    "Natural",
    "Player",
    "PlayerResult",
    "Reason",
    "RuleSet",
    "RuleSetError",
    "Segment",
    "StrategyError",
    "Strength",
    "Wheel",
    "evaluate",
    "find_naturals",
    "format_cards",
    "parse_cards",
    "parse_hand",
    "score",
]
