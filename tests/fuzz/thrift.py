"""Strategies that know little: trained on a few hands in place of tens of thousands, by the same code.

What a reader promises does not hang on how well a hand is set, and an input that names other rules or another strategy
would else take seconds to minutes of training.
"""

import os
from functools import partial

from fuzzing import folder

HANDS = 60


def be_thrifty() -> None:
    """Train on little in this process from here on, and keep what is trained out of the user's cache."""
    from chinese_poker import equilibrium, opponents
    from chinese_poker.engine import worth

    os.environ["XDG_CACHE_HOME"] = str(folder())
    if isinstance(worth.train, partial):
        return
    for module in (equilibrium, opponents):
        module.POOL_HANDS = module.FEW_HANDS = HANDS  # type: ignore[attr-defined]
    equilibrium.HANDS = worth.HANDS = worth.FEW_HANDS = worth.PAIRS = HANDS
    equilibrium.train = partial(equilibrium.train, rounds=1)
    worth.train = partial(worth.train, rounds=1)
