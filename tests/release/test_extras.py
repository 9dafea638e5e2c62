"""What a user of the base package is told who asks for an extra, and that each extra does what it is for alone."""

import os
import subprocess
from pathlib import Path

import pytest

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
    "web": "chinese-poker serve --help && python -c 'import chinese_poker.web.app'",
}
"""The shortest use of each extra."""


def use(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PATH": f"{BINARIES}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("extra", USES)
def test_extra(extra, tmp_path):
    done = use(USES[extra], tmp_path)
    if extra == EXTRA:
        assert done.returncode == 0, done.stderr
    elif done.returncode:
        assert f"pip install 'chinese-poker[{extra}]'" in done.stderr
        assert "Traceback" not in done.stderr or USES[extra].startswith("python"), done.stderr
