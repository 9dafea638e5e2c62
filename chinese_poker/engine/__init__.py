"""Arrays of hands, searched and valued: numpy, and numba where there is enough to do."""

from .search import Arrangements, best_sum, legal, legal_count, undominated
from .tables import Tables, tables

__all__ = ["Arrangements", "Tables", "best_sum", "legal", "legal_count", "tables", "undominated"]
