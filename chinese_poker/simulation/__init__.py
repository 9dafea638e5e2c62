"""Deals by the million, on one core or many machines, with the same totals bit for bit."""

from .run import simulate
from .summary import Dealt, Seat, Summary

__all__ = ["Dealt", "Seat", "Summary", "simulate"]
