"""How long the machines run that hold something with a state against a model: ``TIMES=40`` tries 40 times as much."""

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("TIMES", "1"))


def tried(examples: int, steps: int) -> settings:
    """Runs of a machine, and the most steps of each."""
    return settings(
        max_examples=examples * TIMES,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
