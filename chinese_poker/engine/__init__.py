"""Arrays of hands, searched and valued: numpy, and numba where there is enough to do."""

from .search import Arrangements, best_sum, legal, legal_count, undominated

__all__ = ["Arrangements", "best_sum", "legal", "legal_count", "undominated"]
