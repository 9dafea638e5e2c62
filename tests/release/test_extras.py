"""What a user of the base package is told who asks for an extra, and that each extra does what it is for alone."""

import os
from pathlib import Path

import pytest
from shown import run_for_a_while

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif("EXTRA_ENVIRONMENT" not in os.environ, reason="run .ci/environments, which makes them"),
]

BINARIES = Path(os.environ.get("EXTRA_ENVIRONMENT", ""), "bin")
EXTRA = os.environ.get("EXTRA", "")
DEALT = "chinese-poker simulate --deals 40 --strategy greedy"
USES = {
    "dask": f"{DEALT} --engine dask --workers 1",
    "fast": f"{DEALT} --engine local --workers 1",
    "openspiel": "python -c 'import chinese_poker.adapters.openspiel'",
    "pettingzoo": "python -c 'from chinese_poker.adapters.pettingzoo import parallel_env; parallel_env().reset(1)'",
    "plot": "chinese-poker odds strengths --plot wins.svg",
    "tables": f"{DEALT} -o results.parquet",
    "web": "chinese-poker serve --port 0 --data night.db",
}
"""The shortest use of each extra."""
SECONDS = {"web": 10}
"""After which a use is stopped that does not end by itself."""


@pytest.mark.parametrize("extra", USES)
def test_extra(extra, tmp_path):
    done = run_for_a_while(USES[extra], tmp_path, SECONDS.get(extra, 200), BINARIES)
    if extra == EXTRA:
        assert done.returncode == 0, done.stderr
    elif done.returncode:
        assert f"pip install 'chinese-poker[{extra}]'" in done.stderr
        assert "Traceback" not in done.stderr or USES[extra].startswith("python"), done.stderr
